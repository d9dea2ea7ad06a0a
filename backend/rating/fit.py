"""How strong every version is: one fit of a game's whole history. Values in, values out.

Theory of operation: a node is a version of a bot. A first version's strength is drawn from one Gaussian, a later one's
from a Gaussian around its parent's. Games of two are Bradley-Terry, games of teams Plackett-Luce. The most likely
strengths are found by Newton's method; their covariance is the inverse of the information. Only sums over the games
enter, so their order cannot matter. What the model does not know beforehand (the prior's width, how results scatter,
how often games are drawn) is estimated from the same games. Of what versions change, strengths take the likeliest
value, and intervals allow for a larger one (docs/decisions/0066).

Strengths and variances are in logits; what is called Elo is in Elo.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from hexarena.backend.rating.bradley_terry import MATCHUP_ELO, Likelihood, Pairs, Seen, Spread, draw_share, spread_of
from hexarena.backend.rating.counts import BoolArray, Counts, FloatArray, IntArray, Rankings
from hexarena.backend.rating.elo import ELO_PER_LOGIT, square_logits
from hexarena.backend.rating.guests import Known, fit_guests
from hexarena.backend.rating.newton import DENSE_NODES, Layout, Precision, climb, inverse, moved
from hexarena.backend.rating.plackett_luce import Stages, TeamLikelihood

__all__ = [
    "DENSE_NODES",
    "ELO_PER_LOGIT",
    "START",
    "BoolArray",
    "Counts",
    "Earlier",
    "Fit",
    "FloatArray",
    "IntArray",
    "Model",
    "Rankings",
    "fit",
    "fit_teams",
]

START = 1000.0
"""The rating in Elo that an anchor has."""
PRIOR_ELO = 300.0
"""Deviation of first versions' strengths, as long as the games do not say otherwise."""
WIDER = 1.5
"""How much wider the prior of first versions is than their strengths seem to be: heavy tails, clusters of equals."""
WIDE_ELO = 400.0
"""A prior is not made wider than this: where nearly all games are one-sided, a Gaussian describes strengths badly, and
the wider it is, the less sure even a bot that always wins would seem to be stronger."""
PRIOR_STEPS = 30
"""Towards the likeliest variance of each family's steps."""
DRIFT_LINKS = 0.001
"""How many steps the usual drift weighs as much as, in each family of versions: where they play alike, they share their
games' evidence."""
CAUTIOUS_LINKS = 1.0
"""The same for intervals: a few versions that play alike by chance do not show that they are alike."""
LEAST_DRIFT_ELO = 5.0
SEEN_MATCHUPS = 0.8
"""The share of the variance of a mean match-up that is no uncertainty; all of it, if points did not end at 0 and 1."""
LEAST_LEFT = 0.25
"""Of a variance, whatever was seen."""
PULL_WEIGHT = 1.25
"""A rating that the prior moves by one deviation is so much less certain: its variance is 1 + this as large."""
PRIOR_NODES = 2.0
"""How many nodes PRIOR_ELO weighs as much as."""
SEAT_PRECISION = 25.0
"""Of the prior of the first seat's advantage: a deviation of 35 Elo."""
MOST_TUNINGS = 4
TUNED = 0.02
"""Hyper-parameters that change by a smaller share have converged."""
ROUGHLY = 1e-2
"""Logits: near enough to estimate hyper-parameters at."""
GROWTH_TO_TUNE = 1.1
"""A fit from an earlier one estimates hyper-parameters anew when games have grown by this factor since."""


