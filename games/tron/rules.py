"""The rules of Tron: cycles that all move at once and leave trails; who lasts longest wins. Source: statement.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from hexarena.games.contract import BotFault, Note, Outcome, Seat

WIDTH = 30
HEIGHT = 20
FROM_SIDE = 2
"""Cells between a start and the nearest sides, and half of those between two starts, at least."""

Direction: TypeAlias = Literal["UP", "DOWN", "LEFT", "RIGHT"]
Place: TypeAlias = tuple[int, int]
"""(x, y): x grows to the right, y downwards."""
Cause: TypeAlias = Literal["wall", "trail", "meeting", "fault"]

WAYS: Mapping[Direction, Place] = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
FREE = 0


@dataclass(frozen=True, slots=True)
class Crash:
    """How a seat went out. `place`: the cell it rode to. `others`: whose trail it hit, or whom it met there."""

    seat: Seat
    cause: Cause
    place: Place | None = None
    others: tuple[Seat, ...] = ()
    words: str = ""
    resigned: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """After `turn` turns. The last turn's `moves` and `crashes` are part of it.

    `board`: cell -> FREE, or the seat plus 1 whose trail is there, row by row. `starts`, `heads`: seat -> place, the
    last one for those who are out. `out`: seat -> the turn of its crash, or None while it rides.
    """

    width: int
    board: bytes
    starts: tuple[Place, ...]
    heads: tuple[Place, ...]
    out: tuple[int | None, ...]
    turn: int = 0
    moves: Mapping[Seat, Direction] | None = None
    crashes: tuple[Crash, ...] = ()

    @property
    def height(self) -> int:
        """Rows of the board."""
        return len(self.board) // self.width

    @property
    def riding(self) -> tuple[Seat, ...]:
        """Who is still in the match."""
        return tuple(seat for seat, turn in enumerate(self.out) if turn is None)

    def at(self, place: Place) -> int | None:
        """FREE, or a seat plus 1; None beyond the walls."""
        x, y = place
        inside = 0 <= x < self.width and 0 <= y < self.height
        return self.board[y * self.width + x] if inside else None


def setup(seats: int, seed: int, league: int) -> State:
    """The cycles on mirrored cells: two of them opposite each other, three or four in the board's quarters."""
    random = Random(seed)
    x = random.randrange(FROM_SIDE, WIDTH // 2 - FROM_SIDE)
    y = random.randrange(FROM_SIDE, HEIGHT // 2 - FROM_SIDE)
    starts = [(x, y), (WIDTH - 1 - x, y), (x, HEIGHT - 1 - y), (WIDTH - 1 - x, HEIGHT - 1 - y)]
    random.shuffle(starts)
    if seats == 2:
        (x, y), starts = starts[0], starts[:1]
        starts.append((WIDTH - 1 - x, HEIGHT - 1 - y))
    return opening(WIDTH, HEIGHT, starts[:seats])


def opening(width: int, height: int, starts: Sequence[Place]) -> State:
    """A board with nothing but cycles on it."""
    board = bytearray(width * height)
    for seat, (x, y) in enumerate(starts):
        board[y * width + x] = seat + 1
    return State(width, bytes(board), tuple(starts), tuple(starts), (None,) * len(starts))


def to_act(state: State) -> Sequence[Seat]:
    """All who ride, at once, until at most one is left."""
    return state.riding if len(state.riding) > 1 else ()


def step(state: State, moves: Mapping[Seat, Direction], faults: Mapping[Seat, BotFault]) -> State:
    """All ride one cell; then the trails of those who crashed are gone."""
    aims = {seat: _beside(state.heads[seat], moves[seat]) for seat in state.riding if seat not in faults}
    crashes = [_failed(seat, fault) for seat, fault in faults.items()]
    for seat, place in aims.items():
        crash = _crash(state, seat, place, aims)
        if crash is not None:
            crashes.append(crash)
    crashes.sort(key=lambda crash: crash.seat)
    crashed = {crash.seat for crash in crashes}
    board = bytearray(state.board.translate(_without(crashed)))
    heads = list(state.heads)
    for seat, (x, y) in aims.items():
        if seat not in crashed:
            heads[seat] = (x, y)
            board[y * state.width + x] = seat + 1
    turn = state.turn + 1
    out = tuple(turn if seat in crashed else before for seat, before in enumerate(state.out))
    ridden = {seat: moves[seat] for seat in aims}
    return State(state.width, bytes(board), state.starts, tuple(heads), out, turn, ridden, tuple(crashes))


def notes(state: State) -> Sequence[Note]:
    """Why a seat went out in the last turn."""
    return [Note(crash.seat, said(crash), "fault" if crash.cause == "fault" else "info") for crash in state.crashes]


def said(crash: Crash) -> str:
    """A crash in words."""
    if crash.place is None:
        return crash.words
    x, y = crash.place
    if crash.cause == "wall":
        return f"rode into the wall at {x} {y}"
    if crash.cause == "meeting":
        return f"met {_seats(crash.others)} on the cell {x} {y}"
    whose = "its own trail" if crash.others == (crash.seat,) else f"the trail of {_seats(crash.others)}"
    return f"rode into {whose} at {x} {y}"


def left(state: State) -> Mapping[Seat, int]:
    """The places of those who are out: behind all who ride, and all who crashed later."""
    out = [(seat, turn) for seat, turn in enumerate(state.out) if turn is not None]
    return {seat: sum(other is None or other > turn for other in state.out) for seat, turn in out}


def outcome(state: State) -> Outcome | None:
    """Who went out later is before who went out earlier. The score of a seat is the number of turns it survived."""
    if to_act(state):
        return None
    scores = tuple(state.turn if turn is None else turn - 1 for turn in state.out)
    ranks = tuple(sum(other > score for other in scores) for score in scores)
    best = [seat for seat, rank in enumerate(ranks) if rank == 0]
    how = f"seat {best[0]} is the last one riding" if state.riding else f"{_seats(best)} crashed in the same turn"
    left = [f"seat {crash.seat} resigned" for crash in state.crashes if crash.resigned]
    return Outcome(ranks, scores, ": ".join([how, *left]))


def _failed(seat: Seat, fault: BotFault) -> Crash:
    return Crash(seat, "fault", words=fault.message, resigned=fault.kind == "resigned")


def _beside(place: Place, direction: Direction) -> Place:
    dx, dy = WAYS[direction]
    return place[0] + dx, place[1] + dy


def _crash(state: State, seat: Seat, place: Place, aims: Mapping[Seat, Place]) -> Crash | None:
    """What a seat hits on its next cell, where all trails of the turn's beginning stand."""
    there = state.at(place)
    if there is None:
        return Crash(seat, "wall", place)
    if there != FREE:
        return Crash(seat, "trail", place, (there - 1,))
    met = tuple(other for other, aim in aims.items() if aim == place and other != seat)
    return Crash(seat, "meeting", place, met) if met else None


def _without(seats: set[Seat]) -> bytes:
    """A table for `bytes.translate` that frees the cells of these seats."""
    return bytes(FREE if value - 1 in seats else value for value in range(256))


def _seats(seats: Sequence[Seat]) -> str:
    """Seats as the arena's texts name them: "seat 1", "seat 1 and seat 3"."""
    return " and ".join(f"seat {seat}" for seat in seats)
