"""How sure a place is, and how many games are left until it is."""

from __future__ import annotations

import numpy as np
import pytest

from backend.counts import FloatArray
from backend.placement import MOST_GAMES, MOST_GAMES_APART, games_to_place, games_to_tell_apart, placed_probability
from backend.rating import Counts, Fit, Model, fit


def spread_out(size: int = 41, reach: float = 4.0) -> FloatArray:
    return np.linspace(-reach, reach, size)


def test_a_place_that_is_known_is_sure() -> None:
    assert placed_probability(spread_out(), np.full(41, 1e-6), 20) == pytest.approx(1)
    assert games_to_place(spread_out(), np.full(41, 1e-6), 20) == 0


def test_a_place_of_which_nothing_is_known_is_not() -> None:
    variances = np.full(41, 1e-4)
    variances[20] = 100.0
    assert placed_probability(spread_out(), variances, 20) < 0.25


@pytest.mark.parametrize("variances", [np.full(41, 0.05), np.linspace(0.01, 0.4, 41)])
def test_the_probability_is_what_drawing_strengths_gives(variances: FloatArray) -> None:
    random, node = np.random.default_rng(1), 13
    drawn = spread_out() + random.normal(0, np.sqrt(variances), (20_000, 41))
    places = (drawn > drawn[:, [node]]).sum(1)
    inside = (np.abs(places - (40 - node)) <= 2).mean()
    assert placed_probability(spread_out(), variances, node) == pytest.approx(inside, abs=0.03)


def test_a_covariance_that_all_share_does_not_matter() -> None:
    variances = np.linspace(0.01, 0.4, 41)
    own = np.diag(variances)
    assert placed_probability(spread_out(), own + 5.0, 13) == pytest.approx(placed_probability(spread_out(), own, 13))


def test_a_field_of_few_is_placed_at_once() -> None:
    assert placed_probability(np.zeros(1), np.ones((1, 1)), 0) == pytest.approx(1)
    assert placed_probability(np.array([0.0, 1.0]), np.eye(2), 0) == pytest.approx(1, abs=1e-3)


def test_games_left_become_fewer_as_more_is_known() -> None:
    left = []
    for variance in (0.3, 0.1, 0.05, 0.03):
        variances = np.full(41, 0.01)
        variances[20] = variance
        left.append(games_to_place(spread_out(), variances, 20))
    assert left == sorted(left, reverse=True)
    assert left[0] > left[-1]


def test_bots_that_cannot_be_placed_take_the_most_games() -> None:
    assert games_to_place(np.zeros(60), np.full(60, 0.1), 5) == MOST_GAMES


def test_so_many_games_are_about_enough() -> None:
    random, node = np.random.default_rng(2), 20
    strengths, variances = spread_out(), np.full(41, 0.01)
    variances[node] = 0.2
    games = games_to_place(strengths, variances, node)
    opponents = node + random.integers(-2, 3, games)
    chance = 1 / (1 + np.exp(strengths[opponents] - strengths[node]))
    variances[node] = 1 / (1 / variances[node] + (chance * (1 - chance)).sum())
    assert placed_probability(strengths, variances, node) == pytest.approx(0.8, abs=0.05)


def two(wins: int, losses: int, equals: int) -> Fit:
    """Bots 0 and 1 after games against bots of their own strength; 0 is the stronger."""
    points = [1.0] * wins + [0.0] * losses
    first = [0] * len(points) + [1] * 2 * equals
    second = [2] * len(points) + [2] * 2 * equals
    return fit(3, Counts.of(first, second, [*points, *([1.0, 0.0] * equals)]), model=Model(matchup=False))


def test_bots_far_apart_are_told_apart_already() -> None:
    assert games_to_tell_apart(two(95, 5, 50), 0, 1) == 0


def test_near_bots_take_more_games_than_distant_ones() -> None:
    near, distant = (games_to_tell_apart(two(wins, 10, 10), 0, 1) for wins in (12, 15))
    assert near > distant > 0


def test_the_order_of_two_bots_does_not_matter() -> None:
    found = two(13, 10, 10)
    assert games_to_tell_apart(found, 0, 1) == games_to_tell_apart(found, 1, 0)


def test_equals_are_never_told_apart() -> None:
    assert games_to_tell_apart(fit(2, Counts.empty()), 0, 1) == MOST_GAMES_APART


def test_telling_apart_takes_the_games_that_were_said() -> None:
    before = two(24, 20, 20)
    more = games_to_tell_apart(before, 0, 1)
    share = before.expected(0, 2, seat=False)
    half = round(more / 2)
    after = two(24 + round(half * share), 20 + round(half * (1 - share)), 20 + half // 2)
    assert before.stronger(0, 1) < 0.9
    assert after.stronger(0, 1) == pytest.approx(0.95, abs=0.03)
