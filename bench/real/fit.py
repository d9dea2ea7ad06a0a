"""Ratings of a set of matches by team Plackett-Luce, for two teams Bradley-Terry: a fit that is not the product's own.

A team is as strong as the mean of its members. Teams that tie count in all their orders, each in equal parts, so a
draw of two is half a win for both. Maximum a posteriori with the same Gaussian prior for every bot; standard errors
from the inverse Hessian. With two teams there is a term for the first one's advantage.

Source: Plackett (1975), "The Analysis of Permutations"; Hunter (2004), "MM algorithms for generalized Bradley-Terry
models".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations, product
from math import factorial, log, prod

import numpy as np
from numpy.typing import NDArray

from hexarena.bench.real.games_played import PlayedGame

ELO = 400 / log(10)
"""Elo points a logit."""
PRIOR_SD_ELO = 800.0
SEAT_SD_ELO = 200.0
STEPS = 60
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fit:
    """Ratings in Elo with mean 0 and their standard errors, in the order of the names; the first seat's advantage."""

    ratings: Floats
    errors: Floats
    seat: float

    def expected(self, one: int, other: int) -> float:
        """The score that is expected of bot `one` in the first seat against bot `other`. 0 to 1."""
        return float(1 / (1 + np.exp((self.ratings[other] - self.ratings[one] - self.seat) / ELO)))


def fit(played: Sequence[PlayedGame], names: Sequence[str]) -> Fit:
    """Rates the bots of `names`, which include all that played. Raises: ValueError without any match."""
    if not played:
        raise ValueError("expected matches to fit; got none")
    stages = _stages(played, {name: column for column, name in enumerate(names)})
    bots = len(names)
    precision = np.full(bots + 1, (ELO / PRIOR_SD_ELO) ** 2)
    precision[bots] = (ELO / SEAT_SD_ELO) ** 2
    strength = np.zeros(bots + 1)
    for _ in range(STEPS):
        slope, curve = _derivatives(stages, strength)
        step = np.linalg.solve(curve + np.diag(precision), slope - precision * strength)
        strength += step * min(1.0, 1.0 / float(np.abs(step).max() + 1e-12))
        if np.abs(step).max() < 1e-9:
            break
    covariance = np.linalg.inv(_derivatives(stages, strength)[1] + np.diag(precision))
    centre = np.eye(bots) - 1 / bots
    errors = np.sqrt(np.diag(centre @ covariance[:bots, :bots] @ centre))
    return Fit(ELO * (strength[:bots] - strength[:bots].mean()), ELO * errors, float(ELO * strength[bots]))


_Stages = list[tuple[Floats, Floats]]
"""(weights, [stage][team][column]) for each number of teams: the first team was chosen before the others."""


def _stages(played: Sequence[PlayedGame], columns: dict[str, int]) -> _Stages:
    rows: dict[int, list[Floats]] = defaultdict(list)
    weights: dict[int, list[float]] = defaultdict(list)
    for one in played:
        teams = np.zeros((len(one.teams), len(columns) + 1))
        for row, bots in zip(teams, one.teams, strict=True):
            for bot in bots:
                row[columns[bot]] += 1 / len(bots)
        if len(teams) == 2:
            teams[0, -1] = 1
        for order, weight in _orders(one.ranks):
            for chosen in range(len(order) - 1):
                rows[len(order) - chosen].append(teams[list(order[chosen:])])
                weights[len(order) - chosen].append(weight)
    return [(np.array(weights[size]), np.array(rows[size])) for size in rows]


def _orders(ranks: Sequence[int]) -> Iterator[tuple[tuple[int, ...], float]]:
    """All orders of the teams that agree with the ranks, and the part that each has."""
    by_rank = sorted(range(len(ranks)), key=ranks.__getitem__)
    groups = [list(group) for _, group in groupby(by_rank, key=ranks.__getitem__)]
    weight = 1 / prod(factorial(len(group)) for group in groups)
    for parts in product(*(permutations(group) for group in groups)):
        yield tuple(team for part in parts for team in part), weight


def _derivatives(stages: _Stages, strength: Floats) -> tuple[Floats, Floats]:
    """The log-likelihood's gradient and its negative Hessian."""
    slope, curve = np.zeros(len(strength)), np.zeros((len(strength), len(strength)))
    for weights, teams in stages:
        logits = teams @ strength
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        mean = np.einsum("st,stc->sc", odds, teams)
        slope += weights @ (teams[:, 0] - mean)
        curve += np.einsum("s,st,stc,std->cd", weights, odds, teams, teams, optimize=True)
        curve -= np.einsum("s,sc,sd->cd", weights, mean, mean, optimize=True)
    return slope, curve
