"""The ground truth: bots with hidden strengths, their games, and the order that infinitely many games would show.

The margin of the first seat, in Elo, is

    difference in strength + match-up + seat advantage + how the map favours a seat + how the map suits either bot

and a game is won, drawn and lost with probabilities in proportion to exp(x/2), nu and exp(-x/2), x being the margin in
logits. Source: Bradley and Terry's model with draws by Davidson (1970); its parameters are our decision.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve
from scipy.optimize import brentq
from scipy.special import expit

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Pairs = NDArray[np.int64]
"""[game][seat] -> bot."""

ELO_PER_LOGIT = 400 / math.log(10)
LOGITS_PER_ELO = 1 / ELO_PER_LOGIT
MEAN_ELO = 1500.0
"""The rating of an average bot in this bench."""
BLOCKS = 2
"""A match-up is the outer product of styles with twice as many numbers: its rank is twice this."""
STYLES = 4
"""Features of a map that may suit a bot."""
KEPT_STYLE = 0.9
"""Correlation of a new version's styles with those of the version that it replaces."""
WORLD_STREAM = 101
SEARCH_ELO = (-3000.0, 6000.0)


@dataclass(frozen=True, slots=True)
class Parameters:
    """A world. All but shares in Elo.

    spread: standard deviation of strengths. copies: share of bots that are near-copies of another one, within
    copy_deviation. nontransitive: root mean square of match-ups. draws: share between equal bots. seat: advantage of
    the first seat. map_seat, map_style: standard deviations of what a map does for a seat and for a bot.
    version_gain, version_spread: mean and standard deviation of what a new version adds. tails: degrees of freedom of
    Student's t, from which strengths are drawn; 0: of a Gaussian. clusters: so many groups of equals, within
    copy_deviation; 0: none. crashes: mean share of its games that a bot loses by a crash, at most twice that.
    """

    spread: float = 300.0
    copies: float = 0.15
    copy_deviation: float = 15.0
    nontransitive: float = 60.0
    draws: float = 0.05
    seat: float = 30.0
    map_seat: float = 60.0
    map_style: float = 40.0
    version_gain: float = 30.0
    version_spread: float = 60.0
    tails: float = 0.0
    clusters: int = 0
    crashes: float = 0.0


@dataclass(frozen=True, slots=True)
class Results:
    """Games in the order in which they were played. points: 1, ½ or 0, of the bot in the first seat."""

    first: Indices
    second: Indices
    points: Floats

    def __len__(self) -> int:
        return len(self.points)

    def of(self, games: Indices) -> Results:
        """These games only, in this order."""
        return Results(self.first[games], self.second[games], self.points[games])


