"""The likelihood of games of teams: Plackett-Luce, a team as strong as the mean of its members. Values in, values out.

A ranking is a row of stages: each place is the choice of one team among those that are left, in proportion to
`exp(strength)`. Of tied teams nobody knows who was chosen first: their log-likelihood is averaged over all orders, or,
when more than EXACT_TIES tie, each stage leaves out an equal portion of all of them.

Source: R. L. Plackett, "The Analysis of Permutations"; B. Efron, "The Efficiency of Cox's Likelihood Function" (ties).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from hexarena.backend.rating.counts import FloatArray, IntArray, Rankings
from hexarena.backend.rating.newton import DENSE_NODES, Matrix, Precision

EXACT_TIES = 4
"""Up to so many tied teams are averaged over all orders."""


@dataclass(frozen=True, slots=True)
class Stages:
    """All stages of all games.

    `members`: sparse, (teams, nodes), each row the mean of its members. `counted`: how much each team's game weighs,
    shape (teams,). `weight` of each stage, and `begin`, its first entry; entries: number of the `stage`, a `team` that
    is left, the `portion` of it that is, and the probability that it was `chosen`, as far as its place says.
    """

    members: Matrix
    counted: FloatArray
    weight: FloatArray
    begin: IntArray
    stage: IntArray
    team: IntArray
    portion: FloatArray
    chosen: FloatArray

    @classmethod
    def of(cls, nodes: int, rankings: Rankings) -> Stages:
        """Games whose ties are alike are laid out together."""
        teams = len(rankings.rank)
        counted = np.ones(teams) if rankings.weight is None else rankings.weight[rankings.game]
        sizes = np.bincount(rankings.team)
        members = sparse.csr_array((1 / sizes[rankings.team], (rankings.team, rankings.entrant)), (teams, nodes))
        stage, team = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        portion, weight, chosen = [np.zeros(0)], [np.zeros(0)], [np.zeros(0)]
        number = 0
        for ties, begins in _alike(rankings).items():
            choices = [choice for tied in _tied(ties) for choice in _choices(*tied)]
            entries = [len(choice.teams) for choice in choices]
            games = np.arange(len(begins))[:, None]
            stage.append((number + games * len(choices) + np.repeat(np.arange(len(choices)), entries)).ravel())
            team.append((begins[:, None] + np.concatenate([choice.teams for choice in choices])).ravel())
            portion.append(np.tile(np.concatenate([choice.portions for choice in choices]), len(begins)))
            chosen.append(np.tile(np.concatenate([choice.chosen for choice in choices]), len(begins)))
            weight.append(np.outer(counted[begins], [choice.weight for choice in choices]).ravel())
            number += len(begins) * len(choices)
        stages = np.concatenate(stage)
        begin = np.flatnonzero(np.diff(stages, prepend=-1))
        return cls(
            members,
            counted,
            np.concatenate(weight),
            begin,
            stages,
            np.concatenate(team),
            np.concatenate(portion),
            np.concatenate(chosen),
        )

    def shares(self, strengths: FloatArray) -> FloatArray:
        """P(a team is chosen), of every entry."""
        strength = (self.members @ strengths)[self.team]
        top = np.maximum.reduceat(strength, self.begin)[self.stage]
        share = self.portion * np.exp(strength - top)
        return np.asarray(share / np.add.reduceat(share, self.begin)[self.stage])


@dataclass(frozen=True, slots=True)
class _Choice:
    """A stage of one game: `teams` that are left, numbered within the game, and the portions of them that are.

    `chosen`: the probability of each that it was, as far as the places say.
    """

    teams: IntArray
    portions: FloatArray
    chosen: FloatArray
    weight: float


def _alike(rankings: Rankings) -> dict[tuple[int, ...], IntArray]:
    """How many teams share each place, from the best -> the first teams of the games in which it is so."""
    if not len(rankings.game):
        return {}
    new_game = np.diff(rankings.game, prepend=-1) != 0
    begins = np.flatnonzero(new_game)
    place = np.flatnonzero(new_game | (np.diff(rankings.rank, prepend=-1) != 0))
    game = np.cumsum(new_game)[place] - 1
    number = np.arange(len(place)) - np.searchsorted(place, begins)[game]
    shared = np.zeros((len(begins), number.max() + 1), np.int64)
    shared[game, number] = np.diff(place, append=len(rankings.game))
    different, which = np.unique(shared, axis=0, return_inverse=True)
    order = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which))
    return {
        tuple(ties[ties > 0].tolist()): begins[some]
        for ties, some in zip(different, np.split(order, ends[:-1]), strict=True)
    }


def _tied(ties: tuple[int, ...]) -> list[tuple[list[int], list[int]]]:
    """(teams of one place, teams of worse places), place by place."""
    ends = list(itertools.accumulate(ties))
    return [(list(range(end - size, end)), list(range(end, ends[-1]))) for size, end in zip(ties, ends, strict=True)]


def _choices(tied: list[int], worse: list[int]) -> list[_Choice]:
    size, rest = len(tied), [0.0] * len(worse)
    if size > EXACT_TIES:
        chosen = np.array([1 / size] * size + rest)
        return [
            _Choice(np.array(tied + worse), np.array([1 - gone / size] * size + [1.0] * len(worse)), chosen, 1.0)
            for gone in range(size)
        ]
    return [
        _Choice(
            np.array([*left, *worse]),
            np.ones(count + len(worse)),
            np.array([1 / count] * count + rest),
            1 / math.comb(size, count),
        )
        for count in range(size, 0, -1)
        for left in itertools.combinations(tied, count)
    ]


@dataclass(frozen=True, slots=True)
class TeamLikelihood:
    """The posterior of strengths."""

    stages: Stages
    prior: Precision

    def look(self, at: FloatArray) -> TeamLook:
        """At these strengths."""
        return TeamLook(self, at, self.stages.shares(at))


@dataclass(frozen=True, slots=True)
class TeamLook:
    """A posterior around `at`; see newton.Look. `shares`: P(a team is chosen), of every entry."""

    posterior: TeamLikelihood
    at: FloatArray
    shares: FloatArray

    def gradient(self) -> FloatArray:
        """Of the log-posterior. Every team is chosen once, as much as its game counts."""
        stages = self.posterior.stages
        return np.asarray(self.posterior.prior.pull(self.at) + stages.members.T @ (stages.counted - self._chosen()))

    def curvature(self) -> Matrix:
        """Minus the second derivative. It is the information: who won does not matter to it."""
        return self.information()

    def information(self) -> Matrix:
        """The covariance of what is chosen, stage by stage, as spread over the members of teams."""
        own, mean = self._parts()
        whole, nobody = own - mean.T @ mean, np.zeros(0, np.int64)
        prior = self.posterior.prior.matrix(nobody, nobody, np.zeros(0), np.zeros(len(self.at)))
        return prior + np.triu(whole.toarray()) if len(self.at) <= DENSE_NODES else (prior + whole).tocsr()

    def diagonal(self) -> FloatArray:
        """Of the information."""
        own, mean = self._parts()
        return np.asarray(self.posterior.prior.diagonal + own.diagonal() - mean.power(2).sum(0))

    def _parts(self) -> tuple[Matrix, Matrix]:
        """Two matrices A and B with information A - B' B; B has a row for each stage."""
        stages = self.posterior.stages
        teams = stages.members.shape[0]
        scaled = self.shares * np.sqrt(stages.weight)[stages.stage]
        chosen = sparse.csr_array((scaled, (stages.stage, stages.team)), (len(stages.weight), teams))
        own = stages.members.T @ sparse.diags_array(self._chosen()) @ stages.members
        return own, chosen @ stages.members

    def _chosen(self) -> FloatArray:
        """How often each team is expected to be chosen."""
        stages = self.posterior.stages
        weighed = self.shares * stages.weight[stages.stage]
        return np.bincount(stages.team, weighed, stages.members.shape[0]).astype(np.float64, copy=False)
