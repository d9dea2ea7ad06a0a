"""Tron as text: a bot reads where each trail begins and ends, and writes a direction."""

from __future__ import annotations

from typing import get_args

from hexarena.games.contract import BadReply, Seat, quote
from hexarena.games.tron.rules import Direction, State

OUT = "-1 -1 -1 -1"
_DIRECTIONS: dict[str, Direction] = {name: name for name in get_args(Direction)}
_BLANKS = " \t\r"


def prompt(state: State, seat: Seat, first: bool) -> str:
    """The number of players and the reader's own, then a line a player: its start and its head, or OUT."""
    lines = [f"{len(state.heads)} {seat}"]
    for (x0, y0), (x1, y1), turn in zip(state.starts, state.heads, state.out, strict=True):
        lines.append(f"{x0} {y0} {x1} {y1}" if turn is None else OUT)
    return "\n".join([*lines, ""])


def parse(state: State, seat: Seat, reply: str) -> Direction:
    """The direction that a line names; blanks around it do not count. Raises: BadReply."""
    direction = _DIRECTIONS.get(reply.strip(_BLANKS))
    if direction is None:
        raise BadReply(f"expected UP, DOWN, LEFT or RIGHT, got {quote(reply)}")
    return direction
