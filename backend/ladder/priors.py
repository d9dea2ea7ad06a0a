"""What the season before says about the bots of this one.

What was known of a competitor when the season before ended is its prior: a Gaussian around its rating, wider than it
was by SEASON_ELO. So a season's ratings follow from its results and from the table before it, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from hexarena.backend.ladder import columns
from hexarena.backend.ladder.rules import SEASON_ELO
from hexarena.backend.models import Season, SeasonStanding, Standing, Submission, User, UserKind
from hexarena.backend.rating import fit as rating
from hexarena.backend.rating.elo import ELO_PER_LOGIT


def of_season_before(
    session: Session, game: str, competitors: Sequence[int], until: datetime | None = None
) -> rating.Earlier | None:
    """What the season before says of these competitors; None in the first season. `until`: as of then.

    The mean of that season's ratings is that of first versions of this one. Those of guests, who move nobody else's
    rating, are not in it, unless there are no others.
    """
    last = select(Season.id).where(Season.game == game, Season.ended_at.is_not(None))
    if until is not None:
        last = last.where(Season.ended_at <= until)
    same = aliased(Standing)
    of_others = (
        select(User.id)
        .join(Submission, Submission.user_id == User.id)
        .join(same, same.submission_id == Submission.id)
        .where(same.competitor_id == Standing.submission_id, User.kind != UserKind.GUEST, ~User.was_guest)
    )
    table = (
        select(SeasonStanding.submission_id, SeasonStanding.rating, SeasonStanding.deviation, of_others.exists())
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
    submission, elo, deviation, counts = (one[order] for one in found)
    counted = elo[counts] if counts.any() else elo
    means, variances = elo - counted.mean(), deviation**2 + SEASON_ELO**2
    row = np.minimum(np.searchsorted(submission, competitors), len(submission) - 1)
    there = submission[row] == competitors
    return rating.Earlier(
        np.where(there, means[row], np.nan) / ELO_PER_LOGIT, np.where(there, variances[row], np.nan) / ELO_PER_LOGIT**2
    )
