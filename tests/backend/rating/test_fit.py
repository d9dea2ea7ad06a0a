"""Ratings: one fit of all games. Beside it statsmodels, choix and an objective written out anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import choix
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

from hexarena.backend.rating import bradley_terry, fit as fit_module, newton
from hexarena.backend.rating.counts import FloatArray, IntArray
from hexarena.backend.rating.elo import ELO_PER_LOGIT, expected_score, square_logits
from hexarena.backend.rating.families import DRIFT_LINKS, WIDER, Family, Prior
from hexarena.backend.rating.fit import Counts, Earlier, Fit, Model, Rankings, fit, fit_teams
from hexarena.backend.rating.influences import changes, changes_of_many, influences, meetings

CLOSE_ELO = 0.01
PLAIN = Model(prior_elo=300.0, seat=False, dispersion=False, matchup=False)

games_of_six = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 5), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=60
).map(lambda rows: [(first, (first + step) % 6, points) for first, step, points in rows])
"""Games of 6 nodes, nobody against himself: (first, second, points of the first)."""


def played(
    nodes: int, games: int, seed: int, *, seat: float = 0.2, draw_nu: float = 0.4
) -> tuple[IntArray, IntArray, FloatArray]:
    """Random games between random strengths, with draws after Davidson: first, second, points."""
    random = np.random.default_rng(seed)
    strengths = random.normal(0, 1.2, nodes)
    first = random.integers(0, nodes, games)
    second = (first + random.integers(1, nodes, games)) % nodes
    gap = strengths[first] - strengths[second] + seat
    win, lose = np.exp(gap / 2), np.exp(-gap / 2)
    at = random.random(games) * (win + lose + draw_nu)
    return first, second, np.where(at < win, 1.0, np.where(at < win + draw_nu, 0.5, 0.0))


def counted(games: Sequence[tuple[int, int, float]]) -> Counts:
    return Counts.of(*(np.array(column) for column in zip(*games, strict=True)))


def in_elo(strengths: FloatArray) -> FloatArray:
    return np.asarray((strengths - strengths.mean()) * ELO_PER_LOGIT)


def all_finite(found: Fit) -> bool:
    assert found.covariance is not None
    numbers = [found.seat, found.draw_nu, found.dispersion, found.matchup_variance, found.prior_variance]
    arrays = [found.strengths, found.variances, found.covariance, found.deviations()]
    return bool(np.isfinite(numbers).all()) and all(bool(np.isfinite(array).all()) for array in arrays)


# Independent fits


@pytest.mark.long
def test_statsmodels_finds_the_same_ratings() -> None:
    # Here, for whoever only collects the tests: it takes as long to import as all else together.
    import statsmodels.api as sm  # type: ignore[import-untyped]

    first, second, points = played(12, 3000, 1)
    found = fit(12, Counts.of(first, second, points), model=replace(PLAIN, prior_elo=1e6))
    design = np.zeros((len(first), 13))
    design[np.arange(len(first)), first] += 1
    design[np.arange(len(first)), second] -= 1
    # The seat's prior is that of 100 even games more, in which the first scored half: information 25.
    design[:, 12] = 1
    design = np.vstack((design, np.eye(13)[12:]))
    weights = np.append(np.ones(len(first)), 100.0)
    family = sm.families.Binomial()
    # The first node's strength is 0, since only differences count.
    theirs = sm.GLM(np.append(points, 0.5), design[:, 1:], family=family, freq_weights=weights).fit(tol=1e-12)
    seated = fit(12, Counts.of(first, second, points), model=replace(PLAIN, prior_elo=1e6, seat=True))
    assert abs(seated.seat - theirs.params[-1]) * ELO_PER_LOGIT < 0.1
    np.testing.assert_allclose(in_elo(seated.strengths), in_elo(np.append(0, theirs.params[:-1])), atol=CLOSE_ELO)
    without = sm.GLM(points, design[:-1, 1:12], family=family).fit(tol=1e-12)
    np.testing.assert_allclose(in_elo(found.strengths), in_elo(np.append(0, without.params)), atol=CLOSE_ELO)
    spread = np.sqrt(np.diag(without.cov_params())) * ELO_PER_LOGIT
    np.testing.assert_allclose([found.deviation_of_difference(node, 0) for node in range(1, 12)], spread, rtol=1e-4)


def test_choix_finds_the_same_ratings_with_the_same_prior() -> None:
    first, second, points = played(10, 400, 2, draw_nu=0.0)
    won = [(one, two) if point else (two, one) for one, two, point in zip(first, second, points, strict=True)]
    theirs = choix.opt_pairwise(10, won, alpha=0.5 / square_logits(300.0), tol=1e-12)
    found = fit(10, Counts.of(first, second, points), model=PLAIN)
    np.testing.assert_allclose(in_elo(found.strengths), in_elo(theirs), atol=CLOSE_ELO)


@pytest.mark.long
def test_choix_finds_the_same_ratings_from_rankings() -> None:
    random = np.random.default_rng(3)
    strengths = random.normal(0, 1, 9)
    rankings = [
        [int(node) for node in chosen[np.argsort(-strengths[chosen] - random.gumbel(size=4))]]
        for chosen in (random.permutation(9)[:4] for _ in range(150))
    ]
    theirs = choix.opt_rankings(9, [tuple(one) for one in rankings], alpha=0.5 / square_logits(300.0), tol=1e-12)
    alone = Rankings.of([[([node], place) for place, node in enumerate(ranking)] for ranking in rankings])
    found = fit_teams(9, alone, model=PLAIN)
    np.testing.assert_allclose(in_elo(found.strengths), in_elo(theirs), atol=CLOSE_ELO)


def test_an_objective_written_out_anew_has_its_maximum_there() -> None:
    first, second, points = played(8, 300, 4)
    parents = np.array([-1, -1, -1, -1, 0, 4, 2, -1])
    model = replace(PLAIN, seat=True, drift_elo=90.0)

    def minus_log_posterior(at: FloatArray) -> float:
        gap = at[first] - at[second] + at[8]
        likelihood = points * np.log(expit(gap)) + (1 - points) * np.log(expit(-gap))
        roots = at[:8][parents < 0]
        children = np.flatnonzero(parents >= 0)
        jumps = at[children] - at[parents[children]]
        prior = (roots**2).sum() / square_logits(300.0) + (jumps**2).sum() / square_logits(90.0) + 25 * at[8] ** 2
        return float(prior / 2 - likelihood.sum())

    theirs = minimize(minus_log_posterior, np.zeros(9), method="BFGS", options={"gtol": 1e-7}).x
    found = fit(8, Counts.of(first, second, points), parents, model=model)
    np.testing.assert_allclose(found.strengths * ELO_PER_LOGIT, theirs[:8] * ELO_PER_LOGIT, atol=CLOSE_ELO)
    assert found.seat * ELO_PER_LOGIT == pytest.approx(theirs[8] * ELO_PER_LOGIT, abs=CLOSE_ELO)


@pytest.mark.long
def test_teams_with_ties_agree_with_all_orders_written_out() -> None:
    games = [
        [([0, 1], 0), ([2, 3], 1), ([4, 5], 1), ([1, 2], 2)],
        [([2, 2, 5], 0), ([0], 0), ([3, 4], 0)],
        [([4], 1), ([5, 0], 0), ([3], 2), ([1, 2], 3)],
        [([1], 0), ([3], 0), ([5], 0), ([0], 0), ([2, 4], 1)],
    ]
    orders = [
        [[0, 1, 2, 3], [0, 2, 1, 3]],
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]],
        [[1, 0, 2, 3]],
        [[*order, 4] for order in _orders(4)],
    ]

    def minus_log_posterior(at: FloatArray) -> float:
        total = (at**2).sum() / square_logits(300.0) / 2
        for game, ways in zip(games, orders, strict=True):
            strength = np.array([at[members].mean() for members, _ in game])
            for way in ways:
                left = strength[way]
                total -= sum(left[at_] - logsumexp(left[at_:]) for at_ in range(len(left))) / len(ways)
        return float(total)

    theirs = minimize(minus_log_posterior, np.zeros(6), method="BFGS", options={"gtol": 1e-6}).x
    found = fit_teams(6, Rankings.of(games), model=PLAIN)
    np.testing.assert_allclose(found.strengths * ELO_PER_LOGIT, theirs * ELO_PER_LOGIT, atol=CLOSE_ELO)


def _orders(size: int) -> list[list[int]]:
    if size == 1:
        return [[0]]
    return [[*one[:at], size - 1, *one[at:]] for one in _orders(size - 1) for at in range(size)]


# The scale


def test_equals_expect_half_a_point() -> None:
    assert expected_score(1000, 1000) == 0.5


def test_400_points_more_expect_ten_times_the_odds() -> None:
    assert expected_score(1400, 1000) == pytest.approx(10 / 11)
    assert square_logits(400) == pytest.approx(math.log(10) ** 2)


# Laws


@settings(max_examples=25, deadline=None)
@given(games_of_six, st.randoms(use_true_random=False))
def test_the_order_of_games_changes_no_bit(games: list[tuple[int, int, float]], random: object) -> None:
    shuffled = games.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    half = len(shuffled) // 2
    in_parts = counted(shuffled[half:]).plus(counted(shuffled[:half])) if half else counted(shuffled)
    one, other = fit(6, counted(games)), fit(6, in_parts)
    assert one.covariance is not None
    assert other.covariance is not None
    assert one.strengths.tobytes() == other.strengths.tobytes()
    assert one.covariance.tobytes() == other.covariance.tobytes()
    assert (one.seat, one.draw_nu, one.prior_variance) == (other.seat, other.draw_nu, other.prior_variance)


def test_the_order_of_rankings_changes_no_bit() -> None:
    games = [[([0, 1], 0), ([2, 3], 1)], [([1, 3], 0), ([0, 2], 0), ([4], 1)], [([4], 0), ([0], 1)]]
    turned = [[(members[::-1], place) for members, place in game[::-1]] for game in games[::-1]]
    assert fit_teams(5, Rankings.of(games)).strengths.tobytes() == fit_teams(5, Rankings.of(turned)).strengths.tobytes()


@settings(max_examples=25, deadline=None)
@given(games_of_six, st.integers(0, 5), st.integers(1, 5))
def test_a_win_more_raises_the_winner(games: list[tuple[int, int, float]], winner: int, step: int) -> None:
    model = replace(PLAIN, seat=True)
    before, more = counted(games), counted([(winner, (winner + step) % 6, 1.0)])
    assert (fit(6, before.plus(more), model=model).strengths - fit(6, before, model=model).strengths)[winner] > 0


@settings(max_examples=25, deadline=None)
@given(games_of_six, st.permutations(range(6)))
def test_names_do_not_matter(games: list[tuple[int, int, float]], names: list[int]) -> None:
    renamed = [(names[first], names[second], points) for first, second, points in games]
    one, other = fit(6, counted(games)), fit(6, counted(renamed))
    np.testing.assert_allclose(other.strengths[names], one.strengths, atol=1e-9)
    np.testing.assert_allclose(other.variances[names], one.variances, atol=1e-9)


def test_a_warm_fit_agrees_with_a_cold_one() -> None:
    first, second, points = played(40, 4000, 5)
    parents = np.full(40, -1)
    parents[39] = 3
    old = (first < 38) & (second < 38)
    before = fit(38, Counts.of(first[old], second[old], points[old]), parents[:38])
    everything = Counts.of(first, second, points)
    cold = fit(40, everything, parents)
    warm = fit(40, everything, parents, start=replace(cold, strengths=before.strengths))
    assert np.abs(warm.strengths - cold.strengths).max() * ELO_PER_LOGIT < 1e-6
    assert np.abs(warm.deviations() - cold.deviations()).max() < 1e-6


def test_hyper_parameters_are_kept_until_the_games_have_grown() -> None:
    first, second, points = played(20, 2000, 6)
    old = fit(20, Counts.of(first[:1000], second[:1000], points[:1000]))
    same = fit(20, Counts.of(first[:1050], second[:1050], points[:1050]), start=old)
    assert (same.tuned_games, same.prior_variance, same.draw_nu) == (1000, old.prior_variance, old.draw_nu)
    anew = fit(20, Counts.of(first, second, points), start=old)
    assert anew.tuned_games == 2000
    assert anew.draw_nu != old.draw_nu
    for games, tuned_games in ((1100, 1000), (1101, 1101)):
        counts = Counts.of(first[:games], second[:games], points[:games])
        assert fit(20, counts, start=old).tuned_games == tuned_games


def test_hyper_parameters_of_an_earlier_fit_are_taken_over_as_they_are() -> None:
    counts = Counts.of(*played(6, 200, 21))
    old = replace(
        fit(6, counts), prior_variance=0.5, dispersion=0.6, matchup_variance=0.4, draw_nu=0.3, tuned_games=199.0
    )
    kept = fit(6, counts, start=old)
    names = ("prior_variance", "dispersion", "matchup_variance", "draw_nu", "tuned_games")
    assert [getattr(kept, name) for name in names] == [0.5, 0.6, 0.4, 0.3, 199.0]
    again = fit(6, counts, start=replace(kept, strengths=np.zeros(6), seat=0.0))
    np.testing.assert_allclose(again.strengths, kept.strengths, atol=1e-9)


@pytest.mark.parametrize("seat", [False, True])
def test_hyper_parameters_are_those_that_their_own_strengths_give_again(seat: bool) -> None:
    """Within the 2 % at which estimating ends, which the last estimate has nearly used up."""
    counts = Counts.of(*played(20, 2000, 22))
    found = fit(20, counts, model=Model(seat=seat))
    pairs = bradley_terry.Pairs.of(20, counts)
    seen = bradley_terry.Seen.of(pairs, found.strengths, found.seat)
    before = bradley_terry.Spread(found.dispersion, found.matchup_variance, found.draw_nu)
    # The information's diagonal is what is known of a strength when all others are.
    of_pair = seen.weight(before) * seen.known.sum(0)
    known = np.bincount(pairs.low, of_pair, 20) + np.bincount(pairs.high, of_pair, 20) + 1 / found.prior_variance
    again = bradley_terry.spread_of(pairs, seen, 1 / known, before, model=(True, True))
    assert again.dispersion == pytest.approx(found.dispersion, rel=0.02)
    assert again.matchup_variance == pytest.approx(found.matchup_variance, rel=0.02)
    assert again.draw_nu == pytest.approx(found.draw_nu, rel=1e-3)
    squares = float((found.strengths**2 + 1 / known).sum()) + 2 * square_logits(300.0)
    assert found.prior_variance == pytest.approx(WIDER * squares / 22, rel=0.02)


def test_counting_in_parts_is_counting() -> None:
    first, second, points = played(30, 500, 7)
    whole = Counts.of(first, second, points)
    parts = Counts.of(first[:100], second[:100], points[:100]).plus(Counts.of(first[100:], second[100:], points[100:]))
    for name in ("first", "second", "games", "points", "draws"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


def test_sparse_and_dense_fits_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, points = played(60, 3000, 8)
    parents = np.full(60, -1)
    parents[[50, 51]] = [4, 50]
    counts = Counts.of(first, second, points)
    teams = Rankings.of(
        [[([int(one)], 0), ([int(two), 7], 1)] for one, two in zip(first[:200], second[:200], strict=True)]
    )
    earlier = Earlier.nothing(60)
    earlier.means[:5], earlier.variances[:5] = np.linspace(-1, 1, 5), 0.3
    dense, dense_teams = fit(60, counts, parents), fit_teams(60, teams, parents)
    known = fit(60, counts, parents, earlier=earlier), fit_teams(60, teams, parents, earlier=earlier)
    monkeypatch.setattr(newton, "DENSE_NODES", 10)
    monkeypatch.setattr("hexarena.backend.rating.plackett_luce.DENSE_NODES", 10)
    sparse, sparse_teams = fit(60, counts, parents), fit_teams(60, teams, parents)
    assert sparse.covariance is None
    np.testing.assert_allclose(sparse.strengths, dense.strengths, atol=1e-8)
    np.testing.assert_allclose(sparse_teams.strengths, dense_teams.strengths, atol=1e-8)
    np.testing.assert_allclose(fit(60, counts, parents, earlier=earlier).strengths, known[0].strengths, atol=1e-8)
    np.testing.assert_allclose(fit_teams(60, teams, parents, earlier=earlier).strengths, known[1].strengths, atol=1e-8)
    assert (sparse.deviations() < np.sqrt(dense.variances) * ELO_PER_LOGIT).all()


# What is estimated


def test_playing_first_is_found_to_help() -> None:
    found = fit(20, Counts.of(*played(20, 20_000, 9, seat=0.3, draw_nu=0.0)))
    assert found.seat == pytest.approx(0.3, abs=0.05)


def test_draws_are_found_as_often_as_they_come() -> None:
    first, second, points = played(20, 20_000, 10, draw_nu=0.5)
    found = fit(20, Counts.of(first, second, points))
    expected = sum(found.outcome(int(one), int(two), seat=True)[1] for one, two in zip(first, second, strict=True))
    assert expected == pytest.approx((points == 0.5).sum(), rel=0.01)
    assert found.dispersion < 0.95


def test_outcomes_are_a_distribution_with_the_expected_score() -> None:
    found = fit(12, Counts.of(*played(12, 1000, 11)))
    for first in range(12):
        for second in range(12):
            win, draw, lose = found.outcome(first, second, seat=True)
            assert win + draw + lose == pytest.approx(1)
            assert win + draw / 2 == pytest.approx(found.expected(first, second, seat=True))
            assert draw == pytest.approx(found.draw_nu * math.sqrt(win * lose))


def test_the_spread_of_strengths_is_found() -> None:
    random = np.random.default_rng(12)
    strengths = random.normal(0, square_logits(600.0) ** 0.5, 80)
    first = random.integers(0, 80, 8000)
    second = (first + random.integers(1, 80, 8000)) % 80
    points = (random.random(8000) < expit(strengths[first] - strengths[second])).astype(float)
    found = fit(80, Counts.of(first, second, points))
    # Wider than 400 Elo: it is made no wider.
    assert found.prior_variance == pytest.approx(float((strengths**2).mean()), rel=0.15)


def test_intervals_hold_the_truth_about_95_times_in_100() -> None:
    held = []
    for seed in range(20):
        random = np.random.default_rng([13, seed])
        strengths = random.normal(0, 1.7, 20)
        first = random.integers(0, 20, 800)
        second = (first + random.integers(1, 20, 800)) % 20
        points = (random.random(800) < expit(strengths[first] - strengths[second])).astype(float)
        found = fit(20, Counts.of(first, second, points))
        off = np.abs(in_elo(found.strengths) - in_elo(strengths))
        held.append(off < 1.96 * found.deviations())
    assert 0.92 < np.mean(held) < 0.98


def test_intervals_hold_the_truth_where_bots_come_in_groups_of_equals() -> None:
    """A prior for each bot alone pulls too much at groups; without allowing for that, .88 hold."""
    held, blind = [], []
    for seed in range(20):
        random = np.random.default_rng([23, seed])
        strengths = np.repeat(random.normal(0, 1.7, 5), 20) + random.normal(0, 0.1, 100)
        group = np.repeat(np.arange(5), 20)
        first = random.integers(0, 100, 20_000)
        second = (first + random.integers(1, 100, 20_000)) % 100
        # Most games are between equals, as on a ladder.
        chosen = (group[first] == group[second]) | (random.random(20_000) < 0.15)
        first, second = first[chosen], second[chosen]
        points = (random.random(len(first)) < expit(strengths[first] - strengths[second])).astype(float)
        found = fit(100, Counts.of(first, second, points))
        off = np.abs(in_elo(found.strengths) - in_elo(strengths))
        held.append(off < 1.96 * found.deviations())
        blind.append(off < 1.96 * replace(found, pulled=None).deviations())
    assert 0.91 < np.mean(held) < 0.97
    assert np.mean(blind) < 0.89


def test_how_far_the_prior_pulls_is_what_a_little_more_of_it_would_do() -> None:
    first, second, points = played(12, 300, 24)
    parents = np.full(12, -1)
    parents[11] = 4
    model = replace(PLAIN, seat=True)
    counts = Counts.of(first, second, points)
    found = fit(12, counts, parents, model=model)
    more = fit(12, counts, parents, model=replace(model, prior_elo=300.0 / math.sqrt(1.001)))
    assert found.pulled is not None
    np.testing.assert_allclose((more.strengths - found.strengths) / 0.001, found.pulled, rtol=0.01)


def test_games_of_pairs_that_suit_each_other_count_less() -> None:
    random = np.random.default_rng(14)
    suits = random.normal(0, 0.6, (10, 10))
    pairs = [(first, second) for first in range(10) for second in range(10) if first != second]
    games = [
        (first, second, float(random.random() < expit(suits[first, second] - suits[second, first])))
        for first, second in pairs
        for _ in range(60)
    ]
    found = fit(10, counted(games))
    blind = fit(10, counted(games), model=Model(matchup=False))
    assert math.sqrt(found.matchup_variance) == pytest.approx(math.sqrt(2) * 0.6, rel=0.3)
    assert (found.deviations() > 1.5 * blind.deviations()).all()


@pytest.mark.parametrize("suits_elo", [0.0, 60.0])
def test_match_ups_are_found_where_few_games_of_many_pairs_show_them(suits_elo: float) -> None:
    """The strengths, fitted to the same results, take a part of them away, which has to be added again."""
    found = []
    for seed in range(10):
        random = np.random.default_rng([16, seed])
        strengths = random.normal(0, 1.5, 60)
        suits = random.normal(0, suits_elo / ELO_PER_LOGIT, (60, 60)) / math.sqrt(2)
        first = random.integers(0, 60, 6000)
        second = (first + random.integers(1, 13, 6000)) % 60
        gap = strengths[first] - strengths[second] + suits[first, second] - suits[second, first]
        found.append(fit(60, Counts.of(first, second, (random.random(6000) < expit(gap)).astype(float))))
    matchup_elo = ELO_PER_LOGIT * math.sqrt(np.mean([one.matchup_variance for one in found]))
    assert abs(matchup_elo - suits_elo) < (10 if suits_elo else 30)
    assert np.mean([one.dispersion for one in found]) == pytest.approx(1, abs=0.05)


def test_a_version_starts_where_its_parent_is_and_less_sure() -> None:
    counts = Counts.of(*played(10, 2000, 15))
    parents = np.array([-1] * 10 + [4])
    found = fit(11, counts, parents)
    assert found.strengths[10] == pytest.approx(found.strengths[4], abs=1e-9)
    assert found.deviation_of_difference(10, 4) == pytest.approx(120.0)


def test_a_version_s_games_tell_about_its_parent() -> None:
    games = [(0, 1, 1.0), (1, 0, 0.0), (2, 1, 0.0)] * 3
    parents = np.array([-1, -1, -1, 2])
    alone = fit(4, counted(games), parents)
    winning = fit(4, counted([*games, (3, 1, 1.0), (3, 1, 1.0)]), parents)
    assert winning.strengths[2] > alone.strengths[2]


def test_what_is_given_is_not_estimated() -> None:
    counts = Counts.of(*played(10, 500, 23))
    found = fit(10, counts, model=Model(prior_elo=200.0, seat=False, dispersion=False, matchup=False))
    assert (found.seat, found.dispersion, found.matchup_variance) == (0, 1, 0)
    assert found.prior_variance == square_logits(200.0)
    rankings = Rankings.of([[([0], 0), ([1, 2], 1)], [([2], 0), ([3], 0)]])
    assert fit_teams(10, rankings, model=Model(prior_elo=200.0)).prior_variance == square_logits(200.0)


def test_before_the_first_game_everything_is_what_was_assumed() -> None:
    found, teams = fit(3, Counts.empty()), fit_teams(3, Rankings.of([]))
    for one in (found, teams):
        assert one.strengths.tolist() == [0, 0, 0]
        assert one.covariance == pytest.approx(square_logits(300.0) * np.eye(3))
        assert one.variances == pytest.approx([square_logits(300.0)] * 3)
        assert (one.seat, one.dispersion, one.tuned_games) == (0, 1, 0)
        assert one.draw_nu == bradley_terry.DRAW_NU
        assert one.prior_variance == square_logits(300.0)
    assert (found.matchup_variance, teams.matchup_variance) == (square_logits(40.0), 0)


def test_games_of_teams_are_counted_too() -> None:
    games = [[([0], 0), ([1], 1), ([2], 2)], [([2], 0), ([0], 1)], [([1], 0), ([0], 1)]]
    found = fit_teams(3, Rankings.of(games))
    assert found.tuned_games == 3
    assert found.prior_variance != square_logits(300.0)
    assert fit_teams(3, Rankings.of(games), start=replace(found, prior_variance=0.5)).prior_variance == 0.5


def test_a_version_of_teams_starts_where_its_parent_is_too() -> None:
    games = [[([0], 0), ([1], 1)]] * 3
    found = fit_teams(3, Rankings.of(games), np.array([-1, -1, 0]), model=Model(drift_elo=50.0))
    assert found.strengths[2] == pytest.approx(found.strengths[0])
    assert found.deviation_of_difference(2, 0) == pytest.approx(50.0)


# Versions of a bot: 0 and 3 are first ones, 1 and 2 follow 0, and 4 follows 2.

LINEAGE = np.array([-1, 0, 0, -1, 2])


@pytest.mark.parametrize("seat", [False, True])
def test_the_prior_is_that_of_first_versions_of_jumps_and_of_the_seat(seat: bool) -> None:
    prior = Family.of(5, LINEAGE, Model(drift_elo=90.0)).precision(Prior(1.5, np.full(3, square_logits(90.0))), seat)
    at = np.array([0.3, -0.5, 0.7, 1.1, 0.2, -0.4][: 5 + seat])
    jumps = np.array([-0.5 - 0.3, 0.7 - 0.3, 0.2 - 0.7])
    weighed = (0.3**2 + 1.1**2) / 1.5 + (jumps**2).sum() / square_logits(90.0) + 25 * 0.4**2 * seat
    assert -prior.pull(at) @ at == pytest.approx(weighed)
    assert (prior.row < prior.column).all()


def test_the_prior_s_width_is_estimated_from_first_versions_and_two_made_up_ones() -> None:
    """Surely known strengths: nothing is left to be found out about them."""
    family, before = Family.of(5, LINEAGE, Model()), Prior(1.0, np.full(3, square_logits(120.0)))
    estimate = family.fitted(np.array([1.0, 9.0, 9.0, -2.0, 9.0, 9.0]), np.full(6, 1e9), before)
    assert estimate.first == pytest.approx(WIDER * (1 + 4 + 2 * square_logits(300.0)) / 4, rel=1e-3)
    far = family.fitted(np.array([9.0, 9.0, 9.0, -2.0, 9.0, 9.0]), np.full(6, 1e9), before)
    assert far.first == pytest.approx((81 + 4 + 2 * square_logits(300.0)) / 4, rel=1e-3), "no wider than 400 Elo"
    between = family.fitted(np.array([3.2, 9.0, 9.0, -3.2, 9.0, 9.0]), np.full(6, 1e9), before)
    assert between.first == pytest.approx(
        max((2 * 3.2**2 + 2 * square_logits(300.0)) / 4, square_logits(400.0)), rel=1e-3
    )


def test_what_versions_change_is_estimated_for_each_family() -> None:
    """Surely known strengths; in one family all versions are alike, in the other each is another bot."""
    parents = np.array([-1, 0, 1, 2, -1, 4, 5, 6])
    at = np.array([1.0, 1.01, 1.0, 1.01, -1.0, 2.0, -1.0, 2.0])
    family = Family.of(8, parents, Model())
    drift = family.fitted(at, np.full(8, 1e9), Prior(1.0, np.full(6, square_logits(120.0)))).drift
    usual, weight = DRIFT_LINKS * square_logits(120.0), 3 + DRIFT_LINKS
    assert drift[:3] == pytest.approx(max((3 * 0.01**2 + usual) / weight, square_logits(5.0)), rel=1e-3)
    assert drift[3:] == pytest.approx((3 * 3.0**2 + usual) / weight, rel=1e-3)


def test_variances_among_relatives_are_those_of_the_whole_matrix() -> None:
    """A chain, a star, a bot with one version only and a tree, each node known to itself with some precision."""
    parents = np.array([-1, 0, 1, -1, 3, 3, 3, -1, -1, 8, 8, 9, 11, 9])
    random = np.random.default_rng(5)
    family = Family.of(14, parents, Model())
    alone, drift = random.uniform(0.1, 9, 14), random.uniform(0.01, 3, len(family.child))
    matrix = np.diag(alone)
    for child, parent, one in zip(family.child, family.parent, drift, strict=True):
        matrix[[child, parent], [child, parent]] += 1 / one
        matrix[child, parent] = matrix[parent, child] = -1 / one
    known, variances = family._messages(alone, drift)
    assert variances == pytest.approx(np.linalg.inv(matrix).diagonal())
    for step, (child, parent, one) in enumerate(zip(family.child, family.parent, drift, strict=True)):
        both = np.linalg.inv(matrix)[np.ix_([child, parent], [child, parent])]
        difference = both[0, 0] + both[1, 1] - 2 * both[0, 1]
        assert known[step] == pytest.approx(1 / difference - 1 / one), "what is known of a step without its own prior"


def some_versions(change: float, *, games: int = 60) -> tuple[Counts, IntArray]:
    """Ten versions of one bot, every second one stronger by so many logits, against twenty others."""
    random = np.random.default_rng(3)
    strengths = np.append(random.normal(0, 1.0, 20), change * (np.arange(10) % 2))
    first = np.concatenate([np.repeat(np.arange(20, 30), games), random.integers(0, 20, 600)])
    second = np.concatenate([random.integers(0, 20, 10 * games), random.integers(0, 20, 600)])
    first, second = first[first != second], second[first != second]
    points = (random.random(len(first)) < expit(strengths[first] - strengths[second])).astype(float)
    return Counts.of(first, second, points), np.append(np.full(21, -1), np.arange(20, 29))


def test_versions_that_seem_alike_share_their_games_but_not_all_of_their_certainty() -> None:
    """A strength is where the likeliest change has it; an interval allows for a larger one."""
    counts, parents = some_versions(0.0)
    found = fit(30, counts, parents)
    assert found.extra_variances is not None
    assert found.covariance is not None
    assert (found.extra_variances[:20] == 0).all(), "of bots with one version nothing is to be known about changes"
    assert (found.extra_variances[20:] > 0.1 * found.given_variances[20:]).all()
    assert found.given_variances == pytest.approx(found.covariance.diagonal())
    alike = replace(found, variances=found.given_variances, extra_variances=None)
    assert (found.deviations()[20:] > 1.05 * alike.deviations()[20:]).all()
    assert found.deviations()[:20] == pytest.approx(alike.deviations()[:20])
    assert found.deviation_of_difference(25, 5) > alike.deviation_of_difference(25, 5)
    lone = fit(30, counts)
    assert lone.extra_variances is None
    assert (found.deviations()[20:] < lone.deviations()[20:]).all(), "still, relatives make a version surer"


def test_versions_that_surely_change_are_known_to() -> None:
    """What is added for not knowing how much versions change goes as this becomes known."""
    alike, changing = (fit(30, *some_versions(change)) for change in (0.0, 1.2))
    assert alike.extra_variances is not None
    assert changing.extra_variances is not None
    assert changing.drifts[21:].min() > 20 * alike.drifts[21:].max()
    assert changing.extra_variances[20:].mean() < 0.2 * alike.extra_variances[20:].mean()


def test_of_many_nodes_versions_are_no_surer_than_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a covariance, a version's relatives are not taken for known."""
    counts, parents = some_versions(0.0, games=8)
    few = fit(30, counts, parents)
    monkeypatch.setattr(newton, "DENSE_NODES", 5)
    monkeypatch.setattr(fit_module, "DENSE_NODES", 5)
    many = fit(30, counts, parents)
    assert many.covariance is None
    assert many.strengths == pytest.approx(few.strengths, abs=1e-6)
    ratio = many.deviations() / few.deviations()
    assert 0.8 < ratio[20:].min() < ratio[20:].max() < 1.25
    assert many.given_variances[20:].min() > 5 * square_logits(5.0), "though each is tied to the next within 5 Elo"


