"""The maps of TryAngle Catch: houses, paths and first units, made from the seed as the reference makes them.

A map looks the same after half a turn about its centre: houses 2k and 2k+1 are mirrors of each other.
Source: the spec, section 2. The order of the draws is part of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hexarena.games.tryangle.draws import Numbers, Stream
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
_SPAN_SQUARED = SPAN[0] ** 2 + SPAN[1] ** 2


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
    """One attempt. Takes the draws of all candidates up to the last one looked at.

    Once a candidate is too near to a house it stays so, so those go at each new house, all at once; the rest is
    looked at in the order of the draws, some at a time.
    """
    x, y, gone = stream.pairs(CANDIDATES, SPAN)
    x, y = x + MARGIN_X, y + MARGIN_Y
    field = _Field()
    free = np.flatnonzero((WIDTH - 1 - 2 * x) ** 2 + (HEIGHT - 1 - 2 * y) ** 2 >= SMALLEST_DISTANCE_SQUARED)
    some = 8
    while len(field.places) < MOST_HOUSES and free.size:
        tried = free[:some]
        passed = np.flatnonzero(field.fits(x[tried], y[tried]))
        if not passed.size:
            free = free[some:]
            some = min(4 * some, 256)
            continue
        chosen = tried[passed[0]]
        field.add(int(x[chosen]), int(y[chosen]))
        free = free[passed[0] + 1 :]
        free = free[field.is_clear_of_newest(x[free], y[free])]
        some = max(4, some // 2)
    full = len(field.places) == MOST_HOUSES
    stream.skip(int(gone[chosen if full else -1]))
    return field.places


class _Field:
    """The houses placed so far, and what keeps others away."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self._x = np.empty(0, dtype=np.int64)
        self._y = np.empty(0, dtype=np.int64)
        self._used = np.zeros(_SPAN_SQUARED + 1, dtype=np.bool_)
        """Squared distance -> whether two houses have it: of each pair of mirrors, and of its first to all before."""

    def add(self, x: int, y: int) -> None:
        """Places a house and its mirror."""
        self._used[(self._x - x) ** 2 + (self._y - y) ** 2] = True
        self._used[(WIDTH - 1 - 2 * x) ** 2 + (HEIGHT - 1 - 2 * y) ** 2] = True
        self.places += [(x, y), (WIDTH - 1 - x, HEIGHT - 1 - y)]
        self._x, self._y = (np.array(axis, dtype=np.int64) for axis in zip(*self.places, strict=True))

    def is_clear_of_newest(self, x: Numbers, y: Numbers) -> NDArray[np.bool_]:
        """Which candidates are not too near to the newest house and its mirror."""
        clear = np.ones(len(x), dtype=np.bool_)
        for house_x, house_y in self.places[-2:]:
            clear &= (x - house_x) ** 2 + (y - house_y) ** 2 >= SMALLEST_DISTANCE_SQUARED
        return clear

    def fits(self, x: Numbers, y: Numbers) -> NDArray[np.bool_]:
        """Which candidates, none of them too near to a house, have new distances and no flat triangle."""
        mirror_x, mirror_y = WIDTH - 1 - x, HEIGHT - 1 - y
        between = (mirror_x - x) ** 2 + (mirror_y - y) ** 2
        squared = (self._x - x[:, None]) ** 2 + (self._y - y[:, None]) ** 2
        fits: NDArray[np.bool_] = ~(self._used[between] | self._used[squared].any(axis=1))
        left = np.flatnonzero(fits)
        fits[left] = ~self._is_flat(squared[left], between[left])
        return fits

    def _is_flat(self, squared: Numbers, between: Numbers) -> NDArray[np.bool_]:
        """Which candidates make a triangle with an angle above 160 degrees and no side above 400.

        Only triangles at the candidate count: those at its mirror are the same, turned about, and the order of the
        corners changes no bit of the result.
        """
        i, j = np.triu_indices(len(self._x), 1)
        sides = (self._x[i] - self._x[j]) ** 2 + (self._y[i] - self._y[j]) ** 2
        near = sides <= LONGEST_PATH_SQUARED
        i, j, sides = i[near], j[near], sides[near]
        candidate, pair = np.nonzero((squared[:, i] <= LONGEST_PATH_SQUARED) & (squared[:, j] <= LONGEST_PATH_SQUARED))
        flat = np.zeros(len(squared), dtype=np.bool_)
        wide = _has_wide_angle(sides[pair], squared[candidate, i[pair]], squared[candidate, j[pair]])
        flat[candidate[wide]] = True

        to_mirror = squared.reshape(len(squared), len(self._x) // 2, 2)[:, :, ::-1].reshape(squared.shape)
        short = (squared <= LONGEST_PATH_SQUARED) & (to_mirror <= LONGEST_PATH_SQUARED)
        candidate, house = np.nonzero(short & (between <= LONGEST_PATH_SQUARED)[:, None])
        wide = _has_wide_angle(between[candidate], squared[candidate, house], to_mirror[candidate, house])
        flat[candidate[wide]] = True
        return flat


def _has_wide_angle(a_squared: Numbers, b_squared: Numbers, c_squared: Numbers) -> NDArray[np.bool_]:
    """Which triangles with these sides have an angle above 160 degrees, in the reference's double arithmetic.

    A cosine that rounding makes less than -1 is no angle there, and not too wide.
    """
    a, b, c = (np.sqrt(side.astype(np.float64)) for side in (a_squared, b_squared, c_squared))
    aa, bb, cc = a * a, b * b, c * c
    wide = np.zeros(len(a), dtype=np.bool_)
    for cosine in ((bb + cc - aa) / (2 * b * c), (aa + cc - bb) / (2 * a * c), (aa + bb - cc) / (2 * a * b)):
        wide |= (cosine < SHARPEST_COSINE) & (cosine >= -1.0)
    return wide


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
    return len(network.triangles) >= FEWEST_TRIANGLES and _survives_any_loss(network)


def _survives_any_loss(network: Network) -> bool:
    """Whether the houses stay connected when any one of them is taken out."""
    neighbours = network.neighbours
    if any(near & (near - 1) == 0 for near in neighbours):
        return False
    everyone = (1 << len(neighbours)) - 1
    return all(_reached(neighbours, everyone ^ 1 << house) for house in range(len(neighbours)))


def _reached(neighbours: Sequence[int], wanted: int) -> bool:
    """Whether a walk over the wanted houses alone comes to all of them."""
    unseen = wanted & (wanted - 1)
    fringe = wanted ^ unseen
    while fringe:
        found = 0
        for house in members(fringe):
            found |= neighbours[house]
        fringe = found & unseen
        unseen ^= fringe
    return not unseen


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
