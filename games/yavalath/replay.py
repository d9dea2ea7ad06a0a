"""Yavalath as pictures: a frame is one stone, or the line that was no move. replay.md describes it."""

from __future__ import annotations

from collections.abc import Mapping

from hexarena.games.contract import Json
from hexarena.games.yavalath.rules import PLACES, Cell, State


def header(state: State) -> Json:
    """Nothing: every match begins on the same empty board."""
    return {}


def frame(state: State) -> Mapping[str, Json]:
    """Who moved (`p`), where (`x`, `y`), whether it took the stone there, and the line that ended the match."""
    seat = (state.turn - 1) % 2
    if state.last is None:
        return {"p": seat, "bad": state.end.words if state.end else ""}
    x, y = PLACES[state.last]
    frame: dict[str, Json] = {"p": seat, "x": x, "y": y}
    if state.stolen:
        frame["steal"] = True
    if state.line:
        frame["line"] = [_place(cell) for cell in state.line]
    return frame


def _place(cell: Cell) -> list[int]:
    x, y = PLACES[cell]
    return [x, y]
