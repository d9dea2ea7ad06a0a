"""Matches of four teams, each of one bot, as in Battlegrounds: how many games until the board is accurate?

A team's skill is twice its bot's strength, for it has four copies of it, and luck; teams go out in the order of
Plackett and Luce.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.stats import kendalltau

from hexarena.backend.ladder import pairing
from hexarena.backend.rating import fit as rating
from hexarena.backend.rating.counts import Counts, Rankings
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Repetitions, Setting
from hexarena.bench.ladder.raters import LEAST_SHRINKAGE
from hexarena.bench.ladder.world import LOGITS_PER_ELO, Floats, Indices

OPENSKILL = "OpenSkill"
BOTS = 100
TEAMS = 4
COPIES = 4
LUCK = 0.2
"""Deviation of a team's luck, in spreads of strengths."""
CHECKS = (10, 20, 40, 100)
REPETITIONS = Repetitions(6, 2)
BATCH = 25
"""Games between two fits."""
WITHIN_95 = 1.96
GUMBEL_VARIANCE = math.pi**2 / 6
"""Of the chance that is in Plackett and Luce's order."""
OPENSKILL_BETA = 25 / 6
OPENSKILL_TAU = 0.002

Ranked = Indices
"""[place] -> bot, of one match."""


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """Ours, and OpenSkill with teams drawn by lot."""
    for name in (OURS, OPENSKILL):
        for repetition in REPETITIONS.of(quick):
            yield Job("teams", name, play, (setting, name, repetition))


def play(setting: Setting, name: str, repetition: int, checks: Sequence[int] = CHECKS) -> Outcome:
    """tau 20, tau 50 …: after so many games of an average bot; covered 20 …: share of intervals that hold."""
    random = np.random.default_rng([setting.seed, repetition, 31])
    spread = setting.parameters.spread
    strengths = random.normal(0, spread, BOTS)
    ladder = TeamProduct(BOTS, random) if name == OURS else OpenSkill(BOTS, random)
    found, played = dict[str, float](), 0
    for check in checks:
        while played * TEAMS < check * BOTS:
            matches = [_match(strengths, ladder.line_up, LUCK * spread, random) for _ in range(BATCH)]
            ladder.learn(matches)
            played += BATCH
        found[f"tau {check}"] = float(kendalltau(ladder.board(), strengths).statistic)
        found[f"covered {check}"] = (
            ladder.covered(strengths * COPIES / 2, LUCK * spread) if isinstance(ladder, TeamProduct) else math.nan
        )
    return found


def _match(strengths: Floats, line_up: Callable[[], Indices], luck: float, random: np.random.Generator) -> Ranked:
    teams = line_up()
    skill = strengths[teams] * COPIES / 2 + random.normal(0, luck, TEAMS)
    return teams[np.argsort(-(skill * LOGITS_PER_ELO + random.gumbel(size=TEAMS)))]


class TeamProduct:
    """Our own rater and pairer for games of teams."""

    def __init__(self, bots: int, random: np.random.Generator) -> None:
        self._bots = bots
        self._random = random
        self._games: list[list[tuple[list[int], int]]] = []
        self._played: Indices = np.zeros(bots, dtype=np.int64)
        self._fit = rating.fit(bots, Counts.empty())

    def line_up(self) -> Indices:
        """The bots of the next match."""
        field = pairing.Field(
            strengths=self._fit.strengths,
            variances=self._fit.variances,
            met=np.zeros((self._bots, self._bots)),
            owners=np.arange(self._bots),
            games=self._played,
            dispersion=self._fit.dispersion,
            matchup_variance=self._fit.matchup_variance,
        )
        return np.array(pairing.teams(field, TEAMS, self._random))

    def learn(self, matches: Sequence[Ranked]) -> None:
        """Adds the results of more matches."""
        for teams in matches:
            self._games.append([([bot], place) for place, bot in enumerate(teams.tolist())])
            self._played[teams] += 1
        self._fit = rating.fit_teams(self._bots, Rankings.of(self._games), start=self._fit)

    def board(self) -> Floats:
        """[bot] -> what the board is sorted by."""
        return self._fit.strengths

    def covered(self, skills: Floats, luck: float) -> float:
        """The share of the 95 % intervals, around the mean, that hold the skill, Elo. Luck blurs every difference."""
        scale = math.sqrt(GUMBEL_VARIANCE / (GUMBEL_VARIANCE + (luck * LOGITS_PER_ELO) ** 2))
        truth = (skills - skills.mean()) * scale
        shown = self._fit.strengths - self._fit.strengths.mean()
        return float((np.abs(shown / LOGITS_PER_ELO - truth) < WITHIN_95 * self._fit.deviations()).mean())


class OpenSkill:
    """OpenSkill's Plackett-Luce model with psyleague's tau, line-ups drawn by lot, sorted by the mean.

    Source: Weng and Lin, "A Bayesian Approximation Method for Online Ranking" (2011), algorithm 4.
    """

    def __init__(self, bots: int, random: np.random.Generator) -> None:
        self._random = random
        self.means = np.full(bots, 25.0)
        self.sigmas = np.full(bots, 25 / 3)

    def line_up(self) -> Indices:
        """The bots of the next match."""
        return self._random.permutation(len(self.means))[:TEAMS]

    def learn(self, matches: Sequence[Ranked]) -> None:
        """Adds the results of more matches."""
        for teams in matches:
            self._learn(teams)

    def board(self) -> Floats:
        """[bot] -> what the board is sorted by."""
        return self.means

    def _learn(self, ranked: Indices) -> None:
        teams = ranked.reshape(len(ranked), -1)
        variances = self.sigmas[teams] ** 2 + OPENSKILL_TAU**2
        of_team = variances.sum(1)
        spread = math.sqrt((of_team + OPENSKILL_BETA**2).sum())
        weights = np.exp(self.means[teams].sum(1) / spread)
        chosen = np.tril(weights[:, None] / np.cumsum(weights[::-1])[::-1])
        surprise = 1 - chosen.sum(1)
        information = (chosen * (1 - chosen)).sum(1) * np.sqrt(of_team) / spread
        self.means[teams] += variances / spread * surprise[:, None]
        shrinkage = np.maximum(1 - variances / spread**2 * information[:, None], LEAST_SHRINKAGE)
        self.sigmas[teams] = np.sqrt(variances * shrinkage)
