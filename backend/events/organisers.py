"""Who organises an event: the arena's organisers, and those who are named for this event alone."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.accounts.named import account_named
from hexarena.backend.errors import Conflict
from hexarena.backend.events import life
from hexarena.backend.matches import live
from hexarena.backend.models import EventOrganiser, EventPairing, User

MOST = 20
"""Of one event."""


def organised_by(session: Session, user_id: int | None) -> frozenset[int]:
    """The events that somebody was named for."""
    if user_id is None:
        return frozenset()
    return frozenset(session.scalars(select(EventOrganiser.event_id).where(EventOrganiser.user_id == user_id)))


def organises_pairing(session: Session, user_id: int, pairing_id: int | None) -> bool:
    """Whether somebody was named for the event that this pairing is of."""
    query = select(EventPairing.id).join(EventOrganiser, EventOrganiser.event_id == EventPairing.event_id)
    found = query.where(EventPairing.id == pairing_id, EventOrganiser.user_id == user_id)
    return pairing_id is not None and session.scalar(found) is not None


def of_event(session: Session, event_id: int) -> Sequence[tuple[int, str]]:
    """(user, name) of those who were named for it, by name."""
    query = select(User.id, User.name).join(EventOrganiser, EventOrganiser.user_id == User.id)
    rows = session.execute(query.where(EventOrganiser.event_id == event_id).order_by(User.name))
    return [(user_id, name) for user_id, name in rows]


def name(session: Session, by: User, event_id: int, user_name: str) -> None:
    """Somebody organises this event from now on. Idempotent. Raises: NotFound, Conflict."""
    event = life.locked(session, event_id)
    user = account_named(session, user_name)
    there = of_event(session, event.id)
    if user.id in dict(there):
        return
    if len(there) >= MOST:
        raise Conflict(f"{MOST} people organise this event already.", expected="one of them to be removed first")
    session.add(EventOrganiser(event_id=event.id, user_id=user.id))
    session.flush()
    audit.record(session, by, "name organiser", event.id, who=user.name, who_id=user.id)
    live.publish(session, event.game, "event", event.id)


def remove(session: Session, by: User, event_id: int, user_id: int) -> None:
    """Somebody organises it no longer. Idempotent. Raises: NotFound."""
    event = life.locked(session, event_id)
    row = session.get(EventOrganiser, (event.id, user_id))
    if row is None:
        return
    user = session.get_one(User, user_id)
    session.delete(row)
    session.flush()
    audit.record(session, by, "remove organiser", event.id, who=user.name, who_id=user.id)
    live.publish(session, event.game, "event", event.id)
