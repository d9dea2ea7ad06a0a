"""Explains a rating: which opponents and matches it comes from, and how certain its place is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased, joinedload

from hexarena.backend.errors import NotFound
from hexarena.backend.ladder import placement, refits
from hexarena.backend.models import Ladder, Match, MatchSeat, SeatResult, Standing, Submission
from hexarena.backend.rating import fit as rating
from hexarena.backend.runtime.db import allow_long_transaction
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game

SHOWN = 10
"""Opponents and matches that an explanation lists."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The bot above or below. `above`: P(the explained one is stronger). `games_to_tell`: until that is certain."""

    standing: Standing
    above: float
    games_to_tell: int


@dataclass(frozen=True, slots=True)
class Against:
    """All games against the version `submission_id`. `moved`: Elo. `next_game`: share of the variance it would take."""

    submission_id: int
    games: int
    points: float
    expected: float
    moved: float
    next_game: float


@dataclass(frozen=True, slots=True)
class MovingMatch:
    """A match that moved the rating by itself, Elo, when it was counted. `opponents`: submissions."""

    match_id: int
    opponents: tuple[int, ...]
    rank: int
    moved: float
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a standing is based on. `boss`: the submission that guards its league."""

    standing: Standing
    boss: int | None
    above: Neighbour | None
    below: Neighbour | None
    against: tuple[Against, ...]
    matches: tuple[MovingMatch, ...]

    def submission_ids(self) -> list[int]:
        """Everything that it mentions, in order of ids."""
        ids = {one.submission_id for one in self.against} | {one for match in self.matches for one in match.opponents}
        ids |= {one.standing.submission_id for one in (self.above, self.below) if one is not None}
        ids |= {one for one in (self.boss, self.standing.parent_id) if one is not None}
        return sorted(ids)


_fits: dict[str, tuple[tuple[datetime | None, int], rating.Fit]] = {}
"""Game -> (refit and number of results, fit). Cached, as there are many requests between two refits."""


def latest(session: Session, game: Game) -> refits.Rated:
    """The ladder as its last refit left it, fitted again only if there was a refit since it was asked for."""
    allow_long_transaction(session)
    row = session.get(Ladder, game.id)
    state = (None, 0) if row is None else (row.refitted_at, row.results)
    kept = _fits.get(game.id)
    rated = refits.rate(session, game, known=kept[1] if kept is not None and kept[0] == state else None)
    _fits[game.id] = (state, rated.fit)
    return rated


def explain(session: Session, submission_id: int) -> Explanation:
    """Fits the ladder again, unless that was done since its last refit, and explains it. Raises: NotFound."""
    own = session.get(Standing, submission_id)
    if own is None:
        raise NotFound(f"Submission {submission_id} has no rating: it was never on a ladder.")
    rated = latest(session, find_game(own.game))
    board = [rated.standings[one.id] for one in rated.on_board]
    place = next((number for number, one in enumerate(board) if one.submission_id == submission_id), None)
    boss = rated.bosses.get(own.league)
    return Explanation(
        own,
        None if boss is None else boss.id,
        None if not place else _neighbour(rated, own, board[place - 1]),
        None if place is None or place + 1 == len(board) else _neighbour(rated, own, board[place + 1]),
        _against(rated, own),
        _matches(session, own),
    )


def _neighbour(rated: refits.Rated, own: Standing, other: Standing) -> Neighbour:
    me, them = rated.index[own.submission_id], rated.index[other.submission_id]
    return Neighbour(other, rated.fit.stronger(me, them), placement.games_to_tell_apart(rated.fit, me, them))


def _against(rated: refits.Rated, own: Standing) -> tuple[Against, ...]:
    """Opponents, those first whose games moved the rating most."""
    if max(rated.game.ladder_entrants) > 2:
        return ()
    me, counts, fitted = rated.index[own.submission_id], rated.counts, rated.fit
    influence = rating.influences(fitted, rated.weighed, me)
    found: dict[int, Against] = {}
    for row in np.flatnonzero((counts.first == me) | (counts.second == me)):
        begins = counts.first[row] == me
        opponent = rated.competitors[counts.second[row] if begins else counts.first[row]]
        share = fitted.expected(int(counts.first[row]), int(counts.second[row]), seat=True)
        games, points = int(counts.games[row]), float(counts.points[row])
        expected = games * share
        before = found.get(opponent, Against(opponent, 0, 0.0, 0.0, 0.0, 0.0))
        found[opponent] = Against(
            opponent,
            before.games + games,
            before.points + (points if begins else games - points),
            before.expected + (expected if begins else games - expected),
            before.moved + float(influence.elo[row]),
            max(before.next_game, float(influence.next_game[row])),
        )
    return tuple(sorted(found.values(), key=lambda one: (-abs(one.moved), one.submission_id))[:SHOWN])


def _matches(session: Session, own: Standing) -> tuple[MovingMatch, ...]:
    """The matches of this competitor that moved its rating most when they were counted."""
    mine, other = aliased(MatchSeat), aliased(MatchSeat)
    shared = select(Standing.submission_id).where(Standing.competitor_id == own.competitor_id)
    strongest = session.execute(
        select(mine.match_id, SeatResult.rank, SeatResult.rating_change, Match.finished_at)
        .join(SeatResult, (SeatResult.match_id == mine.match_id) & (SeatResult.seat == mine.seat))
        .join(Match, Match.id == mine.match_id)
        .where(mine.submission_id.in_(shared), SeatResult.rating_change.is_not(None))
        .order_by(func.abs(SeatResult.rating_change).desc(), mine.match_id)
        .limit(SHOWN)
    ).all()
    opponents: dict[int, set[int]] = {}
    rows = session.execute(
        select(other.match_id, other.submission_id).where(
            other.match_id.in_([row.match_id for row in strongest]), other.submission_id.not_in(shared)
        )
    )
    for match_id, submission_id in rows:
        opponents.setdefault(match_id, set()).add(submission_id)
    return tuple(
        MovingMatch(
            row.match_id, tuple(sorted(opponents.get(row.match_id, ()))), row.rank, row.rating_change, row.finished_at
        )
        for row in strongest
    )


def submissions_named(session: Session, ids: Sequence[int]) -> dict[int, Submission]:
    """Submissions with their bots, by id."""
    rows = session.scalars(select(Submission).where(Submission.id.in_(ids)).options(joinedload(Submission.bot)))
    return {row.id: row for row in rows}
