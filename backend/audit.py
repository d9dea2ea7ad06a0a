"""What organisers did, for all organisers to read.

The database refuses to delete a row, and to change anything of it but a name that is forgotten. Names are in `detail`
under `person`, `who` and `bot`, with an id beside them under `person_id` and so on; older rows have no ids.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Integer, func, select, update
from sqlalchemy.orm import Session

from hexarena.backend.models import AuditEntry, Bot, EventEntry, User

FORGOTTEN = "deleted"
"""In place of a name. Of others, the database takes none."""


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


def forget_person(session: Session, user: User) -> None:
    """Replaces the name of somebody who deletes their account. Rows about them stay."""
    for key in ("person", "who"):
        said = AuditEntry.detail[key].astext == user.name
        _forget(session, key, _has_id(key, [user.id]) | (~AuditEntry.detail.has_key(f"{key}_id") & said))


def forget_bots(session: Session, bot_ids: Collection[int]) -> None:
    """Replaces the names of these bots, while they still have them."""
    earlier = select(EventEntry.event_id).join(Bot, Bot.id == EventEntry.bot_id)
    earlier = earlier.where(Bot.id.in_(bot_ids), Bot.name == AuditEntry.detail["bot"].astext).correlate(AuditEntry)
    without = ~AuditEntry.detail.has_key("bot_id") & AuditEntry.event_id.in_(earlier)
    _forget(session, "bot", _has_id("bot", bot_ids) | without)


def _has_id(key: str, ids: Collection[int]) -> ColumnElement[bool]:
    found: ColumnElement[bool] = AuditEntry.detail[f"{key}_id"].astext.cast(Integer).in_(ids)
    return found


def _forget(session: Session, key: str, whose: ColumnElement[bool]) -> None:
    forgotten = AuditEntry.detail.op("||")(func.jsonb_build_object(key, FORGOTTEN))
    change = update(AuditEntry).where(AuditEntry.detail.has_key(key), whose).values(detail=forgotten)
    session.execute(change.execution_options(synchronize_session=False))
