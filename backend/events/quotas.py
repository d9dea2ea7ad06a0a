"""What an event asks of the versions of its entrants while it is open: how many a day, and how large."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend.errors import Quota, TooLarge, TooMany
from hexarena.backend.models import EntryState, Event, EventEntry, EventState, Source, Submission, SubmissionState

DAY_S = 24 * 3600


def check(session: Session, bot_id: int, sha256: str) -> None:
    """Whether a bot may send a version with this code, by all open events that it has entered.

    Versions that failed are not counted, as for the ladder. The caller has locked the bot's owner.

    Raises: TooLarge, TooMany.
    """
    entered = (EventEntry.bot_id == bot_id) & (EventEntry.state == EntryState.ENTERED)
    is_open = (Event.state == EventState.OPEN) & (Event.opens_at <= func.now()) & (Event.deadline > func.now())
    limited = Event.versions_a_day.is_not(None) | Event.source_bytes.is_not(None)
    query = select(Event).join(EventEntry, EventEntry.event_id == Event.id).where(entered, is_open, limited)
    for event in session.scalars(query.order_by(Event.id)).all():
        _check_size(session, event, sha256)
        _check_count(session, event, bot_id)


def _check_size(session: Session, event: Event, sha256: str) -> None:
    if event.source_bytes is None:
        return
    size = session.scalar(select(func.octet_length(Source.body)).where(Source.sha256 == sha256)) or 0
    if size > event.source_bytes:
        raise TooLarge(
            f"This is larger than the event {event.name} allows.",
            expected=f"at most {event.source_bytes:,} bytes while this bot takes part",
            got=f"{size:,} bytes",
        )


def _check_count(session: Session, event: Event, bot_id: int) -> None:
    if event.versions_a_day is None:
        return
    day = timedelta(seconds=DAY_S)
    sent = (Submission.bot_id == bot_id) & (Submission.state != SubmissionState.FAILED)
    sent &= (Submission.created_at > func.now() - day) & (Submission.created_at >= event.opens_at)
    count, oldest = session.execute(select(func.count(), func.min(Submission.created_at)).where(sent)).one()
    if count >= event.versions_a_day:
        raise TooMany(
            f"This bot has sent as many versions today as the event {event.name} allows.",
            expected=f"at most {event.versions_a_day} version{'' if event.versions_a_day == 1 else 's'} in 24 hours "
            "while this bot takes part",
            got=f"{count + 1}",
            retry_s=(oldest + day - datetime.now(UTC)).total_seconds(),
            quota=Quota("versions-of-event", event.versions_a_day, window_s=DAY_S, unit="requests"),
        )
