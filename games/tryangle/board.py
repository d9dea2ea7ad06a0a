"""What a turn is played on: a copy of the state that commands change, and how a position is resolved between them.

A board lives for one step of the rules, or for the setup. It knows nothing of final scores, of eliminated
seats, or of text. Source: the spec, sections 3, 5, 6 and 7 (strict checks).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from hexarena.games.contract import Seat
from hexarena.games.tryangle.land import (
    Corners,
    House,
    Houses,
    Land,
    can_connect,
    house_set,
    members,
    squared_length,
)
from hexarena.games.tryangle.network import Network, are_joined, next_house, with_path, without_path

SEATS: tuple[Seat, Seat] = (0, 1)
NOBODY = -1
BOTH = 3
"""As `may_capture`: both seats."""

Counts: TypeAlias = tuple[int, ...]
"""House -> units of a seat."""


class Triangle(NamedTuple):
    """`owner`: a seat or NOBODY. `may_capture`: bit p is set when seat p may."""

    corners: Corners
    owner: int = NOBODY
    may_capture: int = BOTH


class Kind(IntEnum):
    """Commands, in order of execution."""

    ATTACK = 0
    MOVE = 1
    SPAWN = 2
    ADD_PATH = 3
    REMOVE_PATH = 4


ATTACK, MOVE, SPAWN, ADD_PATH, REMOVE_PATH = Kind


class Command(NamedTuple):
    """One command of one seat.

    `house`: the first one named: where a MOVE starts, where a SPAWN puts its unit, where a path begins.
    `target`: the last one named; of a SPAWN `house`. `triangle`: its position in the list at the start of the turn; of
    a MOVE -1. `amount`: of a MOVE.
    """

    kind: Kind
    seat: Seat
    house: House
    target: House
    triangle: int = -1
    amount: int = 0


class Walk(NamedTuple):
    """Units that moved to a neighbouring house."""

    seat: Seat
    start: House
    end: House
    units: int


class Use(NamedTuple):
    """A triangle used by its owner, on which each corner with units of the seat loses one, but for a SPAWN.

    As in Command; `killed`: units that an ATTACK killed.
    """

    kind: Kind
    seat: Seat
    triangle: int
    house: House
    target: House
    killed: int = 0


class Surrounded(NamedTuple):
    """Units killed because the other seat has the majority all around."""

    seat: Seat
    house: House
    units: int


@dataclass(slots=True, eq=False)
class _Live:
    """A triangle in play. It outlives its own disappearance as long as a command means it."""

    corners: Corners
    owner: int
    may_capture: int
    houses: Houses


@dataclass(slots=True)
class Log:
    """What happened, in order."""

    walks: list[Walk] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    surrounded: list[Surrounded] = field(default_factory=list)


def is_free_to_move(command: Command, free: Sequence[int]) -> bool:
    """The strict check of a MOVE. `free`: house -> free units of its seat."""
    return command.house != command.target and free[command.house] > 0


def is_affordable(
    land: Land, network: Network, command: Command, *, corners: Corners, owner: int, free: Sequence[int]
) -> bool:
    """The strict check of all other commands. `corners`, `owner`: of the command's triangle."""
    kind, seat, house, target, _, _ = command
    if owner != seat:
        return False
    if kind is SPAWN:
        return True
    if not all(free[corner] > 0 for corner in corners):
        return False
    if kind is ATTACK:
        return touches(network, corners, target)
    if kind is ADD_PATH:
        return not are_joined(network, house, target) and can_connect(land, network.paths, house, target)
    return are_joined(network, house, target) and target not in corners


def touches(network: Network, corners: Corners, house: House) -> bool:
    """Whether a path joins the house to one of the corners."""
    return bool(network.neighbours[house] & house_set(corners))


