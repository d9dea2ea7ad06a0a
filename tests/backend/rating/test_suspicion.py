"""Thrown games are found, and honest ones are not accused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import binom, logistic, norm

from hexarena.backend.rating import fit as rating, suspicion
from hexarena.backend.rating.bradley_terry import (
    MATCHUP_ELO,
    MATCHUP_EVIDENCE,
    Pairs,
    Seen,
    Spread,
    matchups_seen,
)
from hexarena.backend.rating.counts import Counts
from hexarena.backend.rating.elo import square_logits
from hexarena.backend.rating.suspicion import GIFTS, GIVING, LEAST_GAMES, LEVEL, NAMED, ODD_GAMES, suspicions

NODES = 24
TARGET, CREW = 10, (12, 15, 18, 20)


def season(seed: int, *, thrown_by: tuple[int, ...] = ()) -> Counts:
    """Everybody meets everybody ten times; node n is stronger than n - 1."""
    random = np.random.default_rng(seed)
    first, second = np.meshgrid(np.arange(NODES), np.arange(NODES))
    apart = first != second
    one, other = (np.repeat(nodes[apart], 5) for nodes in (first, second))
    won = random.random(len(one)) < 1 / (1 + np.exp((other - one) / 6))
    won |= (one == TARGET) & np.isin(other, thrown_by)
    won &= ~((other == TARGET) & np.isin(one, thrown_by))
    return Counts.of(one, other, won.astype(float))


@pytest.mark.long
def test_those_who_throw_their_games_are_named_with_the_one_who_gains() -> None:
    counts = season(1, thrown_by=CREW)
    surest, *_ = suspicions(rating.fit(NODES, counts), counts)
    assert surest.target == TARGET
    assert set(surest.others) >= set(CREW)
    assert len(surest.others) <= len(CREW) + 2
    assert surest.games == 10 * len(surest.others)
    assert surest.points > surest.expected + 10
    assert 0 < surest.p <= LEVEL


@pytest.mark.long
def test_half_of_those_who_were_met_may_give() -> None:
    """What they give is in the target's rating, and makes it look too weak against all others."""
    crew = tuple(range(11, NODES))
    for seed in (1, 2, 3):
        counts = season(seed, thrown_by=crew)
        surest, *_ = suspicions(rating.fit(NODES, counts), counts)
        assert surest.target == TARGET
        assert set(surest.others) <= set(crew)
        assert len(surest.others) >= 6


def test_a_game_won_against_all_odds_is_no_gift() -> None:
    """Of a pair that met once or twice little is known, and of many pairs some will be like this."""
    games = [(first, second, float(first > second)) for first in range(12) for second in range(12) for _ in range(3)]
    games = [game for game in games if game[0] != game[1]] + [(0, 11, 1.0)]
    counts = Counts.of(*(np.array(column) for column in zip(*games, strict=True)))
    assert suspicions(rating.fit(12, counts), counts) == []


@pytest.mark.long
def test_a_match_up_like_others_is_no_gift() -> None:
    """Three styles, each strong against one of the others; its bots score against it what nobody else would."""
    random = np.random.default_rng(6)
    accused = 0
    for _ in range(5):
        style, strength = np.arange(NODES) % 3, random.normal(0, 1, NODES)
        one, other = (np.repeat(nodes, 10) for nodes in np.triu_indices(NODES, 1))
        turn = (style[one] - style[other]) % 3
        gap = strength[one] - strength[other] + 0.7 * (turn == 1) - 0.7 * (turn == 2)
        counts = Counts.of(one, other, (random.random(len(one)) < 1 / (1 + np.exp(-gap))).astype(float))
        accused += bool(suspicions(rating.fit(NODES, counts), counts))
    assert accused == 0


@pytest.mark.long
def test_one_pair_alone_is_found_too() -> None:
    counts = season(2)
    thrown = Counts.of(np.full(40, 3), np.full(40, 20), np.ones(40))
    counts = counts.plus(thrown)
    found = suspicions(rating.fit(NODES, counts), counts)
    assert any(one.target == 3 and 20 in one.others for one in found)


@pytest.mark.long
def test_honest_seasons_are_not_accused() -> None:
    accused = 0
    for seed in range(10, 22):
        counts = season(seed)
        accused += bool(suspicions(rating.fit(NODES, counts), counts))
    assert accused <= 2


@pytest.mark.long
def test_the_report_is_a_function_of_the_results() -> None:
    counts = season(1, thrown_by=CREW)
    fitted = rating.fit(NODES, counts)
    assert suspicions(fitted, counts) == suspicions(fitted, counts)


