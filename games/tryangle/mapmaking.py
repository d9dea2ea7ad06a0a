"""The maps of TryAngle Catch: houses, paths and first units, made from the seed as the reference makes them.

A map looks the same after half a turn about its centre: houses 2k and 2k+1 are mirrors of each other.
Source: the spec, section 2. The order of the draws is part of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from hexarena.games.tryangle.draws import Stream
from hexarena.games.tryangle.land import LONGEST_PATH_SQUARED, House, Land, Pair, Place, members, survey
from hexarena.games.tryangle.network import Network, network_of, without_path

WIDTH, HEIGHT = 1920, 960
MARGIN_X, MARGIN_Y = 80, 70
SPAN = (1760, 820)
"""A house's x is MARGIN_X and a number below SPAN[0]; so for y."""

MOST_HOUSES = 50
CANDIDATES = 10_000
"""Places tried in one attempt at a map."""

SMALLEST_DISTANCE_SQUARED = 140 * 140
SHARPEST_COSINE = math.cos(math.radians(160.0))
FEWEST_TRIANGLES = 20
LEAST_THINNED, MOST_THINNED = 0.1, 0.5
UNITS_EACH = 3


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """What a match begins with. `units`: [seat][house] -> count."""

    land: Land
    network: Network
    units: tuple[tuple[int, ...], tuple[int, ...]]


def make_map(seed: int) -> Map:
    """The reference's map. `seed`: any integer, its low 48 bits count."""
    return _make_map(seed & (2**48 - 1))


@lru_cache(maxsize=16)
def _make_map(seed: int) -> Map:
    stream = Stream(seed)
    while True:
        land = survey(_place_houses(stream))
        paths = _shortest_first(land)
        network = network_of(land, paths)
        if _is_accepted(network):
            return Map(land, _thinned(stream, land, network, paths), _first_units(land.places))


def _mirror(house: House) -> House:
    return house ^ 1


# --- Houses [2.1] ----------------------------------------------------------------------------------------------------