def test_a_jump_amid_versions_that_are_alike_is_found() -> None:
    """Fifteen alike, then fifteen that are stronger by 400 Elo: what is known of a step counts all on either side."""
    random = np.random.default_rng(8)
    strengths = np.append(random.normal(0, 1.0, 20), np.repeat([-1.15, 1.15], 15))
    first, second = np.repeat(np.arange(20, 50), 30), random.integers(0, 20, 30 * 30)
    points = (random.random(900) < expit(strengths[first] - strengths[second])).astype(float)
    found = in_elo(fit(50, Counts.of(first, second, points), np.append(np.full(21, -1), np.arange(20, 49))).strengths)
    assert found[35:].mean() - found[20:35].mean() > 320
    assert found[36] - found[33] > 150


def test_influences_hold_a_rating_away_from_its_prior_where_versions_follow_each_other() -> None:
    counts, parents = some_versions(0.3)
    found = fit(30, counts, parents, model=Model(seat=False, dispersion=False, matchup=False))
    family = Family.of(30, parents, Model())
    prior = family.precision(Prior(found.prior_variance, found.drifts[family.child]), seat=False)
    assert found.covariance is not None
    for node in (3, 20, 27):
        pull = found.covariance[node] @ -prior.pull(found.strengths) * ELO_PER_LOGIT
        assert influences(found, counts, node).elo.sum() == pytest.approx(pull, abs=1e-6)
    first, second, points = np.array([27]), np.array([3]), np.array([1.0])
    more = counts.plus(Counts.of(first, second, points))
    moved = changes(fit(30, more, parents, start=found), more, first, second, points)[0]
    assert moved[0] > 0 > moved[1]


