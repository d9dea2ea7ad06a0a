"""Results that fit the model badly in one direction, as when bots throw their games to another. Values in, values out.

Theory of operation. For each pair, what one scored against the other is compared with what all other games of the two
say: the fit's difference of strengths, with this pair's own games taken out of it. The residual is measured in its
standard deviation, which knows how unsure that difference is, how results scatter, and that some bots do better
against each other than their strengths say. A pair is tested alone. Few games of each of many bots show nothing
singly, so each bot is tested as the target of a group as well. What a group gives it raises its rating, which hides
the gift, so its residuals are taken around their own weighted median. The largest k of them are summed and divided by
sqrt(k), for the k that makes the most of it; the same is done to seasons that the model plays by chance. Half of the
level is for the groups of a ladder, half for its pairs, after Holm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, ndtr

from hexarena.backend.rating.bradley_terry import Pairs, Seen, Spread
from hexarena.backend.rating.counts import Counts, FloatArray, IntArray
from hexarena.backend.rating.fit import Fit

LEVEL = 0.05
"""P(an honest ladder is reported)."""
LEAST_GAMES = 4
"""Of a pair that is tested alone."""
LEAST_GROUP = 3
MOST_GROUP = 60
AT_ONCE, ROUNDS, ENOUGH = 1_000, 20, 20
"""Seasons that are played by chance, at once; how often, at most; and how many that are worse settle the matter."""
SEED = 20_261_122


@dataclass(frozen=True, slots=True)
class Suspicion:
    """`target` did better against the `others` than it should. Nodes.

    `games`, `points`, `expected`: of the target against all of them together. `p`: of chance doing this to some bot or
    pair of an honest ladder, 0 to 1.
    """

    target: int
    others: tuple[int, ...]
    games: int
    points: float
    expected: float
    p: float


@dataclass(frozen=True, slots=True)
class _Residuals:
    """One row for each node against each that it met. `z`: residual of the points, in standard deviations.

    `plain`: the same with what the fit expects, this pair's games included; `scatter`: the information of the games;
    `deviation`: of the points around what is expected when the node's own strength is known. `share`: expected of each
    game; `variance`: of the difference of strengths when the node's own is known.
    """

    node: IntArray
    other: IntArray
    games: FloatArray
    points: FloatArray
    expected: FloatArray
    z: FloatArray
    plain: FloatArray
    scatter: FloatArray
    deviation: FloatArray
    share: FloatArray
    variance: FloatArray


def suspicions(fitted: Fit, counts: Counts, *, level: float = LEVEL) -> list[Suspicion]:
    """Groups and pairs that chance does not explain at this level, the surest first; a group stands for its pairs."""
    if len(counts.first) == 0:
        return []
    rows = _residuals(fitted, counts)
    groups = [one for target in np.unique(rows.node).tolist() if (one := _group(rows, target)) is not None]
    alone = np.flatnonzero((rows.games >= LEAST_GAMES) & (rows.z > 0))
    pairs = [_suspicion(rows, np.array([row]), float(ndtr(-rows.z[row]))) for row in alone]
    surest = _significant(groups, len(groups), level)
    named = {(one.target, other) for one in surest for other in one.others}
    alone_too = _significant(pairs, int((rows.games >= LEAST_GAMES).sum()), level)
    return surest + [one for one in alone_too if (one.target, one.others[0]) not in named]


def _significant(tested: list[Suspicion], tests: int, level: float) -> list[Suspicion]:
    """Those with a p of at most half the level, times how many are tested: Holm's way."""
    found = []
    for place, one in enumerate(sorted(tested, key=lambda one: (one.p, one.target, one.others))):
        p = 2 * one.p * (tests - place)
        if p > level:
            break
        found.append(replace(one, p=p))
    return found


