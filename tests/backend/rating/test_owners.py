"""All bots of one owner weigh as much as one of them, in games of two and of many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from hexarena.backend.rating.counts import Counts, IntArray, Rankings
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.rating.fit import Model, fit, fit_teams
from hexarena.backend.rating.plackett_luce import MetPairs, Stages


def test_all_bots_of_an_owner_weigh_as_much_as_the_one_that_played_most() -> None:
    """Nodes 1 (twice), 2 and 3 are of one owner, who has two bots; node 3 is a version of node 2."""
    counts = Counts.of([0] * 10 + [4] * 4, [1] * 6 + [2] * 2 + [3] * 2 + [1] * 4, [1.0] * 14)
    bots, owners = np.array([0, 1, 2, 2, 3]), np.array([0, 1, 1, 1, 2])
    shared = counts.shared_out(bots, owners)
    assert dict(zip(zip(shared.first, shared.second, strict=True), shared.games, strict=True)) == pytest.approx(
        {(0, 1): 6 * 0.6, (0, 2): 2 * 0.6, (0, 3): 2 * 0.6, (4, 1): 4.0}
    )
    assert np.allclose(shared.points, shared.games)
    of_first = counts.shared_out(bots, np.array([1, 0, 0, 0, 2]))
    assert np.array_equal(of_first.games, shared.games), "owners count from 0"
    house = counts.shared_out(bots, np.array([0, -1, -1, -1, 2]))
    assert np.array_equal(house.games, counts.games)
    assert len(Counts.empty().shared_out(bots, owners).first) == 0


def alone(*nodes: int) -> list[tuple[list[int], int]]:
    """A game in which each is a team of its own, from the first place to the last."""
    return [([node], place) for place, node in enumerate(nodes)]


def test_a_team_that_counts_for_less_is_left_out_of_a_part_of_its_games() -> None:
    """Nodes 1 and 2 are one owner's; node 0 met each twice. The house's node 4 counts in full, whomever it meets."""
    rankings = Rankings.of([alone(0, 1, 3), alone(0, 1, 4), alone(2, 0), alone(2, 0, 3)])
    shared = rankings.shared_out(np.arange(5), np.array([0, 1, 1, 2, -1]))
    assert shared.weight is not None
    teams: dict[tuple[int, ...], float] = {}
    for game, weight in enumerate(shared.weight.tolist()):
        teams[tuple(shared.entrant[shared.game[shared.team] == game].tolist())] = weight
    # With node 2 gone, half a game of nodes 0 and 3 is left; of a game of two nothing is.
    assert teams == {(0, 1, 3): 0.5, (0, 1, 4): 0.5, (2, 0): 0.5, (2, 0, 3): 0.5, (0, 3): 0.5, (0, 4): 0.5}
    assert shared.games == 3.5


def test_games_that_weigh_half_count_half() -> None:
    games = [alone(0, 1, 2), alone(1, 2, 0), alone(2, 0), alone(0, 1)]
    once, twice = Rankings.of(games), Rankings.of(games + games)
    halves = replace(twice, weight=np.full(len(games) * 2, 0.5))
    model = Model(prior_elo=300.0, matchup=False)
    one, other = fit_teams(3, once, model=model), fit_teams(3, halves, model=model)
    np.testing.assert_allclose(one.strengths, other.strengths, atol=1e-9)
    np.testing.assert_allclose(one.variances, other.variances, atol=1e-9)
    assert once.games == halves.games == len(games)


def test_what_counts_in_full_is_left_as_it_is() -> None:
    rankings = Rankings.of([alone(0, 1, 2), alone(2, 1)])
    assert rankings.shared_out(np.arange(3), np.array([0, 1, 2])) is rankings
    mixed = Rankings.of([[([0, 1], 0), ([2, 3], 1)]] * 3)
    assert mixed.shared_out(np.arange(4), np.array([0, 1, 0, 2])) is mixed
    assert Rankings.of([]).shared_out(np.zeros(0, np.int64), np.zeros(0, np.int64)).games == 0


def test_weights_stay_with_their_games_when_guests_are_left_out() -> None:
    rankings = replace(Rankings.of([alone(0, 1), alone(0, 2, 1), alone(2, 3)]), weight=np.array([0.1, 0.2, 0.3]))
    among = rankings.among(np.array([True, True, True, False]))
    assert among.weight is not None
    assert among.weight.tolist() == [0.1, 0.2]
    assert among.game.tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize("entrants", [3, 4])
def test_throwers_of_one_owner_help_in_games_of_many_as_much_as_one_of_them(entrants: int) -> None:
    """Node 0 is as good as the honest; six better ones lose whenever it plays, and only then."""
    random = np.random.default_rng(3)
    nodes, throwers = np.arange(14), np.arange(8, 14)
    games = [alone(*random.permutation(nodes[:8])[:entrants].tolist()) for _ in range(80)]
    games += [
        alone(int(random.choice(throwers)), *random.permutation(nodes[1:8])[: entrants - 1].tolist()) for _ in range(80)
    ]
    games += [alone(0, *random.permutation(throwers)[: entrants - 1].tolist()) for _ in range(40)]

    def gain(owners: IntArray) -> float:
        fitted = fit_teams(14, Rankings.of(games).shared_out(nodes, owners))
        return float(fitted.strengths[0] - fitted.strengths[1:8].mean())

    assert gain(np.where(nodes >= 8, 8, nodes)) < 0.75 * gain(nodes)


OF_THREE = np.arange(36) // 3
"""Owners of 36 nodes, who have three each."""


@pytest.mark.parametrize("suits_elo", [0.0, 100.0])
def test_match_ups_are_found_where_owners_have_several_bots(suits_elo: float) -> None:
    found = []
    for seed in range(4):
        random = np.random.default_rng([17, seed])
        strengths, suits = random.normal(0, 1.2, 36), random.normal(0, suits_elo / ELO_PER_LOGIT, (36, 36))
        suits = np.triu(suits, 1) - np.triu(suits, 1).T
        first = random.integers(0, 36, 9000)
        second = (first + random.integers(3, 34, 9000)) % 36
        apart = OF_THREE[first] != OF_THREE[second]
        first, second = first[apart], second[apart]
        won = random.random(len(first)) < expit(strengths[first] - strengths[second] + suits[first, second])
        shared = Counts.of(first, second, won.astype(float)).shared_out(np.arange(36), OF_THREE)
        assert shared.games.sum() == pytest.approx(len(first) / 3, rel=0.2)
        found.append(fit(36, shared).matchup_variance)
    assert ELO_PER_LOGIT * np.sqrt(np.mean(found)) == pytest.approx(suits_elo, abs=45 if suits_elo == 0 else 25)


def test_match_ups_of_many_are_found_where_owners_have_several_bots() -> None:
    random = np.random.default_rng(18)
    strengths, suits = random.normal(0, 0.7, 24), np.triu(random.normal(0, 1.7, (24, 24)), 1)
    suits -= suits.T
    games = []
    while len(games) < 3000:
        four = random.choice(24, 4, replace=False)
        if len(set(OF_THREE[four])) == 4:
            strength = strengths[four] + suits[np.ix_(four, four)].sum(1) / 3
            games.append(alone(*four[np.argsort(-strength - random.gumbel(size=4))].tolist()))
    alike = Rankings.of(games)
    in_full, shared = (fit_teams(24, one) for one in (alike, alike.shared_out(np.arange(24), OF_THREE[:24])))
    assert np.sqrt(shared.matchup_variance) == pytest.approx(np.sqrt(in_full.matchup_variance), rel=0.15)


def test_a_game_that_is_taken_apart_is_one_meeting() -> None:
    """Nodes 1 and 2 are one owner's, so that a part of each game goes on without them; nodes 0 and 3 met once."""
    rankings = Rankings.of([alone(0, 1, 3), alone(0, 2), alone(4, 1, 3)])
    shared = rankings.shared_out(np.arange(5), np.array([0, 1, 1, 2, 3]))
    assert shared.origin is not None
    assert len(shared.origin) > len(set(shared.origin.tolist())) == 3
    stages = Stages.of(5, shared)
    pairs = MetPairs.of(5, shared, stages)
    assert list(zip(pairs.low[pairs.often], pairs.high[pairs.often], strict=True)) == [(1, 3)]
    both = list(zip(pairs.low[pairs.pair].tolist(), pairs.high[pairs.pair].tolist(), strict=True))
    assert {pair: share for pair, share in zip(both, pairs.share.tolist(), strict=True) if 1 not in pair} == {
        (0, 2): 0.5,
        (0, 3): 1.0,
        (3, 4): 1.0,
    }