# What was known earlier

KNOWN = Earlier(np.array([0.8, np.nan, -0.3, np.nan, np.nan]), np.array([0.05, np.nan, 0.2, np.nan, np.nan]))


def test_without_games_a_node_is_as_it_was_and_its_children_follow_it() -> None:
    """Node 2 follows 0 in the lineage, and no longer does: what 0 said of it is in what is known of it."""
    for found in (
        fit(5, Counts.empty(), LINEAGE, earlier=KNOWN),
        fit_teams(5, Rankings.of([]), LINEAGE, earlier=KNOWN),
    ):
        assert found.strengths == pytest.approx([0.8, 0.8, -0.3, 0.0, -0.3])
        drift = square_logits(120.0)
        assert found.variances[[0, 1, 2, 4]] == pytest.approx([0.05, 0.05 + drift, 0.2, 0.2 + drift])
        assert found.deviation_of_difference(0, 2) == pytest.approx(math.sqrt(0.25) * ELO_PER_LOGIT)


def test_the_earlier_weighs_as_much_as_it_was_sure() -> None:
    """A game is won by the one that was weaker: who was known better moves less."""
    counts = Counts.of(np.array([2]), np.array([0]), np.array([1.0]))
    found = fit(5, counts, LINEAGE, earlier=KNOWN, model=PLAIN)
    moved = found.strengths[[0, 2]] - KNOWN.means[[0, 2]]
    gap = found.strengths[2] - found.strengths[0]
    pull = 1 - expit(gap)
    assert moved == pytest.approx([-0.05 * pull, 0.2 * pull])


