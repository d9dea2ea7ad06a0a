"""The board at an earlier time: as it was at the end of a day, and what has changed since.

The history has a line for each change of a standing, so that the board of any time is the last line of each version
until then. For thousands of versions these are thousands of looks at an index. So the boards of days that are over are
kept as the ids of their lines, and only the lines of one day are read besides. A kept board can be made again at any
time.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import BigInteger, Select, column, delete, func, insert, literal, select, true, union_all
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session, aliased

from hexarena.backend.models import DailyBoard, Ladder, StandingHistory, Submission
from hexarena.backend.runtime.db import Database

DAY = timedelta(days=1)
SETTLED = timedelta(minutes=10)
"""After the end of a day; whatever changed a standing before it has been committed by then."""
FAR = 2 * DAY
"""A kept board that is older than that is of no use: too much may have changed since."""
AT_ONCE = 20
"""Boards that are kept in one transaction."""


def top(session: Session, game: str, at: datetime, limit: int | None) -> list[int]:
    """The ids of the lines that were the board of a game then, from its top."""
    oldest = literal(at) - literal(FAR)  # in the database, which knows earlier times than Python
    kept_at = session.scalar(
        select(func.max(DailyBoard.at)).where(DailyBoard.game == game, DailyBoard.at <= at, DailyBoard.at > oldest)
    )
    query = _from_all_versions(game, at) if kept_at is None else _from_a_day(game, kept_at, at, limit)
    return list(session.scalars(query.limit(limit)))


def keep_some(database: Database, most: int = AT_ONCE) -> int:
    """Keeps boards of days that are over, the oldest first. Returns how many; 0 when all are kept."""
    made = 0
    with database.transaction() as session:
        end = (session.scalars(select(func.now())).one() - SETTLED).astimezone(UTC)
        last = end.replace(hour=0, minute=0, second=0, microsecond=0)
        # Those of days that are not over were kept while the database's clock was ahead.
        session.execute(delete(DailyBoard).where(DailyBoard.at > last))
        for game in session.scalars(select(Ladder.game).order_by(Ladder.game)).all():
            at = _next(session, game)
            while at is not None and at <= last and made < most:
                session.execute(insert(DailyBoard).values(game=game, at=at, lines=top(session, game, at, None)))
                at, made = at + DAY, made + 1
    return made


def _next(session: Session, game: str) -> datetime | None:
    """The end of the first day that is not kept; None if the game has no history."""
    newest = session.scalar(select(func.max(DailyBoard.at)).where(DailyBoard.game == game))
    if newest is not None:
        return newest.astimezone(UTC) + DAY
    first = session.scalar(select(func.min(StandingHistory.at)).where(StandingHistory.game == game))
    return None if first is None else first.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + DAY


def _from_all_versions(game: str, at: datetime) -> Select[int]:
    """One look at an index for each version that there was: its last line until then."""
    line = aliased(StandingHistory)
    last = (
        select(line.id, line.league, line.rating, line.live)
        .where(line.submission_id == Submission.id, line.at <= at)
        .order_by(line.at.desc(), line.id.desc())
        .limit(1)
        .lateral()
    )
    return (
        select(last.c.id)
        .select_from(Submission)
        .join(last, true())
        .where(Submission.game == game, Submission.bot_id.is_not(None), Submission.created_at <= at, last.c.live)
        .order_by(last.c.league.desc(), last.c.rating.desc(), Submission.id.desc())
    )


def _from_a_day(game: str, kept_at: datetime, at: datetime, limit: int | None) -> Select[int]:
    """The lines of a kept board, but for versions that have a line since; and these lines."""
    stored, newer = aliased(StandingHistory), aliased(StandingHistory)
    since = (
        select(newer.id, newer.submission_id, newer.league, newer.rating, newer.live)
        .ext(distinct_on(newer.submission_id))
        .where(newer.game == game, newer.at > kept_at, newer.at <= at)
        .order_by(newer.submission_id, newer.at.desc(), newer.id.desc())
        .cte("since")
    )
    ids = func.unnest(DailyBoard.lines).table_valued(column("id", BigInteger), with_ordinality="place").render_derived()
    # Its order is known because of the offset, so that reading ends with the limit.
    kept = (
        select(ids.c.id, ids.c.place)
        .select_from(DailyBoard)
        .join(ids, true())
        .where(DailyBoard.game == game, DailyBoard.at == kept_at)
        .order_by(ids.c.place)
        .offset(literal(0))
        .subquery("kept")
    )
    # Each by its id: where the history has many partitions, a plain join would be thought to look into all of them.
    line = (
        select(stored.id, stored.submission_id, stored.league, stored.rating)
        .where(stored.id == kept.c.id)
        .offset(literal(0))
        .lateral()
    )
    unchanged = (
        select(line.c.id, line.c.submission_id, line.c.league, line.c.rating)
        .select_from(kept)
        .join(line, true())
        .where(line.c.submission_id.not_in(select(since.c.submission_id)))
        .order_by(kept.c.place)
        .limit(limit)
        .subquery("unchanged")
    )
    changed = select(since.c.id, since.c.submission_id, since.c.league, since.c.rating).where(since.c.live)
    both = union_all(select(unchanged), changed).subquery("board")
    return select(both.c.id).order_by(both.c.league.desc(), both.c.rating.desc(), both.c.submission_id.desc())
