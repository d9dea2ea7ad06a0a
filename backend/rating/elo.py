"""The scale of ratings: what a difference in Elo means.

Kept apart from the fit, whose numpy and scipy take long to load.
"""

from __future__ import annotations

ELO_PER_FACTOR_10 = 400.0
ELO_PER_LOGIT = ELO_PER_FACTOR_10 / 2.302585092994046


def expected_score(rating: float, opponent: float) -> float:
    """The share of points that a rating is worth against another, in 0..1. Source: Elo's logistic curve."""
    return float(1.0 / (1.0 + 10.0 ** ((opponent - rating) / ELO_PER_FACTOR_10)))


def square_logits(elo: float) -> float:
    """The variance, in squared logits, of a deviation in Elo."""
    return (elo / ELO_PER_LOGIT) ** 2
