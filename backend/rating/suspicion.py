"""Results that fit the model badly in one direction, as when bots throw their games to another. Values in, values out.

Theory of operation. What is expected of a bot against an opponent is a distribution: the fit's difference of strengths,
more or less, since the opponent's strength is not known exactly and some bots do better against each other than their
strengths say. How much they do is estimated from everybody else's games, which no gift has touched.

*Groups.* Few games of each of many bots show nothing singly, so each bot is tested as the target of a group. What a
group gives raises its rating, which hides the gift; so its strength is taken to be what the middle of its opponents
says, and then what those say who are likely to be honest. Each opponent's games have a likelihood if the target plays
as expected, and one if it scores as if it were stronger by a gift. The evidence is that of a mixture in which a share
of the opponents give; its chance is found in seasons that the model plays.

*Pairs.* What the two scored against each other is compared with what all their other games say.

Half of the level is for the groups of a ladder, half for its pairs, after Holm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betainc, expit

from hexarena.backend.rating.bradley_terry import (
    MATCHUP_ELO,
    MATCHUP_EVIDENCE,
    Pairs,
    Seen,
    Spread,
    draw_share,
    matchups_seen,
)
from hexarena.backend.rating.counts import Counts, FloatArray, IntArray
from hexarena.backend.rating.elo import square_logits
from hexarena.backend.rating.fit import Fit

LEVEL = 0.05
"""P(an honest ladder is reported)."""
LEAST_GAMES = 4
"""Of a pair that is tested alone."""
LEAST_MET = 3
"""By a node, of which the middle says how strong it is."""
ODD_GAMES = 0.01
"""Of all games, this share is won against any odds, and another lost: by a crash, or a bug that nobody else meets."""
EXTREME = 1e-6
"""No share of the points is expected to be nearer to none or all: a fit of a few games knows no more."""
GIFTS = np.array([1.0, 2.5, 5.0])
"""By how many logits a target may be stronger against those who give, equally likely; the last is every game."""
GIVING = np.array([0.05, 0.15, 0.35])
"""Which share of the opponents may give; the likeliest of these is taken."""
NAMED = 0.6
"""The chance of being one of those who give, from which on a bot is named."""
CHANCES, LOG_WEIGHTS = (one for one in np.polynomial.hermite_e.hermegauss(7))
"""A Gaussian's quadrature: of what is uncertain, in deviations."""
LOG_WEIGHTS = np.log(LOG_WEIGHTS / LOG_WEIGHTS.sum())
TAILS = np.linspace(-15, 15, 241)
"""Where a logistic distribution is looked at, in units of its scale."""
BATCHES = (100, 900)
"""Seasons that are played by chance at once: first, and later on."""
AT_ONCE = 100_000
"""Opponents in the seasons of a batch: whoever met thousands has smaller batches."""
ENOUGH = 20
"""So many seasons that are worse settle the matter."""
FEWEST_SEASONS, MOST_SEASONS = 20_000, 200_000
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
class _Meetings:
    """One row for each node against each that it met.

    `points`: the node's; `expected`: of it, by all games but these. `gap`, `unsure`: the difference of strengths by
    these others, and its variance, a match-up's included. `fitted`: the difference by all games; `information` of the
    games; `variance`: of the other's strength and a match-up, as everybody but the node shows it.
    """

    node: IntArray
    other: IntArray
    games: FloatArray
    points: FloatArray
    expected: FloatArray
    gap: FloatArray
    unsure: FloatArray
    fitted: FloatArray
    information: FloatArray
    variance: FloatArray


def suspicions(fitted: Fit, counts: Counts, *, level: float = LEVEL) -> list[Suspicion]:
    """Groups and pairs that chance does not explain at this level, the surest first; a group represents its pairs."""
    if len(counts.first) == 0:
        return []
    rows = _meetings(fitted, counts)
    ends = np.flatnonzero(np.append(rows.node[1:] != rows.node[:-1], True)) + 1
    of_nodes = [mine for mine in np.split(np.arange(len(rows.node)), ends[:-1]) if len(mine) >= LEAST_MET]
    seasons = int(np.clip(8 * len(of_nodes) / level, FEWEST_SEASONS, MOST_SEASONS))
    groups = [one for mine in of_nodes if (one := _group(rows, mine, fitted.draw_nu, seasons)) is not None]
    surest = _significant(groups, len(of_nodes), level)
    named = {(one.target, other) for one in surest for other in one.others}
    alone_too = _significant(_pairs(rows, level), int((rows.games >= LEAST_GAMES).sum()), level)
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


