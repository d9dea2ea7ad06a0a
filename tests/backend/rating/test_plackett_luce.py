"""The likelihood of games of teams beside its definition: orders of choice, written out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from hexarena.backend.rating.counts import Counts, FloatArray, Rankings
from hexarena.backend.rating.fit import Model, fit, fit_teams
from hexarena.backend.rating.newton import Precision
from hexarena.backend.rating.plackett_luce import MetPairs, Stages, TeamLikelihood

GAMES = [
    [([0, 1], 0), ([2, 3], 1), ([4], 1), ([1, 2], 2)],
    [([2, 2, 4], 0), ([0], 0), ([3], 0)],
    [([4], 0), ([3], 1)],
    [([3], 4), ([0, 4], 7)],
]
"""Of 5 nodes. The last two are laid out together."""
AT = np.array([0.4, -0.3, 0.9, -1.1, 0.2])
PRIOR = Precision(np.array([2.0, 1.5, 1.0, 3.0, 2.5]), np.array([0]), np.array([3]), np.array([-0.5]))


def slopes(function: Callable[[FloatArray], FloatArray], at: FloatArray) -> FloatArray:
    """The derivatives, by differences; the last axis is that of `at`."""
    steps = 1e-5 * np.eye(len(at))
    return np.stack([(function(at + step) - function(at - step)) / 2e-5 for step in steps], axis=-1)


def posterior(games: list[list[tuple[list[int], int]]] = GAMES) -> TeamLikelihood:
    return TeamLikelihood(Stages.of(5, Rankings.of(games)), PRIOR)


def log_posterior(at: FloatArray) -> FloatArray:
    """Averaged over all orders of teams that tie."""
    total = 0.25 * 2 * at[0] * at[3] - PRIOR.diagonal @ at**2 / 2
    for game in GAMES:
        orders = [
            order
            for order in itertools.permutations(game)
            if [place for _, place in order] == sorted(place for _, place in game)
        ]
        for order in orders:
            left = [math.exp(np.mean(at[members])) for members, _ in order]
            total += sum(math.log(left[place] / sum(left[place:])) for place in range(len(left))) / len(orders)
    return np.asarray(total)


def stages_of_five() -> Stages:
    """A game in which 5 teams tie and a sixth is behind them."""
    return Stages.of(6, Rankings.of([[([node], int(node == 5)) for node in range(6)]]))


def test_a_ranking_is_a_row_of_choices_among_those_that_are_left() -> None:
    stages = Stages.of(4, Rankings.of([[([0], 0), ([1], 1), ([2, 3], 2)]]))
    assert stages.members.toarray().tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0.5, 0.5]]
    assert stages.stage.tolist() == [0, 0, 0, 1, 1, 2]
    assert stages.begin.tolist() == [0, 3, 5]
    assert stages.team.tolist() == [0, 1, 2, 1, 2, 2]
    assert stages.portion.tolist() == [1] * 6
    assert stages.weight.tolist() == [1] * 3


def test_games_whose_ties_are_alike_follow_each_other() -> None:
    """First those without ties. In `Rankings` the tie comes first, with teams 0 and 1."""
    stages = Stages.of(2, Rankings.of([[([0], 0), ([1], 1)], [([0], 0), ([1], 0)], [([1], 0), ([0], 1)]]))
    assert stages.stage.tolist() == [0, 0, 1, 2, 2, 3, 4, 4, 5, 6]
    assert stages.begin.tolist() == [0, 2, 3, 5, 6, 8, 9]
    assert stages.team.tolist() == [2, 3, 3, 4, 5, 5, 0, 1, 0, 1]
    assert stages.weight.tolist() == [1, 1, 1, 1, 1, 1 / 2, 1 / 2]


def test_what_is_left_of_tied_teams_is_any_subset_and_all_are_equally_likely() -> None:
    """3 tie: first all are left, then one of 3 pairs, then one of 3 teams; the fourth always is."""
    stages = Stages.of(4, Rankings.of([[([node], int(node == 3)) for node in range(4)]]))
    left = [stages.team[stages.stage == stage].tolist() for stage in range(8)]
    assert left == [[0, 1, 2, 3], [0, 1, 3], [0, 2, 3], [1, 2, 3], [0, 3], [1, 3], [2, 3], [3]]
    assert stages.weight.tolist() == [1] + [1 / 3] * 6 + [1]


def test_of_five_tied_teams_a_fifth_goes_at_each_stage() -> None:
    for tied, weights in ((4, 16), (5, 6)):
        game = [([node], int(node == tied)) for node in range(tied + 1)]
        assert len(Stages.of(tied + 1, Rankings.of([game])).weight) == weights
    whole = stages_of_five()
    portions = [whole.portion[whole.stage == stage].tolist() for stage in range(6)]
    for stage in range(5):
        assert portions[stage] == pytest.approx([1 - stage / 5] * 5 + [1])
        assert whole.team[whole.stage == stage].tolist() == [0, 1, 2, 3, 4, 5]
    assert portions[5] == [1]
    assert whole.weight.tolist() == [1] * 6


def test_a_team_is_chosen_in_proportion_to_the_odds_of_its_mean_member_and_to_what_is_left_of_it() -> None:
    """Odds of 1, 4 and 2: the second team's are the geometric mean of 1 and 16."""
    strengths = np.log([1.0, 1.0, 16.0, 2.0])
    stages = Stages.of(4, Rankings.of([[([0], 0), ([1, 2], 1), ([3], 2)]]))
    for level in (0.0, 5000.0, -5000.0):
        np.testing.assert_allclose(stages.shares(strengths + level), [1 / 7, 4 / 7, 2 / 7, 4 / 6, 2 / 6, 1])
    shares = stages_of_five().shares(np.log([2.0, 1, 1, 1, 1, 3]))
    np.testing.assert_allclose(shares[6:12], np.array([1.6, 0.8, 0.8, 0.8, 0.8, 3]) / 7.8)


