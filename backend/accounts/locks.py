"""One request of a user at a time, and none of a user who is gone."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend.errors import BadCookie, NotAllowed
from hexarena.backend.models import User, UserKind


def lock(session: Session, user: User) -> None:
    """Until the transaction ends, others who lock this user wait, and nobody deletes or bans them.

    Whoever waited here may have been deleted or banned meanwhile: `user` is read again. Raises: BadCookie, NotAllowed.
    """
    query = select(User).where(User.id == user.id).with_for_update()
    found = session.scalar(query.execution_options(populate_existing=True))
    if found is None or found.kind == UserKind.DELETED:
        raise BadCookie("Your account was deleted just now.", expected="a user of this arena", got=f"user {user.id}")
    if found.banned_at is not None:
        raise NotAllowed(f"You are banned: {found.ban_reason}", expected="somebody who may take part", got="a ban")
