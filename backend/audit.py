"""What organisers did, for all organisers to read. The database refuses to change or delete a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend.models import AuditEntry, User


def record(session: Session, user: User | None, action: str, event_id: int | None = None, **detail: Any) -> None:
    """Notes what somebody does, in the transaction that does it. `user`: None if the arena does it by itself."""
    session.add(AuditEntry(user_id=None if user is None else user.id, action=action, event_id=event_id, detail=detail))


def entries(
    session: Session, *, event_id: int | None = None, below: int | None = None, limit: int = 100
) -> Sequence[tuple[AuditEntry, str | None]]:
    """(entry, the name of who did it), newest first. `below`: an id; older ones than that."""
    query = select(AuditEntry, User.name).outerjoin(User, User.id == AuditEntry.user_id)
    query = query.order_by(AuditEntry.id.desc()).limit(limit)
    if event_id is not None:
        query = query.where(AuditEntry.event_id == event_id)
    if below is not None:
        query = query.where(AuditEntry.id < below)
    return [(entry, name) for entry, name in session.execute(query)]