def _meetings(fitted: Fit, counts: Counts) -> _Meetings:
    """By node, and by other."""
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
    difference = fitted.strengths[low] - fitted.strengths[high]
    gap = difference - variance * weight * surprise / left
    games = pairs.games.sum(0)
    points = pairs.points[0] + pairs.games[1] - pairs.points[1]
    expected = pairs.games[0] * expit(gap + fitted.seat) + pairs.games[1] * expit(gap - fitted.seat)
    of_pair, without = _matchups(pairs, seen, fitted)
    unsure = variance / left + of_pair
    order = np.lexsort((np.concatenate((high, low)), np.concatenate((low, high))))

    def both(of_low: FloatArray, of_high: FloatArray) -> FloatArray:
        return np.asarray(np.concatenate((of_low, of_high))[order])

    share = np.clip((points - surprise) / games, EXTREME, 1 - EXTREME)
    fitted_gap = np.log(share / (1 - share))
    return _Meetings(
        node=np.concatenate((low, high))[order],
        other=np.concatenate((high, low))[order],
        games=both(games, games),
        points=both(points, games - points),
        expected=both(expected, games - expected),
        gap=both(gap, -gap),
        unsure=both(unsure, unsure),
        fitted=both(fitted_gap, -fitted_gap),
        information=both(*[np.maximum(information, EXTREME * games)] * 2),
        variance=both(fitted.variances[high] + without[low], fitted.variances[low] + without[high]),
    )


def _matchups(pairs: Pairs, seen: Seen, fitted: Fit) -> tuple[FloatArray, FloatArray]:
    """The variance of match-ups as all but one pair show it, shape (p,), and as all pairs without one node do, (n,)."""
    nodes = len(fitted.strengths)
    spread = Spread(fitted.dispersion, fitted.matchup_variance)
    excess, squares = matchups_seen(pairs, seen, fitted.given_variances, spread, fitted.dispersion)
    evidence = MATCHUP_EVIDENCE * square_logits(MATCHUP_ELO)

    def of(excess_there: FloatArray, squares_there: FloatArray) -> FloatArray:
        others = excess.sum() - excess_there + evidence
        return np.asarray(np.maximum(others / (squares.sum() - squares_there + MATCHUP_EVIDENCE), 0.0))

    def at_node(of_pair: FloatArray) -> FloatArray:
        return np.add(np.bincount(pairs.low, of_pair, nodes), np.bincount(pairs.high, of_pair, nodes), dtype=np.float64)

    return of(excess, squares), of(at_node(excess), at_node(squares))


def _pairs(rows: _Meetings, level: float) -> list[Suspicion]:
    """Those that may be significant, with the chance that the target scores as much or more.

    What is uncertain is logistic, whose tails are those of real match-ups: heavier than a Gaussian's.
    """
    above = rows.points - rows.expected
    share = rows.expected / rows.games
    far = above**2 > rows.games * share * (1 - share)
    some = np.flatnonzero((rows.games >= LEAST_GAMES) & (above > 0) & far)
    density = expit(TAILS) * expit(-TAILS)
    density /= density.sum()
    found = []
    for row in some.tolist():
        scale = np.sqrt(3 * rows.unsure[row]) / np.pi
        chance = betainc(
            rows.points[row],
            rows.games[row] - rows.points[row] + 1,
            _with_odd_games(expit(np.log(share[row] / (1 - share[row])) + scale * TAILS)),
        )
        p = float(density @ chance)
        if p < level:
            found.append(_suspicion(rows, np.array([row]), p))
    return found


