"""The first bots of a board against each other: scored and expected points, and cycles in who beats whom.

Theory of operation: the ratings are one order of all bots, so they expect that whoever beats the better one beats the
worse one. Where three bots beat each other in a circle, no order is right, and the points of their games say so. Chance
makes circles, too: one counts only if the games of each of its pairs, taken alone, leave little doubt who is better,
and are not just a few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from scipy.special import betainc
from sqlalchemy.orm import Session

from hexarena.backend.ladder import boards, explaining, fitting, tallies
from hexarena.backend.ladder.stored_fits import Fitted
from hexarena.backend.models import Standing
from hexarena.backend.rating import fit as rating
from hexarena.backend.rating.counts import FloatArray
from hexarena.games.contract import Game

SHOWN = 10
"""Bots of the board that are compared."""
LOOKED_AT = 100
"""Lines of the board among which these are nearly always: several are one bot only where they are the same code."""
MOST_CYCLES = 3
SURE = 0.95
"""P(the true score is above ½) of each pair of a cycle, at least."""
LEAST_GAMES = 8
"""Of each pair of a cycle. With 8 to 3,000 games a pair, boards without cycles show one in up to 8 % of cases; with 4
instead of 8, which chance makes one-sided too easily, in up to 20 %. Source: simulation of Bradley-Terry."""


@dataclass(frozen=True, slots=True)
class RankedBot:
    """A bot that is compared. `rank`: its place on the board, from 1."""

    rank: int
    standing: Standing


@dataclass(frozen=True, slots=True)
class Matchup:
    """The counted games of one submission against another; points of the first. `next_game`: an expected share, 0..1.

    `expected`: points, by the fit and the seats that were played; `next_game`: of a game whose seats are drawn.
    `repeats`: more games of the two would only repeat earlier ones, whoever begins.
    """

    submission_id: int
    opponent_id: int
    games: int
    points: float
    expected: float
    next_game: float
    repeats: bool


@dataclass(frozen=True, slots=True)
class Cycle:
    """Each of these three submissions beats the next, and the last the first. The first is the highest on the board.

    `sure`: the least P(the true score is above ½) of the three pairs.
    """

    submission_ids: tuple[int, int, int]
    sure: float


@dataclass(frozen=True, slots=True)
class Matchups:
    """`bots`: in the board's order; `pairs`: each ordered pair of them, row by row; `cycles`: surest first.

    Where more than two play a match, the better place of two is a point.
    """

    bots: tuple[RankedBot, ...]
    pairs: tuple[Matchup, ...]
    cycles: tuple[Cycle, ...]


@dataclass(frozen=True, slots=True)
class _Met:
    """What rows scored against columns: `games`, `points` and `expected` points, shape (n, n).

    `repeats`: (row, column) of those whose games only repeat.
    """

    games: FloatArray
    points: FloatArray
    expected: FloatArray
    repeats: set[tuple[int, int]]


def matchups(session: Session, game: Game) -> Matchups:
    """Compares the first bots of the board, one per competitor. Fits again only if there was a refit since."""
    bots = _top_bots(session, game)
    fitted = explaining.fit_of(session, game, [one.standing for one in bots])
    nodes = [fitted.node_of[one.standing.competitor_id] for one in bots]
    met = _met(session, game, fitted, nodes)
    ids = [one.standing.submission_id for one in bots]
    cycles = tuple(Cycle((ids[a], ids[b], ids[c]), sure) for a, b, c, sure in cycles_in(met.games, met.points))
    return Matchups(bots, tuple(_pairs(fitted.fit, nodes, ids, met)), cycles)


def _top_bots(session: Session, game: Game) -> tuple[RankedBot, ...]:
    """The first of the board; of bots that are the same code, the one that was there first."""
    found: dict[int, RankedBot] = {}
    for limit in (LOOKED_AT, None):
        board = session.scalars(boards.board(game.id).limit(limit)).all()
        for one in board:
            known = found.setdefault(one.competitor_id, RankedBot(len(found) + 1, one))
            if one.submission_id < known.standing.submission_id:
                found[one.competitor_id] = RankedBot(known.rank, one)
        if len(found) >= SHOWN or len(board) < LOOKED_AT:
            break
    return tuple(found.values())[:SHOWN]


def _nothing(bots: int) -> _Met:
    games, points, expected = np.zeros((3, bots, bots))
    return _Met(games, points, expected, set())


def _met(session: Session, game: Game, fitted: Fitted, nodes: Sequence[int]) -> _Met:
    """All counted games among these, whoever began."""
    row_of, met = {node: row for row, node in enumerate(nodes)}, _nothing(len(nodes))
    tally = tallies.read(session, game, among=[fitted.competitors[node] for node in nodes])
    counts = fitting.counts_of(tally, fitted.node_of)
    met.repeats.update(
        (row_of[fitted.node_of[one]], row_of[fitted.node_of[other]]) for one, other in fitting.repeating(tally)
    )
    for at in range(len(counts.games)):
        first, second = int(counts.first[at]), int(counts.second[at])
        games, points = counts.games[at], counts.points[at]
        expected = games * fitted.fit.expected(first, second, seat=True)
        one, other = row_of[first], row_of[second]
        met.games[one, other] += games
        met.games[other, one] += games
        for total, of_first in ((met.points, points), (met.expected, expected)):
            total[one, other] += of_first
            total[other, one] += games - of_first
    return met


def cycles_in(games: FloatArray, points: FloatArray) -> list[tuple[int, int, int, float]]:
    """Rows each of which beats the next and the last the first, from the least row, and how sure that is; surest first.

    `games`, `points`: of rows against columns, shape (n, n). The true score of each pair has a uniform prior of its
    own, so the ratings cannot hide a cycle. A draw counts as half a win and half a loss, which is cautious.
    """
    beats = np.where(games >= LEAST_GAMES, betainc(games - points + 1, points + 1, 0.5), 0.0)
    found = []
    for one, two, three in combinations(range(len(beats)), 3):
        for a, b, c in ((one, two, three), (one, three, two)):
            sure = float(min(beats[a, b], beats[b, c], beats[c, a]))
            if sure >= SURE:
                found.append((a, b, c, sure))
    return sorted(found, key=lambda cycle: -cycle[-1])[:MOST_CYCLES]


def _pairs(fit: rating.Fit, nodes: Sequence[int], ids: Sequence[int], met: _Met) -> Iterator[Matchup]:
    for one, other in permutations(range(len(ids)), 2):
        yield Matchup(
            ids[one],
            ids[other],
            int(met.games[one, other]),
            float(met.points[one, other]),
            float(met.expected[one, other]),
            fit.expected(nodes[one], nodes[other], seat=False),
            (one, other) in met.repeats,
        )
