"""What the routes share: the database, the settings, and who is asking.

A guest is known by a signed cookie that holds the user's id. Reading never makes a guest; the first write does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request, Response
from itsdangerous import BadSignature, URLSafeSerializer
from redis.asyncio import Redis
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.api.bell import Bell
from backend.blobs import Blobs
from backend.db import Database
from backend.errors import BadCookie
from backend.models import User, UserKind
from backend.settings import Settings

COOKIE = "hexarena_user"
YEAR_S = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Arena:
    """All that the routes work with; `app.state.arena`."""

    settings: Settings
    database: Database
    blobs: Blobs
    redis: Redis
    signer: URLSafeSerializer
    bell: Bell


def get_arena(request: Request) -> Arena:
    """The arena of this app."""
    return cast(Arena, request.app.state.arena)


InArena = Annotated[Arena, Depends(get_arena)]


def get_user_id(request: Request, arena: InArena) -> int | None:
    """The id in the cookie, if there is one. Raises: BadCookie."""
    cookie = request.cookies.get(COOKIE)
    if cookie is None:
        return None
    try:
        user_id = arena.signer.loads(cookie)
    except BadSignature:
        user_id = None
    if not isinstance(user_id, int):
        raise BadCookie(
            "This cookie was not made here. It is now deleted: load the page again.",
            expected=f"a {COOKIE} cookie that this arena signed",
            got=ascii(cookie)[:80],
        )
    return user_id


CookieUserId = Annotated[int | None, Depends(get_user_id)]


def find_user(session: Session, arena: Arena, user_id: int | None) -> User | None:
    """The user of the cookie; in an arena without walls, its only user. Raises: BadCookie if it is gone."""
    if arena.settings.sandbox == "none":
        return local_user(session)
    if user_id is None:
        return None
    user = session.get(User, user_id)
    if user is None:
        raise BadCookie(
            "The cookie's user is not here any more. The cookie is now deleted: load the page again.",
            expected="a user of this arena",
            got=f"user {user_id}",
        )
    return user


def require_user(session: Session, arena: Arena, user_id: int | None, response: Response) -> User:
    """The user of the cookie, or a new guest who gets one."""
    user = find_user(session, arena, user_id)
    if user is None:
        user = User(kind=UserKind.GUEST, name="guest")
        session.add(user)
        session.flush()
        user.name = f"guest {user.id}"
        session.flush()
        cookie = str(arena.signer.dumps(user.id))
        secure = arena.settings.secure_cookies
        response.set_cookie(COOKIE, cookie, max_age=YEAR_S, httponly=True, samesite="lax", secure=secure)
    return user


def local_user(session: Session) -> User:
    """The one user of HEXARENA_SANDBOX=none."""
    user = session.scalar(select(User).where(User.kind == UserKind.LOCAL))
    if user is None:
        user = User(kind=UserKind.LOCAL, name="you")
        session.add(user)
        session.flush()
    return user
