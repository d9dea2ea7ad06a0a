"""What single games and pairs of nodes do to ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from hexarena.backend.rating.elo import ELO_PER_LOGIT, square_logits
from hexarena.backend.rating.fit import Counts, Rankings, fit, fit_teams
from hexarena.backend.rating.influences import changes, changes_of_many, influences, meetings
from tests.backend.rating.played import PLAIN, counted, played

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


def test_a_game_changes_as_much_as_the_fit_lets_it_count() -> None:
    """Bots 3 to 5 are one owner's: each of their games counts for a part, and those between them for nothing."""
    first, second, points = played(6, 400, 21)
    counts = Counts.of(first, second, points)
    owners = np.array([0, 1, 2, 3, 3, 3])
    weighed = counts.shared_out(np.arange(6), owners)
    found = fit(6, weighed)
    single = changes(found, counts, first, second, points, weighed=weighed)
    for node in range(6):
        moved = single[first == node, 0].sum() + single[second == node, 1].sum()
        at_it = (weighed.first == node) | (weighed.second == node)
        assert influences(found, weighed, node).elo[at_it].sum() == pytest.approx(moved)
    between = (first >= 3) & (second >= 3)
    assert between.any()
    assert not single[between].any()
    assert single[~between].all()


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


def test_some_games_of_many_change_what_they_do_among_all() -> None:
    """How much a game counts depends on the other games of the same bots."""
    games = games_of_many(6, 200, 23)
    rankings = Rankings.of(games)
    found = replace(fit_teams(6, rankings), matchup_variance=0.3)
    everything = changes_of_many(found, rankings)
    begins = np.flatnonzero(np.diff(rankings.game, prepend=-1))
    for number in (0, 99, 199):
        begin = begins[number]
        size = int((rankings.game == number).sum())
        some = Rankings(
            rankings.entrant[begin : begin + size],
            np.arange(size),
            np.zeros(size, np.int64),
            rankings.rank[begin : begin + size],
        )
        np.testing.assert_allclose(changes_of_many(found, some, rankings), everything[begin : begin + size])
        alone = changes_of_many(found, some)
        assert np.abs(alone).max() > np.abs(everything[begin : begin + size]).max()


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
