"""How sure a place is, and how many games are left until it is."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from scipy.special import ndtr

from hexarena.backend.ladder import placement
from hexarena.backend.ladder.placement import (
    LARGE_FIELD,
    MOST_GAMES,
    MOST_GAMES_APART,
    NEARLY,
    TYPICAL_INFORMATION,
    games_to_place,
    games_to_tell_apart,
    games_to_tell_each_apart,
    placed_probability,
    placements,
)
from hexarena.backend.rating.counts import FloatArray
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.rating.fit import Counts, Fit, Model, fit


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
    variances[node] = 0.6
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


def test_bots_far_apart_are_distinguished_already() -> None:
    assert games_to_tell_apart(two(95, 5, 50), 0, 1) == 0


def test_near_bots_take_more_games_than_distant_ones() -> None:
    near, distant = (games_to_tell_apart(two(wins, 10, 10), 0, 1) for wins in (12, 15))
    assert near > distant > 0


def test_the_order_of_two_bots_does_not_matter() -> None:
    found = two(13, 10, 10)
    assert games_to_tell_apart(found, 0, 1) == games_to_tell_apart(found, 1, 0)


def test_equals_are_never_distinguished() -> None:
    assert games_to_tell_apart(fit(2, Counts.empty()), 0, 1) == MOST_GAMES_APART


def test_telling_apart_takes_the_games_that_were_said() -> None:
    before = two(24, 20, 20)
    more = games_to_tell_apart(before, 0, 1)
    share = before.expected(0, 2, seat=False)
    half = round(more / 2)
    after = two(24 + round(half * share), 20 + round(half * (1 - share)), 20 + half // 2)
    assert before.stronger(0, 1) < 0.9
    assert after.stronger(0, 1) == pytest.approx(0.95, abs=0.03)


@pytest.mark.parametrize(("band", "places"), [(0.61, 25), (0.3, 12), (0.05, 2)])
def test_a_band_is_a_share_of_the_field(band: float, places: int) -> None:
    variances = np.linspace(0.1, 4.0, 41)
    in_band = placed_probability(spread_out(), variances, 13, band=band, least_places=0)
    assert in_band == placed_probability(spread_out(), variances, 13, band=0.0, least_places=places)
    assert in_band < 1


def test_of_equals_each_is_shown_before_the_others() -> None:
    tied = np.array([0.0] * 8 + [1.0] * 4)
    first = tied + np.array([1e-9] + [0.0] * 11)
    variances = np.full(12, 0.2)
    assert placed_probability(tied, variances, 0) == pytest.approx(placed_probability(first, variances, 0), abs=1e-6)


@pytest.mark.parametrize("dispersion", [None, 1.7])
def test_games_to_place_add_the_information_of_a_typical_game(dispersion: float | None) -> None:
    variances = np.full(41, 0.05)
    variances[20] = 0.6

    def probability(games: int) -> float:
        more = games * TYPICAL_INFORMATION / (dispersion or 1)
        after = variances.copy()
        after[20] = 1 / (1 / 0.6 + more)
        return placed_probability(spread_out(), after, 20)

    left = games_to_place(spread_out(), variances, 20, **({} if dispersion is None else {"dispersion": dispersion}))
    assert probability(left - 1) < 0.8 <= probability(left)


@pytest.mark.parametrize("dispersion", [1.0, 1.5])
def test_telling_apart_takes_the_information_that_is_missing(dispersion: float) -> None:
    """A game each of two bots, against equals, gives 1/4 on either's strength: n shared games, 1/16 on the gap."""
    found = replace(two(24, 20, 20), dispersion=dispersion)
    gap = found.strengths[0] - found.strengths[1]
    now = (found.deviation_of_difference(0, 1) / ELO_PER_LOGIT) ** 2
    missing = (NormalDist().inv_cdf(0.95) / gap) ** 2 - 1 / now
    assert games_to_tell_apart(found, 0, 1) == math.ceil(missing * 16 * dispersion)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_many_newcomers_of_a_large_field_are_placed_as_one_by_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(LARGE_FIELD, 900))
    strengths = random.normal(0, random.uniform(0.3, 3), size)
    variances = random.uniform(0.003, 0.3, size)
    variances[random.choice(size, 5)] = random.choice([1e-4, 1e-6, 2.0])
    who = random.choice(size, 40, replace=False)
    variances[who] = random.uniform(0.01, 3, len(who))
    probability, games = placements(strengths, variances, who, dispersion=0.8)
    exact = np.array([placed_probability(strengths, variances, one) for one in who.tolist()])
    assert np.abs(probability - exact).max() < NEARLY
    assert ((probability >= 0.8) == (exact >= 0.8)).all()
    assert games.tolist() == [games_to_place(strengths, variances, one, dispersion=0.8) for one in who.tolist()]


