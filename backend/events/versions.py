"""Which versions may play in an event."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Select, case, func, select
from sqlalchemy.dialects.postgresql import distinct_on

from hexarena.backend.ladder import standings
from hexarena.backend.models import Event, Source, Submission, SubmissionState


def allowed(event: Event) -> ColumnElement[bool]:
    """Whose code is still there, in one of the event's languages, and no larger than it allows."""
    able: ColumnElement[bool] = Submission.source_sha256.is_not(None)
    if event.languages is not None:
        able &= Submission.language.in_(event.languages)
    if event.source_bytes is not None:
        small = select(Source.sha256).where(func.octet_length(Source.body) <= event.source_bytes)
        able &= Submission.source_sha256.in_(small)
    return able


def to_freeze(event: Event, bot_ids: Collection[int], *, is_over: bool) -> Select[int]:
    """The version of each bot that the deadline freezes: the one on the ladder, or the newest before it where that one
    came too late or may not play. None for a bot that has no such version.

    `is_over`: the deadline is, so what changed on the ladder since then changes nothing; but a version that was
    received in time and came onto the ladder later counts as if it had been there.
    """
    able = Submission.bot_id.in_(bot_ids) & (Submission.created_at <= event.deadline) & allowed(event)
    able &= Submission.state.in_((SubmissionState.LIVE, SubmissionState.SUPERSEDED))
    is_live = Submission.state == SubmissionState.LIVE
    was_live = func.coalesce(standings.was_on_board(event.deadline), True) if is_over else is_live
    best_first = (Submission.bot_id, case((was_live, 0), (is_live, 1), else_=2), Submission.version.desc())
    return select(Submission.id).ext(distinct_on(Submission.bot_id)).where(able).order_by(*best_first)
