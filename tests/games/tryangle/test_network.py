"""Paths, triangles and pairs to link: the tables and the incremental work against the spec's words, written out."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings, strategies as st

from hexarena.games.tryangle.land import Corners, House, Land, Pair, can_connect, flags, members, survey
from hexarena.games.tryangle.network import Network, are_joined, network_of, next_house, with_path, without_path

CORNER_OF_GRID = st.tuples(st.integers(0, 5).map(lambda x: 100 * x), st.integers(0, 5).map(lambda y: 80 * y))
ANYWHERE = st.tuples(st.integers(0, 700), st.integers(0, 500))
PLACES = st.one_of(
    st.lists(CORNER_OF_GRID, min_size=4, max_size=12, unique=True),
    st.lists(ANYWHERE, min_size=4, max_size=12, unique=True),
)
"""On a grid many houses are in line, which is where strictness matters."""


# --- The spec's words ------------------------------------------------------------------------------------------------


def ccw(land: Land, a: House, b: House, c: House) -> bool:
    (ax, ay), (bx, by), (cx, cy) = (land.places[house] for house in (a, b, c))
    return (cy - ay) * (bx - ax) > (by - ay) * (cx - ax)


def crosses(land: Land, tested: Pair, path: Pair) -> bool:
    (a, b), (c, d) = tested, path
    if a == b or {a, b} & {c, d}:
        return False
    return ccw(land, a, c, d) != ccw(land, b, c, d) and ccw(land, a, b, c) != ccw(land, a, b, d)


def is_short(land: Land, a: House, b: House) -> bool:
    (ax, ay), (bx, by) = land.places[a], land.places[b]
    return (ax - bx) ** 2 + (ay - by) ** 2 <= 160_000


def can_be_joined(land: Land, joined: set[Pair], a: House, b: House) -> bool:
    return is_short(land, a, b) and not any(crosses(land, (a, b), path) for path in joined)


def linkable_pairs(land: Land, joined: set[Pair]) -> list[Pair]:
    pairs = combinations(range(len(land.places)), 2)
    return [pair for pair in pairs if pair not in joined and can_be_joined(land, joined, *pair)]


def is_inside(land: Land, m: House, corners: Corners) -> bool:
    i, j, k = corners
    return ccw(land, m, i, j) == ccw(land, m, j, k) == ccw(land, m, k, i)


def empty_triangles(land: Land, joined: set[Pair]) -> list[Corners]:
    houses = range(len(land.places))
    return [
        (i, j, k)
        for i, j, k in combinations(houses, 3)
        if {(i, j), (i, k), (j, k)} <= joined
        and not any(is_inside(land, m, (i, j, k)) for m in houses if m not in (i, j, k))
    ]


def steps_between(land: Land, joined: set[Pair], start: House, end: House) -> float:
    distance: dict[House, float] = {start: 0}
    queue = [start]
    for house in queue:
        for near in range(len(land.places)):
            if (min(house, near), max(house, near)) in joined and near not in distance:
                distance[near] = distance[house] + 1
                queue.append(near)
    return distance.get(end, float("inf"))


def assert_as_in_the_spec(land: Land, network: Network, joined: set[Pair]) -> None:
    assert {land.pairs[index] for index in members(network.paths)} == joined
    assert [land.pairs[index] for index in members(network.linkable)] == linkable_pairs(land, joined)
    assert list(network.triangles) == empty_triangles(land, joined)
    assert network.corner_sets == tuple(sum(1 << corner for corner in corners) for corners in network.triangles)
    houses = range(len(land.places))
    for a in houses:
        assert network.neighbours[a] == sum(1 << b for b in houses if (min(a, b), max(a, b)) in joined)


# --- Tests -----------------------------------------------------------------------------------------------------------


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(PLACES, st.data())
def test_any_change_of_paths_leaves_what_the_spec_says(places: list[tuple[int, int]], data: st.DataObject) -> None:
    """The first paths may be long and may cross each other, as on custom maps; those added later may not."""
    house = st.integers(0, len(places) - 1)
    first = data.draw(st.sets(st.tuples(house, house).filter(lambda pair: pair[0] < pair[1]), max_size=14))
    land = survey(places, paths=first)
    joined = set(first)
    network = network_of(land, first)
    assert_as_in_the_spec(land, network, joined)
    for a, b in data.draw(st.lists(st.tuples(house, house).filter(lambda pair: pair[0] != pair[1]), max_size=25)):
        pair = (min(a, b), max(a, b))
        assert can_connect(land, network.paths, a, b) == can_be_joined(land, joined, a, b)
        if are_joined(network, a, b):
            network = without_path(land, network, a, b)
            joined.discard(pair)
        elif can_connect(land, network.paths, a, b):
            network = with_path(land, network, a, b)
            joined.add(pair)
        assert_as_in_the_spec(land, network, joined)


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(PLACES, st.data())
def test_the_next_house_is_the_lowest_neighbour_that_is_nearer(
    places: list[tuple[int, int]], data: st.DataObject
) -> None:
    house = st.integers(0, len(places) - 1)
    joined = data.draw(st.sets(st.tuples(house, house).filter(lambda pair: pair[0] < pair[1]), max_size=20))
    land = survey(places, paths=joined)
    network = network_of(land, joined)
    for start, end in combinations(range(len(places)), 2):
        left = steps_between(land, joined, start, end)
        nearer = [near for near in members(network.neighbours[start]) if steps_between(land, joined, near, end) < left]
        assert next_house(network, start, end) == (nearer[0] if nearer else None)


def test_in_line_it_can_matter_which_house_is_named_first() -> None:
    """House 2 lies on the way from 0 to 1, and is the end of a path."""
    land = survey([(0, 0), (200, 0), (100, 0), (100, 100)])
    paths = network_of(land, [(2, 3)]).paths
    assert can_connect(land, paths, 0, 1) != can_connect(land, paths, 1, 0)


def test_a_path_of_exactly_400_can_be_built() -> None:
    land = survey([(0, 0), (400, 0), (0, 401)])
    assert can_connect(land, 0, 0, 1)
    assert not can_connect(land, 0, 0, 2)
    assert can_connect(land, 0, 2, 2)


def test_paths_that_are_there_already_or_not_there_change_nothing() -> None:
    land = survey([(0, 0), (100, 0), (0, 100)])
    network = network_of(land, [(0, 1)])
    assert with_path(land, network, 1, 0) is network
    assert without_path(land, network, 2, 0) is network


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        st.lists(CORNER_OF_GRID, max_size=10),
        st.lists(ANYWHERE, max_size=10),
        st.lists(st.tuples(st.integers(2**60, 2**60 + 300), st.integers(0, 2)), max_size=10),
    ),
    st.data(),
)
def test_the_tables_of_a_land_are_what_the_spec_says(places: list[tuple[int, int]], data: st.DataObject) -> None:
    """Several houses may be in one place, or so nearly in line that a quotient does not show it."""
    houses = range(len(places))
    some = st.tuples(st.sampled_from(houses), st.sampled_from(houses)) if places else st.nothing()
    paths = data.draw(st.sets(some.filter(lambda pair: pair[0] <= pair[1]), max_size=5)) if places else set()
    land = survey(places, paths=paths)
    assert land.left == tuple(tuple(sum(1 << c for c in houses if ccw(land, a, b, c)) for b in houses) for a in houses)
    assert list(land.pairs) == sorted(paths | {pair for pair in combinations(houses, 2) if is_short(land, *pair)})
    short = [pair for pair in land.pairs if is_short(land, *pair)]
    assert land.blockers == {
        tested: sum(1 << index for index, path in enumerate(land.pairs) if crosses(land, tested, path))
        for a, b in short
        for tested in ((a, b), (b, a))
    }
    assert list(land.blocked) == [
        sum(land.bits[tested] for tested in short if crosses(land, tested, path)) for path in land.pairs
    ]


def test_flags_are_the_bits_from_the_lowest() -> None:
    assert flags(0) == b"\x00"
    assert flags(0b1011) == b"\x01\x01\x00\x01"


def test_a_land_without_pairs_has_no_paths() -> None:
    land = survey([(0, 0), (1000, 0)])
    assert (land.pairs, land.short) == ((), 0)