def _place_houses(stream: Stream) -> list[Place]:
    """One attempt. Takes the draws of all candidates up to the last one looked at."""
    field = _Field()
    crowded = field.crowded
    for right, down in islice(stream.pairs(SPAN), CANDIDATES):
        if crowded[down // _BAND * _PITCH + right + _CORNER]:
            continue
        x, y = right + MARGIN_X, down + MARGIN_Y
        if field.fits(x, y):
            field.add(x, y)
            if len(field.places) == MOST_HOUSES:
                break
    return field.places


_BAND = 4
"""Rows that share their marks in `_Field.crowded`."""
_REACH = math.isqrt(SMALLEST_DISTANCE_SQUARED - 1)
"""How far from a house, at most, it is too near."""
_PITCH = SPAN[0] + 2 * _REACH
_BANDS_BEFORE = _REACH // _BAND + 1
_CORNER = _BANDS_BEFORE * _PITCH + _REACH
"""Where a band's marks begin after the band before, and where the mark of the first place is."""


def _disc(row: int) -> list[tuple[int, int, bytes]]:
    """(start, end, marks) of each band in which places are too near to a house. `row`: of the house in its own band."""
    found: list[tuple[int, int, bytes]] = []
    for band in range(-_BANDS_BEFORE, _BANDS_BEFORE + 1):
        farthest = max(abs(band * _BAND - row), abs(band * _BAND + _BAND - 1 - row))
        if farthest <= _REACH:
            reach = math.isqrt(SMALLEST_DISTANCE_SQUARED - 1 - farthest * farthest)
            found.append((band * _PITCH - reach, band * _PITCH + reach + 1, bytes([1]) * (2 * reach + 1)))
    return found


_DISCS = [_disc(row) for row in range(_BAND)]


class _Field:
    """The houses placed so far, and what keeps others away.

    `crowded`: a byte for each column of each band, 1 if all places there are too near to one house. It refuses most
    candidates. There is a margin all around, so that no disc must be cut.
    """

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.crowded = bytearray(_PITCH * (SPAN[1] // _BAND + 1 + 2 * _BANDS_BEFORE))
        self._squares: list[list[int]] = []
        """[house][earlier house] -> their squared distance."""
        self._used: set[int] = set()
        """Squared distances that two houses have: of each pair of mirrors, and of its first to all before."""

    def add(self, x: int, y: int) -> None:
        """Places a house and its mirror."""
        self._used |= {_to_mirror(x, y), *self._squares_from(x, y)}
        for place in ((x, y), (WIDTH - 1 - x, HEIGHT - 1 - y)):
            self._squares.append(self._squares_from(*place))
            self.places.append(place)
            band, row = divmod(place[1] - MARGIN_Y, _BAND)
            here = band * _PITCH + place[0] - MARGIN_X + _CORNER
            for start, end, marks in _DISCS[row]:
                self.crowded[here + start : here + end] = marks

    def fits(self, x: int, y: int) -> bool:
        """Whether a candidate is not too near to a house, has new distances and makes no flat triangle."""
        squares, to_mirror = self._squares_from(x, y), _to_mirror(x, y)
        distances = [to_mirror, *squares]
        return (
            min(distances) >= SMALLEST_DISTANCE_SQUARED
            and self._used.isdisjoint(distances)
            and not self._makes_flat(squares, to_mirror)
        )

    def _squares_from(self, x: int, y: int) -> list[int]:
        """The squared distances to all houses."""
        return [(right := house_x - x) * right + (down := house_y - y) * down for house_x, house_y in self.places]

    def _makes_flat(self, squares: Sequence[int], to_mirror: int) -> bool:
        """Whether a candidate makes a triangle with an angle above 160 degrees and no side above 400.

        Only triangles at the candidate count: those at its mirror are the same, turned about, and the order of the
        corners changes no bit of the result.
        """
        near = [(house, squared) for house, squared in enumerate(squares) if squared <= LONGEST_PATH_SQUARED]
        for number, (house, squared) in enumerate(near):
            between = self._squares[house]
            for earlier, other_squared in near[:number]:
                if (side := between[earlier]) <= LONGEST_PATH_SQUARED and _has_wide_angle(side, squared, other_squared):
                    return True
        return to_mirror <= LONGEST_PATH_SQUARED and any(
            (other := squares[_mirror(house)]) <= LONGEST_PATH_SQUARED and _has_wide_angle(to_mirror, squared, other)
            for house, squared in near
        )


def _to_mirror(x: int, y: int) -> int:
    """The squared distance of a house and its mirror."""
    return (WIDTH - 1 - 2 * x) ** 2 + (HEIGHT - 1 - 2 * y) ** 2


def _has_wide_angle(a_squared: int, b_squared: int, c_squared: int) -> bool:
    """Whether a triangle with these sides has an angle above 160 degrees, in the reference's double arithmetic.

    A cosine that rounding makes less than -1 is no angle there, and not too wide. No other angle than the one opposite
    the longest side can be wide, and that one only if it is obtuse.
    """
    least, middle, most = sorted((a_squared, b_squared, c_squared))
    if most <= least + middle:
        return False
    a, b, c = math.sqrt(least), math.sqrt(middle), math.sqrt(most)
    return -1.0 <= (a * a + b * b - c * c) / (2 * a * b) < SHARPEST_COSINE


# --- Paths [2.2 to 2.5] ----------------------------------------------------------------------------------------------


def _shortest_first(land: Land) -> list[Pair]:
    """All paths that cross no shorter one, short ones first."""
    order = sorted(range(len(land.pairs)), key=land.squared_lengths.__getitem__)
    accepted: list[Pair] = []
    paths = 0
    for index in order:
        pair = land.pairs[index]
        if not land.blockers[pair] & paths:
            accepted.append(pair)
            paths |= 1 << index
    return accepted


def _is_accepted(network: Network) -> bool:
    return len(network.triangles) >= FEWEST_TRIANGLES and _survives_any_loss(network.neighbours)


def _survives_any_loss(neighbours: Sequence[int]) -> bool:
    """Whether the houses stay connected when any one of them is taken out.

    A walk from house 0 continues to an unseen neighbour where there is one, and back where there is none. What lies
    beyond a house must have a path to one earlier on the way there, or that house alone holds it (Hopcroft, Tarjan).
    """
    if any(near & (near - 1) == 0 for near in neighbours):
        return False
    unseen = (1 << len(neighbours)) - 1
    steps = [0] * len(neighbours)

    def earliest(house: House, step: int) -> int:
        """The lowest step to which a path leads from this house or beyond; -1 if a house alone holds others."""
        nonlocal unseen
        unseen ^= 1 << house
        steps[house] = reached = step
        while fresh := neighbours[house] & unseen:
            beyond = earliest(next(members(fresh)), step + 1)
            if not 0 <= beyond < step:
                return -1
            reached = min(reached, beyond)
        return min(reached, *[steps[other] for other in members(neighbours[house])])

    unseen ^= 1
    return earliest(next(members(neighbours[0])), 1) == 0 and not unseen


def _thinned(stream: Stream, land: Land, network: Network, paths: list[Pair]) -> Network:
    """Takes out some paths together with their mirrors, where enough is left. `paths` is used up."""
    share = stream.draws.double() * (MOST_THINNED - LEAST_THINNED) + LEAST_THINNED
    tried: set[Pair] = set()
    for _ in range(0, math.floor(len(paths) * share), 2):
        path = paths[stream.draws.below(len(paths))]
        if path in tried:
            continue
        a, b = sorted((_mirror(path[0]), _mirror(path[1])))
        tried |= {path, (a, b)}
        thinner = without_path(land, without_path(land, network, *path), a, b)
        if _is_accepted(thinner):
            network = thinner
            paths[:] = [left for left in paths if left not in (path, (a, b))]
    return network


def _first_units(places: Sequence[Place]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """One unit of seat 0 on each of the leftmost houses, one of seat 1 on their mirrors."""
    leftmost = sorted(range(len(places)), key=lambda house: places[house][0])[:UNITS_EACH]
    mirrors = [_mirror(house) for house in leftmost]
    first, second = (tuple(int(house in chosen) for house in range(len(places))) for chosen in (leftmost, mirrors))
    return first, second
