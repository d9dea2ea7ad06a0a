"""Maps: what every one of them keeps, and the generator of their numbers. Recordings compare whole maps."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hexarena.games.javarandom import util_random
from hexarena.games.tryangle import mapmaking
from hexarena.games.tryangle.draws import Stream
from hexarena.games.tryangle.land import is_empty, members
from hexarena.games.tryangle.mapmaking import FEWEST_TRIANGLES, MOST_HOUSES, Map, make_map

SEEDS = st.integers(-(2**63), 2**63 - 1)


def path_pairs(made: Map) -> set[tuple[int, int]]:
    return {made.land.pairs[index] for index in members(made.network.paths)}


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_every_map_is_the_same_after_half_a_turn(seed: int) -> None:
    made = make_map(seed)
    places = made.land.places
    assert len(places) <= MOST_HOUSES
    assert all(places[house ^ 1] == (1919 - x, 959 - y) for house, (x, y) in enumerate(places))
    assert all(80 <= x < 1840 and 70 <= y < 890 for x, y in places)
    assert path_pairs(made) == {(min(a ^ 1, b ^ 1), max(a ^ 1, b ^ 1)) for a, b in path_pairs(made)}
    assert [made.units[1][house ^ 1] for house in range(len(places))] == list(made.units[0])
    assert sum(made.units[0]) == 3
    assert max(x for (x, _), units in zip(places, made.units[0], strict=True) if units) <= min(
        x for (x, _), units in zip(places, made.units[0], strict=True) if not units
    )


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_every_map_holds_together_without_any_one_house(seed: int) -> None:
    network = make_map(seed).network
    assert len(network.triangles) >= FEWEST_TRIANGLES
    houses = set(range(len(network.neighbours)))
    for lost in houses:
        reached = {min(houses - {lost})}
        queue = list(reached)
        for house in queue:
            fresh = set(members(network.neighbours[house])) - reached - {lost}
            reached |= fresh
            queue += fresh
        assert reached == houses - {lost}


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_houses_keep_their_distance_and_triangles_are_never_flat(seed: int) -> None:
    made = make_map(seed)
    places = made.land.places
    assert all(math.dist(a, b) >= 140 for a, b in combinations(places, 2))
    assert all(math.dist(places[a], places[b]) <= 400 for a, b in path_pairs(made))
    assert all(is_empty(made.land, corners) for corners in made.network.triangles)
    for corners in made.network.triangles:
        i, j, k = (places[corner] for corner in corners)
        for a, b, c in ((i, j, k), (j, i, k), (k, i, j)):
            (ux, uy), (vx, vy) = (b[0] - a[0], b[1] - a[1]), (c[0] - a[0], c[1] - a[1])
            assert math.degrees(math.acos((ux * vx + uy * vy) / math.hypot(ux, uy) / math.hypot(vx, vy))) <= 160.001


def angles_too_wide(a: float, b: float, c: float) -> bool:
    """The spec, word for word."""
    for cosine in (
        (b * b + c * c - a * a) / (2 * b * c),
        (a * a + c * c - b * b) / (2 * a * c),
        (a * a + b * b - c * c) / (2 * a * b),
    ):
        if abs(cosine) <= 1 and math.acos(cosine) * 180 / math.pi > 160:
            return True
    return False


@settings(max_examples=300, deadline=None)
@given(
    st.tuples(st.integers(1, 300), st.integers(-300, 300)),
    st.one_of(st.tuples(st.integers(1, 300), st.integers(-300, 300)), st.integers(2, 9)),
)
def test_wide_angles_are_found_as_the_spec_finds_them(first: tuple[int, int], second: tuple[int, int] | int) -> None:
    """Three houses: the origin and two others, often in line with each other, where rounding decides."""
    x, y = first
    other = (x * second, y * second) if isinstance(second, int) else (-second[0], second[1])
    squares = [x * x + y * y, other[0] ** 2 + other[1] ** 2, (x - other[0]) ** 2 + (y - other[1]) ** 2]
    if 0 in squares:
        return
    found = mapmaking._has_wide_angle(*(np.array([square], dtype=np.int64) for square in squares))
    a, b, c = map(math.sqrt, squares)
    assert bool(found[0]) == angles_too_wide(a, b, c)


# --- Draws -----------------------------------------------------------------------------------------------------------


@given(SEEDS, st.integers(0, 50))
def test_looking_ahead_shows_the_draws_to_come(seed: int, skipped: int) -> None:
    expected = util_random(seed)
    for _ in range(skipped):
        expected.below(7)
    stream = Stream(seed)
    stream.skip(skipped)
    x, y, gone = stream.pairs(40, (1760, 820))
    assert [(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)] == [
        (expected.below(1760), expected.below(820)) for _ in range(40)
    ]
    stream.skip(int(gone[-1]))
    assert stream.draws.double() == expected.double()


FACTOR, STEP, MODULUS = 0x5DEECE66D, 0xB, 2**48


@pytest.mark.parametrize("position", [1, 2, 7, 79])
def test_a_draw_that_is_thrown_away_shifts_the_others(position: int) -> None:
    """A state is built whose draw at this position is the largest of all, which no bound accepts."""
    state = MODULUS - 1
    for _ in range(position):
        state = (state - STEP) * pow(FACTOR, -1, MODULUS) % MODULUS
    seed = state ^ FACTOR
    assert int(Stream(seed).peek(position)[-1]) == 2**31 - 1
    expected, stream = util_random(seed), Stream(seed)
    x, y, gone = stream.pairs(40, (1760, 820))
    assert [(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)] == [
        (expected.below(1760), expected.below(820)) for _ in range(40)
    ]
    assert gone.tolist() == [2 * pair + (1 if 2 * pair >= position else 0) for pair in range(1, 41)]
    assert stream.state == state
    stream.skip(int(gone[-1]))
    assert stream.draws.double() == expected.double()