@dataclass(frozen=True, slots=True)
class Model:
    """What a fit assumes.

    `prior_elo`: deviation of first versions' strengths; None to estimate it, and what versions change. `seat`:
    estimate the advantage of playing first. `dispersion`, `matchup`: see bradley_terry. `drift_elo`: deviation of a
    version from its parent, before the games say otherwise.
    """

    prior_elo: float | None = None
    seat: bool = True
    dispersion: bool = True
    matchup: bool = True
    drift_elo: float = 120.0


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was known of nodes before the games that are fitted: independent Gaussians, in logits.

    `means`, `variances`: shape (n,), NaN of nodes of which nothing was. A node of which something was follows no
    parent: what its parent said of it is in there.
    """

    means: FloatArray
    variances: FloatArray

    @classmethod
    def nothing(cls, nodes: int) -> Earlier:
        return cls(np.full(nodes, np.nan), np.full(nodes, np.nan))

    def among(self, members: BoolArray) -> Earlier:
        """That of the members, numbered in their order."""
        return Earlier(self.means[members], self.variances[members])

    def known(self) -> BoolArray:
        """Of which nodes something was; shape (n,)."""
        return ~np.isnan(self.means)


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths and their uncertainty, in logits.

    `strengths`, `variances`: shape (n,); `covariance`: (n, n), None above DENSE_NODES, where variances are 4 to 13 %
    too small. `seat`: the advantage of playing first. `draw_nu`: Davidson's, `P(draw) = draw_nu sqrt(P(win) P(loss))`.
    `drifts`: variance of the step from each node's parent, shape (n,); 0 of first versions.
    `pulled`: how far the prior of first versions moves each strength, shape (n,); None: not known, as of fits that were
    stored before there was this.
    `tuned_games`: those that `draw_nu`, `dispersion`, `matchup_variance` and `prior_variance` were estimated from.
    `guests`: whose games moved no other node, shape (n,); None where there are none. `extra_variances`: the part of
    `variances` that comes from not knowing how much versions change, shape (n,), which is not in `covariance`; None
    without parents.
    """

    strengths: FloatArray
    variances: FloatArray
    covariance: FloatArray | None
    seat: float
    draw_nu: float
    dispersion: float
    matchup_variance: float
    prior_variance: float
    drifts: FloatArray
    tuned_games: float
    guests: BoolArray | None = None
    extra_variances: FloatArray | None = None
    pulled: FloatArray | None = None

    @property
    def given_variances(self) -> FloatArray:
        """The variances if the drifts are what they seem to be: those of `covariance`."""
        return self.variances if self.extra_variances is None else self.variances - self.extra_variances

    def elo(self, anchor: int | None, at: float = START) -> FloatArray:
        """Ratings in Elo, shape (n,). Node `anchor` has rating `at`; None: the prior's mean has."""
        zero = 0.0 if anchor is None else self.strengths[anchor]
        return np.asarray(at + (self.strengths - zero) * ELO_PER_LOGIT)

    def deviations(self, field: IntArray | None = None) -> FloatArray:
        """Standard deviation in Elo of each rating's distance from the mean of the `field`, of all if None; (n,).

        It is about the rating that a round robin of the field would show. That includes the mean of a node's match-ups,
        which its games are about, too: they have been seen, and no chance is left in them. A prior takes nodes for
        independent; where many of them are as strong as each other, it pulls them together and is wrong about all of
        them. So a pull that is far, measured by what else is unknown, makes a rating less certain.
        """
        among = np.arange(len(self.strengths)) if field is None else field
        if len(among) < 2:
            return np.asarray(np.sqrt(self.variances) * ELO_PER_LOGIT)
        if self.covariance is None:
            return np.asarray(np.sqrt(self._with_pull(self.variances, among)) * ELO_PER_LOGIT)
        with_field = self.covariance[:, among].mean(1)
        squares = np.maximum(self.variances - 2 * with_field + with_field[among].mean(), 0)
        squares = self._with_pull(squares, among)
        seen = SEEN_MATCHUPS * self.matchup_variance / (len(among) - 1)
        return np.asarray(np.sqrt(np.maximum(squares - seen, LEAST_LEFT * squares)) * ELO_PER_LOGIT)

    def _with_pull(self, squares: FloatArray, field: IntArray) -> FloatArray:
        """Variances of the distances from the mean of the field, with what the prior may be wrong by."""
        if self.pulled is None:
            return squares
        far = (self.pulled - self.pulled[field].mean()) ** 2
        return np.asarray(squares + PULL_WEIGHT * far**2 / np.maximum(squares, 1e-12))

    def deviation_of_difference(self, one: int, other: int) -> float:
        """Standard deviation in Elo of one rating minus another."""
        if one == other:
            return 0.0
        shared = 0.0 if self.covariance is None else self.covariance[one, other]
        return math.sqrt(max(self.variances[one] + self.variances[other] - 2 * shared, 0.0)) * ELO_PER_LOGIT

    def deviations_of_differences(self, one: IntArray, other: IntArray) -> FloatArray:
        """`deviation_of_difference` of many, to the last bit; shape (k,)."""
        shared = 0.0 if self.covariance is None else self.covariance[one, other]
        squares = np.maximum(self.variances[one] + self.variances[other] - 2 * shared, 0.0)
        return np.asarray(np.where(one == other, 0.0, np.sqrt(squares) * ELO_PER_LOGIT))

    def stronger_each(self, one: IntArray, other: IntArray) -> FloatArray:
        """`stronger` of many, to the last bit; shape (k,)."""
        gap = (self.strengths[one] - self.strengths[other]) * ELO_PER_LOGIT
        return np.asarray(ndtr(gap / np.maximum(self.deviations_of_differences(one, other), 1e-9)))

    def stronger(self, one: int, other: int) -> float:
        """P(`one` is stronger than `other`), in 0..1; ½ of itself."""
        gap = (self.strengths[one] - self.strengths[other]) * ELO_PER_LOGIT
        return float(ndtr(gap / max(self.deviation_of_difference(one, other), 1e-9)))

    def expected(self, first: int, second: int, *, seat: bool) -> float:
        """The first's share of the points, in 0..1. `seat`: it plays first; otherwise seats are drawn."""
        gap = self.strengths[first] - self.strengths[second]
        as_first, as_second = float(expit(gap + self.seat)), float(expit(gap - self.seat))
        return as_first if seat else (as_first + as_second) / 2

    def outcome(self, first: int, second: int, *, seat: bool) -> tuple[float, float, float]:
        """P(win), P(draw), P(loss) of the first; draws are half wins of `expected`."""
        score = self.expected(first, second, seat=seat)
        draw = float(draw_share(np.array(score), self.draw_nu))
        return max(score - draw / 2, 0.0), draw, max(1 - score - draw / 2, 0.0)


