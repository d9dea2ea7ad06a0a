"""Sessions: who is signed in, in which browser, since when. They end 30 days after the last visit."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.orm import Session

from hexarena.backend.accounts import presence
from hexarena.backend.accounts.secrets import new_secret, sha256_of
from hexarena.backend.errors import NotFound
from hexarena.backend.models import User, UserKind, UserRole, UserSession

LASTS = timedelta(days=30)
SLIDES_AFTER = timedelta(hours=1)
"""A session's row is written at most so often."""
# Of every request of an account. Made once, and of single columns: whole rows take twice as long.
_NAMED = (
    select(UserSession.id, User.id, User.role, User.ban_reason, UserSession.seen_at < func.now() - SLIDES_AFTER)
    .join(User, User.id == UserSession.user_id)
    .where(UserSession.secret_sha256 == bindparam("secret"), UserSession.expires_at > func.now())
    .where(User.kind == UserKind.ACCOUNT)
)


@dataclass(frozen=True, slots=True)
class Found:
    """A session that a cookie names, and whose it is. `slid`: it was extended just now, so its cookie must be, too."""

    session_id: int
    user_id: int
    role: UserRole
    ban_reason: str | None
    slid: bool


def begin(session: Session, user: User, browser: str) -> str:
    """Signs the user in. Returns the secret for the cookie."""
    secret = new_secret("hxs_")
    row = UserSession(
        user_id=user.id, secret_sha256=sha256_of(secret), browser=browser[:200], expires_at=func.now() + LASTS
    )
    session.add(row)
    session.flush()
    presence.note(session, user.id)
    return secret


def find(session: Session, secret: str) -> Found | None:
    """The session of a cookie, if it has not ended; extends it."""
    row = session.execute(_NAMED, {"secret": sha256_of(secret)}).one_or_none()
    if row is None:
        return None
    found = Found(*row)
    if found.slid:
        presence.note(session, found.user_id)
        extended = update(UserSession).where(UserSession.id == found.session_id)
        session.execute(extended.values(seen_at=func.now(), expires_at=func.now() + LASTS))
    return found


def valid(session: Session, ids: Collection[int]) -> set[int]:
    """Those of these sessions that have not ended."""
    found = select(UserSession.id).where(UserSession.id.in_(ids), UserSession.expires_at > func.now())
    return set(session.scalars(found)) if ids else set()


def list_of(session: Session, user_id: int) -> list[UserSession]:
    """The sessions that have not ended, last seen first."""
    query = select(UserSession).where(UserSession.user_id == user_id, UserSession.expires_at > func.now())
    return list(session.scalars(query.order_by(UserSession.seen_at.desc(), UserSession.id.desc())))


def end(session: Session, user_id: int, session_id: int) -> None:
    """Ends one of the user's sessions. Raises: NotFound."""
    own = (UserSession.id == session_id) & (UserSession.user_id == user_id)
    if session.scalar(delete(UserSession).where(own).returning(UserSession.id)) is None:
        raise NotFound(f"You have no session {session_id}.")


def end_others(session: Session, user_id: int, but: int | None) -> int:
    """Ends all sessions of the user but this one. Returns how many."""
    others = (UserSession.user_id == user_id) & (UserSession.id != (but or 0))
    return len(session.scalars(delete(UserSession).where(others).returning(UserSession.id)).all())


def prune(session: Session) -> None:
    """Deletes the rows of sessions that have ended."""
    session.execute(delete(UserSession).where(UserSession.expires_at <= func.now()))