def test_the_width_of_first_versions_is_not_estimated_from_what_was_known() -> None:
    family = Family.of(5, LINEAGE, Model(), KNOWN)
    estimate = family.fitted(np.array([9.0, 9.0, 9.0, 2.0, 9.0, 9.0]), np.full(6, 1e9), Prior(1.0, np.ones(2)))
    assert estimate.first == pytest.approx(WIDER * (4 + 2 * square_logits(300.0)) / 3, rel=1e-3)


def test_what_was_known_of_guests_is_kept_apart_as_well() -> None:
    guests = np.array([False, True, True, False, False])
    counts = Counts.of(np.array([2, 0, 3]), np.array([0, 3, 1]), np.array([1.0, 0.0, 0.5]))
    found = fit(5, counts, LINEAGE, earlier=KNOWN, guests=guests)
    alone = fit(3, counts.among(~guests), np.array([-1, -1, -1]), earlier=KNOWN.among(~guests))
    assert np.array_equal(found.strengths[~guests], alone.strengths)
    assert found.strengths[2] > KNOWN.means[2]


def test_what_was_known_is_of_each_node() -> None:
    with pytest.raises(ValueError, match="each of 3 nodes"):
        fit(3, Counts.empty(), earlier=KNOWN)


def test_the_luckiest_of_many_equal_versions_is_hardly_better() -> None:
    """Ten versions of a bot, all alike; 60 games each against the same 20 others."""
    gains, usual = [], []
    for seed in range(12):
        random = np.random.default_rng(seed)
        strengths = np.append(random.normal(0, 1.5, 20), np.zeros(10))
        first = np.concatenate([np.repeat(np.arange(20, 30), 60), random.integers(0, 20, 600)])
        second = np.concatenate([random.integers(0, 20, 600), random.integers(0, 20, 600)])
        first, second = first[first != second], second[first != second]
        points = (random.random(len(first)) < expit(strengths[first] - strengths[second])).astype(float)
        counts, parents = Counts.of(first, second, points), np.append(np.full(21, -1), np.arange(20, 29))
        related, strangers = fit(30, counts, parents), fit(30, counts)
        gains.append(in_elo(related.strengths)[20:].max() - in_elo(related.strengths)[20:].mean())
        usual.append(in_elo(strangers.strengths)[20:].max() - in_elo(strangers.strengths)[20:].mean())
    assert np.mean(gains) < 0.4 * np.mean(usual)