def _group(rows: _Meetings, mine: IntArray, draw_nu: float, seasons: int) -> Suspicion | None:
    """Those who probably give to the node of these rows; None if nobody does."""
    games, variance = rows.games[mine], rows.variance[mine]
    table = _Table(games, rows.information[mine], variance)
    evidence, giving, at = table.judged(rows.points[mine][None, :], rows.fitted[mine])
    chosen = mine[giving[0] > NAMED]
    if not len(chosen):
        return None
    random, beaten, tried = np.random.default_rng([SEED, int(rows.node[mine[0]])]), 0, 0
    while tried < seasons and beaten < ENOUGH:
        size = min(BATCHES[tried > 0], max(AT_ONCE // len(mine), 1))
        played = at[0] + random.logistic(size=(size, len(mine))) * np.sqrt(3 * variance) / np.pi
        chance, _, _ = table.judged(_played(games, _with_odd_games(expit(played)), draw_nu, random), at[0])
        beaten += int(np.count_nonzero(chance >= evidence[0]))
        tried += size
    return _suspicion(rows, chosen, (1 + beaten) / (1 + tried))


def _with_odd_games(share: FloatArray) -> FloatArray:
    """The share of the points that is expected, of which odd games are a part."""
    return ODD_GAMES + (1 - 2 * ODD_GAMES) * share


def _played(games: FloatArray, share: FloatArray, draw_nu: float, random: np.random.Generator) -> FloatArray:
    """Points of so many games, of which this share is expected; shape as `share`."""
    draw = draw_share(share, draw_nu)
    drawn = random.binomial(np.broadcast_to(games.astype(np.int64), share.shape), draw)
    win = np.clip((share - draw / 2) / np.maximum(1 - draw, 1e-9), 0.0, 1.0)
    return np.asarray(random.binomial(games.astype(np.int64) - drawn, win) + drawn / 2)


@dataclass(frozen=True, slots=True)
class _Table:
    """A target and its opponents: `games`, `information` and `variance` as in _Meetings, shape (k,)."""

    games: FloatArray
    information: FloatArray
    variance: FloatArray

    def judged(self, points: FloatArray, gap: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The evidence for gifts, shape (s,), each opponent's chance of giving, (s, k), and the gaps without them.

        `points`: of seasons, shape (s, k); `gap`: to each opponent, shape (k,), gifts included.
        """
        at = gap + self._middle(points - self.games * expit(gap))
        _, giving = self._mixture(points, at)
        share = expit(at)
        known = self.games * share * (1 - share)
        weight = (1 - giving) / (1 + known * self.variance)
        step = (weight * (points - self.games * share)).sum(1) / np.maximum((weight * known).sum(1), 1e-9)
        at = at + np.clip(step, -1, 1)[:, None]
        return *self._mixture(points, at), at

    def _middle(self, off: FloatArray) -> FloatArray:
        """The weighted median of what each season's residuals say of the target's strength; shape (s, 1)."""
        values = off / self.information
        order = np.argsort(values, axis=1, kind="stable")
        reached = np.cumsum(self.information[order], axis=1)
        middle = (reached < reached[:, -1:] / 2).sum(1)
        return np.asarray(np.take_along_axis(values, np.take_along_axis(order, middle[:, None], 1), 1))

    def _mixture(self, points: FloatArray, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The evidence of the likeliest share of givers, shape (s,), and each opponent's chance of being one."""
        honest = self._likelihood(points, at)
        ratio = sum(np.exp(self._likelihood(points, at + gift) - honest) for gift in GIFTS) / len(GIFTS)
        evidence = np.stack([np.log1p(share * (ratio - 1)).sum(1) for share in GIVING])
        likeliest = GIVING[evidence.argmax(0)][:, None]
        return evidence.max(0), np.asarray(likeliest * ratio / (1 + likeliest * (ratio - 1)))

    def _likelihood(self, points: FloatArray, at: FloatArray) -> FloatArray:
        """The logarithm, but for what depends on the games only; shape (s, k)."""
        advantage = at[..., None] + np.sqrt(self.variance)[:, None] * CHANCES
        share = _with_odd_games(expit(advantage))
        lost = np.log1p(-share)
        each = self.games[:, None] * lost + points[..., None] * (np.log(share) - lost) + LOG_WEIGHTS
        most = each.max(-1)
        return np.asarray(most + np.log(np.exp(each - most[..., None]).sum(-1)))


def _suspicion(rows: _Meetings, which: IntArray, p: float) -> Suspicion:
    return Suspicion(
        int(rows.node[which[0]]),
        tuple(int(other) for other in rows.other[which]),
        int(rows.games[which].sum()),
        float(rows.points[which].sum()),
        float(rows.expected[which].sum()),
        p,
    )
