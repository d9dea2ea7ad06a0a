"""Accounts that are found by their names, by those who name them for something."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend.accounts.names import key_of
from hexarena.backend.errors import NotFound
from hexarena.backend.models import User, UserKind

MOST_CHARACTERS = 100


def account_named(session: Session, name: str) -> User:
    """The account of this name, or of one that people may take for it. Raises: NotFound."""
    wanted = (User.name_key == key_of(name[:MOST_CHARACTERS])) & (User.kind == UserKind.ACCOUNT)
    user = session.scalar(select(User).where(wanted))
    if user is None:
        raise NotFound("Nobody has this name.", expected="the name of an account", got=name[:MOST_CHARACTERS])
    return user
