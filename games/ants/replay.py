"""Ants as pictures: the map once, then what each turn changed. replay.md describes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hexarena.games.ants.mapmaking import Board, Cell
from hexarena.games.ants.marching import Strengths, Walk
from hexarena.games.ants.routes import routes
from hexarena.games.ants.rules import SEATS, State
from hexarena.games.contract import Json

_WAYS = "abcdef"
"""A letter for each direction."""


def header(state: State) -> Json:
    """Cells as [q, r, kind, amount] in axial coordinates, bases by seat, ants by seat and cell."""
    board = state.board
    return {
        "cells": [
            [x, z, kind, amount]
            for (x, _, z), kind, amount in zip(board.places, board.kinds, board.amounts, strict=True)
        ],
        "bases": [list(cells) for cells in board.bases],
        "ants": [list(counts) for counts in state.ants],
    }


def frame(state: State) -> Mapping[str, Json]:
    """Moves `m`, harvests `h` with their routes, beacons `b`, new ants per base `n`, points `s`, messages `msg`.

    Moves and beacons are most of a replay, so they are short texts.
    """
    events = state.events
    frame: dict[str, Json] = {
        "m": [_moves(state.board, [walk for walk in events.walks if walk.seat == seat]) for seat in SEATS],
        "h": [[*harvest, list(route)] for harvest, route in routes(state)],
        "b": [_beacons(beacons) for beacons in events.beacons],
        "s": list(state.points),
    }
    if any(events.new_ants):
        frame["n"] = list(events.new_ants)
    if any(events.messages):
        frame["msg"] = list(events.messages)
    return frame


def _moves(board: Board, walks: Iterable[Walk]) -> str:
    """For each cell that ants leave: the cells skipped, then a letter for each way and the ants, if not 1."""
    leaving: dict[Cell, list[str]] = {}
    for _, start, end, ants in walks:
        way = _WAYS[board.neighbours[start].index(end)]
        leaving.setdefault(start, []).append(f"{way}{_unless(1, ants)}")
    return "".join(f"{gap}{''.join(sorted(leaving[cell]))}," for gap, cell in _gaps(leaving))


def _beacons(beacons: Strengths) -> str:
    """For each beacon: the cells skipped, then its strength, if not that of the one before; the first is 1 else."""
    words: list[str] = []
    last = 1
    for gap, cell in _gaps(beacons):
        strength = beacons[cell]
        words.append(f"{gap}," if strength == last else f"{gap}:{strength},")
        last = strength
    return "".join(words)


def _gaps(cells: Iterable[Cell]) -> Iterator[tuple[str, Cell]]:
    """Cells in order, each with how many were skipped since the one before: nothing for none."""
    following = 0
    for cell in sorted(cells):
        yield _unless(0, cell - following), cell
        following = cell + 1


def _unless(usual: int, number: int) -> str:
    return "" if number == usual else str(number)