def test_an_earlier_fit_s_prior_is_kept_and_its_first_versions_may_have_parents_now() -> None:
    family, earlier = Family.of(5, LINEAGE, Model()), fit(3, Counts.empty(), np.array([-1, 0, -1]))
    kept = family.prior(Model(), replace(earlier, prior_variance=0.5, drifts=np.array([0.0, 0.25, 0.0])))
    assert kept.first == 0.5
    assert kept.drift == pytest.approx([0.25, square_logits(120.0), square_logits(120.0)])


def test_a_climb_begins_where_the_earlier_fit_was_and_new_versions_where_their_parents_are() -> None:
    family, before = Family.of(5, LINEAGE, Model()), fit(2, Counts.empty())
    earlier = replace(before, strengths=np.array([0.25, -1.0]), seat=0.125)
    assert family.guess(earlier, True).tolist() == [0.25, -1, 0.25, 0, 0.25, 0.125]
    assert family.guess(earlier, False).tolist() == [0.25, -1, 0.25, 0, 0.25]
    assert family.guess(None, True).tolist() == [0] * 6
    everyone = replace(before, strengths=np.arange(5) / 4)
    assert family.guess(everyone, False).tolist() == [0, 0.25, 0.5, 0.75, 1]


# What games can bring


def test_no_nodes_at_all() -> None:
    assert len(fit(0, Counts.empty()).strengths) == 0
    assert all_finite(fit(0, Counts.empty()))
    assert all_finite(fit_teams(0, Rankings.of([])))


