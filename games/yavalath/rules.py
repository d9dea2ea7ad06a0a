"""The rules of Yavalath: the board, what a stone does, how a match ends.

A cell is its index, row by row from the top. In the slanted columns of `_column`, the three directions of a line are
plain steps, so runs of stones are read from a table of rays made once.
Source: the reference referee, as our spec gives it (sections 1, 2, 4, 5 and 6), and its public statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from hexarena.games.contract import BadReply, BotFault, FaultKind, IllegalMove, Note, Outcome, Seat

Cell: TypeAlias = int
"""An index into the board: 0..60, row by row, each row from the left."""

ROW_LENGTHS = (5, 6, 7, 8, 9, 8, 7, 6, 5)
PLACES = tuple((x, y) for y, length in enumerate(ROW_LENGTHS) for x in range(length))
"""Cell -> (x, y)."""
CELL_AT: Mapping[tuple[int, int], Cell] = {place: cell for cell, place in enumerate(PLACES)}

EMPTY = "0"
STONES = "12"
"""Seat -> the character of its stones on the board."""
STEAL_TURN = 1
WINNING_LENGTH = 4
LOSING_LENGTH = 3
REACH = 3
"""How far a line is followed to each side of a new stone."""


class Cause(StrEnum):
    """Why a match ended, in the words of the recordings."""

    WINNING_LINE = "line of 4"
    LOSING_LINE = "line of 3"
    FULL_BOARD = "tie"
    NOT_A_NUMBER = "not a number"
    ONE_NUMBER = "only one number"
    OUT_OF_BOUNDS = "out of bounds"
    OCCUPIED = "occupied"
    NO_REPLY = "timeout"
    RESIGNED = "resigned"


_SCORES: Mapping[Cause, tuple[int, int]] = {
    Cause.WINNING_LINE: (1, 0),
    Cause.LOSING_LINE: (0, 1),
    Cause.FULL_BOARD: (0, 0),
}
"""Cause -> (score of the seat that moved, score of the other)."""
_FAULT_SCORES = (-1, 0)

_NOTES: Mapping[Cause, str] = {
    Cause.FULL_BOARD: "No more moves, it's a tie!",
    Cause.NOT_A_NUMBER: "${seat} did not output a number!",
    Cause.ONE_NUMBER: "${seat} chose only one number!",
    Cause.OUT_OF_BOUNDS: "Player ${seat} played an illegal action (out of bounds move).",
    Cause.OCCUPIED: "Player ${seat} played an illegal action (cell was occupied).",
    Cause.NO_REPLY: "${seat} did not output in time!",
}

_FAULT_WORDS: Mapping[Cause | FaultKind, str] = {
    Cause.NOT_A_NUMBER: "wrote something that is not a number",
    Cause.ONE_NUMBER: "wrote only one number",
    Cause.OUT_OF_BOUNDS: "named a cell outside the board",
    Cause.OCCUPIED: "named an occupied cell",
    "timeout": "did not reply in time",
    "crash": "stopped without a reply",
    "flood": "wrote too much",
    "resigned": "resigned",
    "invalid": "gave a reply that cannot be read",
    "illegal": "made an illegal move",
}


class Unreadable(BadReply):
    """The line names no cell. `cause` and `action` are for the notes; `action` is what the reference calls the move."""

    def __init__(self, message: str, *, cause: Cause, action: str) -> None:
        super().__init__(message)
        self.cause = cause
        self.action = action


class Forbidden(IllegalMove):
    """The line names a cell that may not be taken. `cause` and `action` as for `Unreadable`."""

    def __init__(self, message: str, *, cause: Cause, action: str) -> None:
        super().__init__(message)
        self.cause = cause
        self.action = action


@dataclass(frozen=True, slots=True)
class End:
    """How the match ended, and by whose turn. `words`: what that seat did. `action`: its bad line, where it had one."""

    cause: Cause
    seat: Seat
    words: str
    action: str | None = None


@dataclass(frozen=True, slots=True)
class State:
    """The match before a turn. All but `board` and `turn` is about the last step.

    `board`: a character a cell, EMPTY or one of STONES. `turn`: turns played. `last`: the cell named last.
    `stolen`: that move took the stone that stood there. `line`: the line that ended the match, in order, or ().
    """

    board: str = EMPTY * len(PLACES)
    turn: int = 0
    last: Cell | None = None
    stolen: bool = False
    line: tuple[Cell, ...] = ()
    end: End | None = None


def setup(seats: int, seed: int, league: int) -> State:
    """An empty board, whatever the seed."""
    return State()


def to_act(state: State) -> Sequence[Seat]:
    """Seat 0 begins; then they take turns."""
    return () if state.end else (state.turn % 2,)


def may_take(state: State, cell: Cell) -> bool:
    """Whether the seat to act may name the cell: an empty one, or in turn 1 the stone just placed."""
    return state.board[cell] == EMPTY or (state.turn == STEAL_TURN and cell == state.last)


def step(state: State, moves: Mapping[Seat, Cell], faults: Mapping[Seat, BotFault]) -> State:
    """Places a stone on a cell that `may_take` allows, or ends the match by a fault."""
    seat = state.turn % 2
    if seat in faults:
        return State(state.board, state.turn + 1, end=_ended_by(faults[seat], seat))
    cell = moves[seat]
    stolen = state.board[cell] != EMPTY
    board = f"{state.board[:cell]}{STONES[seat]}{state.board[cell + 1 :]}"
    line = longest_line(board, cell)
    end = _ended_on_board(board, len(line), seat)
    return State(board, state.turn + 1, cell, stolen, line if len(line) >= LOSING_LENGTH else (), end)


def notes(state: State) -> Sequence[Note]:
    """The reference's own messages; `$0` and `$1` stand for the seats. Source: spec, section 6."""
    end = state.end
    if end is None or end.cause not in _NOTES:
        return ()
    message = _NOTES[end.cause].replace("{seat}", str(end.seat))
    if end.cause is Cause.FULL_BOARD:
        return (Note(end.seat, message),)
    action = () if end.action is None else (Note(end.seat, f"Action was: {end.action}", "fault"),)
    return (Note(end.seat, message, "fault"), *action)


