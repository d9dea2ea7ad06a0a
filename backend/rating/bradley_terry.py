"""The likelihood of games of two: Bradley-Terry with a seat, draws and match-ups. Values in, values out.

The first scores against the second like `sigma(r_first - r_second + seat)`, draws are half points. Two corrections keep
the posterior calibrated. *Dispersion*: with draws, results scatter less than a coin with the same mean.
*Match-ups*: some bots do better against each other than their strengths say, so a pair's games are not independent.
The games of a pair count with weight `1 / (dispersion + their information * match-up variance)`.

Source: R. A. Bradley, M. E. Terry, "Rank Analysis of Incomplete Block Designs"; R. R. Davidson, "On Extending the
Bradley-Terry Model to Accommodate Ties"; the weights are ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hexarena.backend.rating.counts import Counts, FloatArray, IntArray
from hexarena.backend.rating.elo import square_logits
from hexarena.backend.rating.newton import Matrix, Precision, takes_factor

MATCHUP_ELO = 40.0
MOST_MATCHUP_ELO = 600.0
MATCHUP_EVIDENCE = 200.0
"""Of MATCHUP_ELO, in squared information."""
DISPERSION_EVIDENCE = 50.0
"""Of the dispersion that draws alone would cause, in information: 200 even games."""
DISPERSIONS = (0.3, 3.0)
PRIOR_GAMES, PRIOR_DRAWS = 2.0, 0.1
"""The prior on draws: this many even games, of which this many were drawn."""
DRAW_NU = 2 * PRIOR_DRAWS / (PRIOR_GAMES - PRIOR_DRAWS)
"""Davidson's parameter before the first game."""
LEAST_CURVE = 0.001
"""A Newton step takes a pair's curvature for at least this share of its information."""
BINS = 400


@dataclass(frozen=True, slots=True)
class Pairs:
    """Counts by pair, whoever was first. `low`, `high`: nodes, shape (p,), sorted.

    `games`, `points` of the first, `draws`: shape (2, p); row 0: the lower node was first, row 1: the higher one was.
    `share`: how much each game of a pair counts in these, shape (p,).
    """

    low: IntArray
    high: IntArray
    games: FloatArray
    points: FloatArray
    draws: FloatArray
    share: FloatArray

    @classmethod
    def of(cls, nodes: int, counts: Counts) -> Pairs:
        """The same results, row by row of either order put together."""
        low, high = np.minimum(counts.first, counts.second), np.maximum(counts.first, counts.second)
        keys, row = _numbered(low * nodes + high, nodes * nodes)
        place = np.where(counts.first < counts.second, row, row + len(keys))
        games, points, draws = np.zeros((3, 2 * len(keys)))
        games[place], points[place], draws[place] = counts.games, counts.points, counts.draws
        shape, share = (2, len(keys)), np.ones(len(keys))
        if counts.share is not None:
            share[row] = counts.share  # the same one, whoever was first
        return cls(
            keys // max(nodes, 1),
            keys % max(nodes, 1),
            games.reshape(shape),
            points.reshape(shape),
            draws.reshape(shape),
            share,
        )


def _numbered(keys: IntArray, end: int) -> tuple[IntArray, IntArray]:
    """The different keys, sorted, and the number of each key among them. By a table where that is quicker."""
    if end > 8 * len(keys) + 1000:
        different, number = np.unique(keys, return_inverse=True)
        return different, number
    table = np.zeros(end, np.int32)
    table[keys] = 1
    different = np.flatnonzero(table)
    table[different] = np.arange(len(different))
    return different, table[keys].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Spread:
    """How results scatter; see Fit."""

    dispersion: float = 1.0
    matchup_variance: float = 0.0
    draw_nu: float = DRAW_NU


