"""How strong the entrants are: the ladder at the deadline and the games since, together. Pure.

Theory of operation. What the ladder knew of an entrant is a Gaussian around its rating. Games add Bradley-Terry's
likelihood, where a draw is half a win. The most likely strengths are found by Newton's method, their covariance is the
inverse of the curvature there, and so two entrants have a probability that one is the stronger.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

from hexarena.backend.events.forms import Outcome, Pairing, Prior

SURE = 0.95
UNKNOWN = Prior(1000.0, 300.0)
"""Of who has no rating: about what a new bot begins with."""
ELO_PER_LOGIT = 400 / math.log(10)
MOST_STEPS = 100
MOST_STEP = 2.0
NEAR = 1e-10
"""Logits. A step this small is the last one."""
LEAST_SQUARE = 1e-12
NORMAL = NormalDist()
DIGITS = 6
"""Decimals of a rating and of a probability that count: further ones depend on the machine."""


@dataclass(frozen=True, slots=True)
class Strengths:
    """`order`: the entrants, the strongest first. `ratings`, `deviations`: in Elo, by entrant. `ahead`: how many
    standard deviations each is ahead of each, both by their places in the order, shape (n, n).
    """

    order: tuple[int, ...]
    ratings: Mapping[int, float]
    deviations: Mapping[int, float]
    ahead: Any

    def among(self, some: Collection[int]) -> Strengths:
        """The same as if there were only some of them; their ratings stay as they are."""
        import numpy as np

        kept = [place for place, one in enumerate(self.order) if one in some]
        order = tuple(self.order[place] for place in kept)
        return replace(self, order=order, ahead=self.ahead[np.ix_(kept, kept)])

    def sure(self) -> list[float]:
        """Behind each place but the last: P(who is there or above is stronger than who is below), of the least sure
        two.
        """
        import numpy as np

        below = np.minimum.accumulate(self.ahead[:, ::-1], axis=1)[:, ::-1]
        across = np.minimum.accumulate(below, axis=0)
        return [_probability(across[place - 1, place]) for place in range(1, len(self.order))]

    def doubts(self, places: Sequence[int]) -> list[tuple[int, int]]:
        """Pairs with one of these places between the two, of which it is not sure who is stronger, the doubtful first.

        `places`: ascending; 3 is the one between the third and the fourth.
        """
        found = []
        for high in range(max(places, default=0)):
            behind = next(place for place in places if place > high)
            for low in range(behind, len(self.order)):
                probability = _probability(self.ahead[high, low])
                if probability < SURE:
                    found.append((probability, high, low))
        return [(self.order[high], self.order[low]) for _, high, low in sorted(found)]


def _probability(deviations: float) -> float:
    return round(NORMAL.cdf(float(deviations)), DIGITS)


def strengths(
    entrants: Sequence[int],
    priors: Mapping[int, Prior],
    pairings: Sequence[Pairing],
    outcomes: Mapping[int, Outcome],
) -> Strengths:
    """`entrants`: in the order of the seeding, which decides between equals."""
    import numpy as np  # checking other forms does without it

    index = {one: place for place, one in enumerate(entrants)}
    size = len(entrants)
    prior = [priors.get(one, UNKNOWN) for one in entrants]
    mean = np.array([one.rating / ELO_PER_LOGIT for one in prior])
    precision = np.array([(ELO_PER_LOGIT / max(one.deviation, 1.0)) ** 2 for one in prior])
    points, games = np.zeros((size, size)), np.zeros((size, size))
    for pairing in pairings:
        outcome = outcomes.get(pairing.number)
        if outcome is None:
            continue
        first, second = index[pairing.first], index[pairing.second]
        points[first, second] += outcome.first / 2
        points[second, first] += outcome.second / 2
        games[first, second] += (outcome.first + outcome.second) / 2
        games[second, first] += (outcome.first + outcome.second) / 2
    at = mean.copy()
    curvature = np.diag(precision)
    for _ in range(MOST_STEPS):
        expected = 1 / (1 + np.exp(at[None, :] - at[:, None]))
        gradient = (points - games * expected).sum(1) - precision * (at - mean)
        known = games * expected * (1 - expected)
        curvature = np.diag(precision + known.sum(1)) - known
        step = np.linalg.solve(curvature, gradient)
        largest = float(np.abs(step).max(initial=0.0))
        at += step * min(1.0, MOST_STEP / max(largest, MOST_STEP))
        if largest < NEAR:
            break
    covariance = np.linalg.inv(curvature)
    elo = [round(float(one) * ELO_PER_LOGIT, DIGITS) for one in at]
    order = sorted(range(size), key=lambda place: (-elo[place], place))
    variances = np.diag(covariance)
    squares = variances[:, None] + variances[None, :] - 2 * covariance
    ahead = (at[:, None] - at[None, :]) / np.sqrt(np.maximum(squares, LEAST_SQUARE))
    return Strengths(
        tuple(entrants[place] for place in order),
        {one: elo[place] for one, place in index.items()},
        {one: math.sqrt(variances[place]) * ELO_PER_LOGIT for one, place in index.items()},
        ahead[np.ix_(order, order)],
    )
