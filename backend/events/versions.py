"""Which versions may play in an event."""

from __future__ import annotations

from sqlalchemy import ColumnElement, func, select

from hexarena.backend.models import Event, Source, Submission


def allowed(event: Event) -> ColumnElement[bool]:
    """Whose code is still there, in one of the event's languages, and no larger than it allows."""
    able: ColumnElement[bool] = Submission.source_sha256.is_not(None)
    if event.languages is not None:
        able &= Submission.language.in_(event.languages)
    if event.source_bytes is not None:
        small = select(Source.sha256).where(func.octet_length(Source.body) <= event.source_bytes)
        able &= Submission.source_sha256.in_(small)
    return able