def fit(
    nodes: int,
    counts: Counts,
    parents: IntArray | None = None,
    *,
    model: Model = Model(),
    start: Fit | None = None,
    guests: BoolArray | None = None,
    earlier: Earlier | None = None,
) -> Fit:
    """The most likely strengths of `nodes` versions after all their games of two.

    `parents`: node -> the version that it follows, -1 for a first one. `start`: an earlier fit of the same nodes, or of
    the first few of them; it saves time. Its hyper-parameters are kept until the games have grown by GROWTH_TO_TUNE;
    with the same ones the answer differs by less than 1e-6 Elo. Without it the answer is a function of the other
    arguments, bit for bit. `guests`: nodes that are rated by their games with the others, but whose games rate nobody
    else; see `guests`. With guests, `start` is not used. `earlier`: priors of nodes of which something was known.

    Raises:
        ValueError: counts that no games can give, or parents that are not there or in a circle.
    """
    counts.check(nodes)
    if guests is not None and guests.any():
        alone, before = _parents_among(~guests, parents), None if earlier is None else earlier.among(~guests)
        accounts = fit(int((~guests).sum()), counts.among(~guests), alone, model=model, earlier=before)
        return _with_guests(_problem(nodes, counts, parents, model, earlier), accounts, guests)
    return _problem(nodes, counts, parents, model, earlier).solved(start)


def _problem(nodes: int, counts: Counts, parents: IntArray | None, model: Model, earlier: Earlier | None) -> _Problem:
    """The fit of games of two."""
    pairs, family = Pairs.of(nodes, counts), _Family.of(nodes, parents, model, earlier)
    layout = _layout(pairs, family, nodes, seat=model.seat) if nodes + model.seat > DENSE_NODES else None

    def posterior(prior: Prior, spread: Spread) -> Likelihood:
        return Likelihood(pairs, family.precision(prior, model.seat, layout), model.seat, spread)

    def spread(at: FloatArray, variances: FloatArray, before: Spread) -> Spread:
        seen = Seen.of(pairs, at[:nodes], float(at[nodes]) if model.seat else 0.0)
        return spread_of(pairs, seen, variances, before, model=(model.dispersion, model.matchup))

    return _Problem(float(counts.games.sum()), family, model, posterior, spread)