def test_few_or_no_games_accuse_nobody() -> None:
    assert suspicions(rating.fit(3, Counts.empty()), Counts.empty()) == []
    counts = Counts.of([0, 1], [1, 2], [1.0, 1.0])
    assert suspicions(rating.fit(3, counts), counts) == []


# --- The parts, beside plain computations ---


def test_a_chain_in_which_each_always_wins_accuses_nobody() -> None:
    """Shares of the points so near to all that their odds have no logarithm."""
    pairs = [(one, other) for one in range(8) for other in range(one)]
    first, second = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    games = np.full(len(pairs), 300.0)
    counts = Counts(first, second, games, games, np.zeros(len(pairs)))
    assert suspicions(rating.fit(8, counts), counts) == []


def rows_of_one(*, games: float, points: float, expected: float, unsure: float) -> suspicion._Meetings:
    """A single meeting of node 0 with node 1."""
    nothing = np.zeros(1)
    columns = (np.array([games]), np.array([points]), np.array([expected]), nothing, np.array([unsure]))
    return suspicion._Meetings(np.array([0]), np.array([1]), *columns, nothing, nothing, nothing)


@pytest.mark.parametrize(("games", "points"), [(LEAST_GAMES, 4.0), (10, 8.0), (40, 31.0)])
def test_the_chance_of_a_pair_is_that_of_binomials_with_an_uncertain_share(games: int, points: float) -> None:
    unsure, share = 0.4, 0.3
    rows = rows_of_one(games=games, points=points, expected=games * share, unsure=unsure)
    (found,) = suspicion._pairs(rows, 0.5)
    scale, middle = math.sqrt(3 * unsure) / math.pi, math.log(share / (1 - share))

    def weighed(gap: float) -> float:
        of_odds = ODD_GAMES + (1 - 2 * ODD_GAMES) / (1 + math.exp(-gap))
        return float(logistic.pdf(gap, middle, scale) * binom.sf(points - 1, games, of_odds))

    plain = quad(weighed, middle - 15 * scale, middle + 15 * scale, limit=400, points=[middle])[0]
    assert found.p == pytest.approx(plain, rel=0.02)
    assert (found.target, found.others, found.games, found.points) == (0, (1,), games, points)
    assert suspicion._pairs(rows, plain / 2) == [], "not significant at any rate"


def test_a_favourite_that_never_loses_is_suspect_once_it_won_often_enough() -> None:
    """90 wins of 90, where 9 of 10 are expected: nine games above it, or three deviations."""
    rows = rows_of_one(games=90.0, points=90.0, expected=81.0, unsure=1e-4)
    (found,) = suspicion._pairs(rows, 1e-3)
    assert found.p == pytest.approx((ODD_GAMES + (1 - 2 * ODD_GAMES) * 0.9) ** 90, rel=0.05)


@pytest.mark.parametrize("points", [1.0, 5.0])
def test_who_scores_less_than_expected_or_played_little_is_no_suspect(points: float) -> None:
    assert suspicion._pairs(rows_of_one(games=10, points=points, expected=5.5, unsure=0.4), 1.0) == []
    assert suspicion._pairs(rows_of_one(games=LEAST_GAMES - 1, points=3.0, expected=0.2, unsure=0.1), 1.0) == []


@pytest.mark.parametrize(("winner", "loser"), [(9, 3), (3, 9)])
def test_what_is_expected_of_a_pair_is_what_all_other_games_say_with_the_seats_that_were_played(
    winner: int, loser: int
) -> None:
    """A first seat worth 1.2 logits, and a pair of which one always begins and always wins."""
    random, nodes = np.random.default_rng(3), 12
    one, other = (np.repeat(column, 12) for column in np.nonzero(~np.eye(nodes, dtype=bool)))
    others = Counts.of(one, other, (random.random(len(one)) < expit((other - one) / 4 + 1.2)).astype(float))
    counts = others.plus(Counts.of(np.full(30, winner), np.full(30, loser), np.ones(30)))
    fitted = rating.fit(nodes, counts)
    rows = suspicion._meetings(fitted, counts)
    (at,) = np.flatnonzero((rows.node == winner) & (rows.other == loser))
    these = np.isin(others.first, [winner, loser]) & np.isin(others.second, [winner, loser])
    left = [column[~these] for column in (others.first, others.second, others.games, others.points, others.draws)]
    alone = rating.fit(nodes, Counts(*left))
    assert fitted.seat > 0.8
    assert rows.games[at] == 54
    assert rows.gap[at] == pytest.approx(alone.strengths[winner] - alone.strengths[loser], abs=0.12)
    of_this_gap = 42 * expit(rows.gap[at] + fitted.seat) + 12 * expit(rows.gap[at] - fitted.seat)
    assert rows.expected[at] == pytest.approx(of_this_gap)
    (back,) = np.flatnonzero((rows.node == loser) & (rows.other == winner))
    assert rows.expected[back] == pytest.approx(54 - rows.expected[at])
    assert rows.gap[back] == -rows.gap[at]


