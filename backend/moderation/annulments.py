"""Annulling a match: its result no longer counts, and the organisers' log says who did it and why."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.events import reopening
from hexarena.backend.models import EventPairing, Match, User


def annul(session: Session, user: User | None, match_id: int, reason: str, **detail: str) -> None:
    """Makes a finished match void. `user`: None on the command line. `detail`: more for the log.

    Raises: NotFound, Conflict.
    """
    reopening.annul(session, match_id, reason)
    audit.record(session, user, "annul match", event_of(session, match_id), match=match_id, reason=reason, **detail)


def event_of(session: Session, match_id: int) -> int | None:
    """The event that a match belongs to."""
    event = func.coalesce(EventPairing.event_id, Match.event_id)
    query = select(event).select_from(Match).outerjoin(EventPairing, EventPairing.id == Match.pairing_id)
    return session.scalar(query.where(Match.id == match_id))
