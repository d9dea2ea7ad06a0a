"""Other products' ratings of two-player games, reimplemented from their sources."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit
from scipy.stats import norm

from hexarena.bench.ladder.world import ELO_PER_LOGIT, LOGITS_PER_ELO, MEAN_ELO, Floats, Results

TRUESKILL_MU = 25.0
TRUESKILL_SIGMA = 25 / 3
TRUESKILL_BETA = 25 / 6
LEAST_SHRINKAGE = 1e-4
"""A game leaves at least this share of a variance, whatever the rounding."""
FIRST_PRIOR_ELO = 300.0
LEAST_PRIOR_ELO = 30.0


class Rater(Protocol):
    """See Contestant."""

    def enter(self, start: int | None) -> None:
        """One more bot. `start`: the bot whose rating it begins with; None: like any other newcomer."""
        ...

    def learn(self, results: Results) -> None:
        """See Contestant."""
        ...

    def board(self) -> Floats:
        """See Contestant."""
        ...

    def elo(self) -> Floats:
        """See Contestant."""
        ...

    def deviations(self) -> Floats | None:
        """See Contestant."""
        ...


class EloRater:
    """Elo's rating. whole: a game moves it by a whole number, as on the AI Arena ladder."""

    def __init__(self, bots: int, k: float, *, whole: bool) -> None:
        self._k = k
        self._whole = whole
        self._ratings = [MEAN_ELO] * bots

    def enter(self, start: int | None) -> None:
        """See Rater."""
        self._ratings.append(MEAN_ELO if start is None else self._ratings[start])

    def learn(self, results: Results) -> None:
        """See Rater."""
        ratings = self._ratings
        for one, other, points in _games(results):
            expected = 1 / (1 + 10 ** ((ratings[other] - ratings[one]) / 400))
            change = self._k * (points - expected)
            change = float(round(change)) if self._whole else change
            ratings[one] += change
            ratings[other] -= change

    def board(self) -> Floats:
        """See Rater."""
        return self.elo()

    def elo(self) -> Floats:
        """See Rater."""
        return np.array(self._ratings)

    def deviations(self) -> None:
        """See Rater."""


class TrueSkillRater:
    """TrueSkill for two players. tau: what a game adds to each deviation; draws: share that the model expects.

    below: how many deviations below its mean a bot is ranked. Source: Herbrich, Minka and Graepel,
    "TrueSkill: A Bayesian Skill Rating System" (2007); the updates for one game in closed form.
    """

    def __init__(self, bots: int, *, tau: float, draws: float, below: float) -> None:
        self._tau2 = tau * tau
        self._below = below
        self._margin = float(norm.ppf((draws + 1) / 2)) * math.sqrt(2) * TRUESKILL_BETA
        self.means = [TRUESKILL_MU] * bots
        self.sigmas = [TRUESKILL_SIGMA] * bots

    def enter(self, start: int | None) -> None:
        """See Rater. The mean is taken over, the deviation is not."""
        self.means.append(TRUESKILL_MU if start is None else self.means[start])
        self.sigmas.append(TRUESKILL_SIGMA)

    def learn(self, results: Results) -> None:
        """See Rater."""
        means, sigmas = self.means, self.sigmas
        for one, other, points in _games(results):
            winner, loser = (other, one) if points == 0 else (one, other)
            of_winner, of_loser = sigmas[winner] ** 2 + self._tau2, sigmas[loser] ** 2 + self._tau2
            spread = math.sqrt(2 * TRUESKILL_BETA**2 + of_winner + of_loser)
            correct = _corrections_of_draw if points == 0.5 else _corrections_of_win
            shift, shrinkage = correct((means[winner] - means[loser]) / spread, self._margin / spread)
            means[winner] += of_winner / spread * shift
            means[loser] -= of_loser / spread * shift
            for bot, variance in ((winner, of_winner), (loser, of_loser)):
                sigmas[bot] = math.sqrt(variance * max(1 - variance / spread**2 * shrinkage, LEAST_SHRINKAGE))

    def board(self) -> Floats:
        """See Rater."""
        return np.array(self.means) - self._below * np.array(self.sigmas)

    def elo(self) -> Floats:
        """See Rater."""
        return MEAN_ELO + (np.array(self.means) - TRUESKILL_MU) * TRUESKILL_ELO

    def deviations(self) -> Floats:
        """See Rater."""
        return np.array(self.sigmas) * TRUESKILL_ELO