def test_the_gradient_is_that_of_the_log_posterior() -> None:
    np.testing.assert_allclose(posterior().look(AT).gradient(), slopes(log_posterior, AT), atol=1e-8)


def test_the_information_is_minus_the_second_derivative() -> None:
    look = posterior().look(AT)
    second = -slopes(lambda at: posterior().look(at).gradient(), AT)
    for matrix in (look.information(), look.curvature()):
        np.testing.assert_allclose(matrix, np.triu(second), atol=1e-8)
    np.testing.assert_allclose(look.diagonal(), second.diagonal(), atol=1e-8)


def test_the_information_about_many_nodes_has_the_same_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    look = posterior().look(AT)
    found = []
    for dense_nodes in (5, 4):
        monkeypatch.setattr("hexarena.backend.rating.newton.DENSE_NODES", dense_nodes)
        monkeypatch.setattr("hexarena.backend.rating.plackett_luce.DENSE_NODES", dense_nodes)
        found.append(look.information())
    dense, sparse = found
    assert isinstance(dense, np.ndarray)
    assert sparse.format == "csr"
    np.testing.assert_allclose(sparse.toarray(), dense + np.triu(dense, 1).T)


def test_without_games_the_prior_is_all() -> None:
    look = posterior([]).look(AT)
    assert look.shares.tolist() == []
    np.testing.assert_allclose(look.gradient(), PRIOR.pull(AT))
    np.testing.assert_allclose(look.information(), np.diag(PRIOR.diagonal) + np.diag([-0.5, 0], 3))
    np.testing.assert_allclose(look.diagonal(), PRIOR.diagonal)


# --- Match-ups -------------------------------------------------------------------------------------------------------

OF_THREE = [[([0], 0), ([1], 1), ([2], 2)], [([2, 2], 0), ([0], 1)], [([1, 2], 0), ([0], 1)], [([1], 0), ([0], 0)]]
"""Node 2 is there as two copies, and once with another one, where it is no pair of anybody."""


def pairs_of(games: list[list[tuple[list[int], int]]], nodes: int = 3) -> tuple[MetPairs, Stages]:
    rankings = Rankings.of(games)
    stages = Stages.of(nodes, rankings)
    return MetPairs.of(nodes, rankings, stages), stages


