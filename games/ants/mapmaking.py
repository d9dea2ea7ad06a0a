"""The maps of Ants: what a board is, and how the reference makes one from a seed.

A board is symmetric about its centre: each cell has an opposite with the same resources, each base of seat 0 one of
seat 1. Cells have cube coordinates (x, y, z) with x + y + z = 0; rules and bots know them by their index.
Source: the spec, sections 2 and 3. The order of the draws is part of it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from hexarena.games.javarandom import Draws, secure_random

Cell: TypeAlias = int
"""An index into the board."""

Place: TypeAlias = tuple[int, int, int]
"""Cube coordinates."""

EMPTY, EGG, CRYSTAL = 0, 1, 2
"""The resource on a cell. It keeps its kind when all of it has been harvested."""

NO_CELL = -1
CENTRE: Place = (0, 0, 0)
DIRECTIONS: tuple[Place, ...] = ((1, -1, 0), (1, 0, -1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1))
FEWEST_RINGS = 4
ATTEMPTS = 1000
"""After so many tries at a connected map, or at places for the bases, the reference takes what it has."""

BASE_CLEARANCE = 2
"""Two bases of the same seat are farther apart than this."""

FEWEST_ANTS = 10
MOST_ANTS = 60


@dataclass(frozen=True, slots=True)
class Level:
    """What differs between leagues. `simple`: one base each, and no rare kinds of maps."""

    rings: int
    simple: bool
    eggs: bool
    attacks: bool
    score_line: bool


LEVELS: Mapping[int, Level] = {
    1: Level(rings=4, simple=True, eggs=False, attacks=False, score_line=False),
    2: Level(rings=5, simple=True, eggs=True, attacks=False, score_line=False),
    3: Level(rings=7, simple=False, eggs=True, attacks=True, score_line=False),
    4: Level(rings=7, simple=False, eggs=True, attacks=True, score_line=True),
}
"""League -> its level. A league above 4 plays as 4 does."""


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """What does not change during a match; all tuples go by cell, `bases` by seat.

    `neighbours`: in the order of DIRECTIONS, NO_CELL where there is none. `links`: those that exist, by index.
    `kinds`, `amounts`: resources before the first turn. `ants_per_base`: ants on each base before the first turn.
    """

    places: tuple[Place, ...]
    neighbours: tuple[tuple[Cell, ...], ...]
    links: tuple[tuple[Cell, ...], ...]
    kinds: tuple[int, ...]
    amounts: tuple[int, ...]
    bases: tuple[tuple[Cell, ...], tuple[Cell, ...]]
    ants_per_base: int


@lru_cache(maxsize=16)
def make_board(seed: int, league: int) -> Board:
    """The reference's map. `seed`: any integer, its low 64 bits count; see `Sha1Bytes` for 0."""
    level = LEVELS[min(league, max(LEVELS))]
    draws = secure_random(seed)
    places, rings = _connected_places(draws, level)
    land = _Land(draws, level, places)
    land.lay_centre_crystal()
    bases = _base_places(draws, level, land.free_for_bases(), places, rings)
    land.lay_crystal(set(bases) | {_opposite(base) for base in bases})
    potential = land.lay_eggs(set(bases) | {_opposite(base) for base in bases}) if level.eggs else 0
    return build_board(
        places,
        resources=land.resources,
        bases=bases,
        ants_per_base=max(FEWEST_ANTS, MOST_ANTS - potential),
    )


def build_board(
    places: Collection[Place],
    *,
    resources: Mapping[Place, tuple[int, int]],
    bases: Collection[Place],
    ants_per_base: int,
) -> Board:
    """A board of these places. `resources`: place -> (kind, amount). `bases`: seat 0's; seat 1 has the opposites."""
    index = {place: cell for cell, place in enumerate(places)}
    neighbours = tuple(tuple(index.get(_step(place, way), NO_CELL) for way in DIRECTIONS) for place in places)
    return Board(
        places=tuple(places),
        neighbours=neighbours,
        links=tuple(tuple(sorted(cell for cell in near if cell != NO_CELL)) for near in neighbours),
        kinds=tuple(resources.get(place, (EMPTY, 0))[0] for place in places),
        amounts=tuple(resources.get(place, (EMPTY, 0))[1] for place in places),
        bases=(tuple(index[base] for base in bases), tuple(index[_opposite(base)] for base in bases)),
        ants_per_base=ants_per_base,
    )


