"""Who has been here lately: the bots of those who were not leave the board (`ladder.standings.on_board`)."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from hexarena.backend.accounts import owners
from hexarena.backend.models import Standing, Submission, SubmissionState

NOTED_AFTER = timedelta(days=1)
"""A standing's row is written at most so often."""


def note(session: Session, user_id: int) -> None:
    """The user is here: their bots, and their team's, are on the board for another while, or on it again.

    The next refit takes them in, and matches follow.

    It waits for nobody: what a refit is writing is noted the next time. One that a new season left out comes back by
    `submissions.life.restore`.
    """
    due = (
        select(Standing.submission_id)
        .join(Submission, Submission.id == Standing.submission_id)
        .where(Submission.user_id.in_(owners.owned_by(session, user_id)), Submission.state == SubmissionState.LIVE)
        .where(Standing.active_at < func.now() - NOTED_AFTER, ~Standing.settled)
        .with_for_update(of=Standing, skip_locked=True)
        .cte("due")
    )
    here = update(Standing).where(Standing.submission_id.in_(select(due.c.submission_id))).values(active_at=func.now())
    session.execute(here.execution_options(synchronize_session=False))