def _layout(pairs: Pairs, family: _Family, nodes: int, *, seat: bool) -> Layout:
    """Of the matrices of games of two; the seat's advantage is the last unknown."""
    low, high = family.ends()
    border = np.arange(nodes if seat else 0)
    row, column = (
        np.concatenate((pairs.low, low, border)),
        np.concatenate((pairs.high, high, np.full_like(border, nodes))),
    )
    return Layout.of(nodes + seat, row, column)


def fit_teams(
    nodes: int,
    rankings: Rankings,
    parents: IntArray | None = None,
    *,
    model: Model = Model(),
    start: Fit | None = None,
    guests: BoolArray | None = None,
    earlier: Earlier | None = None,
) -> Fit:
    """The most likely strengths of `nodes` versions after all their games of teams; otherwise as `fit`.

    There is no seat, no dispersion and no match-up; `draw_nu` is what it is before the first game. The others are rated
    by the order of the teams that have no guests.

    Raises:
        ValueError: a node that is not there, or parents that are not there or in a circle.
    """
    if len(rankings.entrant) and (most := int(rankings.entrant.max())) >= nodes:
        raise ValueError(f"expected nodes below {nodes}; got {most}")
    plain = replace(model, seat=False, matchup=False)
    if guests is not None and guests.any():
        alone, among = _parents_among(~guests, parents), rankings.among(~guests)
        before = None if earlier is None else earlier.among(~guests)
        accounts = fit_teams(int((~guests).sum()), among, alone, model=model, earlier=before)
        return _with_guests(_team_problem(nodes, rankings, parents, plain, earlier), accounts, guests)
    return _team_problem(nodes, rankings, parents, plain, earlier).solved(start)


def _team_problem(
    nodes: int, rankings: Rankings, parents: IntArray | None, plain: Model, earlier: Earlier | None
) -> _Problem:
    """The fit of games of teams."""
    stages, family = Stages.of(nodes, rankings), _Family.of(nodes, parents, plain, earlier)

    def posterior(prior: Prior, _: Spread) -> TeamLikelihood:
        return TeamLikelihood(stages, family.precision(prior, seat=False))

    games = float(rankings.game[-1] + 1) if len(rankings.game) else 0.0
    return _Problem(games, family, plain, posterior, lambda *_: Spread())


def _parents_among(members: BoolArray, parents: IntArray | None) -> IntArray | None:
    """The parents of the members, numbered in their order; a member whose parent is none counts as a first version."""
    if parents is None:
        return None
    number = np.append(np.where(members, np.cumsum(members) - 1, -1), -1)
    return np.asarray(number[parents[members]])


def _with_guests(problem: _Problem, accounts: Fit, guests: BoolArray) -> Fit:
    """The whole fit, given that of all but the guests."""
    nodes = len(guests)
    at = np.zeros(nodes + problem.model.seat)
    at[:nodes][~guests] = accounts.strengths
    at[nodes:] = accounts.seat
    spread = Spread(accounts.dispersion, accounts.matchup_variance, accounts.draw_nu)
    drifts = np.zeros(nodes)
    drifts[~guests] = accounts.drifts
    family = problem.family
    drift = np.where(drifts[family.child] > 0, drifts[family.child], family.drift)
    prior = Prior(accounts.prior_variance, drift)
    posterior = problem.posterior(prior, spread)
    known = Known(at, guests, accounts.covariance, accounts.given_variances, accounts.pulled)
    found = fit_guests(known, posterior.look, lambda at: family.pull(at, prior))
    variances = found.variances
    drifts[family.child] = drift
    extra = None
    if accounts.extra_variances is not None:
        extra = np.zeros(nodes)
        extra[~guests] = accounts.extra_variances
        variances = variances + extra
    return replace(
        accounts,
        strengths=found.at[:nodes],
        variances=variances,
        covariance=found.covariance,
        guests=guests,
        drifts=drifts,
        extra_variances=extra,
        pulled=found.pulled,
    )