@lru_cache(maxsize=2048)
def distances_from(board: Board, start: Cell) -> tuple[int, ...]:
    """Cell -> steps from `start` on the shortest way over the board's cells; -1 where there is no way."""
    links = board.links
    steps = [-1] * len(links)
    steps[start] = 0
    queue = [start]
    for cell in queue:
        further = steps[cell] + 1
        for near in links[cell]:
            if steps[near] < 0:
                steps[near] = further
                queue.append(near)
    return tuple(steps)


def shortest_path(board: Board, start: Cell, end: Cell) -> tuple[Cell, ...]:
    """The path of a LINE, both ends included; () if there is none.

    The reference searches breadth-first from `start`, neighbours by index. That finds, of all shortest paths, the one
    that is first in lexicographic order, so a walk that always takes the lowest cell that is nearer is the same.
    """
    steps = distances_from(board, end)
    if steps[start] < 0:
        return ()
    path = [start]
    for left in range(steps[start] - 1, -1, -1):
        path.append(next(near for near in board.links[path[-1]] if steps[near] == left))
    return tuple(path)


# --- Cells -----------------------------------------------------------------------------------------------------------


def _connected_places(draws: Draws, level: Level) -> tuple[list[Place], int]:
    """The places in the order of their indices, and the number of rings around the centre."""
    places: list[Place] = []
    rings = 0
    for _ in range(ATTEMPTS):
        rings = FEWEST_RINGS + draws.below(level.rings - FEWEST_RINGS + 1)
        places = _some_places(draws, rings)
        if _connected(places):
            break
    return places, rings


def _some_places(draws: Draws, rings: int) -> list[Place]:
    places = _full_places(rings)
    holes: set[Place] = set()
    wanted = _share(draws, 10, 20, len(places))
    while len(holes) < wanted:
        hole = places[draws.below(len(places))]
        holes |= {hole, _opposite(hole)}
    places = [place for place in places if place not in holes]
    if draws.double() < 0.05:
        present = set(places)
        places = [place for place in places if not _surrounded(place, present)]
    if draws.double() < 0.70:
        _break_blobs(draws, places)
    return places


def _full_places(rings: int) -> list[Place]:
    """The centre and the rings around it without their upper and lower parts, each place followed by its opposite."""
    height = math.ceil(rings * 0.6)
    places = [CENTRE]
    present = {CENTRE}
    place = _step(CENTRE, DIRECTIONS[0])
    for ring in range(1, rings + 1):
        for side in range(6):
            for _ in range(ring):
                if -height < place[2] < height and place not in present:
                    places += [place, _opposite(place)]
                    present |= {place, _opposite(place)}
                place = _step(place, DIRECTIONS[(side + 2) % 6])
        place = _step(place, DIRECTIONS[0])
    return places


def _break_blobs(draws: Draws, places: list[Place]) -> None:
    """Takes away neighbours until no place has all six."""
    present = set(places)
    while blob := next((place for place in places if _surrounded(place, present)), None):
        around = [_step(blob, way) for way in DIRECTIONS]
        draws.shuffle(around)
        present -= {around[0], _opposite(around[0])}
        places[:] = [place for place in places if place in present]


def _surrounded(place: Place, present: set[Place]) -> bool:
    return all(_step(place, way) in present for way in DIRECTIONS)


def _connected(places: list[Place]) -> bool:
    unseen = set(places[1:])
    queue = places[:1]
    for place in queue:
        near = {_step(place, way) for way in DIRECTIONS} & unseen
        unseen -= near
        queue.extend(near)
    return not unseen


# --- Bases -----------------------------------------------------------------------------------------------------------


