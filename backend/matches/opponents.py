"""A bot's rated results by opponent and seat, counted from its newest matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, func, select, true
from sqlalchemy.orm import Session, aliased

from hexarena.backend.matches.history import team_size
from hexarena.backend.models import RATED, Bot, Match, MatchSeat, Result, SeatResult, Submission

MOST_MATCHES = 10_000
"""The newest seats of each version, of any kind, among which are those that count: to look at more would cost more than
they show."""


@dataclass(frozen=True, slots=True)
class Against:
    """Results against one opponent from one seat, the first of the bot's team. `repeats`: not counted in the others."""

    opponent_id: int
    opponent: str
    seat: int
    won: int
    drawn: int
    lost: int
    repeats: int


def against(session: Session, which: ColumnElement[bool]) -> Sequence[Against]:
    """The results of these submissions, by the opponents' names, then by seat."""
    met = _meetings(which).subquery()
    counted = ~met.c.repeat
    query = (
        select(
            Bot.id,
            Bot.name,
            met.c.seat,
            func.count().filter(counted, met.c.own < met.c.other),
            func.count().filter(counted, met.c.own == met.c.other),
            func.count().filter(counted, met.c.own > met.c.other),
            func.count().filter(met.c.repeat),
        )
        .join(Bot, Bot.id == met.c.opponent_id)
        .group_by(Bot.id, met.c.seat)
        .order_by(func.lower(Bot.name), Bot.id, met.c.seat)
    )
    return [Against(*row) for row in session.execute(query)]


def _seats(which: ColumnElement[bool]) -> Select[tuple[int, int]]:
    """(match, seat) of the newest matches of each submission, of any kind."""
    newest = (
        select(MatchSeat.match_id, MatchSeat.seat)
        .where(MatchSeat.submission_id == Submission.id)
        .order_by(MatchSeat.match_id.desc())
        .limit(MOST_MATCHES)
        .lateral()
    )
    return select(newest.c.match_id, newest.c.seat).select_from(Submission).join(newest, true()).where(which)


def _meetings(which: ColumnElement[bool]) -> Select[tuple[int, int, int, int, int, bool]]:
    """A row for each team of the bot's and each bot in another team of the same match."""
    seats = _seats(which).subquery()
    size = team_size(Match.game)
    own = (
        select(
            Match.id,
            Match.game,
            func.min(seats.c.seat).label("seat"),
            func.min(SeatResult.rank).label("rank"),
            Result.repeat,
        )
        .join(Match, Match.id == seats.c.match_id)
        .join(Result, Result.match_id == Match.id)
        .join(SeatResult, (SeatResult.match_id == Match.id) & (SeatResult.seat == seats.c.seat))
        .where(Match.kind.in_(RATED))
        .group_by(Match.id, Match.game, Result.repeat, seats.c.seat // size)
        .subquery()
    )
    other, result, theirs = aliased(MatchSeat), aliased(SeatResult), aliased(Submission)
    others = team_size(own.c.game)
    return (
        select(
            own.c.id,
            own.c.seat,
            theirs.bot_id.label("opponent_id"),
            func.min(own.c.rank).label("own"),
            func.min(result.rank).label("other"),
            own.c.repeat,
        )
        .join(other, (other.match_id == own.c.id) & (other.seat // others != own.c.seat // others))
        .join(result, (result.match_id == other.match_id) & (result.seat == other.seat))
        .join(theirs, theirs.id == other.submission_id)
        .where(theirs.bot_id.is_not(None))
        .group_by(own.c.id, own.c.seat, own.c.repeat, theirs.bot_id, other.seat // others)
    )