class PlainBradleyTerry:
    """Bradley and Terry's model, draws as half wins, with a normal prior whose variance is estimated from the ratings.

    Every version starts from nothing, and the board is sorted three deviations below the rating: cgarena's choices.
    """

    def __init__(self, bots: int) -> None:
        self._points = np.zeros((bots, bots))
        self._ratings = np.zeros(bots)
        self._covariance = np.zeros((bots, bots))
        self._prior_variance = (FIRST_PRIOR_ELO * LOGITS_PER_ELO) ** 2
        self._fitted = False

    def enter(self, start: int | None) -> None:
        """See Rater."""
        self._points = np.pad(self._points, (0, 1))
        self._ratings = np.append(self._ratings, self._ratings.mean())
        self._fitted = False

    def learn(self, results: Results) -> None:
        """See Rater."""
        np.add.at(self._points, (results.first, results.second), results.points)
        np.add.at(self._points, (results.second, results.first), 1 - results.points)
        self._fitted = False

    def board(self) -> Floats:
        """See Rater."""
        return self.elo() - 3 * self.deviations()

    def elo(self) -> Floats:
        """See Rater."""
        self._fit()
        return np.asarray(MEAN_ELO + (self._ratings - self._ratings.mean()) * ELO_PER_LOGIT)

    def deviations(self) -> Floats:
        """See Rater."""
        self._fit()
        return deviations_from_mean(self._covariance) * ELO_PER_LOGIT

    def _fit(self) -> None:
        """Fits with the last prior, then again with the prior estimated from that fit."""
        if self._fitted:
            return
        self._newton()
        if self._points.sum() > 4 * len(self._ratings):
            spread = (self._ratings**2).mean() + np.diag(self._covariance).mean()
            self._prior_variance = max(spread, (LEAST_PRIOR_ELO * LOGITS_PER_ELO) ** 2)
        self._newton()
        self._fitted = True

    def _newton(self) -> None:
        games = self._points + self._points.T
        for _ in range(25):
            wins = expit(self._ratings[:, None] - self._ratings[None, :])
            weights = games * wins * (1 - wins)
            gradient = (self._points - games * wins).sum(1) - self._ratings / self._prior_variance
            factor = cho_factor(np.diag(weights.sum(1) + 1 / self._prior_variance) - weights, lower=True)
            step = cho_solve(factor, gradient)
            largest = np.abs(step).max()
            self._ratings = self._ratings + step * min(1.0, 2 / max(largest, 1e-12))
            if largest < 1e-3:
                break
        self._covariance = cho_solve(factor, np.eye(len(self._ratings)))


def deviations_from_mean(covariance: Floats) -> Floats:
    """[bot] -> standard deviation of a rating less the mean rating, from the ratings' covariance."""
    variances = np.diag(covariance) - 2 * covariance.mean(1) + covariance.mean()
    return np.asarray(np.sqrt(np.maximum(variances, 0.0)))


def _games(results: Results) -> Sequence[tuple[int, int, float]]:
    return list(zip(results.first.tolist(), results.second.tolist(), results.points.tolist(), strict=True))


def _density(x: float) -> float:
    return math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def _cumulative(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def _corrections_of_win(difference: float, margin: float) -> tuple[float, float]:
    shift = _density(difference - margin) / max(_cumulative(difference - margin), 1e-300)
    return shift, shift * (shift + difference - margin)


def _corrections_of_draw(difference: float, margin: float) -> tuple[float, float]:
    above, below = margin - difference, -margin - difference
    inside = max(_cumulative(above) - _cumulative(below), 1e-300)
    shift = (_density(below) - _density(above)) / inside
    return shift, shift * shift + (above * _density(above) - below * _density(below)) / inside


TRUESKILL_ELO = 4 * ELO_PER_LOGIT * _density(0.0) / (math.sqrt(2) * TRUESKILL_BETA)
"""Elo of a unit of TrueSkill: the win curves are equally steep between equal bots."""