def _residuals(fitted: Fit, counts: Counts) -> _Residuals:
    nodes = len(fitted.strengths)
    pairs = Pairs.of(nodes, counts)
    low, high = pairs.low, pairs.high
    seen = Seen.of(pairs, fitted.strengths, fitted.seat)
    spread = Spread(fitted.dispersion, fitted.matchup_variance)
    weight = seen.weight(spread)
    information, surprise = seen.known.sum(0), seen.surprise[0] - seen.surprise[1]
    shared = np.zeros(len(low)) if fitted.covariance is None else fitted.covariance[low, high]
    variance = fitted.variances[low] + fitted.variances[high] - 2 * shared
    # The pair's own games out of the difference of strengths, and out of what is known of it.
    left = np.maximum(1 - variance * information * weight, 0.05)
    gap = fitted.strengths[low] - fitted.strengths[high] - variance * weight * surprise / left
    unsure = variance / left
    games = pairs.games.sum(0)
    points = pairs.points[0] + pairs.games[1] - pairs.points[1]
    as_first, as_second = expit(gap + fitted.seat), expit(gap - fitted.seat)
    expected = pairs.games[0] * as_first + pairs.games[1] * as_second
    scatter = pairs.games[0] * as_first * (1 - as_first) + pairs.games[1] * as_second * (1 - as_second)
    deviation = np.sqrt(fitted.dispersion * scatter + scatter**2 * (unsure + fitted.matchup_variance))
    # A quarter of a point, half of the way to the next possible score: points are not continuous.
    above = points - expected
    z = np.sign(above) * np.maximum(np.abs(above) - 0.25, 0) / np.maximum(deviation, 0.25)
    unsure_of = [fitted.variances[other] + fitted.matchup_variance for other in (high, low)]
    expected_share = (points - surprise) / games
    return _Residuals(
        np.concatenate((low, high)),
        np.concatenate((high, low)),
        np.concatenate((games, games)),
        np.concatenate((points, games - points)),
        np.concatenate((expected, games - expected)),
        np.concatenate((z, -z)),
        np.concatenate((surprise, -surprise)),
        np.concatenate((information, information)),
        np.concatenate([np.sqrt(information + information**2 * one) for one in unsure_of]),
        np.concatenate((expected_share, 1 - expected_share)),
        np.concatenate(unsure_of),
    )


def _group(rows: _Residuals, target: int) -> Suspicion | None:
    """The most suspicious group of those that met the target; None where it met too few."""
    mine = np.flatnonzero(rows.node == target)
    if len(mine) < LEAST_GROUP:
        return None
    scatter, deviation = rows.scatter[mine], rows.deviation[mine]
    off, shift = _around_median(rows.plain[mine][None, :], scatter)
    z = off[0] / deviation
    order = mine[np.argsort(-z, kind="stable")]
    size, most = _best(z[None, :])
    games, share = rows.games[mine], rows.share[mine]
    logit = np.log(share / (1 - share)) + shift[0]
    random = np.random.default_rng([SEED, target])
    beaten = tried = 0
    for _ in range(ROUNDS):
        unsure = random.standard_normal((AT_ONCE, len(mine))) * np.sqrt(rows.variance[mine])
        points = random.binomial(games.astype(np.int64), expit(logit + unsure))
        chance, _ = _around_median(points - games * expit(logit), scatter)
        beaten += int(np.count_nonzero(_best(chance / deviation)[1] >= most[0]))
        tried += AT_ONCE
        if beaten >= ENOUGH:
            break
    return _suspicion(rows, order[: size[0]], (1 + beaten) / (1 + tried))


def _around_median(off: FloatArray, scatter: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Residuals of each row with the weighted median of what they say of the node's strength taken out, and that."""
    values = off / scatter
    order = np.argsort(values, axis=1, kind="stable")
    reached = np.cumsum(scatter[order], axis=1)
    middle = (reached < reached[:, -1:] / 2).sum(1)
    shift = np.take_along_axis(values, np.take_along_axis(order, middle[:, None], 1), 1)
    return off - shift * scatter, shift[:, 0]


def _best(z: FloatArray) -> tuple[IntArray, FloatArray]:
    """Of each row: the size of the group that stands out most, and by how much."""
    sizes = np.arange(LEAST_GROUP, min(z.shape[1], MOST_GROUP) + 1)
    largest = -np.sort(-z, axis=1)[:, : sizes[-1]]
    sums = np.cumsum(largest, axis=1)[:, LEAST_GROUP - 1 :] / np.sqrt(sizes)
    best = sums.argmax(1)
    return sizes[best], sums[np.arange(len(z)), best]


def _suspicion(rows: _Residuals, which: IntArray, p: float) -> Suspicion:
    return Suspicion(
        int(rows.node[which[0]]),
        tuple(int(other) for other in rows.other[which]),
        int(rows.games[which].sum()),
        float(rows.points[which].sum()),
        float(rows.expected[which].sum()),
        p,
    )
