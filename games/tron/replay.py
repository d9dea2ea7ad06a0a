"""Tron as a replay: where the cycles start, then a letter a seat and turn, and who crashed. See replay.md."""

from __future__ import annotations

from collections.abc import Mapping

from hexarena.games.contract import Json
from hexarena.games.tron.rules import Crash, State

NO_MOVE = "."


def header(state: State) -> Json:
    """The board's size, and the start of each seat."""
    return {"w": state.width, "h": state.height, "start": [list(place) for place in state.starts]}


def frame(state: State) -> Mapping[str, Json]:
    """`m`: a letter for each seat, U, D, L, R, or `.` where there was no move. `x`: who crashed, if anybody did."""
    moves = state.moves or {}
    letters = "".join(moves[seat][0] if seat in moves else NO_MOVE for seat in range(len(state.heads)))
    return {"m": letters, "x": [_crash(crash) for crash in state.crashes]} if state.crashes else {"m": letters}


def _crash(crash: Crash) -> Json:
    shown: dict[str, Json] = {"p": crash.seat, "by": crash.cause}
    if crash.others:
        shown["of"] = list(crash.others)
    return shown
