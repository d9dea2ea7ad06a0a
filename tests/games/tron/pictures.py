"""Positions of Tron as text: `.` is free, `a` to `d` are the trails of the seats 0 to 3, `A` to `D` their heads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from hexarena.games.contract import BotFault, Seat
from hexarena.games.tron import rules
from hexarena.games.tron.rules import FREE, Direction, State

LETTERS = "ABCD"
GONE = 1
"""The turn in which seats that are not in a picture went out."""


def position(picture: str, *, turn: int = 9) -> State:
    """The state that a picture shows. Cycles start where they are; whoever has a trail and no head is a mistake."""
    rows = picture.split()
    assert len({len(row) for row in rows}) == 1, "rows are equally long"
    width, text = len(rows[0]), "".join(rows)
    seats = 1 + max(LETTERS.index(mark.upper()) for mark in text if mark != ".")
    at = [text.find(letter) for letter in LETTERS[:seats]]
    heads = tuple((cell % width, cell // width) if cell >= 0 else (-1, -1) for cell in at)
    board = bytes(FREE if mark == "." else LETTERS.index(mark.upper()) + 1 for mark in text)
    assert {value - 1 for value in board if value != FREE} == {seat for seat, cell in enumerate(at) if cell >= 0}
    return State(width, board, heads, heads, tuple(None if cell >= 0 else GONE for cell in at), turn)


def picture(state: State) -> str:
    """The board as a picture, a line a row."""
    marks = ["." if value == FREE else LETTERS[value - 1].lower() for value in state.board]
    for seat in state.riding:
        x, y = state.heads[seat]
        marks[y * state.width + x] = LETTERS[seat]
    return "\n".join("".join(marks[row : row + state.width]) for row in range(0, len(marks), state.width))


def after(state: State, faults: Mapping[Seat, BotFault] | None = None, **ways: str) -> State:
    """A turn in which the cycles ride as named, e.g. `A="UP"`."""
    moves = {LETTERS.index(letter): cast("Direction", way) for letter, way in ways.items()}
    return rules.step(state, moves, faults or {})
