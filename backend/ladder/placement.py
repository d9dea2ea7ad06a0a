"""How certain a place on the board is, and how many more games would make it so. Values in, values out."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from hexarena.backend.rating.counts import FloatArray, IntArray
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.rating.fit import Fit

LARGE_FIELD, MANY = 200, 8
"""Members of a field, and competitors to place in it, from which on `_Field` saves time."""
NEARLY = 1e-4
"""What may be wrong with a probability of a `_Field`; nearer to SURE than this, it is computed exactly."""
CURVE_ERROR = 1e-6
"""Of the interpolated number of those above, and of its variance."""
BENDS = 10.0
"""More than the sixth derivative of Phi(z), and of Phi(z) (1 - Phi(z)), ever is."""
SHARP = 16
MOST_KNOTS, KNOTS_AT_ONCE = 20_000, 200
BAND = 0.05
LEAST_PLACES = 2
SURE = 0.8
MOST_GAMES = 200
"""A placement ends here at the latest."""
MOST_GAMES_APART = 10_000
TYPICAL_INFORMATION = 0.22
"""Of a game between nearly equal bots, squared logits; 0.25 between equal ones."""
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(31)
_NEAR_POINTS, _NEAR_WEIGHTS = _POINTS[_WEIGHTS > 1e-10], _WEIGHTS[_WEIGHTS > 1e-10]
"""Without those that weigh nothing beside NEARLY."""


def placed_probability(
    strengths: FloatArray,
    uncertainty: FloatArray,
    competitor: int,
    band: float = BAND,
    least_places: int = LEAST_PLACES,
) -> float:
    """P(a competitor's true place is within `band` of the field's size, or `least_places`, of its shown place).

    `strengths`: of the field, logits, shape (n,); `uncertainty`: their covariance (n, n), or variances (n,). The others
    are taken to be uncertain as well.
    """
    return _Place.of(strengths, uncertainty, competitor).within(band, least_places)


def games_to_place(
    strengths: FloatArray,
    uncertainty: FloatArray,
    competitor: int,
    *,
    band: float = BAND,
    least_places: int = LEAST_PLACES,
    dispersion: float = 1.0,
) -> int:
    """About how many more games bring `placed_probability` to SURE, in 0..MOST_GAMES.

    Assumes that the rating stays as it is and that opponents are close, so that a game gives TYPICAL_INFORMATION.
    """
    place = _Place.of(strengths, uncertainty, competitor)

    def enough(games: int) -> bool:
        return place.after(games * TYPICAL_INFORMATION / dispersion).within(band, least_places) >= SURE

    return bisect_left(range(MOST_GAMES), True, key=enough)


def placements(
    strengths: FloatArray, uncertainty: FloatArray, who: IntArray, *, dispersion: float = 1.0
) -> tuple[FloatArray, IntArray]:
    """`placed_probability` and `games_to_place` of several competitors of a field, shape (k,).

    In a large field a probability may be wrong by NEARLY, but it is never on the wrong side of SURE; numbers of games
    are never wrong.
    """
    large = len(strengths) >= LARGE_FIELD and len(who) >= MANY
    if large:
        uncertainty = _alone(uncertainty)
    field = _Field.of(strengths, uncertainty, who) if large else None
    if field is None:
        each = [
            (
                placed_probability(strengths, uncertainty, one),
                games_to_place(strengths, uncertainty, one, dispersion=dispersion),
            )
            for one in who.tolist()
        ]
        return np.array([one[0] for one in each]), np.array([one[1] for one in each], np.int64)
    gained = TYPICAL_INFORMATION / dispersion
    probability = field.within(np.zeros(len(who)))
    # The same halving as in bisect_left, of all of them at once.
    low, high = np.zeros(len(who), np.int64), np.full(len(who), MOST_GAMES)
    while (low < high).any():
        middle = (low + high) // 2
        enough = field.within(middle * gained) >= SURE
        open_ = low < high
        low, high = np.where(open_ & ~enough, middle + 1, low), np.where(open_ & enough, middle, high)
    return probability, low


def games_to_tell_apart(fitted: Fit, one: int, other: int, level: float = 0.95) -> int:
    """About how many more games, shared by both, until P(the upper one is stronger) reaches `level`.

    Assumes opponents of equal strength. 0 if it is reached; at most MOST_GAMES_APART.
    """
    gap = abs(float(fitted.strengths[one] - fitted.strengths[other]))
    wanted = float(ndtri(level))
    deviation = fitted.deviation_of_difference(one, other) / ELO_PER_LOGIT
    if gap >= wanted * deviation:
        return 0
    if gap == 0:
        return MOST_GAMES_APART
    more = (wanted / gap) ** 2 - 1 / deviation**2
    return min(math.ceil(more * 16 * fitted.dispersion), MOST_GAMES_APART)


def games_to_tell_each_apart(fitted: Fit, one: IntArray, other: IntArray, level: float = 0.95) -> IntArray:
    """`games_to_tell_apart` of many, to the last bit. `one`, `other`: shape (k,)."""
    gap = np.abs(fitted.strengths[one] - fitted.strengths[other])
    wanted = float(ndtri(level))
    deviation = fitted.deviations_of_differences(one, other) / ELO_PER_LOGIT
    apart = gap >= wanted * deviation
    with np.errstate(divide="ignore", invalid="ignore"):
        more = (wanted / gap) ** 2 - 1 / deviation**2
        games = np.ceil(np.where(gap == 0, np.inf, more) * 16 * fitted.dispersion)
    return np.where(apart, 0, np.minimum(games, MOST_GAMES_APART)).astype(np.int64)


def _alone(uncertainty: FloatArray) -> FloatArray:
    """Of each in a field the variance of its distance from the mean of the rest, shape (n,)."""
    if uncertainty.ndim == 1:
        return uncertainty
    size = len(uncertainty)
    with_all = uncertainty.mean(1)
    return np.asarray((uncertainty.diagonal() - 2 * with_all + with_all.mean()) * (size / (size - 1)) ** 2)


@dataclass(frozen=True, slots=True)
class _Place:
    """A competitor and the `others`, strengths in logits, with variances of their distances from the others' mean.

    In a large field they are distances from the mean of all but oneself, which is nearly the same, and common to all
    who are placed in it.
    """

    strength: float
    variance: float
    others: FloatArray
    variances: FloatArray

    @classmethod
    def of(cls, strengths: FloatArray, uncertainty: FloatArray, competitor: int) -> _Place:
        if uncertainty.ndim == 1 or len(strengths) >= LARGE_FIELD:
            variances = _alone(uncertainty)
        else:
            others = np.delete(uncertainty, competitor, 1)
            shared = others.mean(1) if others.size else np.zeros(1)
            variances = (
                uncertainty.diagonal() - 2 * shared + float(np.delete(shared, competitor).mean() if others.size else 0)
            )
        variances = np.maximum(variances, 1e-12)
        return cls(
            float(strengths[competitor]),
            float(variances[competitor]),
            np.delete(strengths, competitor),
            np.delete(variances, competitor),
        )

    def after(self, information: float) -> _Place:
        """The place with this much more information about the competitor."""
        return replace(self, variance=1 / (1 / self.variance + information))

    def within(self, band: float, least_places: int) -> float:
        """P(at most so many places off). How many others are above is nearly Gaussian, given the strength."""
        reach = max(round(band * (len(self.others) + 1)), least_places)
        shown = int((self.others > self.strength).sum())
        strength = self.strength + _POINTS * math.sqrt(self.variance)
        above = ndtr((self.others - strength[:, None]) / np.sqrt(self.variances))
        mean, spread = above.sum(1), np.sqrt((above * (1 - above)).sum(1) + 1e-9)
        inside = ndtr((shown + reach + 0.5 - mean) / spread) - ndtr((shown - reach - 0.5 - mean) / spread)
        return float(np.clip(_WEIGHTS @ inside / _WEIGHTS.sum(), 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class _Field:
    """Some competitors `who` of a large field. How many of all are above a strength, and its variance, as curves.

    Without the `sharp` ones, who are so well known that the curves would bend too much: they are summed up singly.

    Theory of operation. `_Place.within` sums over the others at 31 strengths, for each number of games that is tried.
    Both sums are smooth functions of the strength, the same for everybody but for the own part, which is taken out.
    Quintic polynomials between knots have their values and two derivatives there. Their error is at most
    `step^6 / 46080` times the greatest sixth derivative, `sum(BENDS / deviation^6)`, so the knots are set that close.
    A probability then is wrong by less than NEARLY: where the variance is above 0.01 by less than 40 times
    CURVE_ERROR, and where it is below, the mean is so near to a whole number that all of it is within or outside.
    """

    strengths: FloatArray
    variances: FloatArray
    who: IntArray
    shown: IntArray
    sharp: IntArray
    first: float
    step: float
    above: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, strengths: FloatArray, variances: FloatArray, who: IntArray) -> _Field | None:
        """`variances`: of the field, without covariances, shape (n,). None if it would take too many knots."""
        variances = np.maximum(variances, 1e-12)
        deviations = np.sqrt(variances)
        reach = np.abs(_NEAR_POINTS).max() * deviations[who]
        first, last = float((strengths[who] - reach).min()), float((strengths[who] + reach).max())
        order = np.argsort(deviations, kind="stable")
        sharp, smooth = order[:SHARP], order[SHARP:]
        others, deviations = strengths[smooth], deviations[smooth]
        step = (46_080 * CURVE_ERROR / float((BENDS / deviations**6).sum())) ** (1 / 6)
        if (last - first) / step > MOST_KNOTS:
            return None
        knots = first + step * np.arange(math.ceil((last - first) / step) + 2)
        above, spread = np.empty((2, 3, len(knots)))
        for begin in range(0, len(knots), KNOTS_AT_ONCE):
            some = slice(begin, begin + KNOTS_AT_ONCE)
            z = (others - knots[some, None]) / deviations
            share, density = ndtr(z), np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
            # Each derivative in the knot is one in z times -1 / deviation.
            slope, bend = density / -deviations, -z * density / deviations**2
            above[:, some] = share.sum(1), slope.sum(1), bend.sum(1)
            left = 1 - 2 * share
            spread[:, some] = (share * (1 - share)).sum(1), (slope * left).sum(1), (bend * left - 2 * slope**2).sum(1)
        ordered = np.sort(strengths)
        shown = len(strengths) - np.searchsorted(ordered, strengths[who], side="right")
        return cls(strengths, variances, who, shown, sharp, first, step, above, spread)

    def within(self, information: FloatArray) -> FloatArray:
        """Of each, with so much more information about it, shape (k,): see `_Place.within`."""
        variance = 1 / (1 / self.variances[self.who] + information)
        own = self.strengths[self.who][:, None]
        strength = own + _NEAR_POINTS * np.sqrt(variance)[:, None]
        mean, square = self._at(self.above, strength), self._at(self.spread, strength)
        for one in self.sharp.tolist():
            above = ndtr((self.strengths[one] - strength) / math.sqrt(self.variances[one]))
            mean, square = mean + above, square + above * (1 - above)
        # The sums are over all, and it is none of the others.
        itself = ndtr((own - strength) / np.sqrt(self.variances[self.who])[:, None])
        mean, square = mean - itself, square - itself * (1 - itself)
        spread = np.sqrt(np.maximum(square, 0.0) + 1e-9)
        reach = max(round(BAND * len(self.strengths)), LEAST_PLACES)
        shown = self.shown[:, None]
        inside = ndtr((shown + reach + 0.5 - mean) / spread) - ndtr((shown - reach - 0.5 - mean) / spread)
        found = np.clip(inside @ _NEAR_WEIGHTS / _WEIGHTS.sum(), 0.0, 1.0)
        for at in np.flatnonzero(np.abs(found - SURE) < NEARLY):
            exact = _Place.of(self.strengths, self.variances, int(self.who[at])).after(float(information[at]))
            found[at] = exact.within(BAND, LEAST_PLACES)
        return np.asarray(found)

    def _at(self, curve: FloatArray, strength: FloatArray) -> FloatArray:
        """Quintic Hermite interpolation. `curve`: values and two derivatives at the knots, shape (3, knots)."""
        place = (strength - self.first) / self.step
        knot = np.clip(place.astype(np.int64), 0, curve.shape[1] - 2)
        t = place - knot
        value, slope, bend = curve * np.array([[1.0], [self.step], [self.step**2 / 2]])
        rise = value[knot + 1] - value[knot]
        # Beyond what the left knot says, the polynomial makes up these three differences at the right one.
        a = rise - slope[knot] - bend[knot]
        b = slope[knot + 1] - slope[knot] - 2 * bend[knot]
        c = bend[knot + 1] - bend[knot]
        cubic = 10 * a - 4 * b + c
        fourth = -15 * a + 7 * b - 2 * c
        fifth = 6 * a - 3 * b + c
        return np.asarray(value[knot] + t * (slope[knot] + t * (bend[knot] + t * (cubic + t * (fourth + t * fifth)))))
