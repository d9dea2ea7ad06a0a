"""Families of versions: which follows which, and the prior that this gives. Values in, values out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hexarena.backend.rating.counts import BoolArray, FloatArray, IntArray
from hexarena.backend.rating.elo import square_logits
from hexarena.backend.rating.newton import Layout, Precision
from hexarena.backend.rating.strengths import Fit

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
PRIOR_NODES = 2.0
"""How many nodes PRIOR_ELO weighs as much as."""
SEAT_PRECISION = 25.0
"""Of the prior of the first seat's advantage: a deviation of 35 Elo."""


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
        seen = np.bincount(group, known * narrowed, size)
        variance = (squares + weight * first) / (seen + weight)
    return np.asarray(variance)


@dataclass(frozen=True, slots=True)
class Family:
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
    def of(cls, nodes: int, parents: IntArray | None, model: Model, earlier: Earlier | None = None) -> Family:
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