def _base_places(draws: Draws, level: Level, free: list[Place], places: list[Place], rings: int) -> list[Place]:
    """Seat 0's bases in the order drawn."""
    count = 1 if level.simple or draws.double() >= 0.33 else 2
    for _ in range(ATTEMPTS):
        bases = _some_bases(draws, count, free)
        if len(bases) == count:
            return bases
    outermost = [place for place in places if _distance(place, CENTRE) == rings]
    return (outermost if len(outermost) >= count else places)[:count]


def _some_bases(draws: Draws, count: int, free: list[Place]) -> list[Place]:
    bases: list[Place] = []
    while free and len(bases) < count:
        base = free[draws.below(len(free))]
        bases.append(base)
        free = [
            place
            for place in free
            if _distance(place, base) > BASE_CLEARANCE and _distance(place, _opposite(base)) > BASE_CLEARANCE
        ]
    return bases


# --- Resources -------------------------------------------------------------------------------------------------------


class _Land:
    """The places with the resources laid so far. `resources`: place -> (kind, amount)."""

    def __init__(self, draws: Draws, level: Level, places: list[Place]) -> None:
        self._draws = draws
        self._level = level
        self._places = places
        self.resources: dict[Place, tuple[int, int]] = {}

    def free_for_bases(self) -> list[Place]:
        """The first place of the list is never a base, whether it is the centre or not."""
        return [place for place in self._places[1:] if place not in self.resources]

    def lay_centre_crystal(self) -> None:
        if self._draws.boolean() and self._places[0] == CENTRE:
            self._lay_pair(CENTRE, CRYSTAL, 40 + self._draws.below(20))

    def lay_crystal(self, bases: set[Place]) -> None:
        """A surplus, hungry or famine map is drawn for first, each only if those before it were not."""
        draws, simple = self._draws, self._level.simple
        surplus = simple or draws.double() < 0.1
        hungry = not simple and not surplus and draws.double() < 0.08
        famine = not simple and not surplus and not hungry and draws.double() < 0.04
        if not famine:
            spots = [place for place in self._places if place not in bases]
            wanted = max(2, _share(draws, 10, 30, len(spots)))
            draws.shuffle(spots)
            for spot in spots[:wanted:2]:
                amount = self._crystal_amount(hungry)
                self._lay_pair(spot, CRYSTAL, amount * (5 if simple else 10) if surplus else amount)
        if not self.resources:
            spots = [place for place in self._places if place not in bases]
            spot = spots[draws.below(len(spots))]
            self._lay_pair(spot, CRYSTAL, 40 + draws.below(20))

    def lay_eggs(self, bases: set[Place]) -> int:
        """Returns how many ants the eggs may become, as the reference counts them."""
        draws = self._draws
        spots = [place for place in self._places if place not in bases and place not in self.resources]
        wanted = _share(draws, 10, 28, len(spots))
        draws.shuffle(spots)
        potential = 0
        for spot in spots[:wanted:2]:
            amount = 20 + draws.below(20) if draws.double() < 0.4 else 10 + draws.below(10)
            self._lay_pair(spot, EGG, amount)
            potential += 2 * amount
        return potential

    def _crystal_amount(self, hungry: bool) -> int:
        large = self._draws.double() < 0.65
        if hungry:
            return 10 + self._draws.below(30)
        return 40 + self._draws.below(20) if large else (10 + self._draws.below(30)) // 2

    def _lay_pair(self, place: Place, kind: int, amount: int) -> None:
        self.resources[place] = self.resources[_opposite(place)] = (kind, amount)


def _share(draws: Draws, low: int, high: int, total: int) -> int:
    """A number of per cent from `low` to `high` of `total`, rounded down."""
    per_cent = low + draws.below(high - low + 1)
    return int(per_cent * total / 100.0)


# --- Places ----------------------------------------------------------------------------------------------------------


def _step(place: Place, way: Place) -> Place:
    return place[0] + way[0], place[1] + way[1], place[2] + way[2]


def _opposite(place: Place) -> Place:
    return -place[0], -place[1], -place[2]


def _distance(one: Place, other: Place) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) // 2
