"""What the season before says about the bots of this one.

What was known of a competitor when the season before ended is its prior: a Gaussian around its rating, wider than it
was by SEASON_ELO. So a season's ratings follow from its results and from the table before it, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend.models import Season, SeasonStanding, Standing
from hexarena.backend.rating import fit as rating
from hexarena.backend.rating.elo import ELO_PER_LOGIT

SEASON_ELO = 100.0
"""How far a competitor's rating may stray from that of the season before, a standard deviation."""


def of_season_before(
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
