"""Ratings: one fit of all games. Beside it statsmodels, choix and an objective written out anew."""

from __future__ import annotations

import math
from dataclasses import replace

import choix
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

from hexarena.backend.rating import bradley_terry, newton
from hexarena.backend.rating.counts import FloatArray
from hexarena.backend.rating.elo import ELO_PER_LOGIT, expected_score, square_logits
from hexarena.backend.rating.families import WIDER
from hexarena.backend.rating.fit import Counts, Earlier, Model, Rankings, fit, fit_teams
from tests.backend.rating.played import CLOSE_ELO, PLAIN, all_finite, counted, games_of_six, in_elo, played

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
        assert one.matchup_variance == square_logits(40.0)


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


def test_draw_shares_are_in_reach() -> None:
    score = np.linspace(0, 1, 101)
    for nu in (1e-6, 0.1, 2.0, 1e6):
        share = bradley_terry.draw_share(score, nu)
        assert (share >= 0).all()
        assert (share <= 2 * np.minimum(score, 1 - score) + 1e-12).all()