def test_a_bot_without_games_is_an_average_one() -> None:
    found = fit(1, Counts.empty())
    assert found.elo(None).tolist() == [1000]
    assert found.deviations() == pytest.approx([300])


def test_the_anchor_never_moves() -> None:
    first, second, points = played(10, 200, 16)
    for games in (10, 50, 200):
        found = fit(10, Counts.of(first[:games], second[:games], points[:games]))
        assert found.elo(3)[3] == 1000
        assert found.elo(3, 1200.0)[3] == 1200


def test_two_groups_that_never_met_are_unsure_of_each_other() -> None:
    games = [(0, 1, 1.0), (1, 0, 0.5), (2, 3, 0.0), (3, 2, 1.0)] * 50
    found = fit(4, counted(games))
    assert all_finite(found)
    assert found.deviation_of_difference(0, 2) > 4 * found.deviation_of_difference(0, 1)


def test_a_bot_that_always_wins_stays_finite() -> None:
    games = [(0, node, 1.0) for node in range(1, 5)] * 2500
    found = fit(5, counted(games))
    assert all_finite(found)
    assert (found.strengths[0] > found.strengths[1:]).all()
    assert found.elo(1)[0] < 5000
    assert 0 < found.outcome(1, 0, seat=True)[0] < 0.01


