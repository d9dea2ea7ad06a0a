"""The ladders that ours is compared with: a rater, a pairer, and whether new versions keep their ratings."""

from __future__ import annotations

import copy

import numpy as np

from hexarena.bench.ladder.pairers import (
    AnyPairer,
    HalitePairer,
    LeastMetPairer,
    NeighbourPairer,
    Pairer,
    RoundRobinPairer,
    Seen,
)
from hexarena.bench.ladder.raters import EloRater, PlainBradleyTerry, Rater, TrueSkillRater
from hexarena.bench.ladder.world import Floats, Indices, Pairs, Results

PAIRER_STREAM = 202
PSYLEAGUE_LEAST_GAMES = 200
RIVALS = ("psyleague", "cgarena", "Halite-like", "AI-Arena-like", "CodinGame-like")


class Rival:
    """See Contestant."""

    def __init__(self, bots: int, rater: Rater, pairer: Pairer, random: np.random.Generator, *, keeps: bool) -> None:
        self.games: Indices = np.zeros(bots, dtype=np.int64)
        self.rater = rater
        self._pairer = pairer
        self._random = random
        self._keeps = keeps

    def enter(self, parent: int | None = None) -> None:
        """See Contestant."""
        self.games = np.append(self.games, 0)
        self.rater.enter(parent if self._keeps else None)

    def learn(self, results: Results) -> None:
        """See Contestant."""
        np.add.at(self.games, results.first, 1)
        np.add.at(self.games, results.second, 1)
        self.rater.learn(results)

    def pairs(self, active: Indices, count: int) -> Pairs:
        """See Contestant."""
        return self._pairer.pairs(self._seen(active), count)

    def opponents(self, newcomer: int, active: Indices, count: int) -> Indices:
        """See Contestant."""
        return self._pairer.opponents(self._seen(active), newcomer, count)

    def board(self) -> Floats:
        """See Contestant."""
        return self.rater.board()

    def elo(self) -> Floats:
        """See Contestant."""
        return self.rater.elo()

    def deviations(self) -> Floats | None:
        """See Contestant."""
        return self.rater.deviations()

    def branch(self, random: np.random.Generator) -> Rival:
        """See Contestant."""
        other = copy.deepcopy(self)
        other._random = random
        return other

    def _seen(self, active: Indices) -> Seen:
        return Seen(active, self.games, self.rater, self._random)


def rival(name: str, bots: int, seed: int, *, live: bool = False) -> Rival:
    """One of RIVALS, or a simple combination: random-ML, TrueSkill-near. `live`: bots come and go; psyleague then plays
    newcomers until they have 200 games.

    Source: the products' own code for psyleague (`TrueSkill` model), cgarena, Halite III and aiarena-web;
    CodinGame's is not public, and ours is a guess from its blog and forum.
    """
    random = np.random.default_rng([seed, PAIRER_STREAM])
    rater: Rater
    pairer: Pairer
    keeps = False
    match name:
        case "random-ML":
            rater, pairer = PlainBradleyTerry(bots), AnyPairer(None)
        case "TrueSkill-near":
            rater, pairer = TrueSkillRater(bots, tau=0.0, draws=0.05, below=0), NeighbourPairer(5)
        case "psyleague":
            rater = TrueSkillRater(bots, tau=0.002, draws=1e-4, below=3)
            pairer = AnyPairer(PSYLEAGUE_LEAST_GAMES if live else None)
        case "cgarena":
            rater, pairer = PlainBradleyTerry(bots), LeastMetPairer()
        case "Halite-like":
            rater, pairer, keeps = TrueSkillRater(bots, tau=0.008, draws=0.001, below=3), HalitePairer(), True
        case "AI-Arena-like":
            rater, pairer, keeps = EloRater(bots, 8, whole=True), RoundRobinPairer(), True
        case "CodinGame-like":
            rater, pairer = TrueSkillRater(bots, tau=25 / 300, draws=0.1, below=0), NeighbourPairer(5)
        case _:
            raise ValueError(f"expected one of {', '.join(RIVALS)}; got {name!r}")
    return Rival(bots, rater, pairer, random, keeps=keeps)
