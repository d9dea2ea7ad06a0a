"""What a fit finds: strengths, how sure they are, and what follows from both. Values in, values out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from hexarena.backend.rating.bradley_terry import draw_share
from hexarena.backend.rating.counts import BoolArray, FloatArray, IntArray
from hexarena.backend.rating.elo import ELO_PER_LOGIT

START = 1000.0
"""The rating in Elo that an anchor has."""
SEEN_MATCHUPS = 0.8
"""The share of the variance of a mean match-up that is no uncertainty; all of it, if points did not end at 0 and 1."""
LEAST_LEFT = 0.25
"""Of a variance, whatever was seen."""
PULL_WEIGHT = 1.25
"""A rating that the prior moves by one deviation is so much less certain: its variance is 1 + this as large."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths and their uncertainty, in logits.

    `strengths`, `variances`: shape (n,); `covariance`: (n, n), None above DENSE_NODES, where variances are 4 to 13 %
    too small. `seat`: the advantage of playing first. `draw_nu`: Davidson's, `P(draw) = draw_nu sqrt(P(win) P(loss))`.
    `drifts`: variance of the step from each node's parent, shape (n,); 0 of first versions.
    `pulled`: how far the prior of first versions moves each strength, shape (n,); None: not known, as of fits that were
    stored before there was this.
    `tuned_games`: those that `draw_nu`, `dispersion`, `matchup_variance` and `prior_variance` were estimated from.
    `guests`: whose games moved no other node, shape (n,); None where there are none. `extra_variances`: the part of
    `variances` that comes from not knowing how much versions change, shape (n,), which is not in `covariance`; None
    without parents.
    """

    strengths: FloatArray
    variances: FloatArray
    covariance: FloatArray | None
    seat: float
    draw_nu: float
    dispersion: float
    matchup_variance: float
    prior_variance: float
    drifts: FloatArray
    tuned_games: float
    guests: BoolArray | None = None
    extra_variances: FloatArray | None = None
    pulled: FloatArray | None = None

    @property
    def given_variances(self) -> FloatArray:
        """The variances if the drifts are what they seem to be: those of `covariance`."""
        return self.variances if self.extra_variances is None else self.variances - self.extra_variances

    def elo(self, anchor: int | None, at: float = START) -> FloatArray:
        """Ratings in Elo, shape (n,). Node `anchor` has rating `at`; None: the prior's mean has."""
        zero = 0.0 if anchor is None else self.strengths[anchor]
        return np.asarray(at + (self.strengths - zero) * ELO_PER_LOGIT)

    def deviations(self, field: IntArray | None = None) -> FloatArray:
        """Standard deviation in Elo of each rating's distance from the mean of the `field`, of all if None; (n,).

        It is about the rating that a round robin of the field would show. That includes the mean of a node's match-ups,
        which its games are about, too: they have been seen, and no chance is left in them. A prior takes nodes for
        independent; where many of them are as strong as each other, it pulls them together and is wrong about all of
        them. So a pull that is far, measured by what else is unknown, makes a rating less certain.
        """
        among = np.arange(len(self.strengths)) if field is None else field
        if len(among) < 2:
            return np.asarray(np.sqrt(self.variances) * ELO_PER_LOGIT)
        if self.covariance is None:
            return np.asarray(np.sqrt(self._with_pull(self.variances, among)) * ELO_PER_LOGIT)
        with_field = self.covariance[:, among].mean(1)
        squares = np.maximum(self.variances - 2 * with_field + with_field[among].mean(), 0)
        squares = self._with_pull(squares, among)
        seen = SEEN_MATCHUPS * self.matchup_variance / (len(among) - 1)
        return np.asarray(np.sqrt(np.maximum(squares - seen, LEAST_LEFT * squares)) * ELO_PER_LOGIT)

    def _with_pull(self, squares: FloatArray, field: IntArray) -> FloatArray:
        """Variances of the distances from the mean of the field, with what the prior may be wrong by."""
        if self.pulled is None:
            return squares
        far = (self.pulled - self.pulled[field].mean()) ** 2
        return np.asarray(squares + PULL_WEIGHT * far**2 / np.maximum(squares, 1e-12))

    def deviation_of_difference(self, one: int, other: int) -> float:
        """Standard deviation in Elo of one rating minus another."""
        if one == other:
            return 0.0
        shared = 0.0 if self.covariance is None else self.covariance[one, other]
        return math.sqrt(max(self.variances[one] + self.variances[other] - 2 * shared, 0.0)) * ELO_PER_LOGIT

    def deviations_of_differences(self, one: IntArray, other: IntArray) -> FloatArray:
        """`deviation_of_difference` of many, to the last bit; shape (k,)."""
        shared = 0.0 if self.covariance is None else self.covariance[one, other]
        squares = np.maximum(self.variances[one] + self.variances[other] - 2 * shared, 0.0)
        return np.asarray(np.where(one == other, 0.0, np.sqrt(squares) * ELO_PER_LOGIT))

    def stronger_each(self, one: IntArray, other: IntArray) -> FloatArray:
        """`stronger` of many, to the last bit; shape (k,)."""
        gap = (self.strengths[one] - self.strengths[other]) * ELO_PER_LOGIT
        return np.asarray(ndtr(gap / np.maximum(self.deviations_of_differences(one, other), 1e-9)))

    def stronger(self, one: int, other: int) -> float:
        """P(`one` is stronger than `other`), in 0..1; ½ of itself."""
        gap = (self.strengths[one] - self.strengths[other]) * ELO_PER_LOGIT
        return float(ndtr(gap / max(self.deviation_of_difference(one, other), 1e-9)))

    def expected(self, first: int, second: int, *, seat: bool) -> float:
        """The first's share of the points, in 0..1. `seat`: it plays first; otherwise seats are drawn."""
        gap = self.strengths[first] - self.strengths[second]
        as_first, as_second = float(expit(gap + self.seat)), float(expit(gap - self.seat))
        return as_first if seat else (as_first + as_second) / 2

    def outcome(self, first: int, second: int, *, seat: bool) -> tuple[float, float, float]:
        """P(win), P(draw), P(loss) of the first; draws are half wins of `expected`."""
        score = self.expected(first, second, seat=seat)
        draw = float(draw_share(np.array(score), self.draw_nu))
        return max(score - draw / 2, 0.0), draw, max(1 - score - draw / 2, 0.0)
