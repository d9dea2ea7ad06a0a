"""The likelihood of games of teams: Plackett-Luce, a team as strong as the mean of its members. Values in, values out.

A ranking is a row of stages: each place is the choice of one team among those that are left, in proportion to
`exp(strength)`. Of tied teams nobody knows who was chosen first: their log-likelihood is averaged over all orders, or,
when more than EXACT_TIES tie, each stage leaves out an equal portion of all of them.

*Match-ups*: some bots do better against each other than their strengths say, so what the games of two say of them is
not independent. What a stage says is a sum over each two that are left, with the information `share * share` on their
difference. So a game counts as much as the mean of its pairs, each with the weight
`1 / (1 + information of all their games * match-up variance)`.

Source: R. L. Plackett, "The Analysis of Permutations"; B. Efron, "The Efficiency of Cox's Likelihood Function" (ties).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from hexarena.backend.rating.bradley_terry import (
    MATCHUP_ELO,
    MATCHUP_EVIDENCE,
    MOST_MATCHUP_ELO,
    Spread,
)
from hexarena.backend.rating.counts import BoolArray, FloatArray, IntArray, Rankings
from hexarena.backend.rating.elo import square_logits
from hexarena.backend.rating.newton import DENSE_NODES, Matrix, Precision, takes_factor

EXACT_TIES = 4
"""Up to so many tied teams are averaged over all orders."""


@dataclass(frozen=True, slots=True)
class Stages:
    """All stages of all games.

    `members`: sparse, (teams, nodes), each row the mean of its members. `counted`: how much each team's game weighs,
    shape (teams,). Of each stage its `weight`, `game` and `begin`, the first entry. Entries: number of the `stage`, a
    `team` that is left, the `portion` of it that is, and the probability that it was `chosen`, by its place.
    """

    members: Matrix
    counted: FloatArray
    weight: FloatArray
    game: IntArray
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
        game = [np.zeros(0, np.int64)]
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
            game.append(np.repeat(rankings.game[begins], len(choices)))
            number += len(begins) * len(choices)
        stages = np.concatenate(stage)
        begin = np.flatnonzero(np.diff(stages, prepend=-1))
        return cls(
            members,
            counted,
            np.concatenate(weight),
            np.concatenate(game),
            begin,
            stages,
            np.concatenate(team),
            np.concatenate(portion),
            np.concatenate(chosen),
        )

    def counting(self, games: IntArray, weight: FloatArray) -> Stages:
        """The same, but each game counts this much of what it did. `games`: of each team; `weight`: (games,)."""
        return replace(self, counted=self.counted * weight[games], weight=self.weight * weight[self.game])

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
class MetPairs:
    """Each two nodes that are left in a stage, each with a team of its own; larger teams are no part of it.

    `game`: of each team. `low`, `high`: the nodes of each pair, shape (p,), sorted; `often`: whether they met twice.
    Rows: the number of the `pair`, the entries of both in the stages, first that of the lower node, and the `share` of
    their game, all its parts in which both are, that counts.
    """

    game: IntArray
    low: IntArray
    high: IntArray
    often: BoolArray
    pair: IntArray
    first: IntArray
    second: IntArray
    share: FloatArray

    @classmethod
    def of(cls, nodes: int, rankings: Rankings, stages: Stages) -> MetPairs:
        """`stages`: of these rankings."""
        node = rankings.entrant[np.searchsorted(rankings.team, np.arange(len(rankings.rank)))]
        alone = np.ones(len(rankings.rank), np.bool_)
        np.logical_and.at(alone, rankings.team, rankings.entrant == node[rankings.team])
        first, second = each_two(stages)
        # Each two once, the lower node first.
        one, other = stages.team[first], stages.team[second]
        kept = (node[one] < node[other]) & alone[one] & alone[other]
        first, second = first[kept], second[kept]
        keys = node[stages.team[first]] * nodes + node[stages.team[second]]
        different, pair = np.unique(keys, return_inverse=True)
        games = max(int(rankings.game.max(initial=-1)) + 1, 1)
        parts, part = np.unique(pair * games + stages.game[stages.stage[first]], return_inverse=True)
        origin = np.arange(games) if rankings.origin is None else rankings.origin
        weight = np.ones(games) if rankings.weight is None else rankings.weight
        many = int(origin.max(initial=0)) + 1
        met, whole = np.unique(parts // games * many + origin[parts % games], return_inverse=True)
        share = np.bincount(whole, weight[parts % games], len(met)).astype(np.float64, copy=False)[whole][part]
        often = np.bincount(met // many, minlength=len(different)) >= 2
        low, high = different // max(nodes, 1), different % max(nodes, 1)
        return cls(rankings.game, low, high, often, pair, first, second, share)

    def known(self, stages: Stages, shares: FloatArray) -> FloatArray:
        """The information of all games of each pair on the difference of the two, shape (p,)."""
        return np.bincount(self.pair, self._known(stages, shares), len(self.low)).astype(np.float64, copy=False)

    def weights(
        self, stages: Stages, shares: FloatArray, matchup_variance: float, known: FloatArray | None = None
    ) -> FloatArray:
        """How much each game counts, in 0..1, shape (games,); one in which no two are a pair counts in full.

        `known`: of each pair, if it has more games than these.
        """
        here = self._known(stages, shares)
        in_all = np.bincount(self.pair, here, len(self.low)) if known is None else known
        of_pair = 1 / (1 + in_all * matchup_variance)
        game, games = stages.game[stages.stage[self.first]], int(self.game.max(initial=-1)) + 1
        whole = np.bincount(game, here, games)
        counted = np.bincount(game, here * of_pair[self.pair], games)
        return np.divide(counted, whole, out=np.ones(games), where=whole > 0)

    def spread(self, stages: Stages, shares: FloatArray, variances: FloatArray, before: Spread) -> Spread:
        """The variance of match-ups, by moments: what pairs do beyond their strengths, less what chance does.

        As `bradley_terry.spread_of`, which says what `variances` and `before` are. One order of places cannot scatter
        more than its shares say, so there is no dispersion besides.
        """
        weight = stages.weight[stages.stage[self.first]]
        one, other = shares[self.first], shares[self.second]
        pull = weight * (stages.chosen[self.first] * other - stages.chosen[self.second] * one)
        surprise, chance, known = (
            np.bincount(self.pair, values, len(self.low))
            for values in (pull, self.share * weight * one * other * (one + other), weight * one * other)
        )
        left = chance / np.maximum(known**2, 1e-300) + before.matchup_variance
        unknown = np.minimum(variances[self.low] + variances[self.high], left)
        excess = np.where(self.often, surprise**2 - chance + known**2 * unknown, 0.0)
        squares = np.where(self.often, known**2, 0.0)
        variance = float(excess.sum()) + MATCHUP_EVIDENCE * square_logits(MATCHUP_ELO)
        variance /= float(squares.sum()) + MATCHUP_EVIDENCE
        return Spread(matchup_variance=min(max(variance, 0.0), square_logits(MOST_MATCHUP_ELO)))

    def _known(self, stages: Stages, shares: FloatArray) -> FloatArray:
        return np.asarray(stages.weight[stages.stage[self.first]] * shares[self.first] * shares[self.second])


def each_two(stages: Stages) -> tuple[IntArray, IntArray]:
    """The entries of each with each that is left in its stage, itself included."""
    sizes = np.diff(stages.begin, append=len(stages.stage))
    left = sizes[stages.stage]
    one = np.repeat(np.arange(len(left)), left)
    other = np.arange(len(one)) + np.repeat(stages.begin[stages.stage] - np.cumsum(left) + left, left)
    return one, other


@dataclass(frozen=True, slots=True)
class TeamLikelihood:
    """The posterior of strengths. `pairs`: of the stages; None: no match-ups."""

    stages: Stages
    prior: Precision
    pairs: MetPairs | None = None
    matchup_variance: float = 0.0

    def look(self, at: FloatArray) -> TeamLook:
        """At these strengths."""
        shares, stages = self.stages.shares(at), self.stages
        if self.pairs is not None:
            weights = self.pairs.weights(stages, shares, self.matchup_variance)
            stages = stages.counting(self.pairs.game, weights)
        return TeamLook(self.prior, stages, at, shares)


@dataclass(frozen=True, slots=True)
class TeamLook:
    """A posterior around `at`; see newton.Look.

    `stages`: as much as they count there. `shares`: P(a team is chosen), of every entry.
    """

    prior: Precision
    stages: Stages
    at: FloatArray
    shares: FloatArray

    def gradient(self) -> FloatArray:
        """Of the log-posterior. Every team is chosen once, as much as its game counts."""
        stages = self.stages
        return np.asarray(self.prior.pull(self.at) + stages.members.T @ (stages.counted - self._chosen()))

    def curvature(self) -> Matrix:
        """Minus the second derivative. It is the information: who won does not matter to it."""
        whole = self._covariance()
        return self._with_prior(whole, dense=takes_factor(len(self.at), whole.nnz // 2))

    def information(self) -> Matrix:
        """The covariance of what is chosen, stage by stage, as spread over the members of teams."""
        return self._with_prior(self._covariance(), dense=len(self.at) <= DENSE_NODES)

    def _covariance(self) -> Matrix:
        own, mean = self._parts()
        return own - mean.T @ mean

    def _with_prior(self, whole: Matrix, *, dense: bool) -> Matrix:
        nobody = np.zeros(0, np.int64)
        prior = self.prior.matrix(nobody, nobody, np.zeros(0), np.zeros(len(self.at)), dense=dense)
        return prior + np.triu(whole.toarray()) if dense else (prior + whole).tocsr()

    def diagonal(self) -> FloatArray:
        """Of the information."""
        own, mean = self._parts()
        return np.asarray(self.prior.diagonal + own.diagonal() - mean.power(2).sum(0))

    def _parts(self) -> tuple[Matrix, Matrix]:
        """Two matrices A and B with information A - B' B; B has a row for each stage."""
        stages = self.stages
        teams = stages.members.shape[0]
        scaled = self.shares * np.sqrt(stages.weight)[stages.stage]
        chosen = sparse.csr_array((scaled, (stages.stage, stages.team)), (len(stages.weight), teams))
        own = stages.members.T @ sparse.diags_array(self._chosen()) @ stages.members
        return own, chosen @ stages.members

    def _chosen(self) -> FloatArray:
        """How often each team is expected to be chosen."""
        stages = self.stages
        weighed = self.shares * stages.weight[stages.stage]
        return np.bincount(stages.team, weighed, stages.members.shape[0]).astype(np.float64, copy=False)
