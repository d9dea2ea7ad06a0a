"""Seasons of a ladder: the final tables of those that are over, and what they say about the next one's bots.

Only a season's own matches are counted in it. What was known of a competitor when the season before ended is its prior:
a Gaussian around its rating, wider than it was by SEASON_ELO. So a season's ratings follow from its results and from
the table before it, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ScalarSelect, func, select
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.errors import NotFound
from hexarena.backend.ladder import standings
from hexarena.backend.models import Bot, Season, SeasonStanding, Standing, Submission
from hexarena.backend.rating import fit as rating
from hexarena.backend.rating.elo import ELO_PER_LOGIT

SEASON_ELO = 100.0
"""How far a competitor's rating may stray from that of the season before, a standard deviation."""


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


def final_table(session: Session, season: Season, *, limit: int) -> list[standings.PastRow]:
    """The board at the end of a season, from the top. Empty while it is played."""
    query = (
        select(Submission, SeasonStanding)
        .join(SeasonStanding, SeasonStanding.submission_id == Submission.id)
        .where(SeasonStanding.season_id == season.id, SeasonStanding.rank.is_not(None))
        .options(joinedload(Submission.bot).joinedload(Bot.owner))
        .order_by(SeasonStanding.rank)
        .limit(limit)
    )
    names, _ = standings.leagues(session, season.game)
    return [
        standings.PastRow(was.rank or 0, submission, was, season.ended_at or season.started_at, names.get(was.league))
        for submission, was in session.execute(query)
    ]


def priors(
    session: Session, game: str, competitors: Sequence[int], until: datetime | None = None
) -> rating.Earlier | None:
    """What the season before says of these competitors; None in the first season. `until`: as of then.

    The mean of all ratings of that season is the mean of first versions of this one.
    """
    last = select(Season.id).where(Season.game == game, Season.ended_at.is_not(None))
    if until is not None:
        last = last.where(Season.ended_at <= until)
    known = (
        select(SeasonStanding.submission_id, SeasonStanding.rating, SeasonStanding.deviation)
        .join(Standing, Standing.submission_id == SeasonStanding.submission_id)
        .where(
            SeasonStanding.season_id == last.order_by(Season.number.desc()).limit(1).scalar_subquery(),
            Standing.competitor_id == Standing.submission_id,
        )
    )
    rows = {submission_id: (elo, deviation) for submission_id, elo, deviation in session.execute(known)}
    if not rows:
        return None
    mean = float(np.mean([rows[one][0] for one in sorted(rows)]))
    nobody = (np.nan, np.nan)
    elo, deviation = np.array([rows.get(one, nobody) for one in competitors]).reshape(-1, 2).T
    return rating.Earlier((elo - mean) / ELO_PER_LOGIT, (deviation**2 + SEASON_ELO**2) / ELO_PER_LOGIT**2)
