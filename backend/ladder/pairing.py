"""Who plays whom. Values in, values out; chance enters as an argument.

Theory of operation: a game is worth the information that it is expected to give about the order of the board.
Competitors i and j with posterior variances v, playing a game of information w, lower them by
`w v² / (1 + w (v_i + v_j))` each; a competitor's variance matters in proportion to how many others are close to it, and
more at the top. The competitor with most to gain is chosen first, then the best partner for it; then the variances are
lowered as if the game had been played, so that many games can be chosen at once. A share of the choices goes to the
competitor with the fewest games, so that nobody is left out. And some games are drawn by lot: neighbours alone would
tie the board together by few links, and where bots beat each other in circles, a bot's neighbours are no fair sample
of those whom it beats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hexarena.backend.ladder.rules import HOUSE

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

EVERYBODY = slice(None)
TOP_SHARE = 0.5
TOP = 10.0
EXPLORE = 0.1
STRANGERS = 0.25
"""The share of games between two that are drawn by lot."""
STRANGERS_OF_MANY = 0.5
"""The share of line-ups of more than two in which all who need not be there are drawn by lot.

With match-ups, a league shows little of how a bot does against all, and on trial a bot plays most of its matches there.
All by lot puts a hundred plain bots in order less well (docs/decisions/0032).
"""
FAMILIAR = 12
"""After how many games with each other, on average, near bots give way to strangers in line-ups of more than two."""
SLACK = 1
"""Where everybody is to have as many games: how many more an opponent may have had than the one with the fewest."""
ROWS_AT_ONCE = 256
"""Of a matrix of all pairs, which takes too much memory as a whole."""
LEAST_SHARE = 0.5
"""A competitor with less than this share of the mean number of games is neglected."""
SPREAD_OF_LOGISTIC = np.pi / 8
"""sigma(x / sqrt(1 + this * variance)) is about the mean of sigma over a Gaussian x. Source: D. MacKay, 1992."""


class Rows(Protocol):
    """A matrix of which only rows are read: an array of shape (n, n), or something that needs less memory."""

    def __getitem__(self, one: int, /) -> FloatArray:
        """Shape (n,)."""
        ...


@dataclass(frozen=True, slots=True)
class Field:
    """The competitors to choose from. In logits, one each, shape (n,): `strengths`, and their `variances`.

    `met`: (n, n), games of each pair so far, running ones included. `owners`: bots of one owner never meet, except
    HOUSE's. `games`: of each competitor. `dispersion`, `matchup_variance`: of the fit. `exhausted`: competitor -> those
    with whom it would only repeat earlier games; whoever has none may be missing. `importance`: that of `importance`,
    if it is known. `guests`: those whose games rate nobody but guests; None: nobody's.
    """

    strengths: FloatArray
    variances: FloatArray
    met: Rows
    owners: IntArray
    games: IntArray
    dispersion: float
    matchup_variance: float
    exhausted: Mapping[int, Sequence[int]] | None = None
    importance: FloatArray | None = None
    guests: BoolArray | None = None

    def may_meet(self, one: int) -> BoolArray:
        """Whom a competitor may play: not itself, nor its owner's other bots, nor where it is known how it ends.

        Shape (n,).
        """
        able = (self.owners != self.owners[one]) | (self.owners == HOUSE)
        able[one] = False
        if self.exhausted is not None:
            able[list(self.exhausted.get(one, ()))] = False
        return np.asarray(able)

    def tells_something(self, one: int) -> BoolArray:
        """Whom a competitor may play for its own sake: no guests, unless it is one itself, or nobody else is left.

        Shape (n,).
        """
        able = self.may_meet(one)
        if self.guests is None or self.guests[one]:
            return able
        rating = able & ~self.guests
        return rating if rating.any() else able

    def rated(self, one: int) -> tuple[FloatArray, FloatArray]:
        """1 where a game with each competitor rates `one`, and where it rates that competitor; else 0. Shapes (n,)."""
        rates_one, rates_other = np.ones((2, len(self.owners)))
        if self.guests is not None:
            apart = self.guests != self.guests[one]
            (rates_other if self.guests[one] else rates_one)[apart] = 0
        return rates_one, rates_other


def pairs(
    field: Field,
    count: int,
    random: np.random.Generator,
    *,
    top_share: float = TOP_SHARE,
    top: float = TOP,
    explore: float = EXPLORE,
    strangers: float = STRANGERS,
    cap: int | None = None,
) -> list[tuple[int, int]]:
    """The next `count` games of two, each in random seat order; fewer only if nobody may meet, then none.

    `top_share` of the importance is for the head of the board: a place counts 1/(1 + place/`top`). `explore`: the share
    of games for the competitor with the fewest, as long as that is below LEAST_SHARE of the mean. `strangers`: the
    share of games between two that are drawn by lot, out of all who may meet. `cap`: games of one competitor, which its
    opponents may exceed by 2; None: 6, or twice the mean if that is more.
    """
    able = _can_play(field)
    if count <= 0 or not able.any():
        return []
    draft = _Draft.of(field, top_share, top, max(6, 1 + 2 * count // len(able)) if cap is None else cap, able)
    chosen = []
    for exploring, drawn in zip(random.random(count) < explore, random.random(count) < strangers, strict=True):
        pair = _drawn(field, able, random) if drawn else draft.most_informative(random, neglected=bool(exploring))
        draft.play(*pair)
        chosen.append(pair if random.random() < 0.5 else pair[::-1])
    return chosen


def by_lot(field: Field, random: np.random.Generator) -> tuple[int, int] | None:
    """Two who may meet, whatever their game shows, in random seat order; None if nobody may."""
    able = _can_play(field)
    return _drawn(field, able, random) if able.any() else None


def line_up_by_lot(
    field: Field, entrants: int, random: np.random.Generator, *, must: Sequence[int] = ()
) -> tuple[int, ...]:
    """So many who may meet, in random order: those who `must`, the others drawn by lot; () if they do not come
    together.
    """
    free, chosen = np.ones(len(field.owners), np.bool_), list(must)
    for one in chosen:
        free &= field.may_meet(one)
    while len(chosen) < entrants and free.any():
        chosen.append(int(random.choice(np.flatnonzero(free))))
        free &= field.may_meet(chosen[-1])
    return tuple(random.permutation(chosen).tolist()) if len(chosen) == entrants else ()


def opponents(
    field: Field, one: int, count: int, random: np.random.Generator, *, among: BoolArray | None = None
) -> list[int]:
    """The most informative opponents for one competitor; repeated only if there are fewer than `count`.

    `among`: these alone, shape (n,). Empty when it may meet nobody.
    """
    wanted = field.tells_something(one) if among is None else field.may_meet(one) & among
    able = np.flatnonzero(wanted)
    if len(able) == 0:
        return []
    worth, spread = _worth(field, one, EVERYBODY, field.variances, field.met[one])
    gain = worth * field.variances[one] ** 2 / (1 + worth * spread) * random.uniform(0.75, 1.25, len(field.owners))
    best = able[np.argsort(-gain[able])]
    return [int(best[number % len(best)]) for number in range(count)]


def least_played(counts: IntArray, able: BoolArray) -> BoolArray:
    """Those of the able ones who have had the fewest games, or hardly more: at most SLACK. Shape (n,).

    `counts`: games of each, those that are queued included.
    """
    return able & (counts <= counts[able].min() + SLACK) if able.any() else able


def teams(field: Field, entrants: int, random: np.random.Generator, *, must: Sequence[int] = ()) -> tuple[int, ...]:
    """Who plays a match of so many, in random order, to be split into teams as they come; () if that many cannot.

    First those who `must`, then those with most to gain, or, for a share EXPLORE of the places, neglected ones; at most
    one of each owner.
    """
    if len(field.owners) < entrants:
        return ()
    need = _known_importance(field, TOP_SHARE, TOP) * field.variances**2
    need *= random.uniform(0.5, 1.5, len(need))
    chosen = list(must)
    free = np.ones(len(need), np.bool_)
    for competitor in chosen:
        free &= field.may_meet(competitor)
    waiting = -field.games - random.random(len(need))
    neglected = field.games < LEAST_SHARE * field.games.sum() / max(len(need), 1)
    while len(chosen) < entrants and free.any():
        wanted = waiting if random.random() < EXPLORE and (free & neglected).any() else need
        competitor = int(np.argmax(np.where(free, wanted, -np.inf)))
        chosen.append(competitor)
        free &= field.may_meet(competitor)
    return tuple(int(competitor) for competitor in random.permutation(chosen)) if len(chosen) == entrants else ()


def _can_play(field: Field) -> BoolArray:
    """Who has at least one possible opponent."""
    same = np.bincount(field.owners + 1)[field.owners + 1] if len(field.owners) else np.zeros(0, np.int64)
    able = np.asarray(len(field.owners) - np.where(field.owners == HOUSE, 1, same) > 0)
    for one in field.exhausted or ():
        able[one] = able[one] and field.may_meet(one).any()
    return able


def _drawn(field: Field, able: BoolArray, random: np.random.Generator) -> tuple[int, int]:
    one = int(random.choice(np.flatnonzero(able)))
    return one, int(random.choice(np.flatnonzero(field.tells_something(one))))


def importance(
    strengths: FloatArray, variances: FloatArray, top_share: float = TOP_SHARE, top: float = TOP
) -> FloatArray:
    """The cost of a competitor's variance: how many neighbours it may be confused with, weighted towards the top.

    It is minus the derivative of the expected number of wrongly ordered pairs. In single precision, which is enough,
    and some rows at a time. Shape (n,).
    """
    strength, variance = strengths.astype(np.float32), variances.astype(np.float32)
    place, everywhere, at_top = (np.zeros_like(strength) for _ in range(3))
    place[np.argsort(-strengths, stable=True)] = np.arange(len(strength))
    for begin in range(0, len(strength), ROWS_AT_ONCE):
        rows = slice(begin, begin + ROWS_AT_ONCE)
        density = _densities(strength, variance, rows)
        everywhere[rows] = density.sum(1)
        if top_share > 0:
            density /= 1 + np.minimum.outer(place[rows], place) / np.float32(top)
            at_top[rows] = density.sum(1)
    found = everywhere / _mean(everywhere)
    if top_share > 0:
        found = (1 - top_share) * found + top_share * at_top / _mean(at_top)
    return np.asarray((found + 1e-3) / np.sqrt(variances))


def _densities(strength: NDArray[np.float32], variance: NDArray[np.float32], rows: slice) -> NDArray[np.float32]:
    """How likely some competitors are as strong as each: (rows, n), without a constant factor; 0 for themselves."""
    spread = 1 / np.add.outer(variance[rows], variance)
    density = np.subtract.outer(strength[rows], strength)
    density *= density
    density *= spread
    density *= np.float32(-0.5)
    np.exp(density, out=density)
    density *= np.sqrt(spread)
    own = np.arange(len(density))
    density[own, rows.start + own] = 0
    return np.asarray(density)


def _mean(values: NDArray[np.float32]) -> float:
    return max(float(values.mean()), 1e-30) if len(values) else 1.0


def _known_importance(field: Field, top_share: float, top: float) -> FloatArray:
    usual = (top_share, top) == (TOP_SHARE, TOP)
    known = field.importance if usual else None
    return importance(field.strengths, field.variances, top_share, top) if known is None else known


def _worth(
    field: Field, one: int, others: slice | list[int], variances: FloatArray, met: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The information of a game of one competitor against each of `others`, and the variances of their differences.

    `met`: its games against everybody, shape (n,).
    """
    spread = variances[one] + variances[others]
    odds = np.exp((field.strengths[one] - field.strengths[others]) / np.sqrt(1 + SPREAD_OF_LOGISTIC * spread))
    worth = odds / ((1 + odds) ** 2 * field.dispersion)
    return worth / (1 + met[others] * worth * field.matchup_variance) ** 2, spread