def test_what_stages_say_is_a_sum_over_each_two_that_are_left() -> None:
    pairs, stages = pairs_of(OF_THREE)
    assert list(zip(pairs.low.tolist(), pairs.high.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert pairs.often.tolist() == [True, True, False]
    # Of a tie, each order is half of it: both are left in the first stage, each alone in half of the second.
    even = np.array([1 / 9 + 1 / 4, 1 / 9 + 1 / 4, 1 / 9 + 1 / 4])
    np.testing.assert_allclose(pairs.known(stages, stages.shares(np.zeros(3))), even)
    alone = [game for game in OF_THREE if len(game[0][0]) == 1 and len(game[1][0]) == 1]
    pairs, stages = pairs_of(alone)
    look = TeamLikelihood(stages, Precision(np.zeros(3), *np.zeros((2, 0), np.int64), np.zeros(0))).look(AT[:3])
    known = np.zeros((3, 3))
    known[pairs.low, pairs.high] = pairs.known(stages, look.shares)
    np.testing.assert_allclose(look.information(), np.diag((known + known.T).sum(0)) - known)


def test_a_game_counts_as_much_as_the_mean_of_its_pairs() -> None:
    pairs, stages = pairs_of(OF_THREE)
    shares = stages.shares(np.zeros(3))
    known = 1 / 9 + 1 / 4
    np.testing.assert_allclose(pairs.weights(stages, shares, 0.0), np.ones(4))
    weights = pairs.weights(stages, shares, 2.0)
    # Rankings are sorted: the game with the mixed team is where no two are a pair.
    assert sorted(weights.tolist()) == pytest.approx([1 / (1 + 2 * known)] * 3 + [1])
    np.testing.assert_allclose(
        pairs.weights(stages, shares, 2.0, known=np.array([0.0, 9.0, 9.0])).max(initial=0.0), 1.0
    )


def test_a_posterior_counts_games_as_much_as_their_pairs_say() -> None:
    rankings = Rankings.of(OF_THREE)
    pairs, stages = pairs_of(OF_THREE)
    prior = Precision(np.ones(3), *np.zeros((2, 0), np.int64), np.zeros(0))
    weights = pairs.weights(stages, stages.shares(AT[:3]), 2.0)
    assert weights.min() < 0.7
    found = TeamLikelihood(stages, prior, pairs, 2.0).look(AT[:3])
    expected = TeamLikelihood(Stages.of(3, replace(rankings, weight=weights)), prior).look(AT[:3])
    np.testing.assert_allclose(found.gradient(), expected.gradient())
    np.testing.assert_allclose(found.information(), expected.information())
    np.testing.assert_allclose(found.diagonal(), expected.diagonal())


def with_match_ups(seed: int, deviation: float, size: int, games: int) -> list[list[tuple[list[int], int]]]:
    """Of 12 nodes, each of which gains, or loses, the mean of what each other of a game would add alone."""
    random = np.random.default_rng([seed, 72])
    half = random.normal(0, deviation / math.sqrt(2), (12, 12))
    against, own = half - half.T, random.normal(0, 0.7, 12)
    found = []
    for _ in range(games):
        who = random.permutation(12)[:size]
        skill = own[who] + against[np.ix_(who, who)].sum(1) / (size - 1) + random.gumbel(size=size)
        found.append([([int(one)], place) for place, one in enumerate(who[np.argsort(-skill)])])
    return found


def test_games_of_two_say_the_same_of_match_ups_as_bradley_and_terry() -> None:
    games = with_match_ups(1, 0.5, 2, 2000)
    teams = fit_teams(12, Rankings.of(games))
    pairs = np.array([[one, other] for ((one,), _), ((other,), _) in games])
    counts = Counts.of(pairs[:, 0], pairs[:, 1], np.ones(len(games)))
    two = fit(12, counts, model=Model(seat=False, dispersion=False))
    assert two.matchup_variance > 0.5
    assert teams.matchup_variance == pytest.approx(two.matchup_variance, rel=0.02)
    np.testing.assert_allclose(teams.strengths, two.strengths, atol=0.01)
    np.testing.assert_allclose(teams.variances, two.variances, rtol=0.02)


@pytest.mark.parametrize(("deviation", "least", "most"), [(0.0, 0.0, 0.12), (0.9, 0.4, 0.6)])
def test_match_ups_of_games_of_four_are_estimated(deviation: float, least: float, most: float) -> None:
    """Two thirds of each is between the two, and less is seen of it: match-ups with the others are noise to it."""
    found = [fit_teams(12, Rankings.of(with_match_ups(seed, deviation, 4, 900))).matchup_variance for seed in range(3)]
    assert least <= math.sqrt(np.mean(found)) <= most