def test_draws_only() -> None:
    found = fit(3, counted([(0, 1, 0.5), (1, 2, 0.5), (2, 0, 0.5)] * 1000))
    assert all_finite(found)
    np.testing.assert_allclose(found.elo(None), 1000, atol=1e-6)
    assert found.outcome(0, 1, seat=True)[1] > 0.99


def test_no_draws_at_all() -> None:
    found = fit(3, counted([(0, 1, 1.0), (1, 2, 0.0), (2, 0, 1.0)] * 1000))
    assert all_finite(found)
    assert 0 < found.outcome(0, 1, seat=True)[1] < 0.01


def test_ten_thousand_results_of_one_pair() -> None:
    once, often = (fit(2, counted([(0, 1, 1.0), (1, 0, 0.5), (0, 1, 0.0)] * many)) for many in (7, 3334))
    assert all_finite(often)
    assert often.strengths[0] == pytest.approx(often.strengths[1])
    assert 0 < often.deviation_of_difference(0, 1) < once.deviation_of_difference(0, 1)


@settings(max_examples=25, deadline=None)
@given(games_of_six, st.integers(1, 5000))
def test_whatever_was_played_numbers_are_finite(games: list[tuple[int, int, float]], often: int) -> None:
    counts = counted(games)
    many = Counts(counts.first, counts.second, counts.games * often, counts.points * often, counts.draws * often)
    assert all_finite(fit(6, many))


@pytest.mark.parametrize(
    ("first", "second", "points", "words"),
    [
        ([0], [0], [1.0], "expected two different nodes"),
        ([0], [-1], [1.0], "expected nodes from 0; got -1"),
        ([0], [1], [math.nan], "expected 0, 0.5 or 1 points; got nan"),
        ([0], [1], [2.0], "expected 0, 0.5 or 1 points; got 2.0"),
        ([0, 1], [1], [1.0], "expected three lists of one length"),
    ],
)
def test_games_that_cannot_be_are_refused(first: list[int], second: list[int], points: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Counts.of(first, second, points)


@pytest.mark.parametrize(
    ("games", "points", "draws"), [(1.0, 2.0, 0.0), (1.0, 0.0, 1.0), (math.nan, 1.0, 0.0), (1.0, math.nan, 0.0)]
)
def test_counts_that_no_games_give_are_refused(games: float, points: float, draws: float) -> None:
    counts = Counts(np.array([0]), np.array([1]), np.array([games]), np.array([points]), np.array([draws]))
    with pytest.raises(ValueError, match="expected wins, draws and losses from 0"):
        fit(2, counts)


def test_pairs_that_come_twice_are_refused() -> None:
    twice = np.array([0, 0]), np.array([1, 1]), np.ones(2), np.ones(2), np.zeros(2)
    with pytest.raises(ValueError, match="expected each ordered pair once"):
        fit(2, Counts(*twice))


def test_nodes_that_are_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match="expected nodes below 2; got 2"):
        fit(2, counted([(0, 2, 1.0)]))
    with pytest.raises(ValueError, match="expected nodes below 2; got 2"):
        fit_teams(2, Rankings.of([[([0], 0), ([2], 1)]]))