@dataclass(frozen=True, slots=True)
class _Problem:
    """A fit to be made. `posterior` of a prior and a spread; `spread` around given unknowns.

    The latter also gets how sure these are, as variances, and the spread that they were found with.
    """

    games: float
    family: _Family
    model: Model
    posterior: Callable[[Prior, Spread], Likelihood | TeamLikelihood]
    spread: Callable[[FloatArray, FloatArray, Spread], Spread]

    def solved(self, start: Fit | None) -> Fit:
        """Climbs, estimating hyper-parameters in between, and looks around at the top."""
        nodes, at = len(self.family.root), self.family.guess(start, self.model.seat)
        prior = self.family.prior(self.model, start)
        if start is None:
            spread = Spread(matchup_variance=square_logits(MATCHUP_ELO) if self.model.matchup else 0.0)
            tuned_games = self.games
        else:
            spread = Spread(start.dispersion, start.matchup_variance, start.draw_nu)
            tuned_games = start.tuned_games
        if self.games and (start is None or self.games > GROWTH_TO_TUNE * tuned_games):
            at, prior, spread = self._tuned(at, prior, spread)
            tuned_games = self.games
        posterior = self.posterior(prior, spread)
        at, _ = climb(at, posterior.look)
        around = posterior.look(at)
        in_family = self.family.variances(at, around.diagonal(), prior, estimated=self.model.prior_elo is None)
        information = around.information()
        covariance, variances = inverse(information)
        pulled = moved(information, covariance, self.family.pull(at, prior))
        variances, extra = variances[:nodes], None
        if in_family is not None:
            # Without a covariance, the diagonal would take a version's relatives for known.
            given, extra = in_family
            variances = (given if covariance is None else variances) + extra
        return Fit(
            strengths=at[:nodes],
            variances=variances,
            covariance=None if covariance is None else covariance[:nodes, :nodes],
            seat=float(at[nodes]) if self.model.seat else 0.0,
            draw_nu=spread.draw_nu,
            dispersion=spread.dispersion,
            matchup_variance=spread.matchup_variance,
            prior_variance=prior.first,
            drifts=self.family.by_node(prior),
            tuned_games=tuned_games,
            extra_variances=extra,
            pulled=pulled[:nodes],
        )

    def _tuned(self, at: FloatArray, prior: Prior, spread: Spread) -> tuple[FloatArray, Prior, Spread]:
        """Hyper-parameters that the strengths found with them would give again, nearly."""
        for _ in range(MOST_TUNINGS):
            at, around = climb(at, self.posterior(prior, spread).look, within=ROUGHLY)
            before = np.array([prior.first, spread.dispersion, spread.matchup_variance])
            diagonal, before_prior = around.diagonal(), prior
            if self.model.prior_elo is None:
                prior = self.family.fitted(at, diagonal, prior)
            variances = 1 / diagonal
            variances[: len(self.family.root)] = self.family.given_variances(diagonal, before_prior)
            spread = self.spread(at, variances, spread)
            after = np.array([prior.first, spread.dispersion, spread.matchup_variance])
            if (np.abs(after - before) <= TUNED * before).all():
                break
        return at, prior, spread


@dataclass(frozen=True, slots=True)
class Prior:
    """What is assumed before any game, as variances: `first`, of first versions; `drift`, shape (k,), of each step."""

    first: float
    drift: FloatArray


@dataclass(frozen=True, slots=True)
class _Readings:
    """Values drawn from Gaussians around 0 with variances `before`, as far as they are known: posterior variances."""

    values: FloatArray
    variances: FloatArray
    before: FloatArray


def _fitted_variances(readings: _Readings, group: IntArray, first: FloatArray, weight: float) -> FloatArray:
    """The most likely variance of each group's values, shape as `first`.

    `first`: of each group; it counts as `weight` more values. What the games alone say of each value is kept; steps
    with new strengths each time would take many times as long to arrive. MacKay's steps end where expectation
    maximisation does, which hardly moves any more where a variance is small.
    """
    pulled = readings.values / readings.variances
    known = np.maximum(1 / readings.variances - 1 / readings.before, 0.0)
    size, variance = len(first), first.copy()
    for _ in range(PRIOR_STEPS):
        narrowed = 1 / (known + 1 / variance[group])
        squares = np.bincount(group, (pulled * narrowed) ** 2, size)
        told = np.bincount(group, known * narrowed, size)
        variance = (squares + weight * first) / (told + weight)
    return np.asarray(variance)


