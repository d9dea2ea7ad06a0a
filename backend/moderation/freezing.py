"""Frozen ladders, on which no new match is scheduled, and paused events, which start no new games."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.errors import Conflict, NotFound
from hexarena.backend.events import life as events
from hexarena.backend.matches import life as matches, live
from hexarena.backend.models import Event, EventState, Ladder, User
from hexarena.backend.runtime.db import notify


def freeze_ladder(session: Session, user: User, game: str, reason: str) -> Ladder:
    """Schedules no more rated matches; those that wait are void, those that run still count.

    Uploads are checked, and practice and duels continue. Again: the reason changes. Raises: NotFound.
    """
    ladder = locked_ladder(session, game)
    if ladder.frozen_at is None:
        ladder.frozen_at = func.now()
    ladder.frozen_reason = reason
    session.flush()
    session.refresh(ladder)
    matches.void_queued_rated(session, game, f"The ladder is frozen: {reason}")
    audit.record(session, user, "freeze ladder", game=game, reason=reason)
    live.publish(session, game, "ladder", 0)
    return ladder


def thaw_ladder(session: Session, user: User, game: str) -> Ladder:
    """Resumes the ladder. Idempotent. Raises: NotFound."""
    ladder = locked_ladder(session, game)
    if ladder.frozen_at is not None:
        ladder.frozen_at = ladder.frozen_reason = None
        session.flush()
        audit.record(session, user, "thaw ladder", game=game)
        live.publish(session, game, "ladder", 0)
        notify(session, "hexarena_jobs")
    return ladder


def frozen(session: Session) -> frozenset[str]:
    """The games whose ladders are frozen."""
    return frozenset(session.scalars(select(Ladder.game).where(Ladder.frozen_at.is_not(None))))


def locked_ladder(session: Session, game: str) -> Ladder:
    """A game's ladder, locked against refits. Raises: NotFound."""
    row = session.get(Ladder, game, with_for_update=True, populate_existing=True)
    if row is None:
        raise NotFound(f"There is no ladder of {game} yet.")
    return row


def pause_event(session: Session, user: User, event_id: int, reason: str) -> Event:
    """Starts no new games of its final, and freezes no versions; games that are queued are played.

    Again: the reason changes. Raises: NotFound, Conflict.
    """
    event = events.locked(session, event_id)
    if event.state not in {EventState.OPEN, EventState.PLAYING}:
        raise Conflict("This event is over.", expected="one that is open or playing", got=str(event.state))
    if event.paused_at is None:
        event.paused_at = func.now()
    event.paused_reason = reason
    session.flush()
    session.refresh(event)
    audit.record(session, user, "pause event", event.id, reason=reason)
    live.publish(session, event.game, "event", event.id)
    return event


def continue_event(session: Session, user: User, event_id: int) -> Event:
    """Resumes the event. Idempotent. Raises: NotFound."""
    event = events.locked(session, event_id)
    if event.paused_at is not None:
        event.paused_at = event.paused_reason = None
        session.flush()
        audit.record(session, user, "continue event", event.id)
        live.publish(session, event.game, "event", event.id)
        notify(session, "hexarena_jobs")
    return event
