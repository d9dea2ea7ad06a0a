"""Ants as pictures: the map once, then what each turn changed. docs/replay-format.md describes it."""

from __future__ import annotations

from collections.abc import Mapping

from games.ants.routes import routes
from games.ants.rules import State
from games.contract import Json


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
    """Moves `m`, harvests `h` with their routes, beacons `b`, new ants per base `n`, points `s`, messages `msg`."""
    events = state.events
    frame: dict[str, Json] = {
        "m": [list(walk) for walk in events.walks],
        "h": [[*harvest, list(route)] for harvest, route in routes(state)],
        "b": [[list(beacon) for beacon in beacons.items()] for beacons in events.beacons],
        "s": list(state.points),
    }
    if any(events.new_ants):
        frame["n"] = list(events.new_ants)
    if any(events.messages):
        frame["msg"] = list(events.messages)
    return frame
