"""Maps: what every one of them keeps, and the generator of their numbers. Recordings compare whole maps."""

from __future__ import annotations

import math
from itertools import combinations, islice, permutations, product
from random import Random

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
    assert all(is_connected(list(network.neighbours), houses - {lost}) for lost in houses)


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
    a, b, c = map(math.sqrt, squares)
    assert {mapmaking._has_wide_angle(*sides) for sides in permutations(squares)} == {angles_too_wide(a, b, c)}


def fits_in_words(places: list[tuple[int, int]], x: int, y: int) -> bool:
    """Whether a candidate may stand among houses, in pairs of mirrors, as the spec has it."""
    mirror = (1919 - x, 959 - y)
    houses = [*places, mirror]
    used = {squared(places[k], places[k + 1]) for k in range(0, len(places), 2)}
    used |= {squared(places[k], place) for k in range(0, len(places), 2) for place in places[:k]}
    if any(squared((x, y), place) < 140 * 140 or squared((x, y), place) in used for place in houses):
        return False
    return not any(
        all(side <= 400 * 400 for side in sides) and angles_too_wide(*map(math.sqrt, sides))
        for one, other in combinations(houses, 2)
        for sides in [(squared((x, y), one), squared((x, y), other), squared(one, other))]
    )


def squared(one: tuple[int, int], other: tuple[int, int]) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_houses_are_the_first_candidates_that_fit(seed: int) -> None:
    """The first 400 candidates of a seed, which most maps have most of their houses from."""
    places = mapmaking._place_houses(Stream(seed))
    found: list[tuple[int, int]] = []
    for right, down in islice(Stream(seed).pairs((1760, 820)), 400):
        x, y = right + 80, down + 70
        if fits_in_words(found, x, y):
            found += [(x, y), (1919 - x, 959 - y)]
    assert found == places[: len(found)]
    assert len(found) > 20


@pytest.mark.parametrize("house", [(80, 70), (500, 401), (500, 402), (500, 403), (500, 404)])
def test_only_places_too_near_to_a_house_are_crowded(house: tuple[int, int]) -> None:
    """In the corners of the map, and in each row of a band."""
    field = mapmaking._Field()
    field.add(*house)
    crowded = 0
    for down, right in product(range(820), range(0, 1760, 3)):
        if field.crowded[down // mapmaking._BAND * mapmaking._PITCH + right + mapmaking._CORNER]:
            crowded += 1
            assert min(squared((right + 80, down + 70), place) for place in field.places) < 140 * 140
    assert crowded > (9_000 if house == (80, 70) else 38_000)


def test_a_house_is_not_too_near_to_its_mirror_and_as_far_from_it_as_no_other() -> None:
    field = mapmaking._Field()
    assert not field.fits(890, 480)
    assert field.fits(889, 480)
    field.add(300, 200)
    assert not field.fits(1919 - 300, 200)
    assert field.fits(1919 - 300, 201)


def test_a_network_survives_any_loss_if_it_stays_connected() -> None:
    """All networks of up to five houses, and some larger ones; two triangles have no house between them."""
    chance = Random(1)
    networks = [(houses, bits) for houses in (3, 4, 5) for bits in range(2 ** (houses * (houses - 1) // 2))]
    networks += [(7, chance.getrandbits(21) & (chance.getrandbits(21) | chance.getrandbits(21))) for _ in range(500)]
    networks += [(6, 0b111_000_000_100_011)]
    answers = set()
    for houses, bits in networks:
        joined = [pair for number, pair in enumerate(combinations(range(houses), 2)) if bits >> number & 1]
        neighbours = [sum(1 << (a + b - house) for a, b in joined if house in (a, b)) for house in range(houses)]
        stays = all(is_connected(neighbours, set(range(houses)) - {lost}) for lost in range(houses))
        assert mapmaking._survives_any_loss(neighbours) == stays
        answers.add((houses, stays))
    assert answers == {(houses, stays) for houses in (3, 4, 5, 7) for stays in (True, False)} | {(6, False)}


def is_connected(neighbours: list[int], houses: set[int]) -> bool:
    reached = {min(houses)}
    queue = list(reached)
    for house in queue:
        fresh = (set(members(neighbours[house])) & houses) - reached
        reached |= fresh
        queue += fresh
    return reached == houses


# --- Draws -----------------------------------------------------------------------------------------------------------


@given(SEEDS, st.integers(0, 50))
def test_pairs_are_the_draws_to_come(seed: int, skipped: int) -> None:
    expected, stream = util_random(seed), Stream(seed)
    for _ in range(skipped):
        assert stream.draws.below(7) == expected.below(7)
    assert list(islice(stream.pairs((1760, 820)), 40)) == [
        (expected.below(1760), expected.below(820)) for _ in range(40)
    ]
    assert stream.draws.double() == expected.double()


FACTOR, STEP, MODULUS = 0x5DEECE66D, 0xB, 2**48


@pytest.mark.parametrize("position", [1, 2, 7, 79, 80])
@pytest.mark.parametrize("largest", [True, False])
def test_a_draw_that_is_thrown_away_shifts_the_others(position: int, largest: bool) -> None:
    """A state is built whose draw at this position is the largest of all, or the first that its bound refuses."""
    bound = (1760, 820)[(position - 1) % 2]
    drawn = 2**31 - 1 if largest else 2**31 // bound * bound
    state = drawn << 17
    for _ in range(position):
        state = (state - STEP) * pow(FACTOR, -1, MODULUS) % MODULUS
    expected, stream = util_random(state ^ FACTOR), Stream(state ^ FACTOR)
    assert stream.state == state
    assert list(islice(stream.pairs((1760, 820)), 40)) == [
        (expected.below(1760), expected.below(820)) for _ in range(40)
    ]
    for _ in range(81):  # One more than 40 pairs need.
        state = (state * FACTOR + STEP) % MODULUS
    assert stream.state == state
    assert stream.draws.double() == expected.double()
