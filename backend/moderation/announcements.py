"""Announcements of organisers, at the top of all pages or on an event's page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.errors import Conflict, Invalid, NotFound
from hexarena.backend.matches import live
from hexarena.backend.models import Announcement, Event, User

MOST = 20
"""That are shown at once, on all pages or on the page of one event: what is said more often is read by nobody."""
SHOWN_AFTER = timedelta(days=7)
"""After the end of its event."""


def shown(session: Session) -> Sequence[Announcement]:
    """Those that are neither over nor withdrawn, nor of an event that has been over for long; newest first."""
    now = or_(Announcement.until.is_(None), Announcement.until > func.now())
    current = or_(Event.finished_at.is_(None), Event.finished_at > func.now() - SHOWN_AFTER)
    query = select(Announcement).outerjoin(Event).where(Announcement.withdrawn_at.is_(None), now, current)
    return session.scalars(query.order_by(Announcement.id.desc())).all()


def announce(
    session: Session, user: User, message: str, *, until: datetime | None = None, event_id: int | None = None
) -> Announcement:
    """Announces something. `event_id`: only on the page of that event. Raises: Invalid, NotFound, Conflict."""
    if until is not None and until <= datetime.now(UTC):
        got = f"{until:%Y-%m-%d %H:%M %Z}"
        raise Invalid("This announcement would never be shown.", expected="a time in the future", got=got)
    event = None if event_id is None else session.get(Event, event_id)
    if event_id is not None and event is None:
        raise NotFound(f"There is no event {event_id}.")
    if event is not None and event.finished_at is not None and event.finished_at <= datetime.now(UTC) - SHOWN_AFTER:
        expected = f"an event that has not been over for {SHOWN_AFTER.days} days"
        got = f"one that ended at {event.finished_at:%Y-%m-%d %H:%M %Z}"
        raise Invalid("This announcement would never be shown.", expected=expected, got=got)
    if sum(one.event_id == event_id for one in shown(session)) >= MOST:
        where = "on all pages" if event_id is None else "on the page of this event"
        raise Conflict(f"{MOST} announcements are shown {where} already.", expected="one of them to be withdrawn first")
    row = Announcement(message=message, until=until, event_id=event_id, created_by_id=user.id)
    session.add(row)
    session.flush()
    audit.record(session, user, "announce", event_id, message=message)
    _publish(session, row)
    return row


def find(session: Session, announcement_id: int) -> Announcement:
    """The announcement, for a change. Raises: NotFound."""
    row = session.get(Announcement, announcement_id, with_for_update=True, populate_existing=True)
    if row is None:
        raise NotFound(f"There is no announcement {announcement_id}.")
    return row


def withdraw(session: Session, user: User, announcement_id: int) -> None:
    """Shows it no longer. Idempotent. Raises: NotFound."""
    row = find(session, announcement_id)
    if row.withdrawn_at is None:
        row.withdrawn_at = func.now()
        session.flush()
        audit.record(session, user, "withdraw announcement", row.event_id, message=row.message)
        _publish(session, row)


def _publish(session: Session, row: Announcement) -> None:
    live.publish(session, "", "announcement", row.id)
