"""Personal tokens: for scripts, with a name, a few scopes, and a count of what they were used for."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from hexarena.backend.accounts.locks import lock
from hexarena.backend.accounts.permissions import Scope
from hexarena.backend.accounts.secrets import new_secret, sha256_of
from hexarena.backend.errors import Conflict, Invalid, NotFound
from hexarena.backend.models import ClassOrganiser, EventOrganiser, Token, User, UserRole

PREFIX = "hxt_"
MOST = 50
"""Tokens that a user may have."""


def create(session: Session, user: User, name: str, scopes: Collection[Scope]) -> tuple[Token, str]:
    """A new token and its secret, which is shown only now. Raises: Invalid, Conflict (the name, or too many)."""
    tidy = " ".join(name.split())[:60]
    if not tidy:
        raise Invalid("A token needs a name.", expected="what it is for, e.g. “laptop”", got=repr(name[:60]))
    if Scope.ORGANISE in scopes and not organises(session, user):
        expected = "other scopes, or to be named for an event or a class first"
        raise Invalid("Only organisers have tokens to organise.", expected=expected, got=Scope.ORGANISE)
    lock(session, user)
    names = session.scalars(select(Token.name).where(Token.user_id == user.id)).all()
    if tidy in names:
        raise Conflict(f"You have a token “{tidy}” already.", expected="another name", got=tidy)
    if len(names) >= MOST:
        expected = f"fewer than {MOST} tokens; delete one that you no longer use"
        raise Conflict("You have too many tokens.", expected=expected, got=str(len(names)))
    secret = new_secret(PREFIX)
    token = Token(user_id=user.id, name=tidy, scopes=sorted(scopes), secret_sha256=sha256_of(secret))
    session.add(token)
    session.flush()
    return token, secret


def organises(session: Session, user: User) -> bool:
    """Whether a user organises the arena, an event or a class; as long as they do, their tokens may as well."""
    named = (exists().where(one.user_id == user.id) for one in (EventOrganiser, ClassOrganiser))
    return user.role == UserRole.ORGANISER or bool(session.scalar(select(or_(*named))))


def use(session: Session, secret: str) -> tuple[Token, User] | None:
    """The token of a request and its owner, if there is one; counts the use."""
    used = (
        update(Token)
        .where(Token.secret_sha256 == sha256_of(secret))
        .values(used_at=func.now(), uses=Token.uses + 1)
        .returning(Token)
    )
    token = session.scalar(used)
    return None if token is None else (token, session.scalars(select(User).where(User.id == token.user_id)).one())


def list_of(session: Session, user_id: int) -> list[Token]:
    """The user's tokens, newest first."""
    return list(session.scalars(select(Token).where(Token.user_id == user_id).order_by(Token.id.desc())))


def valid(session: Session, ids: Collection[int]) -> set[int]:
    """Those of these tokens that were not revoked."""
    return set(session.scalars(select(Token.id).where(Token.id.in_(ids)))) if ids else set()


def revoke(session: Session, user_id: int, token_id: int) -> None:
    """Ends a token of the user's at once. Raises: NotFound."""
    own = (Token.id == token_id) & (Token.user_id == user_id)
    if session.scalar(delete(Token).where(own).returning(Token.id)) is None:
        raise NotFound(f"You have no token {token_id}.")
