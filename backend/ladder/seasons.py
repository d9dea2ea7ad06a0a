"""Seasons of a ladder, and the final tables of those that are over. Only a season's own matches are counted in it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ScalarSelect, func, select
from sqlalchemy.orm import Session

from hexarena.backend.errors import NotFound
from hexarena.backend.ladder import boards
from hexarena.backend.models import Season, SeasonStanding, Standing, Submission


def seasons_of(session: Session, game: str) -> list[Season]:
    """All seasons of a ladder, the current one first; none before a second one began."""
    return list(session.scalars(select(Season).where(Season.game == game).order_by(Season.number.desc())))


def find(session: Session, game: str, number: int) -> Season:
    """Raises: NotFound."""
    found = session.scalar(select(Season).where(Season.game == game, Season.number == number))
    if found is None:
        raise NotFound(f"There is no season {number} of this ladder.")
    return found


def began_after(game: str, until: datetime | None = None) -> ScalarSelect[Any]:
    """The last match of the seasons before the current one, or before the one at `until`; 0 in the first."""
    query = select(func.coalesce(func.max(Season.after_match_id), 0)).where(Season.game == game)
    return (query if until is None else query.where(Season.started_at <= until)).scalar_subquery()


def final_table(session: Session, season: Season, *, limit: int) -> list[boards.PastRow]:
    """The board at the end of a season, from the top. Empty while it is played."""
    query = (
        boards.past_lines(SeasonStanding, Standing.competitor_id)
        .join(Standing, Standing.submission_id == Submission.id)
        .where(SeasonStanding.season_id == season.id, SeasonStanding.rank.is_not(None))
        .order_by(SeasonStanding.rank)
        .limit(limit)
    )
    since = season.ended_at or season.started_at
    lines = boards.shared(session.execute(query).all())
    return boards.past_rows(session, season.game, ((rank, (*values, since)) for rank, values in lines))