@dataclass(frozen=True, slots=True)
class Seen:
    """What strengths expect of each pair. `share` of the points, `known` information, `surprise`: shape (2, p)."""

    share: FloatArray
    known: FloatArray
    surprise: FloatArray

    @classmethod
    def of(cls, pairs: Pairs, strengths: FloatArray, seat: float) -> Seen:
        """`seat`: the advantage of playing first, logits."""
        odds = np.exp(strengths - strengths.max(initial=0.0))
        low, high, bonus = odds[pairs.low], odds[pairs.high], math.exp(seat)
        share = np.empty_like(pairs.games)
        for row, (first, second) in enumerate(((low, high), (high, low))):
            np.multiply(first, bonus, out=share[row])
            share[row] /= share[row] + second
        known = pairs.games * share
        surprise = pairs.points - known
        known *= 1 - share
        return cls(share, known, surprise)

    def weight(self, spread: Spread) -> FloatArray:
        """Of the games of each pair, shape (p,)."""
        return np.asarray(1 / (spread.dispersion + (self.known[0] + self.known[1]) * spread.matchup_variance))


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The posterior of strengths and, if `seat`, of the first seat's advantage, which is the last unknown."""

    pairs: Pairs
    prior: Precision
    seat: bool
    spread: Spread

    def look(self, at: FloatArray) -> Look:
        """At these unknowns."""
        seen = Seen.of(self.pairs, at[:-1] if self.seat else at, float(at[-1]) if self.seat else 0.0)
        return Look(self, at, seen, seen.weight(self.spread))


@dataclass(frozen=True, slots=True)
class Look:
    """A posterior around `at`; see newton.Look. `weight`: of each pair's games."""

    posterior: Likelihood
    at: FloatArray
    seen: Seen
    weight: FloatArray

    def gradient(self) -> FloatArray:
        """Of the log-posterior."""
        surprise = self.seen.surprise
        gradient = self.posterior.prior.pull(self.at)
        gradient += self._at_ends(self.weight * (surprise[0] - surprise[1]))
        if self.posterior.seat:
            gradient[-1] += self.weight @ (surprise[0] + surprise[1])
        return gradient

    def curvature(self) -> Matrix:
        """Minus the second derivative, nearly: a pair's weight changes with its strengths as well."""
        known, share, surprise = self.seen.known, self.seen.share, self.seen.surprise
        bend = (known[0] * (1 - 2 * share[0]) - known[1] * (1 - 2 * share[1])) * (surprise[0] - surprise[1])
        bend *= self.posterior.spread.matchup_variance * self.weight / np.maximum(known[0] + known[1], 1e-300)
        dense = takes_factor(len(self.at), len(self.posterior.pairs.low) + len(self.posterior.prior.row))
        return self._matrix(self.weight * np.maximum(1 + bend, LEAST_CURVE), dense=dense)

    def information(self) -> Matrix:
        """The expectation of the second derivative, of which the covariance is the inverse."""
        return self._matrix(self.weight)

    def diagonal(self) -> FloatArray:
        """Of the information."""
        return self.posterior.prior.diagonal + self._sums(self.weight * (self.seen.known[0] + self.seen.known[1]))

    def _matrix(self, weight: FloatArray, *, dense: bool | None = None) -> Matrix:
        """Of the prior and of the pairs with these weights; positive definite if they are positive."""
        pairs, known, border = self.posterior.pairs, self.seen.known, None
        if self.posterior.seat:
            border = self._at_ends(weight * (known[0] - known[1]))
        curve = weight * (known[0] + known[1])
        return self.posterior.prior.matrix(pairs.low, pairs.high, -curve, self._sums(curve), border, dense=dense)

    def _sums(self, curve: FloatArray) -> FloatArray:
        """Each unknown's sum over its pairs."""
        pairs, size = self.posterior.pairs, len(self.at)
        sums = np.add(np.bincount(pairs.low, curve, size), np.bincount(pairs.high, curve, size), dtype=np.float64)
        if self.posterior.seat:
            sums[-1] = curve.sum()
        return sums

    def _at_ends(self, values: FloatArray) -> FloatArray:
        """Each unknown's sum over its pairs: with a plus for the lower node, a minus for the higher one."""
        pairs, size = self.posterior.pairs, len(self.at)
        return np.asarray(np.bincount(pairs.low, values, size) - np.bincount(pairs.high, values, size))