@dataclass(slots=True)
class _Draft:
    """Games being chosen: the knowledge after all of them. `used`: each competitor's games among them.

    `drafted`: competitor -> opponents in the games chosen so far, once for each game.
    """

    field: Field
    importance: FloatArray
    variances: FloatArray
    drafted: defaultdict[int, list[int]]
    games: IntArray
    used: IntArray
    able: BoolArray
    cap: int

    @classmethod
    def of(cls, field: Field, top_share: float, top: float, cap: int, able: BoolArray) -> _Draft:
        weights, used = _known_importance(field, top_share, top), np.zeros(len(able), np.int64)
        return cls(
            field, weights, field.variances.copy(), defaultdict(list), field.games.copy(), used, able.copy(), cap
        )

    def most_informative(self, random: np.random.Generator, *, neglected: bool) -> tuple[int, int]:
        """The competitor with most to gain, or the most neglected one if `neglected`; and its best partner."""
        needs = self.importance * self.variances**2
        if neglected and self._some_are_neglected():
            one = self._best(-self.games - random.random(len(needs)))
        else:
            one = self._best(needs * (0.5 + random.random(len(needs))))
        worth, spread = _worth(self.field, one, EVERYBODY, self.variances, self._met(one))
        rates_one, rates_other = self.field.rated(one)
        need = needs[one] * rates_one + needs * rates_other
        gain = worth * need / (1 + worth * spread) * (1.5 + random.random(len(needs)))
        return one, int(np.argmax(np.where(self._partners(one), gain, -1.0)))

    def _some_are_neglected(self) -> bool:
        few = self.games < LEAST_SHARE * self.games[self.able].mean()
        return bool((few & self.able & (self.used < self.cap)).any())

    def play(self, one: int, other: int) -> None:
        """Counts the game as played."""
        worth, spread = _worth(self.field, one, [other], self.variances, self._met(one))
        share = float(worth[0] / (1 + worth[0] * spread[0]))
        both = [one, other]
        rates_one, rates_other = self.field.rated(one)
        rated = np.array([rates_one[other], rates_other[other]])
        self.variances[both] *= 1 - share * rated * self.variances[both]
        self.drafted[one].append(other)
        self.drafted[other].append(one)
        self.games[both] += 1
        self.used[both] += 1

    def _met(self, one: int) -> FloatArray:
        """Its games against everybody, those chosen so far included. Shape (n,)."""
        return self.field.met[one] + np.bincount(self.drafted[one], minlength=len(self.able))

    def _best(self, need: FloatArray) -> int:
        while not (free := self.able & (self.used < self.cap)).any():
            self.cap += 1
        return int(np.argmax(np.where(free, need, -np.inf)))

    def _partners(self, one: int) -> BoolArray:
        able = self.field.tells_something(one)
        free = able & (self.used < self.cap + 2)
        return free if free.any() else able