def scores(state: State) -> tuple[int, int]:
    """Seat -> score: 0 while the match lasts. Source: spec, section 5."""
    if state.end is None:
        return (0, 0)
    mover, other = _SCORES.get(state.end.cause, _FAULT_SCORES)
    return (mover, other) if state.end.seat == 0 else (other, mover)


def outcome(state: State) -> Outcome | None:
    """The higher score wins."""
    if state.end is None:
        return None
    own, other = scores(state)
    if state.end.cause is Cause.FULL_BOARD:
        return Outcome((0, 0), (own, other), state.end.words)
    return Outcome((int(own < other), int(other < own)), (own, other), f"seat {state.end.seat} {state.end.words}")


def longest_line(board: str, cell: Cell) -> tuple[Cell, ...]:
    """The longest run of stones of one colour through the stone on `cell`, in order; the first of equally long ones."""
    stone = board[cell]
    best: tuple[Cell, ...] = (cell,)
    for backward, forward in _RAYS[cell]:
        before, after = _run(board, stone, backward), _run(board, stone, forward)
        if len(before) + 1 + len(after) > len(best):
            best = (*reversed(before), cell, *after)
    return best


def _run(board: str, stone: str, ray: tuple[Cell, ...]) -> tuple[Cell, ...]:
    length = 0
    for cell in ray:
        if board[cell] != stone:
            break
        length += 1
    return ray[:length]


def _ended_on_board(board: str, length: int, seat: Seat) -> End | None:
    """A winning line beats a losing one made by the same stone, and both beat a full board."""
    if length >= WINNING_LENGTH:
        return End(Cause.WINNING_LINE, seat, f"made a line of {length}")
    if length == LOSING_LENGTH:
        return End(Cause.LOSING_LINE, seat, f"made a line of {length} and loses")
    if EMPTY not in board:
        return End(Cause.FULL_BOARD, seat, "the board is full")
    return None


def _ended_by(fault: BotFault, seat: Seat) -> End:
    if isinstance(fault, Unreadable | Forbidden):
        return End(fault.cause, seat, _FAULT_WORDS[fault.cause], fault.action)
    return End(Cause.RESIGNED if fault.kind == "resigned" else Cause.NO_REPLY, seat, _FAULT_WORDS[fault.kind])


# --- The table of rays -------------------------------------------------------------------------------------------


def _column(x: int, y: int) -> int:
    """The slanted column of a place: a step down-left stays in it, and one down-right goes to the next."""
    return x + max(0, y - 4)


_DIRECTIONS = ((1, 0), (1, 1), (0, 1))
"""Right, down-right, down-left, as steps of (column, row)."""
_SLANTED: Mapping[tuple[int, int], Cell] = {(_column(x, y), y): cell for cell, (x, y) in enumerate(PLACES)}


def _ray(place: tuple[int, int], direction: tuple[int, int]) -> tuple[Cell, ...]:
    """Up to REACH cells from the one at (column, row), nearest first, as far as the board goes."""
    steps = ((place[0] + n * direction[0], place[1] + n * direction[1]) for n in range(1, REACH + 1))
    return tuple(_SLANTED[step] for step in steps if step in _SLANTED)


_RAYS: tuple[tuple[tuple[tuple[Cell, ...], tuple[Cell, ...]], ...], ...] = tuple(
    tuple((_ray((_column(x, y), y), (-dx, -dy)), _ray((_column(x, y), y), (dx, dy))) for dx, dy in _DIRECTIONS)
    for x, y in PLACES
)
"""Cell -> for each direction (cells before it, cells after it), nearest first."""