def spread_of(pairs: Pairs, seen: Seen, variances: FloatArray, before: Spread, *, model: tuple[bool, bool]) -> Spread:
    """How results scatter around what was expected, by moments: residuals of games and of pairs, number of draws.

    Strengths were fitted to these results, so residuals are too small by the fit's own uncertainty: the variance of the
    difference of two strengths, here the sum of their `variances`, shape (n,), and no more than the pair's own games
    leave. `before`: the spread that the fit assumed. `model`: whether to estimate a dispersion, and match-ups.
    """
    dispersion, matchup = model
    scatter = 1.0
    if dispersion:
        unknown = _unknown(pairs, seen, variances, before)
        squares = pairs.points - pairs.draws / 4 - seen.share * (2 * pairs.points - pairs.games * seen.share)
        taken = seen.known * seen.share * (1 - seen.share) * (unknown - before.matchup_variance)
        information, drawn = float(seen.known.sum()), float(pairs.draws.sum())
        # A game's points have variance share (1 - share) - P(draw) / 4.
        by_draws = 1 - drawn / 4 / max(information, drawn / 4, 1e-300)
        scatter = float(squares.sum() + taken.sum()) + DISPERSION_EVIDENCE * by_draws
        scatter /= information + DISPERSION_EVIDENCE
        scatter = min(max(scatter, DISPERSIONS[0]), DISPERSIONS[1])
    variance = 0.0
    if matchup:
        excess, squares = matchups_seen(pairs, seen, variances, before, scatter)
        variance = float(excess.sum()) + MATCHUP_EVIDENCE * square_logits(MATCHUP_ELO)
        variance = min(max(variance / (float(squares.sum()) + MATCHUP_EVIDENCE), 0.0), square_logits(MOST_MATCHUP_ELO))
    return Spread(scatter, variance, _draw_nu(seen.share, pairs.games, float(pairs.draws.sum())))


def matchups_seen(
    pairs: Pairs, seen: Seen, variances: FloatArray, before: Spread, dispersion: float
) -> tuple[FloatArray, FloatArray]:
    """What each pair says of the variance of match-ups, times a weight, and that weight; shape (p,). See `spread_of`.

    0 and 0 of pairs that met once: one game cannot distinguish a match-up from luck. Where games count in part, chance
    does to their sum what it does to all of them, times the square of that part.
    """
    often = pairs.games[0] + pairs.games[1] > 1.5 * pairs.share
    known = np.where(often, seen.known[0] + seen.known[1], 0.0)
    surprise = seen.surprise[0] - seen.surprise[1]
    excess = surprise**2 - known * (pairs.share * dispersion - known * _unknown(pairs, seen, variances, before))
    return np.where(often, excess, 0.0), known**2


def _unknown(pairs: Pairs, seen: Seen, variances: FloatArray, before: Spread) -> FloatArray:
    """The variance of each pair's difference of strengths, shape (p,)."""
    own = pairs.share * before.dispersion / np.maximum(seen.known[0] + seen.known[1], 1e-300)
    left = own + before.matchup_variance
    return np.asarray(np.minimum(variances[pairs.low] + variances[pairs.high], left))


def draw_share(score: FloatArray, nu: float) -> FloatArray:
    """P(draw) of a game with this expected score, so that `P(draw) = nu sqrt(P(win) P(loss))`: a quadratic equation."""
    even = score * (1 - score)
    root = np.sqrt(np.maximum(nu**4 * (0.25 - even) + 4 * nu**2 * even, 0.0))
    return np.asarray(2 * nu**2 * even / np.maximum(nu**2 / 2 + root, 1e-300))


def _draw_nu(share: FloatArray, games: FloatArray, draws: float) -> float:
    """The nu that expects as many draws as there were; the prior keeps it positive and finite. By halving."""
    slot = np.minimum((share * BINS).astype(np.int64), BINS - 1).ravel()
    weights = np.append(np.bincount(slot, games.ravel(), BINS), PRIOR_GAMES)
    scores = np.append((np.arange(BINS) + 0.5) / BINS, 0.5)
    low, high = math.log(1e-6), math.log(1e6)
    for _ in range(50):
        middle = (low + high) / 2
        few = float(weights @ draw_share(scores, math.exp(middle))) < draws + PRIOR_DRAWS
        low, high = (middle, high) if few else (low, middle)
    return math.exp(low)