class World:
    """Bots, numbered from 0, and their games. The same seed and the same calls give the same results."""

    def __init__(self, bots: int, seed: int, parameters: Parameters) -> None:
        self.parameters = parameters
        self.random = np.random.default_rng([seed, WORLD_STREAM])
        self.strengths: Floats = np.zeros(0)
        self._styles: Floats = np.zeros((0, 2 * BLOCKS))
        self._tastes: Floats = np.zeros((0, STYLES))
        self._crashes: Floats = np.zeros(0)
        self._nu = 2 * parameters.draws / (1 - parameters.draws)
        self._enter(self._first_strengths(bots), near_copies=True)

    def __len__(self) -> int:
        return len(self.strengths)

    def enter(self, strength: float, parent: int | None = None) -> None:
        """One more bot, of a strength in Elo. `parent`: it is a new version of that bot and plays much like it."""
        self._enter(np.array([float(strength)]), parent=parent)

    def branch(self, random: np.random.Generator) -> World:
        """An independent copy of the world, with other random numbers."""
        other = copy.copy(self)
        other.random = random
        return other

    def play(self, pairs: Pairs) -> Results:
        """Each pair once, in seats drawn by lot, each on a map of its own."""
        random, parameters = self.random, self.parameters
        one, other = pairs[:, 0], pairs[:, 1]
        swapped = random.random(len(pairs)) < 0.5
        first, second = np.where(swapped, other, one), np.where(swapped, one, other)
        between, seat = self._margins(first, second)
        bias = parameters.seat + parameters.map_seat * seat
        points = self._points(between + bias)
        if parameters.crashes:
            lost, won = (random.random(len(pairs)) < self._crashes[seated] for seated in (first, second))
            points = np.where(lost & won, 0.5, np.where(lost, 0.0, np.where(won, 1.0, points)))
        return Results(first, second, points)

    def play_swapped(self, pairs: Pairs) -> Floats:
        """Each pair twice on one map, with seats swapped. The points of the pair's first bot: [pair] -> of 2."""
        between, seat = self._margins(pairs[:, 0], pairs[:, 1])
        bias = self.parameters.seat + self.parameters.map_seat * seat
        return self._points(between + bias) + 1 - self._points(bias - between)

    def expected(self, bots: Indices, others: Indices) -> Floats:
        """[bot][other] -> expected points of a game, over seats and maps; ½ against itself."""
        one, other = np.meshgrid(bots, others, indexing="ij")
        base = self.strengths[one] - self.strengths[other] + self._matchup(one, other)
        tastes = ((self._tastes[one] - self._tastes[other]) ** 2).sum(-1) / (2 * STYLES)
        parameters = self.parameters
        deviation = np.sqrt(parameters.map_seat**2 + parameters.map_style**2 * tastes)
        nodes, weights = np.polynomial.hermite_e.hermegauss(9)
        points = np.zeros_like(base)
        for node, weight in zip(nodes, weights / weights.sum(), strict=True):
            for seat in (parameters.seat, -parameters.seat):
                points += weight / 2 * self._expected_points(base + seat + deviation * node)
        stays, others_stay = 1 - self._crashes[one], 1 - self._crashes[other]
        points = stays * others_stay * points + stays * (1 - others_stay) + (1 - stays) * (1 - others_stay) / 2
        points[one == other] = 0.5
        return points

    def truth(self, bots: Indices | None = None) -> Floats:
        """[bot] -> the rating that infinitely many games against each of the others would show, 1500 on average.

        Its order is that of the expected points. `bots`: who belongs to the round robin, all if left out.
        """
        chosen = np.arange(len(self)) if bots is None else bots
        points = self.expected(chosen, chosen)
        np.fill_diagonal(points, 0.0)
        ratings = np.zeros(len(chosen))
        for _ in range(60):
            wins = expit(ratings[:, None] - ratings[None, :])
            np.fill_diagonal(wins, 0.0)
            weights = wins * (1 - wins)
            gradient = (points - wins).sum(1) - 1e-6 * ratings
            step = solve(np.diag(weights.sum(1) + 1e-6) - weights, gradient, assume_a="pos")
            ratings += np.clip(step, -2, 2)
            if np.abs(step).max() < 1e-9:
                break
        return np.asarray(MEAN_ELO + (ratings - ratings.mean()) * ELO_PER_LOGIT)

    def rating_among(self, bot: int, others: Indices, truth: Floats) -> float:
        """The true rating of a bot that is not one of `others`, whose true ratings are known."""
        points = self.expected(np.array([bot]), others).sum()
        return float(brentq(lambda rating: expit((rating - truth) * LOGITS_PER_ELO).sum() - points, *SEARCH_ELO))

    def _first_strengths(self, bots: int) -> Floats:
        random, parameters = self.random, self.parameters
        if parameters.clusters:
            centres = random.normal(0, parameters.spread, parameters.clusters)
            return np.asarray(
                centres[np.arange(bots) % parameters.clusters] + random.normal(0, parameters.copy_deviation, bots)
            )
        if parameters.tails:
            scale = parameters.spread * math.sqrt((parameters.tails - 2) / parameters.tails)
            return np.asarray(scale * random.standard_t(parameters.tails, bots))
        return np.asarray(random.normal(0, parameters.spread, bots))

    def _enter(self, strengths: Floats, *, parent: int | None = None, near_copies: bool = False) -> None:
        count, random, parameters = len(strengths), self.random, self.parameters
        styles = random.normal(size=(count, 2 * BLOCKS))
        tastes = random.normal(size=(count, STYLES))
        if parent is not None:
            new = math.sqrt(1 - KEPT_STYLE**2)
            styles = KEPT_STYLE * self._styles[parent] + new * styles
            tastes = KEPT_STYLE * self._tastes[parent] + new * tastes
        if near_copies and count > 4:
            for one in random.choice(count, int(parameters.copies * count), replace=False):
                copied = random.integers(count)
                strengths[one] = strengths[copied] + random.normal(0, parameters.copy_deviation)
                styles[one], tastes[one] = styles[copied], tastes[copied]
        crashes = random.uniform(0, 2 * parameters.crashes, count) if parameters.crashes else np.zeros(count)
        self._crashes = np.concatenate([self._crashes, crashes])
        self.strengths = np.concatenate([self.strengths, strengths])
        self._styles = np.vstack([self._styles, styles])
        self._tastes = np.vstack([self._tastes, tastes])

    def _margins(self, first: Indices, second: Indices) -> tuple[Floats, Floats]:
        """[game] -> what speaks for the first bot, in Elo; and on what side of the average its map favours a seat."""
        seat = self.random.normal(size=len(first))
        sides = self.random.normal(size=(len(first), STYLES)) / math.sqrt(2 * STYLES)
        suits = ((self._tastes[first] - self._tastes[second]) * sides).sum(1)
        strength = self.strengths[first] - self.strengths[second] + self._matchup(first, second)
        return strength + self.parameters.map_style * suits, seat

    def _matchup(self, first: Indices, second: Indices) -> Floats:
        ours, theirs = self._styles[first], self._styles[second]
        terms = ours[..., :BLOCKS] * theirs[..., BLOCKS:] - theirs[..., :BLOCKS] * ours[..., BLOCKS:]
        return np.asarray(self.parameters.nontransitive * terms.sum(-1) / math.sqrt(2 * BLOCKS))

    def _expected_points(self, margin_elo: Floats) -> Floats:
        win, loss = self._odds(margin_elo)
        return np.asarray((win + self._nu / 2) / (win + loss + self._nu))

    def _points(self, margin_elo: Floats) -> Floats:
        win, loss = self._odds(margin_elo)
        total, lot = win + loss + self._nu, self.random.random(len(margin_elo))
        return np.where(lot < win / total, 1.0, np.where(lot < (win + self._nu) / total, 0.5, 0.0))

    def _odds(self, margin_elo: Floats) -> tuple[Floats, Floats]:
        half = margin_elo * LOGITS_PER_ELO / 2
        return np.exp(half), np.exp(-half)