@pytest.mark.parametrize("size", [30, LARGE_FIELD])
def test_with_covariances_several_are_placed_as_one_by_one(size: int) -> None:
    random = np.random.default_rng(11)
    strengths, factors = random.normal(0, 1, size), random.normal(0, 0.1, (size, 6))
    covariance = factors @ factors.T + np.diag(random.uniform(0.005, 0.05, size))
    who = np.arange(0, size, size // 10)
    probability, games = placements(strengths, covariance, who, dispersion=1.7)
    exact = [placed_probability(strengths, covariance, one) for one in who.tolist()]
    assert probability == pytest.approx(exact, abs=0 if size < LARGE_FIELD else NEARLY)
    assert games.tolist() == [games_to_place(strengths, covariance, one, dispersion=1.7) for one in who.tolist()]
    assert games.tolist() != placements(strengths, covariance, who)[1].tolist()


def test_a_large_field_takes_the_mean_of_the_rest_for_that_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    strengths = random.normal(0, 1, LARGE_FIELD)
    half = random.normal(0, 0.05, (LARGE_FIELD, LARGE_FIELD))
    covariance = half @ half.T / 2 + 0.4 + np.diag(random.uniform(0.01, 0.3, LARGE_FIELD))
    who = np.arange(0, LARGE_FIELD, 5)
    probability, games = placements(strengths, covariance, who)
    monkeypatch.setattr(placement, "LARGE_FIELD", LARGE_FIELD + 1)
    exact, exact_games = placements(strengths, covariance, who)
    assert probability == pytest.approx(exact, abs=0.003)
    assert (np.abs(games - exact_games) <= np.maximum(1, exact_games // 20)).all()
    assert 0.1 < exact.min() < exact.max() < 0.9


def test_in_a_large_field_a_variance_is_that_of_the_distance_from_the_mean_of_the_rest() -> None:
    half = np.random.default_rng(7).normal(0, 1, (6, 6))
    covariance = half @ half.T
    from_the_rest = np.eye(6) - (1 - np.eye(6)) / 5
    assert placement._alone(covariance) == pytest.approx((from_the_rest @ covariance @ from_the_rest.T).diagonal())


def test_nobody_is_placed() -> None:
    probability, games = placements(spread_out(), np.full(41, 0.1), np.zeros(0, np.int64))
    assert (probability.tolist(), games.tolist()) == ([], [])
    assert games.dtype == np.int64


def test_a_field_that_is_too_sure_for_curves_is_summed_up_singly() -> None:
    size = 40
    strengths, who = np.linspace(-4, 4, size), np.arange(size)

    def knots(deviation: float) -> int:
        field = placement._Field.of(strengths, np.full(size, deviation**2), who)
        return 0 if field is None else field.above.shape[1]

    assert 0 < knots(0.002) < placement.MOST_KNOTS
    assert knots(0.001) == 0


def test_a_curve_that_is_wrong_by_all_that_it_may_decides_nothing_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Right at the border, the probability is computed exactly."""
    random = np.random.default_rng(7)
    strengths, variances = random.normal(0, 1, 400), random.uniform(0.01, 0.2, 400)
    who = np.arange(100)
    exact = [games_to_place(strengths, variances, one) for one in who.tolist()]
    at = placement._Field._at
    monkeypatch.setattr(placement._Field, "_at", lambda *given: at(*given) + placement.CURVE_ERROR)
    probability, games = placements(strengths, variances, who)
    assert games.tolist() == exact
    assert np.abs(probability - [placed_probability(strengths, variances, one) for one in who.tolist()]).max() < NEARLY


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_place_that_is_only_just_sure_is_computed_exactly(monkeypatch: pytest.MonkeyPatch, sign: int) -> None:
    random = np.random.default_rng(7)
    strengths, variances = random.normal(0, 1, 400), random.uniform(0.01, 0.2, 400)
    low, high = 1e-4, 1.0
    for _ in range(60):
        variances[0] = math.sqrt(low * high)
        low, high = (variances[0], high) if placed_probability(strengths, variances, 0) >= 0.8 else (low, variances[0])
    variances[0] = low
    exact = placed_probability(strengths, variances, 0)
    assert 0.8 <= exact < 0.8 + 1e-9
    at = placement._Field._at
    monkeypatch.setattr(placement._Field, "_at", lambda *given: at(*given) + sign * placement.CURVE_ERROR)
    assert placements(strengths, variances, np.arange(20))[0][0] == pytest.approx(exact, abs=1e-9)


def test_in_a_field_of_which_little_is_known_places_are_those_one_by_one() -> None:
    random = np.random.default_rng(9)
    strengths, variances = random.normal(0, 4, 300), random.uniform(2, 9, 300)
    who = np.argsort(strengths)[::20]
    probability, _ = placements(strengths, variances, who)
    exact = [placed_probability(strengths, variances, one) for one in who.tolist()]
    assert probability == pytest.approx(exact, abs=NEARLY)


@pytest.mark.parametrize("spread", [1e-9, 1e-5, 1e-2, 0.1, 1.0])
def test_curves_are_as_near_as_they_say(spread: float) -> None:
    random = np.random.default_rng(3)
    strengths, variances = random.normal(0, 2, 500), random.uniform(0.5 * spread, spread, 500)
    who = np.arange(20)
    field = placement._Field.of(strengths, variances, who)
    if field is None:
        assert spread < 1e-3
        return
    reach = np.sqrt(variances[who]).max()
    at = np.append(random.uniform(strengths[who].min() - reach, strengths[who].max() + reach, 300), field.first)
    smooth = np.setdiff1d(np.arange(500), field.sharp)
    above = ndtr((strengths[smooth] - at[:, None]) / np.sqrt(variances[smooth]))
    assert np.abs(field._at(field.above, at) - above.sum(1)).max() < placement.CURVE_ERROR
    assert np.abs(field._at(field.spread, at) - (above * (1 - above)).sum(1)).max() < placement.CURVE_ERROR


@pytest.mark.parametrize("correlated", [True, False])
def test_many_comparisons_are_those_one_by_one_to_the_last_bit(correlated: bool) -> None:
    random = np.random.default_rng(5)
    nodes = 60
    root = random.normal(0, 0.2, (nodes, nodes))
    covariance = root @ root.T
    strengths = random.normal(0, 1, nodes)
    strengths[1] = strengths[0]
    covariance[2] = covariance[:, 2] = 0.0
    fitted = Fit(
        strengths, covariance.diagonal().copy(), covariance if correlated else None, 0.0, 1.0, 0.9, 0.01, 1.0,
        np.zeros(nodes), 1.0,
    )  # fmt: skip
    one, other = (each.ravel() for each in np.meshgrid(np.arange(nodes), np.arange(nodes)))
    pairs = list(zip(one.tolist(), other.tolist(), strict=True))
    assert fitted.stronger_each(one, other).tolist() == [fitted.stronger(*pair) for pair in pairs]
    apart = games_to_tell_each_apart(fitted, one, other)
    assert apart.tolist() == [games_to_tell_apart(fitted, *pair) for pair in pairs]