class Board:
    """The match in the middle of a turn. `free`: units that may still move or pay this turn."""

    def __init__(
        self,
        land: Land,
        network: Network,
        *,
        units: tuple[Counts, Counts],
        triangles: Iterable[Triangle],
        scores: Sequence[int],
    ) -> None:
        self.network = network
        self.scores = list(scores)
        self.log = Log()
        self._land = land
        self._units = [list(counts) for counts in units]
        self._free = [list(counts) for counts in units]
        self._triangles = [_Live(*one, houses) for one, houses in zip(triangles, network.corner_sets, strict=True)]
        self._named = self._triangles
        """The triangles at the start of the turn, which are those that commands mean."""

        self._kills_done = False
        """Kills come once in the life of a board: commands, which the reference lets them follow, come before them."""

    @property
    def units(self) -> tuple[Counts, Counts]:
        """By seat, a copy."""
        return tuple(self._units[0]), tuple(self._units[1])

    @property
    def triangles(self) -> tuple[Triangle, ...]:
        """All of them, in order, as values."""
        return tuple([Triangle(one.corners, one.owner, one.may_capture) for one in self._triangles])

    def unit_count(self, seat: Seat) -> int:
        """Units of the seat in all."""
        return sum(self._units[seat])

    def owners(self) -> list[int]:
        """The owner of each triangle, in order."""
        return [one.owner for one in self._triangles]

    # --- Commands [6] ------------------------------------------------------------------------------------------------

    def still_allowed(self, pending: Iterable[Command]) -> list[Command]:
        """The commands that pass their strict check now."""
        is_allowed = self._is_allowed
        return [command for command in pending if is_allowed(command)]

    def run_group(self, pending: list[Command]) -> list[Command]:
        """Carries out the first group of commands, all of which pass their check now. Returns what stays pending."""
        if not pending:
            return pending
        kind = min(command.kind for command in pending)
        group = [command for command in pending if command.kind is kind]
        left = [command for command in pending if command.kind is not kind]
        if kind is ADD_PATH:
            group.sort(key=self._path_length)
        picked: list[Command] = []
        for seat in SEATS:
            own = [command for command in group if command.seat == seat]
            at_once = len(own) if kind in (MOVE, SPAWN) else 1
            picked += own[:at_once]
            left += own[at_once:]
        if kind is ADD_PATH:
            picked.sort(key=self._path_length)
        for command in picked:
            self._carry_out(command)
        return left

    def _is_allowed(self, command: Command) -> bool:
        free = self._free[command.seat]
        if command.kind is MOVE:
            return is_free_to_move(command, free)
        live = self._named[command.triangle]
        return is_affordable(self._land, self.network, command, corners=live.corners, owner=live.owner, free=free)

    def _path_length(self, command: Command) -> int:
        return squared_length(self._land, command.house, command.target)

    def _carry_out(self, command: Command) -> None:
        """Moves and spawns are checked again, new paths only for their place; attacks and removals not at all."""
        kind = command.kind
        if kind is MOVE:
            self._move(command)
        elif kind is SPAWN:
            if self._is_allowed(command):
                self._use(command, cost=0)
                self._units[command.seat][command.house] += 1
        elif kind is ATTACK:
            self._attack(command)
        elif kind is ADD_PATH:
            if can_connect(self._land, self.network.paths, command.house, command.target):
                self._use(command, cost=1)
                self._rebuild(with_path(self._land, self.network, command.house, command.target))
        else:
            self._use(command, cost=1)
            self._rebuild(without_path(self._land, self.network, command.house, command.target))

    def _move(self, command: Command) -> None:
        """Nothing moves where there is no way. The units that arrive are not free this turn."""
        _, seat, start, target, _, amount = command
        units, free = self._units[seat], self._free[seat]
        count = min(amount, free[start])
        if count <= 0 or start == target:
            return
        end = target if are_joined(self.network, start, target) else next_house(self.network, start, target)
        if end is None:
            return
        units[start] -= count
        free[start] -= count
        units[end] += count
        self.log.walks.append(Walk(seat, start, end, count))

    def _attack(self, command: Command) -> None:
        self._use(command, cost=1)
        other = 1 - command.seat
        killed = self._units[other][command.target]
        self._units[other][command.target] = self._free[other][command.target] = 0
        self.log.uses[-1] = self.log.uses[-1]._replace(killed=killed)

    def _use(self, command: Command, *, cost: int) -> None:
        kind, seat, house, target, triangle, _ = command
        live = self._named[triangle]
        units, free = self._units[seat], self._free[seat]
        for corner in live.corners:
            paid = min(cost, units[corner])
            units[corner] -= paid
            free[corner] -= paid
        live.owner = NOBODY
        live.may_capture &= ~(1 << seat)
        self.log.uses.append(Use(kind, seat, triangle, house, target))

    def _rebuild(self, network: Network) -> None:
        """Finds the triangles anew. One that stays keeps its state, one that comes back does not."""
        if network is self.network:
            return
        self.network = network
        known = {one.corners: one for one in self._triangles}
        self._triangles = [
            known.get(corners) or _Live(*Triangle(corners), houses)
            for corners, houses in zip(network.triangles, network.corner_sets, strict=True)
        ]

    # --- Resolving [5] -----------------------------------------------------------------------------------------------

    def resolve_once(self) -> bool:
        """One round: kills, or captures, or points. Returns whether anything happened; points do not count."""
        self._free = [list(counts) for counts in self._units]
        majorities, occupied = self._census()
        self._renew_flags(occupied)
        surrounded = self._surrounded(majorities)
        if not self._kills_done:
            self._kills_done = True
            if self._kill(surrounded):
                return True
        if self._capture(majorities, surrounded):
            return True
        owners = self.owners()
        for seat in SEATS:
            self.scores[seat] += owners.count(seat)
        return False

    def _census(self) -> tuple[tuple[Houses, Houses], tuple[Houses, Houses]]:
        """By seat, the houses where it has strictly more units than the other, and those where it has any."""
        more = [0, 0]
        some = [0, 0]
        for house, (own, other) in enumerate(zip(*self._units, strict=True)):
            if own or other:
                bit = 1 << house
                if own:
                    some[0] |= bit
                if other:
                    some[1] |= bit
                if own != other:
                    more[own < other] |= bit
        return (more[0], more[1]), (some[0], some[1])

    def _renew_flags(self, occupied: tuple[Houses, Houses]) -> None:
        first, second = occupied
        for one in self._triangles:
            if one.owner != NOBODY:
                one.may_capture = BOTH ^ 1 << one.owner
            elif one.may_capture != BOTH:
                one.may_capture |= (not one.houses & first) | (not one.houses & second) << 1

    def _surrounded(self, majorities: tuple[Houses, Houses]) -> tuple[Houses, Houses]:
        """By seat, the houses that have neighbours, all of them in the seat's majority."""
        first = second = 0
        outside_first, outside_second = ~majorities[0], ~majorities[1]
        for house, near in enumerate(self.network.neighbours):
            if not near & outside_first:
                first |= 1 << house if near else 0
            elif not near & outside_second:
                second |= 1 << house
        return first, second

    def _kill(self, surrounded: tuple[Houses, Houses]) -> bool:
        """`surrounded`: by the seat that has the majority around. Majorities count as they were before any kill."""
        killed = False
        for seat in SEATS:
            units = self._units[seat]
            for house in members(surrounded[1 - seat]):
                if units[house]:
                    self.log.surrounded.append(Surrounded(seat, house, units[house]))
                    units[house] = 0
                    killed = True
        return killed

    def _capture(self, majorities: tuple[Houses, Houses], surrounded: tuple[Houses, Houses]) -> bool:
        """A house belongs to the seat that surrounds it, or else to the one with the majority on it."""
        first, second = surrounded
        foreign = ~(first | majorities[0] & ~second), ~(second | majorities[1] & ~first)
        captured = False
        for one in self._triangles:
            if one.may_capture & 1 and not one.houses & foreign[0]:
                one.owner = 0
            elif one.may_capture & 2 and not one.houses & foreign[1]:
                one.owner = 1
            else:
                continue
            captured = True
        return captured
