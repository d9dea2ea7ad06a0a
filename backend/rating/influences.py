"""How far results move ratings: of pairs and of single games of two, and of meetings in games of many. Values in, out.

In Elo and to first order: what a result adds to the gradient of the log-posterior, times the covariance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from hexarena.backend.rating.bradley_terry import Pairs, Seen, Spread
from hexarena.backend.rating.counts import BoolArray, Counts, FloatArray, IntArray, Rankings
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.rating.fit import Fit
from hexarena.backend.rating.plackett_luce import MetPairs, Stages, each_two


@dataclass(frozen=True, slots=True)
class Influences:
    """The effect of each ordered pair's results on one node's rating; rows as in the counts, shape (m,).

    `elo`: how far they move it, to first order. `next_game`: the share of its variance that one more such game takes.
    """

    elo: FloatArray
    next_game: FloatArray


def influences(fitted: Fit, counts: Counts, node: int) -> Influences:
    """Which results moved `node`, and which would. Without a covariance only its own games are known to."""
    first, second = counts.first, counts.second
    reach = _shared(fitted, node, first) - _shared(fitted, node, second)
    share = expit(fitted.strengths[first] - fitted.strengths[second] + fitted.seat)
    weight = _weights(fitted, counts, first, second)
    worth = share * (1 - share) * weight**2 * fitted.dispersion
    spread = fitted.given_variances[first] + fitted.given_variances[second] - 2 * _shared(fitted, first, second)
    taken = worth * reach**2 / (1 + worth * spread) / max(float(fitted.given_variances[node]), 1e-12)
    reach, taken = (np.where(_rates(fitted, node, first, second), values, 0.0) for values in (reach, taken))
    return Influences(reach * weight * (counts.points - counts.games * share) * ELO_PER_LOGIT, taken)


def changes(
    fitted: Fit,
    counts: Counts,
    first: IntArray,
    second: IntArray,
    points: FloatArray,
    *,
    weighed: Counts | None = None,
) -> FloatArray:
    """The effect of single games on the ratings of both, Elo, to first order; shape (k, 2).

    `first`, `second`, `points`: the games, shape (k,), which `counts` must hold. `weighed`: the same rows as the
    fit saw them, if it did not see them so. Their sum over a node's games is what holds its rating away from the prior.
    """
    seen = counts if weighed is None else weighed
    row = _rows(counts, first, second)
    counted = seen.games[row] / counts.games[row]
    share = expit(fitted.strengths[first] - fitted.strengths[second] + fitted.seat)
    pull = _weights(fitted, seen, first, second) * counted * (points - share) * ELO_PER_LOGIT
    shared = _shared(fitted, first, second)
    moved = [pull * (fitted.given_variances[first] - shared), pull * (shared - fitted.given_variances[second])]
    return np.stack(
        [
            np.where(_rates(fitted, node, first, second), elo, 0.0)
            for node, elo in zip((first, second), moved, strict=True)
        ],
        axis=1,
    )


@dataclass(frozen=True, slots=True)
class Meetings:
    """Whom one node met in games of many, shape (k,). `elo`, `next_game`: see Influences.

    `points`: 1 for each of the `games` in which it had the better place, ½ for the same one.
    """

    node: IntArray
    games: IntArray
    points: FloatArray
    expected: FloatArray
    elo: FloatArray
    next_game: FloatArray


def meetings(fitted: Fit, rankings: Rankings, node: int) -> Meetings:
    """Whom a node met in games of which each team is one node, and what that did to its rating.

    Raises: ValueError, for larger teams.
    """
    nodes, who, mine = len(fitted.strengths), rankings.entrant, rankings.entrant == node
    one, other, pull = _flows(fitted, rankings)
    kept = mine[one] & ~mine[other]
    total = np.bincount(who[other[kept]], pull[kept], nodes)
    rank = np.full(rankings.game.max(initial=-1) + 1, -1)
    rank[rankings.game[mine]] = rankings.rank[mine]
    met = np.flatnonzero(~mine & (rank[rankings.game] >= 0))
    points = (1 + np.sign(rankings.rank[met] - rank[rankings.game[met]])) / 2
    games = np.bincount(who[met], minlength=nodes)
    there = np.flatnonzero(games)
    reach = _shared(fitted, node, np.full_like(there, node)) - _shared(fitted, node, there)
    share = expit(fitted.strengths[node] - fitted.strengths[there])
    worth = share * (1 - share)
    spread = fitted.given_variances[node] + fitted.given_variances[there] - 2 * _shared(fitted, node, there)
    taken = worth * reach**2 / (1 + worth * spread) / max(float(fitted.given_variances[node]), 1e-12)
    moved = reach * total[there] * ELO_PER_LOGIT
    moved, taken = (np.where(_rates(fitted, node, there, there), one, 0.0) for one in (moved, taken))
    scored = np.bincount(who[met], points, nodes)[there].astype(np.float64, copy=False)
    return Meetings(there, games[there], scored, games[there] * share, moved, taken)


def changes_of_many(fitted: Fit, rankings: Rankings, seen: Rankings | None = None) -> FloatArray:
    """The effect of each game of many on the rating of each that played it, Elo; shape (teams,).

    `seen`: all games of the fit, if these are some of them.
    Raises: ValueError, for teams of more than one node.
    """
    one, other, pull = _flows(fitted, rankings, seen)
    mine, theirs = rankings.entrant[one], rankings.entrant[other]
    moved = np.where(_rates(fitted, mine, mine, theirs), pull, 0.0) * (
        fitted.given_variances[mine] - _shared(fitted, mine, theirs)
    )
    return np.bincount(one, moved * ELO_PER_LOGIT, len(rankings.entrant)).astype(np.float64, copy=False)


def _flows(fitted: Fit, rankings: Rankings, seen: Rankings | None = None) -> tuple[IntArray, IntArray, FloatArray]:
    """(one, another, what their game adds to the gradient of the first by the second), stage by stage.

    Plackett-Luce chooses one of those that are left, again and again. What a choice adds to the gradient of each is the
    sum of such parts, each of which the other one has with the opposite sign. `seen`: see `changes_of_many`.
    """
    if len(rankings.team) and int(rankings.team[-1]) + 1 < len(rankings.team):
        raise ValueError(f"expected teams of one node; got {len(rankings.team)} nodes in {rankings.team[-1] + 1} teams")
    stages = Stages.of(len(fitted.strengths), rankings)
    shares, (one, other) = stages.shares(fitted.strengths), each_two(stages)
    pull = stages.chosen[one] * shares[other] - stages.chosen[other] * shares[one]
    if fitted.matchup_variance:
        stages = stages.counting(rankings.game, _weights_of_many(fitted, rankings, stages, shares, seen))
    return stages.team[one], stages.team[other], stages.weight[stages.stage[one]] * pull


def _weights_of_many(
    fitted: Fit, rankings: Rankings, stages: Stages, shares: FloatArray, seen: Rankings | None
) -> FloatArray:
    """How much each game counts, shape (games,)."""
    nodes = len(fitted.strengths)
    met, known = MetPairs.of(nodes, rankings, stages), None
    if seen is not None:
        all_stages = Stages.of(nodes, seen)
        everybody = MetPairs.of(nodes, seen, all_stages)
        of_pair = everybody.known(all_stages, all_stages.shares(fitted.strengths))
        keys = everybody.low * nodes + everybody.high
        place = np.searchsorted(keys, met.low * nodes + met.high)
        known = np.append(of_pair, 0.0)[np.where(np.append(keys, -1)[place] == met.low * nodes + met.high, place, -1)]
    return met.weights(stages, shares, fitted.matchup_variance, known)


def _rates(fitted: Fit, node: IntArray | int, first: IntArray, second: IntArray) -> BoolArray:
    """Whether games between these move a node: those with a guest move guests alone."""
    if fitted.guests is None:
        return np.ones(len(first), np.bool_)
    return np.asarray(fitted.guests[node] | ~(fitted.guests[first] | fitted.guests[second]))


def _shared(fitted: Fit, one: IntArray | int, other: IntArray) -> FloatArray:
    """Covariances of nodes; of different ones 0 if they are not known."""
    if fitted.covariance is None:
        return np.where(one == other, fitted.given_variances[other], 0.0)
    return np.asarray(fitted.covariance[one, other])


def _rows(counts: Counts, first: IntArray, second: IntArray) -> IntArray:
    """Where the ordered pairs are in the counts."""
    size = int(counts.second.max(initial=0)) + 1
    return np.asarray(np.searchsorted(counts.first * size + counts.second, first * size + second))


def _weights(fitted: Fit, counts: Counts, first: IntArray, second: IntArray) -> FloatArray:
    """The weight of a game between each two, which sinks with the information that their games have given already."""
    nodes = len(fitted.strengths)
    pairs = Pairs.of(nodes, counts)
    spread = Spread(fitted.dispersion, fitted.matchup_variance)
    weight = Seen.of(pairs, fitted.strengths, fitted.seat).weight(spread)
    mine = np.minimum(first, second) * nodes + np.maximum(first, second)
    return np.asarray(weight[np.searchsorted(pairs.low * nodes + pairs.high, mine)])