@pytest.mark.parametrize(
    ("parents", "words"),
    [
        ([1, 0, -1], "got a circle"),
        ([0, -1, -1], "got a circle"),
        ([1, 2, 0], "got a circle"),
        ([-1, 3, -1], "expected a parent in -1..2"),
        ([-1, -2, -1], "expected a parent in -1..2"),
        ([-1, -1], "expected a parent in -1..2 for each of 3 nodes"),
    ],
)
def test_versions_that_follow_nothing_are_refused(parents: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fit(3, Counts.empty(), np.array(parents))


@pytest.mark.parametrize("game", [[], [([0], 0)], [([0], 0), ([], 1)], [([0], 0), ([-1], 1)]])
def test_rankings_that_cannot_be_are_refused(game: list[tuple[list[int], int]]) -> None:
    with pytest.raises(ValueError, match=r"^expected .+; got "):
        Rankings.of([game])


# Teams


def test_two_teams_of_one_are_a_game_of_two() -> None:
    games = [(0, 1, 1.0), (1, 2, 0.0), (2, 0, 0.5), (1, 0, 1.0), (2, 1, 1.0)]
    as_teams = [[([first], int(points < 1)), ([second], int(points > 0))] for first, second, points in games]
    np.testing.assert_allclose(
        fit_teams(3, Rankings.of(as_teams), model=PLAIN).strengths,
        fit(3, counted(games), model=PLAIN).strengths,
        atol=1e-9,
    )


def test_a_member_that_is_twice_in_a_team_counts_twice() -> None:
    found = fit_teams(3, Rankings.of([[([0, 0, 1], 0), ([2], 1)]]), model=PLAIN)
    assert found.strengths[0] == pytest.approx(2 * found.strengths[1])


def test_many_teams_that_tie_are_equals() -> None:
    found = fit_teams(6, Rankings.of([[([node], 0) for node in range(6)]] * 5))
    assert all_finite(found)
    np.testing.assert_allclose(found.strengths, 0, atol=1e-9)


def test_teams_rank_as_they_are() -> None:
    random = np.random.default_rng(17)
    strengths = np.linspace(-2, 2, 12)
    games = []
    for _ in range(400):
        teams = random.permutation(12).reshape(4, 3)
        order = np.argsort(-strengths[teams].mean(1) * 2 - random.gumbel(size=4))
        games.append([([int(node) for node in teams[team]], place) for place, team in enumerate(order)])
    found = fit_teams(12, Rankings.of(games))
    assert np.corrcoef(found.strengths, strengths)[0, 1] > 0.97


# Why a rating is what it is


def test_changes_are_about_what_a_fit_without_the_game_shows() -> None:
    first, second, points = played(10, 600, 18)
    counts = Counts.of(first, second, points)
    model = replace(PLAIN, seat=True)
    whole, without = (fit(10, one, model=model) for one in (counts, Counts.of(first[1:], second[1:], points[1:])))
    moved = (whole.strengths - without.strengths)[[first[0], second[0]]] * ELO_PER_LOGIT
    said = changes(whole, counts, first[:1], second[:1], points[:1])
    np.testing.assert_allclose(said[0], moved, rtol=0.1)


def test_all_influences_together_hold_a_rating_away_from_the_prior() -> None:
    counts = Counts.of(*played(10, 600, 19))
    found = fit(10, counts, model=replace(PLAIN, prior_elo=200.0))
    assert found.covariance is not None
    pull = found.covariance[4] @ found.strengths / square_logits(200.0) * ELO_PER_LOGIT
    assert influences(found, counts, 4).elo.sum() == pytest.approx(pull, abs=1e-6)


def test_influences_are_the_changes_of_the_pair_s_games() -> None:
    first, second, points = played(6, 200, 20)
    counts = Counts.of(first, second, points)
    found = fit(6, counts)
    single = changes(found, counts, first, second, points)
    row = int(np.flatnonzero((counts.first == 2) & (counts.second == 5))[0])
    these = (first == 2) & (second == 5)
    assert influences(found, counts, 2).elo[row] == pytest.approx(single[these, 0].sum())
    assert influences(found, counts, 5).elo[row] == pytest.approx(single[these, 1].sum())


def games_of_many(
    nodes: int, games: int, seed: int, sizes: Sequence[int] = (2, 3, 4)
) -> list[list[tuple[list[int], int]]]:
    """Random games of single nodes, with ties: places leave out the next ones."""
    random = np.random.default_rng(seed)
    strengths = random.normal(0, 1.0, nodes)
    found = []
    for _ in range(games):
        who = random.permutation(nodes)[: random.choice(sizes)]
        shown = np.round(strengths[who] + random.gumbel(size=len(who)))
        found.append([([int(one)], int((shown > mine).sum())) for one, mine in zip(who, shown, strict=True)])
    return found


def test_the_change_by_one_game_of_many_is_what_leaving_it_out_changes() -> None:
    games = games_of_many(8, 400, 21)
    for game in (next(one for one in games if len(one) == size) for size in (2, 3, 4)):
        rest = [one for one in games if one is not game]
        whole, without = (fit_teams(8, Rankings.of(some), model=PLAIN) for some in (games, rest))
        alone = Rankings.of([game])
        moved = (whole.strengths - without.strengths)[alone.entrant] * ELO_PER_LOGIT
        np.testing.assert_allclose(changes_of_many(whole, alone), moved, rtol=0.12, atol=0.5)


@pytest.mark.parametrize("sizes", [(2, 3, 4), (7,)], ids=["few tie", "many tie"])
def test_meetings_are_the_changes_of_all_games_of_many(sizes: tuple[int, ...]) -> None:
    """And all that choices say of one node is what holds it away from the prior."""
    games = games_of_many(8, 300, 22, sizes)
    rankings = Rankings.of(games)
    found = fit_teams(8, rankings, model=replace(PLAIN, prior_elo=200.0))
    met = meetings(found, rankings, 3)
    changed = changes_of_many(found, rankings)
    assert met.elo.sum() == pytest.approx(changed[rankings.entrant == 3].sum())
    assert met.node.tolist() == [0, 1, 2, 4, 5, 6, 7]
    wanted = {node: [0, 0.0] for node in met.node.tolist()}
    for game in games:
        place = {members[0]: rank for members, rank in game}
        for node in place.keys() - {3} if 3 in place else ():
            wanted[node][0] += 1
            wanted[node][1] += 0.5 + 0.5 * np.sign(place[node] - place[3])
    assert [list(one) for one in zip(met.games.tolist(), met.points.tolist(), strict=True)] == list(wanted.values())
    assert ((met.expected > 0) & (met.expected < met.games) & (met.next_game > 0) & (met.next_game < 1)).all()
    covariance = found.covariance
    assert covariance is not None
    for other, taken in zip(met.node.tolist(), met.next_game.tolist(), strict=True):
        share = expit(found.strengths[3] - found.strengths[other])
        apart = np.zeros(8)
        apart[[3, other]] = 1, -1
        after = np.linalg.inv(np.linalg.inv(covariance) + share * (1 - share) * np.outer(apart, apart))
        assert taken == pytest.approx(1 - after[3, 3] / covariance[3, 3])
    alone = replace(found, covariance=None, variances=np.ones(8))
    pull = changes_of_many(alone, rankings)
    total = np.bincount(rankings.entrant, pull, 8) / ELO_PER_LOGIT
    np.testing.assert_allclose(total, found.strengths / square_logits(200.0), atol=1e-6)


def test_games_of_teams_have_no_meetings() -> None:
    rankings = Rankings.of([[([0, 1], 0), ([2, 3], 1)]])
    with pytest.raises(ValueError, match="teams of one node"):
        meetings(fit_teams(4, rankings), rankings, 0)
    nothing = meetings(fit_teams(2, Rankings.of([])), Rankings.of([]), 0)
    assert len(nothing.node) == len(changes_of_many(fit_teams(2, Rankings.of([])), Rankings.of([]))) == 0


def test_the_next_game_tells_most_against_an_equal() -> None:
    games = [(0, node, float(node > 1)) for node in range(1, 6)] + [(5, 4, 1.0), (3, 5, 0.0)]
    counts = counted(games * 4)
    known = influences(fit(6, counts), counts, 5).next_game
    own = (counts.first == 5) | (counts.second == 5)
    assert (known >= 0).all()
    assert (known < 1).all()
    assert known[own].min() > known[~own].max()


def test_draw_shares_are_in_reach() -> None:
    score = np.linspace(0, 1, 101)
    for nu in (1e-6, 0.1, 2.0, 1e6):
        share = bradley_terry.draw_share(score, nu)
        assert (share >= 0).all()
        assert (share <= 2 * np.minimum(score, 1 - score) + 1e-12).all()
