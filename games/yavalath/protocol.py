"""Yavalath as text: what a bot reads, and how its line becomes a cell. Source: the spec, sections 2 and 3."""

from __future__ import annotations

import re
from itertools import accumulate
from unicodedata import decimal

from hexarena.games.contract import Seat, quote
from hexarena.games.text import INT_MAX, java_split, small_int
from hexarena.games.yavalath.rules import (
    CELL_AT,
    PLACES,
    ROW_LENGTHS,
    Cause,
    Cell,
    Forbidden,
    State,
    Unreadable,
    may_take,
)

_BLANKS = str.maketrans("\t\n\v\f\r", "     ")
_SEEN_BY_SEAT_1 = str.maketrans("12", "21")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
"""What cannot be written to a replay."""
_INTEGER = re.compile(r"[+-]?\d+")
_WITH_MESSAGE = re.compile(r"([+-]?\d+ [+-]?\d+) ")
_LAST_OF_BASIC_PLANE = "\uffff"
_ROWS = tuple(slice(end - length, end) for length, end in zip(ROW_LENGTHS, accumulate(ROW_LENGTHS), strict=True))
_ROW_COUNT = str(len(ROW_LENGTHS))
_EXPECTED = "expected 'x y', two whole numbers with one blank between them"


def prompt(state: State, seat: Seat, first: bool) -> str:
    """The id (first turn only), the number of rows, the rows as the seat sees them, the last move."""
    board = seen_by(seat, state.board)
    x, y = (-1, -1) if state.last is None else PLACES[state.last]
    lines = [_ROW_COUNT, *[board[row] for row in _ROWS], f"{x} {y}", ""]
    return "\n".join([str(seat + 1), *lines] if first else lines)


def seen_by(seat: Seat, board: str) -> str:
    """The board as a seat reads it: its own stones are 1, the other's 2."""
    return board.translate(_SEEN_BY_SEAT_1) if seat else board


def parse(state: State, seat: Seat, reply: str) -> Cell:
    """The cell that a line names; what follows the two numbers is a message and changes nothing.

    Raises: Unreadable, Forbidden.
    """
    parts = java_split(_LONE_SURROGATE.sub("\ufffd", reply).translate(_BLANKS), " ")
    place = _place(parts, reply)
    cell = CELL_AT.get(place)
    if cell is None:
        raise Forbidden(
            f"expected a cell of the board (y from 0 to 8, x from 0 to the row's end), got {quote(reply)}",
            cause=Cause.OUT_OF_BOUNDS,
            action=" ".join(parts),
        )
    if not may_take(state, cell):
        raise Forbidden(
            f"expected an empty cell, got {quote(reply)}, which holds a stone",
            cause=Cause.OCCUPIED,
            action=" ".join(parts),
        )
    return cell


def without_message(reply: str) -> str:
    """The two numbers alone, where a message follows them."""
    found = _WITH_MESSAGE.match(reply)
    return reply if found is None else found[1]


def _place(parts: list[str], reply: str) -> tuple[int, int]:
    """The two numbers, read in the reference's order: a bad first one counts before a missing second one."""
    numbers: list[int] = []
    for index in range(2):
        if index >= len(parts):
            raise Unreadable(f"{_EXPECTED}, got {quote(reply)}", cause=Cause.ONE_NUMBER, action=" ".join(parts))
        number = _integer(parts[index])
        if number is None:
            raise Unreadable(
                f"{_EXPECTED}, got {quote(reply)}",
                cause=Cause.NOT_A_NUMBER,
                action=" ".join(parts),
            )
        numbers.append(number)
    return numbers[0], numbers[1]


def _integer(text: str) -> int | None:
    """A signed 32-bit integer as Java reads it: an optional sign, then decimal digits of any alphabet below U+10000."""
    if not _INTEGER.fullmatch(text) or max(text) > _LAST_OF_BASIC_PLANE:
        return None
    digits = text.lstrip("+-")
    if not digits.isascii():
        digits = "".join(str(decimal(digit)) for digit in digits)
    if text[0] == "-":
        return -INT_MAX - 1 if digits.lstrip("0") == str(INT_MAX + 1) else _negated(small_int(digits))
    return small_int(digits)


def _negated(value: int | None) -> int | None:
    return None if value is None else -value