@dataclass(frozen=True, slots=True)
class _Family:
    """Which versions follow which: `child[k]` follows `parent[k]`; `root[node]`: a first version.

    `family[k]`: the node that `child[k]` goes back to. `drift`: variance of a step, as long as the games do not say
    otherwise. `earlier`: of nodes that have a prior of their own; these are no first versions.
    """

    child: IntArray
    parent: IntArray
    root: NDArray[np.bool_]
    family: IntArray
    drift: float
    earlier: Earlier | None = None

    @classmethod
    def of(cls, nodes: int, parents: IntArray | None, model: Model, earlier: Earlier | None = None) -> _Family:
        of_node = np.full(nodes, -1, np.int64) if parents is None else np.asarray(parents, np.int64)
        if of_node.shape != (nodes,) or (nodes and not -1 <= of_node.min() <= of_node.max() < nodes):
            raise ValueError(f"expected a parent in -1..{nodes - 1} for each of {nodes} nodes; got {of_node}")
        known = np.zeros(nodes, np.bool_) if earlier is None else earlier.known()
        if known.shape != (nodes,):
            raise ValueError(f"expected what was known of each of {nodes} nodes; got {known.shape}")
        of_node = np.where(known, -1, of_node)
        ancestor, oldest = np.append(of_node, -1), np.where(of_node < 0, np.arange(nodes), of_node)
        for _ in range(nodes.bit_length()):
            ancestor, oldest = ancestor[ancestor], oldest[oldest]
        if (ancestor >= 0).any():
            raise ValueError(f"expected versions that go back to a first one; got a circle in {of_node}")
        child = np.flatnonzero(of_node >= 0)
        first = (of_node < 0) & ~known
        return cls(child, of_node[child], first, oldest[child], square_logits(model.drift_elo), earlier)

    def ends(self) -> tuple[IntArray, IntArray]:
        """The lower and the higher node of each step."""
        return np.minimum(self.child, self.parent), np.maximum(self.child, self.parent)

    def precision(self, prior: Prior, seat: bool, layout: Layout | None = None) -> Precision:
        """The prior of all unknowns, the seat's advantage the last of them."""
        nodes, weight = len(self.root), 1 / prior.drift
        links = np.bincount(self.child, weight, nodes) + np.bincount(self.parent, weight, nodes)
        diagonal = self.root / prior.first + links
        low, high = self.ends()
        if self.earlier is None:
            return Precision(np.append(diagonal, SEAT_PRECISION) if seat else diagonal, low, high, -weight, layout)
        own = np.nan_to_num(1 / self.earlier.variances)
        pulled = own * np.nan_to_num(self.earlier.means)
        diagonal += own
        if seat:
            diagonal, pulled = np.append(diagonal, SEAT_PRECISION), np.append(pulled, 0.0)
        return Precision(diagonal, low, high, -weight, layout, pulled)

    def pull(self, at: FloatArray, prior: Prior) -> FloatArray:
        """The part of the log-prior's gradient that pulls first versions together; of all unknowns, shape as `at`."""
        pull = np.zeros_like(at)
        pull[: len(self.root)][self.root] = -at[: len(self.root)][self.root] / prior.first
        return pull

    def prior(self, model: Model, start: Fit | None) -> Prior:
        """That of `start`; without it, what is assumed before the first game."""
        first = square_logits(PRIOR_ELO if model.prior_elo is None else model.prior_elo)
        drift = np.full(len(self.child), self.drift)
        if start is not None:
            first = start.prior_variance
            before = np.append(start.drifts, np.zeros(max(len(self.root) - len(start.drifts), 0)))[self.child]
            drift = np.where(before > 0, before, drift)
        return Prior(first, drift)

    def fitted(self, at: FloatArray, diagonal: FloatArray, before: Prior) -> Prior:
        """A likelier prior. `at`, `diagonal`: strengths and the information's diagonal, found with `before`.

        The variance of first versions takes one step of expectation maximisation, with PRIOR_ELO as PRIOR_NODES more
        nodes: few games say little about it, and it then stays where it was. The drifts go all the way.
        """
        squares = at[: len(self.root)] ** 2 + self.given_variances(diagonal, before)
        evidence = float(squares[self.root].sum()) + PRIOR_NODES * square_logits(PRIOR_ELO)
        seen = evidence / (float(self.root.sum()) + PRIOR_NODES)
        first = min(WIDER * seen, max(seen, square_logits(WIDE_ELO)))
        return Prior(first, self._drifts(at, diagonal, before, DRIFT_LINKS))

    def _drifts(self, at: FloatArray, diagonal: FloatArray, before: Prior, weight: float) -> FloatArray:
        """The likeliest drifts, the usual one weighing as much as so many steps; shape (k,)."""
        known, _ = self._relatives(diagonal, before, before.drift)
        drift = _fitted_variances(
            _Readings(at[self.child] - at[self.parent], 1 / (1 / before.drift + known), before.drift),
            self.family,
            np.full(len(self.root), self.drift),
            weight,
        )
        return np.maximum(drift[self.family], square_logits(LEAST_DRIFT_ELO))

    def variances(
        self, at: FloatArray, diagonal: FloatArray, prior: Prior, *, estimated: bool
    ) -> tuple[FloatArray, FloatArray] | None:
        """`given_variances`, and what is added to them by not knowing how much versions change, where that is
        `estimated`; shape (n,). None without parents.
        """
        if not len(self.child):
            return None
        given = self.given_variances(diagonal, prior)
        if not estimated:
            return given, np.zeros_like(given)
        drift = np.maximum(self._drifts(at, diagonal, prior, CAUTIOUS_LINKS), prior.drift)
        return given, np.maximum(self._relatives(diagonal, prior, drift)[1] - given, 0.0)

    def given_variances(self, diagonal: FloatArray, prior: Prior) -> FloatArray:
        """Of each node as its relatives know it, its opponents' strengths given; shape (n,)."""
        return self._relatives(diagonal, prior, prior.drift)[1]

    def _relatives(self, diagonal: FloatArray, prior: Prior, drift: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The precision with which each step is known from games, shape (k,), and the variance of each node, (n,), if
        steps have these drifts. `diagonal`: of the information, found with the `prior`.
        """
        nodes = len(self.root)
        links = np.bincount(self.child, 1 / prior.drift, nodes) + np.bincount(self.parent, 1 / prior.drift, nodes)
        return self._messages(np.maximum(diagonal[:nodes] - links, 1e-9), drift)

    def _messages(self, alone: FloatArray, drift: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See `_relatives`. `alone`: the precision with which each node is known apart from its relatives, shape (n,).

        What each subtree says goes up to its parent, and what all others say comes down again.
        """
        nodes = len(alone)
        above, step = np.full(nodes + 1, -1, np.int64), np.zeros(nodes)
        above[self.child], step[self.child] = self.parent, drift
        depth, ancestor = (above >= 0).astype(np.int64), above
        for _ in range(nodes.bit_length()):
            depth, ancestor = depth + depth[ancestor], ancestor[ancestor]
        in_order = np.argsort(depth[:nodes], kind="stable")
        levels = np.split(in_order, np.cumsum(np.bincount(depth[:nodes]))[:-1])[1:]
        total, said, others = alone.copy(), np.zeros(nodes), np.zeros(nodes)
        for level in reversed(levels):
            said[level] = total[level] / (1 + step[level] * total[level])
            np.add.at(total, above[level], said[level])
        below = total.copy()
        for level in levels:
            others[level] = total[above[level]] - said[level]
            total[level] += others[level] / (1 + step[level] * others[level])
        own, rest = below[self.child], others[self.child]
        return own * rest / (own + rest), np.asarray(1 / total)

    def by_node(self, prior: Prior) -> FloatArray:
        """The variance of the step to each node; 0 of first versions."""
        drifts = np.zeros(len(self.root))
        drifts[self.child] = prior.drift
        return drifts

    def guess(self, start: Fit | None, seat: bool) -> FloatArray:
        """Where to begin: where `start` is; a new version where its parent is."""
        nodes = len(self.root)
        guess = np.zeros(nodes + seat)
        if start is None:
            return guess
        known = min(nodes, len(start.strengths))
        guess[:known] = start.strengths[:known]
        for child, parent in zip(self.child.tolist(), self.parent.tolist(), strict=True):
            if child >= known:
                guess[child] = guess[parent]
        guess[nodes:] = start.seat
        return guess
