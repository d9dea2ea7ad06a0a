"""Games to fit, drawn by chance or by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from hexarena.backend.rating.counts import FloatArray, IntArray
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.rating.fit import Counts, Fit, Model

CLOSE_ELO = 0.01
PLAIN = Model(prior_elo=300.0, seat=False, dispersion=False, matchup=False)
games_of_six = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 5), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=60
).map(lambda rows: [(first, (first + step) % 6, points) for first, step, points in rows])
"""Games of 6 nodes, nobody against himself: (first, second, points of the first)."""


def played(
    nodes: int, games: int, seed: int, *, seat: float = 0.2, draw_nu: float = 0.4
) -> tuple[IntArray, IntArray, FloatArray]:
    """Random games between random strengths, with draws after Davidson: first, second, points."""
    random = np.random.default_rng(seed)
    strengths = random.normal(0, 1.2, nodes)
    first = random.integers(0, nodes, games)
    second = (first + random.integers(1, nodes, games)) % nodes
    gap = strengths[first] - strengths[second] + seat
    win, lose = np.exp(gap / 2), np.exp(-gap / 2)
    at = random.random(games) * (win + lose + draw_nu)
    return first, second, np.where(at < win, 1.0, np.where(at < win + draw_nu, 0.5, 0.0))


def counted(games: Sequence[tuple[int, int, float]]) -> Counts:
    return Counts.of(*(np.array(column) for column in zip(*games, strict=True)))


def in_elo(strengths: FloatArray) -> FloatArray:
    return np.asarray((strengths - strengths.mean()) * ELO_PER_LOGIT)


def all_finite(found: Fit) -> bool:
    assert found.covariance is not None
    numbers = [found.seat, found.draw_nu, found.dispersion, found.matchup_variance, found.prior_variance]
    arrays = [found.strengths, found.variances, found.covariance, found.deviations()]
    return bool(np.isfinite(numbers).all()) and all(bool(np.isfinite(array).all()) for array in arrays)
