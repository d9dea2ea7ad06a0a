"""How strong every version is: one fit of a game's whole history. Values in, values out.

Theory of operation: a node is a competitor: a version of a bot, or several with the same code. A first version's
strength is drawn from one Gaussian, a later one's from a Gaussian around its parent's. Games of two are Bradley-Terry,
games of teams Plackett-Luce. The most likely strengths are found by Newton's method; their covariance is the inverse of
the information. Only sums over the games enter, so their order cannot matter. What the model does not know beforehand
(the prior's width, how results scatter, how often games are drawn) is estimated from the same games. Of what versions
change, strengths take the likeliest value, and intervals allow for a larger one (docs/decisions/0066).

Strengths and variances are in logits; what is called Elo is in Elo.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hexarena.backend.rating.bradley_terry import MATCHUP_ELO, Likelihood, Pairs, Seen, Spread, spread_of
from hexarena.backend.rating.counts import BoolArray, Counts, FloatArray, IntArray, Rankings
from hexarena.backend.rating.elo import ELO_PER_LOGIT, square_logits
from hexarena.backend.rating.families import Earlier, Family, Model, Prior
from hexarena.backend.rating.guests import Known, fit_guests
from hexarena.backend.rating.newton import DENSE_NODES, Layout, climb, inverse, moved, takes_factor
from hexarena.backend.rating.plackett_luce import MetPairs, Stages, TeamLikelihood
from hexarena.backend.rating.strengths import START, Fit

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

MOST_TUNINGS = 4
TUNED = 0.02
"""Hyper-parameters that change by a smaller share have converged."""
ROUGHLY = 1e-2
"""Logits: near enough to estimate hyper-parameters at."""
GROWTH_TO_TUNE = 1.1
"""A fit from an earlier one estimates hyper-parameters anew when games have grown by this factor since."""


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
    pairs, family = Pairs.of(nodes, counts), Family.of(nodes, parents, model, earlier)
    factor = takes_factor(nodes + model.seat, len(pairs.low) + len(family.child))
    layout = None if factor else _layout(pairs, family, nodes, seat=model.seat)

    def posterior(prior: Prior, spread: Spread) -> Likelihood:
        return Likelihood(pairs, family.precision(prior, model.seat, layout), model.seat, spread)

    def spread(at: FloatArray, variances: FloatArray, before: Spread) -> Spread:
        seen = Seen.of(pairs, at[:nodes], float(at[nodes]) if model.seat else 0.0)
        return spread_of(pairs, seen, variances, before, model=(model.dispersion, model.matchup))

    return _Problem(float(counts.games.sum()), family, model, posterior, spread)


def _layout(pairs: Pairs, family: Family, nodes: int, *, seat: bool) -> Layout:
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

    There is no seat, and match-ups are those of teams of one node; `draw_nu` and `dispersion` are what they are before
    the first game. The others are rated by the order of the teams that have no guests.

    Raises:
        ValueError: a node that is not there, or parents that are not there or in a circle.
    """
    if len(rankings.entrant) and (most := int(rankings.entrant.max())) >= nodes:
        raise ValueError(f"expected nodes below {nodes}; got {most}")
    plain = replace(model, seat=False)
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
    stages, family = Stages.of(nodes, rankings), Family.of(nodes, parents, plain, earlier)
    pairs = MetPairs.of(nodes, rankings, stages) if plain.matchup else None

    def posterior(prior: Prior, spread: Spread) -> TeamLikelihood:
        return TeamLikelihood(stages, family.precision(prior, seat=False), pairs, spread.matchup_variance)

    def spread(at: FloatArray, variances: FloatArray, before: Spread) -> Spread:
        return Spread() if pairs is None else pairs.spread(stages, stages.shares(at), variances, before)

    return _Problem(rankings.games, family, plain, posterior, spread)


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
    family: Family
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
