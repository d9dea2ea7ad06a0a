"""Ants as text: what a bot reads, and how its line becomes a move. Source: the spec, sections 4, 5 and 12."""

from __future__ import annotations

import re
from functools import lru_cache

from hexarena.games.ants.mapmaking import Board
from hexarena.games.ants.rules import Beacon, Line, Move, State
from hexarena.games.contract import BadReply, Seat, quote
from hexarena.games.text import INT_MAX, java_split, java_trim, small_int, without_commands

MESSAGE_UNITS = 48
"""The longest message shown whole, in UTF-16 units."""

_CUT_UNITS = 46
_SHORT_DIGITS = 10
"""Numbers of fewer digits are small enough in any case."""
_COMMAND = re.compile(
    r"BEACON ([0-9]+) ([0-9]+)|LINE ([0-9]+) ([0-9]+) ([0-9]+)|MESSAGE ([^\n\r\x85\u2028\u2029]*)|WAIT"
)
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_FORMS = {
    "BEACON": "BEACON <cell_index> <beacon_strength>",
    "LINE": "LINE <from_index> <to_index> <beacon_strength>",
    "MESSAGE": "MESSAGE <text>",
    "WAIT": "WAIT",
}
_ANY_FORM = "BEACON | LINE | MESSAGE | WAIT"


class _Unread(Exception):
    """One command that cannot be read. `words`: the reference's message."""

    def __init__(self, message: str, words: str) -> None:
        super().__init__(message)
        self.message = message
        self.words = words


def prompt(state: State, seat: Seat, first: bool) -> str:
    """The map (first turn only), the points (from league 4 on), then a line for each cell."""
    own, other = state.ants[seat], state.ants[1 - seat]
    cells = "\n".join(map(_cell_line, state.amounts, own, other))
    points = f"{state.points[seat]} {state.points[1 - seat]}\n" if state.level.score_line else ""
    return f"{_map_lines(state, seat) if first else ''}{points}{cells}\n"


@lru_cache(maxsize=65_536)
def _cell_line(left: int, mine: int, theirs: int) -> str:
    """A cell's contents. Cached, since few cells change in a turn."""
    return f"{left} {mine} {theirs}"


def _map_lines(state: State, seat: Seat) -> str:
    """Cells have the same index for both seats; only the two lines of bases change places."""
    board = state.board
    own, other = board.bases[seat], board.bases[1 - seat]
    return f"{_board_lines(board)}{len(own)}\n{_joined(own)}\n{_joined(other)}\n"


@lru_cache(maxsize=16)
def _board_lines(board: Board) -> str:
    cells = zip(board.kinds, board.amounts, board.neighbours, strict=True)
    lines = [f"{kind} {amount} {_joined(neighbours)}\n" for kind, amount, neighbours in cells]
    return f"{len(lines)}\n{''.join(lines)}"


def _joined(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))


def parse(state: State, seat: Seat, reply: str) -> Move:
    """The commands of a line. A carriage return at its end is taken for a part of the line end (our decision).

    Raises: BadReply, with the commands before the first one that cannot be read as `partial`.
    """
    lines: list[Line] = []
    beacons: list[Beacon] = []
    message = ""
    try:
        for piece in java_split(_well_formed(reply).removesuffix("\r"), ";"):
            command = _COMMAND.fullmatch(java_trim(piece))
            if command is None:
                raise _unknown(piece)
            cell, strength, start, end, line_strength, text = command.groups()
            if cell is not None:
                beacons.append((_number(cell, piece), _number(strength, piece)))
            elif start is not None:
                lines.append((_number(start, piece), _number(end, piece), _number(line_strength, piece)))
            elif text is not None:
                message = _shown(java_trim(text))
    except _Unread as error:
        partial = Move(tuple(lines), tuple(beacons), message, error.words)
        raise BadReply(error.message, partial=partial) from None
    return Move(tuple(lines), tuple(beacons), message)


def _well_formed(reply: str) -> str:
    """A lone surrogate cannot be written to a replay."""
    return reply if reply.isascii() else _LONE_SURROGATE.sub("\ufffd", reply)


def _number(digits: str, piece: str) -> int:
    if len(digits) < _SHORT_DIGITS:
        return int(digits)
    value = small_int(digits)
    if value is None:
        got = f'java.lang.NumberFormatException: For input string: "{digits}"'
        raise _Unread(
            f"expected numbers up to {INT_MAX}, got {quote(piece)}",
            f"Invalid Input: Expected {_form(piece)} but got '{got}'",
        )
    return value


def _unknown(piece: str) -> _Unread:
    form = _form(piece)
    return _Unread(f"expected {form}, got {quote(piece)}", f"Invalid Input: Expected {form} but got '{piece}'")


def _form(piece: str) -> str:
    """The form that a command should have, inferred from its beginning. Blanks before it count."""
    upper = piece.upper()
    return next((form for name, form in _FORMS.items() if upper.startswith(name)), _ANY_FORM)


def _shown(text: str) -> str:
    """A message as it is displayed. A cut through a pair of surrogates leaves U+FFFD."""
    units = text.encode("utf-16-le")
    if len(units) <= 2 * MESSAGE_UNITS:
        return text
    return units[: 2 * _CUT_UNITS].decode("utf-16-le", "replace") + "..."


def without_message(reply: str) -> str:
    """The commands that are played."""
    return without_commands(reply, "MESSAGE")
