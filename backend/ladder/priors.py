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

from hexarena.backend.ladder import columns
from hexarena.backend.ladder.rules import SEASON_ELO
from hexarena.backend.models import Season, SeasonStanding, Standing
from hexarena.backend.rating import fit as rating
from hexarena.backend.rating.elo import ELO_PER_LOGIT


def of_season_before(
    session: Session, game: str, competitors: Sequence[int], until: datetime | None = None
) -> rating.Earlier | None:
    """What the season before says of these competitors; None in the first season. `until`: as of then.

    The mean of all ratings of that season is the mean of first versions of this one.
    """
    last = select(Season.id).where(Season.game == game, Season.ended_at.is_not(None))
    if until is not None:
        last = last.where(Season.ended_at <= until)
    table = (
        select(SeasonStanding.submission_id, SeasonStanding.rating, SeasonStanding.deviation)
        .join(Standing, Standing.submission_id == SeasonStanding.submission_id)
        .where(
            SeasonStanding.season_id == last.order_by(Season.number.desc()).limit(1).scalar_subquery(),
            Standing.competitor_id == Standing.submission_id,
        )
    )
    found = columns.read(session, table)
    if not len(found[0]):
        return None
    order = np.argsort(found[0])
    submission, elo, deviation = (one[order] for one in found)
    means, variances = elo - elo.mean(), deviation**2 + SEASON_ELO**2
    row = np.minimum(np.searchsorted(submission, competitors), len(submission) - 1)
    there = submission[row] == competitors
    return rating.Earlier(
        np.where(there, means[row], np.nan) / ELO_PER_LOGIT, np.where(there, variances[row], np.nan) / ELO_PER_LOGIT**2
    )