def test_match_ups_are_judged_without_the_pair_and_without_the_node() -> None:
    counts = season(4)
    fitted = rating.fit(NODES, counts)
    pairs = Pairs.of(NODES, counts)
    seen = Seen.of(pairs, fitted.strengths, fitted.seat)
    spread = Spread(fitted.dispersion, fitted.matchup_variance)
    excess, squares = matchups_seen(pairs, seen, fitted.given_variances, spread, fitted.dispersion)
    of_pair, without = suspicion._matchups(pairs, seen, fitted)
    evidence = MATCHUP_EVIDENCE * square_logits(MATCHUP_ELO)

    def plain(left: np.ndarray) -> float:
        return max((excess[left].sum() + evidence) / (squares[left].sum() + MATCHUP_EVIDENCE), 0.0)

    everything = np.ones(len(pairs.low), bool)
    for at in (0, 17, 100):
        left = everything.copy()
        left[at] = False
        assert of_pair[at] == pytest.approx(plain(left))
    for node in (0, 5, NODES - 1):
        assert without[node] == pytest.approx(plain((pairs.low != node) & (pairs.high != node)))


def test_the_evidence_and_the_givers_are_those_of_the_mixture() -> None:
    games, variance = np.array([20.0, 20.0, 30.0, 8.0]), np.array([0.05, 0.1, 0.2, 0.05])
    points, gap = np.array([11.0, 19.0, 16.0, 3.0]), np.array([0.0, 0.2, 0.1, -0.3])
    share = expit(gap)
    table = suspicion._Table(games, games * share * (1 - share), variance)

    def likelihood(at: np.ndarray) -> np.ndarray:
        found = []
        for row, here in enumerate(at.tolist()):
            deviation = math.sqrt(variance[row])

            def of(advantage: float, row: int = row, here: float = here, deviation: float = deviation) -> float:
                win = ODD_GAMES + (1 - 2 * ODD_GAMES) / (1 + math.exp(-advantage))
                alike = win ** points[row] * (1 - win) ** (games[row] - points[row])
                return float(alike * norm.pdf(advantage, here, deviation))

            found.append(quad(of, here - 8 * deviation, here + 8 * deviation, limit=200)[0])
        return np.array(found)

    def mixture(at: np.ndarray) -> tuple[float, np.ndarray]:
        honest = likelihood(at)
        ratio = sum(likelihood(at + gift) / honest for gift in GIFTS) / len(GIFTS)
        best = max(GIVING, key=lambda giving: float(np.log1p(giving * (ratio - 1)).sum()))
        return float(np.log1p(best * (ratio - 1)).sum()), best * ratio / (1 + best * (ratio - 1))

    off = (points - games * share) / table.information
    order = np.argsort(off)
    half = np.searchsorted(np.cumsum(table.information[order]), table.information.sum() / 2)
    at = gap + off[order[half]]
    _, giving = mixture(at)
    known = games * expit(at) * (1 - expit(at))
    weight = (1 - giving) / (1 + known * variance)
    at = at + (weight * (points - games * expit(at))).sum() / (weight * known).sum()
    evidence, giving = mixture(at)
    found_evidence, found_giving, found_at = table.judged(points[None, :], gap)
    assert found_at[0] == pytest.approx(at, abs=0.01)
    assert found_evidence[0] == pytest.approx(evidence, rel=0.05)
    assert found_giving[0] == pytest.approx(giving, abs=0.03)
    assert giving[1] > NAMED > max(giving[[0, 2, 3]])


def test_as_many_seasons_are_played_as_the_level_needs_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suspicion, "FEWEST_SEASONS", 100)
    monkeypatch.setattr(suspicion, "MOST_SEASONS", 100)
    counts = season(1, thrown_by=CREW)
    found = suspicions(rating.fit(NODES, counts), counts, level=1.0)
    surest = min(one.p for one in found if len(one.others) > 1)
    assert surest == pytest.approx(2 * NODES / 101), "none of a hundred was worse"
