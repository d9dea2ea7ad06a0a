"""How certain a place on the board is, and how many more games would make it so. Values in, values out."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from hexarena.backend.rating.counts import FloatArray
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.rating.fit import Fit

BAND = 0.05
LEAST_PLACES = 2
SURE = 0.8
MOST_GAMES = 200
"""A placement ends here at the latest."""
MOST_GAMES_APART = 10_000
TYPICAL_INFORMATION = 0.22
"""Of a game between nearly equal bots, squared logits; 0.25 between equal ones."""
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(31)


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


@dataclass(frozen=True, slots=True)
class _Place:
    """A competitor and the `others`, strengths in logits, with variances of their distances from the others' mean."""

    strength: float
    variance: float
    others: FloatArray
    variances: FloatArray

    @classmethod
    def of(cls, strengths: FloatArray, uncertainty: FloatArray, competitor: int) -> _Place:
        if uncertainty.ndim == 1:
            variances = uncertainty.copy()
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
