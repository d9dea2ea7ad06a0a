"""What a match of Conway's Battlegrounds is made of: its plan, its state, what replies ask for, what a turn did.

A cell is its index, y * size + x. Bots stand on live ones.
Source: the spec; section names in brackets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from hexarena.games.battlegrounds.board import Place
from hexarena.games.contract import Seat

TEAM_SEATS = 4
FIRST_ID = 2
"""Bots are numbered 2 to 5 within their team."""
PARACHUTE_CALLS = 10
FULL_HP = 4
VIEW = 25
"""The side of the fragment that a bot sees, and of the red zone."""

Cell: TypeAlias = int
STEPS: Mapping[int, Place] = {
    1: (-1, -1), 2: (0, -1), 3: (1, -1), 4: (-1, 0), 6: (1, 0), 7: (-1, 1), 8: (0, 1), 9: (1, 1),
}  # fmt: skip
"""Direction -> what it adds to x and y. [What a call may return]"""


class Phase(Enum):
    """What the bots are called for."""

    INIT = "init"
    PARACHUTE = "parachute"
    START = "start"
    MAIN = "main"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is fixed for a match."""

    seats: int
    seed: int
    size: int
    start_turns: int
    main_turns: int

    def phase(self, turn: int) -> tuple[Phase, int]:
        """What is asked after `turn` turns, and the number of that call in its phase, from 0."""
        if turn == 0:
            return Phase.INIT, 0
        if turn <= PARACHUTE_CALLS:
            return Phase.PARACHUTE, turn - 1
        started = turn - 1 - PARACHUTE_CALLS
        return (Phase.START, started) if started < self.start_turns else (Phase.MAIN, started - self.start_turns)

    def cell(self, x: int, y: int) -> Cell:
        """The cell at a place, wrapped onto the board."""
        return y % self.size * self.size + x % self.size

    def place(self, cell: Cell) -> Place:
        """Column and row."""
        y, x = divmod(cell, self.size)
        return x, y

    def beside(self, cell: Cell, direction: int) -> Cell:
        """The neighbour in a direction, 1 to 9 without 5."""
        x, y = self.place(cell)
        right, down = STEPS[direction]
        return self.cell(x + right, y + down)

    def around(self, cell: Cell) -> tuple[Cell, ...]:
        """The eight neighbours."""
        size = self.size
        y, x = divmod(cell, size)
        up, row, down = (y - 1) % size * size, y * size, (y + 1) % size * size
        left, right = (x - 1) % size, (x + 1) % size
        return up + left, up + x, up + right, row + left, row + right, down + left, down + x, down + right


@dataclass(frozen=True, slots=True)
class Move:
    """What a reply asks for. `aim`: where to land, on the board. `actions`: at most 3 of -9 to 9, 0 for nothing."""

    aim: Place | None = None
    actions: tuple[int, ...] = ()
    chat: str = ""


NO_MOVE = Move()


@dataclass(frozen=True, slots=True)
class Zone:
    """The red zone: the middle of its window, and for how many turns it has been there."""

    middle: Cell
    age: int


@dataclass(frozen=True, slots=True)
class Events:
    """What the last step did.

    aimed: seats whose choice where to land changed. landed: where bots came down.
    acted: (seat, actions, 0 for one without effect), in this turn's order, only of bots that did something.
    carried: where births moved bots. hurt: seats whose hp changed. removed: (seat, why).
    born: cells that gliders of the zone made live. chats: (seat, text), in the order of seats.
    ignored: (seat, what was wrong with its reply).
    """

    aimed: tuple[Seat, ...] = ()
    landed: tuple[tuple[Seat, Cell], ...] = ()
    acted: tuple[tuple[Seat, tuple[int, ...]], ...] = ()
    carried: tuple[tuple[Seat, Cell], ...] = ()
    hurt: tuple[Seat, ...] = ()
    removed: tuple[tuple[Seat, str], ...] = ()
    born: tuple[Cell, ...] = ()
    chats: tuple[tuple[Seat, str], ...] = ()
    ignored: tuple[tuple[Seat, str], ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The match after `turn` turns.

    cells: the board as `life` keeps it, eight cells a byte; bots' cells are alive. aims: seat -> its latest choice
    where to land. places: seat -> where its bot is, None while it is not on the board. hp: seat -> 0 to 4.
    gone: seat -> the turn in which it went out, None while it is in.
    """

    plan: Plan
    turn: int
    cells: bytes
    aims: tuple[Place | None, ...]
    places: tuple[Cell | None, ...]
    hp: tuple[int, ...]
    gone: tuple[int | None, ...]
    zone: Zone | None = None
    events: Events = Events()


def team_of(seat: Seat) -> int:
    """Seats 0 to 3 are team 0, and so on."""
    return seat // TEAM_SEATS


def id_of(seat: Seat) -> int:
    """The bot's number within its team, 2 to 5."""
    return FIRST_ID + seat % TEAM_SEATS


def seats_of(team: int) -> range:
    """The seats of a team."""
    return range(team * TEAM_SEATS, (team + 1) * TEAM_SEATS)
