"""What went wrong with bots in the last day, for organisers on the day of a contest.

At any size nothing here reads a table that grows: of each kind of fault the newest are looked at, at most MOST_EACH, by
the index that has faults only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import CTE, Row, distinct, func, select, tuple_, union_all
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from hexarena.backend.models import Bot, Match, MatchKind, MatchSeat, Result, SeatResult, Submission
from hexarena.backend.status.figures import FAULTS

DAY = timedelta(days=1)
LOOKS_BACK = 2 * DAY
"""For when a match was queued that ended within a day."""
MOST_EACH = 2_000
"""Of each kind of fault."""
SHOWN = 30


@dataclass(frozen=True, slots=True)
class FaultCount:
    """How often bots in a language had a fault of a kind in a game; once for a bot and match, however many seats."""

    game: str
    fault: str
    language: str
    count: int


@dataclass(frozen=True, slots=True)
class NewFault:
    """A fault that ended a bot's match. `turn`, `message`: null where the result no longer has them."""

    match_id: int
    kind: MatchKind
    game: str
    ended_at: datetime
    fault: str
    seat: int
    turn: int | None
    message: str | None
    bot_id: int | None
    bot: str
    version: int | None
    language: str


@dataclass(frozen=True, slots=True)
class DayOfFaults:
    """Faults of the last 24 hours, without those of practice matches. `newest`: the last ones, newest first.

    `cut`: kinds of faults of which there were more than `most_each`; the newest of them are counted.
    """

    at: datetime
    counts: Sequence[FaultCount]
    newest: Sequence[NewFault]
    cut: Sequence[str]
    most_each: int


def read(session: Session, *, most_each: int = MOST_EACH) -> DayOfFaults:
    """The faults as of now."""
    at = session.execute(select(func.clock_timestamp())).scalar_one()
    first = select(Match.id).where(Match.created_at > at - LOOKS_BACK).order_by(Match.created_at).limit(1)
    looked_at = _looked_at(session.scalar(first) or 0, most_each)
    lately = (Match.finished_at > at - DAY, Match.kind != MatchKind.PRACTICE)
    version = (MatchSeat.match_id == looked_at.c.match_id) & (MatchSeat.seat == looked_at.c.seat)
    once = func.count(distinct(tuple_(MatchSeat.match_id, MatchSeat.submission_id)))
    counts = (
        select(Match.game, looked_at.c.fault, Submission.language, once)
        .join(looked_at, looked_at.c.match_id == Match.id)
        .join(MatchSeat, version)
        .join(Submission, Submission.id == MatchSeat.submission_id)
        .where(*lately)
        .group_by(Match.game, looked_at.c.fault, Submission.language)
        .order_by(once.desc(), Match.game, looked_at.c.fault, Submission.language)
    )
    newest = (
        select(Match, looked_at.c.seat, looked_at.c.fault, Result.faults, Submission, Bot)
        .ext(distinct_on(Match.id, Submission.id))
        .join(looked_at, looked_at.c.match_id == Match.id)
        .join(MatchSeat, version)
        .join(Submission, Submission.id == MatchSeat.submission_id)
        .outerjoin(Bot, Bot.id == Submission.bot_id)
        .join(Result, Result.match_id == Match.id)
        .where(*lately)
        .order_by(Match.id.desc(), Submission.id, looked_at.c.seat)
        .limit(SHOWN)
    )
    full = select(looked_at.c.fault).group_by(looked_at.c.fault).having(func.count() >= most_each)
    return DayOfFaults(
        at=at,
        counts=[FaultCount(*row) for row in session.execute(counts)],
        newest=[_fault(row) for row in session.execute(newest)],
        cut=sorted(session.scalars(full)),
        most_each=most_each,
    )


def _looked_at(first: int, most_each: int) -> CTE:
    """(match_id, seat, fault), the newest of each kind, from match `first` on."""
    parts = [
        select(SeatResult.match_id, SeatResult.seat, SeatResult.fault)
        .where(SeatResult.fault == kind, SeatResult.match_id >= first)
        .order_by(SeatResult.match_id.desc())
        .limit(most_each)
        .subquery()
        for kind in FAULTS
    ]
    return union_all(*(select(part) for part in parts)).cte("looked_at")


def _fault(row: Row[Any]) -> NewFault:
    match, seat, fault, faults, version, bot = tuple(row)
    first: dict[str, Any] = next((one for one in faults if one["seat"] == seat and one["kind"] == fault), {})
    return NewFault(
        match_id=match.id,
        kind=match.kind,
        game=match.game,
        ended_at=match.finished_at,
        fault=fault,
        seat=seat,
        turn=first.get("turn"),
        message=first.get("message"),
        bot_id=None if bot is None or bot.is_deleted else bot.id,
        bot="a draft" if bot is None else bot.name,
        version=version.version,
        language=version.language,
    )
