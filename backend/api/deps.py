"""What the routes share: the database, the settings, and who makes a request.

An account is known by the cookie of its session or by a personal token, a guest by a signed cookie with the user's id.
Reading never makes a guest; the first write does.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from itsdangerous import BadSignature, URLSafeSerializer
from redis.asyncio import Redis
from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend.accounts import sessions, tokens
from hexarena.backend.accounts.permissions import SCOPES, Action, Role, Scope, role_may
from hexarena.backend.api.access import ACTIONS
from hexarena.backend.api.cookies import COOKIE, SESSION_COOKIE
from hexarena.backend.api.kept import Kept
from hexarena.backend.api.middleware.limits import NETWORK_DIGITS, Limiter
from hexarena.backend.api.streaming.feed import Feed
from hexarena.backend.api.streaming.streams import SignIn, Streams
from hexarena.backend.api.streaming.watching import Watches
from hexarena.backend.api.tasks import Shared
from hexarena.backend.api.views import KnownPlaces
from hexarena.backend.api.views.boards import Boards
from hexarena.backend.api.views.drawing import Pictures
from hexarena.backend.api.views.front import FrontMatch
from hexarena.backend.errors import BadCookie, NotAllowed, SignInNeeded, StorageFull
from hexarena.backend.hosts import life as hosts
from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.matches.quotas import Quotas
from hexarena.backend.matches.workers import Load
from hexarena.backend.models import User, UserKind, UserRole
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.disk import Disk
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.status.arena import ArenaStatus
from hexarena.backend.status.faults import DayOfFaults
from hexarena.backend.status.history import History
from hexarena.backend.status.store_watch import StoreWatch

TAKES_NOTHING = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
WRITES = frozenset({Action.PLAY, Action.SUBMIT, Action.RENAME, Action.KEEP_EDITOR, Action.ACCOUNT})
"""What is refused while the disk is full. Reading, deleting, signing in and organising remain possible."""
YEAR_S = 365 * 24 * 3600
SESSION_S = round(sessions.LASTS.total_seconds())
# Of every request of a guest: a whole user would take twice as long.
_OF_COOKIE = select(User.kind, User.ban_reason).where(User.id == bindparam("this_user"))


@dataclass(frozen=True, slots=True)
class Arena:
    """Everything that the routes work with; `app.state.arena`."""

    settings: Settings
    database: Database
    blobs: Blobs
    disk: Disk
    redis: Redis
    signer: URLSafeSerializer
    limiter: Limiter
    places: KnownPlaces
    games: Kept[bytes]
    front: Kept[FrontMatch | None]
    streams: Streams
    feed: Feed
    watches: Watches
    boards: Boards
    status: Kept[ArenaStatus]
    status_seen: Shared[ArenaStatus]
    workers_seen: Shared[tuple[int, Load]]
    faults: Kept[DayOfFaults]
    history: History
    store_watch: StoreWatch
    pictures: Pictures
    event_files: asyncio.Lock

    def end_streams(self) -> None:
        """Before the process stops: it waits for the answers that it still gives."""
        self.feed.close()
        self.watches.close()

    @property
    def quotas(self) -> Quotas:
        """How much one person may ask for."""
        return Quotas.of(self.settings)


# Dependencies that wait for nothing are coroutines: others take a thread each, for every request.


async def get_arena(request: Request) -> Arena:
    """The arena of this app."""
    return arena_of(request)


def arena_of(request: Request) -> Arena:
    """The same, for what is no dependency."""
    return cast(Arena, request.app.state.arena)


InArena = Annotated[Arena, Depends(get_arena)]


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who makes a request. `user_id`: None for nobody yet, and for the local user of an arena without isolation.

    `session_id`: of an account that is signed in. `scopes`, `token_id`: of the token that was used, else None.
    `banned`: why, of somebody who is. `host_id`: of a host whose token was used.
    """

    user_id: int | None
    role: Role
    session_id: int | None = None
    scopes: frozenset[Scope] | None = None
    banned: str | None = None
    host_id: int | None = None
    token_id: int | None = None

    @property
    def may_organise(self) -> bool:
        """Whether they act as what they organise lets them: with a token, only with one for that."""
        return self.scopes is None or Scope.ORGANISE in self.scopes

    @property
    def sign_in(self) -> SignIn | None:
        """What somebody was recognised by; None for visitors."""
        if self.session_id is None and self.token_id is None:
            return SignIn(guest_id=self.user_id) if self.role is Role.GUEST else None
        return SignIn(self.session_id, self.token_id)


NOBODY = Visitor(None, Role.VISITOR)


async def get_visitor(request: Request, response: Response, arena: InArena) -> Visitor:
    """Recognises whoever makes the request, and checks that they may do what it asks for.

    Raises: BadCookie, SignInNeeded, NotAllowed, StorageFull.
    """
    action = ACTIONS[request.scope["route"].name]
    if request.method not in TAKES_NOTHING and action in WRITES and (await run_in_threadpool(arena.disk.room)).is_full:
        raise StorageFull()
    visitor = await _recognise(request, response, arena, action)
    if visitor.scopes is not None and not visitor.scopes & SCOPES[action]:
        scopes = " or ".join(sorted(SCOPES[action]))
        expected = f"a token with the scope {scopes}" if scopes else "somebody who is signed in: no token may do this"
        got = f"one with {', '.join(sorted(visitor.scopes))}"
        raise NotAllowed("This token may not do this.", expected=expected, got=got)
    if visitor.banned is not None and action not in {Action.READ, Action.SIGN_IN}:
        raise NotAllowed(f"You are banned: {visitor.banned}", expected="somebody who may take part", got="a ban")
    if role_may(visitor.role, action, guests=arena.settings.guests):
        return visitor
    if action is Action.JOIN:
        got = f"a {visitor.role}"
        raise SignInNeeded("Only workers on other machines join.", expected="the token of a host as bearer", got=got)
    if visitor.role is Role.WORKER:
        raise NotAllowed("A worker may not do this.", expected="somebody who may", got="the token of a host")
    if visitor.role in {Role.VISITOR, Role.GUEST}:
        raise SignInNeeded("Sign in first.", expected="an account of this arena", got=f"a {visitor.role}")
    raise NotAllowed("Only organisers may do this.", expected="an organiser", got=f"a {visitor.role}")


async def _recognise(request: Request, response: Response, arena: Arena, action: Action) -> Visitor:
    kind, _, bearer = request.headers.get("authorization", "").partition(" ")
    if arena.settings.sandbox == "none":
        return Visitor(None, Role.ORGANISER)
    if kind.lower() == "bearer":
        return await run_in_threadpool(_by_token, arena, bearer.strip())
    secret = request.cookies.get(SESSION_COOKIE)
    if secret is not None:
        visitor = await run_in_threadpool(_by_session, response, arena, secret)
        if visitor is not None:
            return visitor
        if action not in {Action.READ, Action.SIGN_IN}:
            raise BadCookie("Your session has ended. Sign in again.", expected="a session that has not ended")
    cookie = request.cookies.get(COOKIE)
    return NOBODY if cookie is None else await run_in_threadpool(_by_guest_cookie, response, arena, cookie)


def _by_token(arena: Arena, secret: str) -> Visitor:
    with arena.database.transaction() as session:
        if secret.startswith(hosts.PREFIX):
            return _by_host_token(session, secret)
        found = tokens.use(session, secret)
        if found is None:
            expected = "a personal token that was not revoked; make one on your account's page"
            raise SignInNeeded("This token does not exist.", expected=expected, got=ascii(secret[:8]))
        token, user = found
        scopes = frozenset(map(Scope, token.scopes))
        role = _role(user.kind, user.role)
        if role is Role.ORGANISER and Scope.ORGANISE not in scopes:
            role = Role.USER
        return Visitor(user.id, role, scopes=scopes, banned=user.ban_reason, token_id=token.id)


def _by_host_token(session: Session, secret: str) -> Visitor:
    host = hosts.find(session, secret)
    if host is None:
        expected = "a token of `hexarena host add` whose host was not removed"
        raise SignInNeeded("This token does not exist.", expected=expected, got=ascii(secret[:8]))
    return Visitor(None, Role.WORKER, host_id=host.id)


def _by_session(response: Response, arena: Arena, secret: str) -> Visitor | None:
    # It may extend the session, and note that its user is here: a statement each.
    with arena.database.reading() as session:
        found = sessions.find(session, secret)
        if found is None:
            return None
        if found.slid:
            keep_session(arena, response, secret)
        role = _role(UserKind.ACCOUNT, found.role)
        return Visitor(found.user_id, role, session_id=found.session_id, banned=found.ban_reason)


def _role(kind: UserKind, role: UserRole) -> Role:
    if kind == UserKind.GUEST:
        return Role.GUEST
    return Role.ORGANISER if role == UserRole.ORGANISER else Role.USER


def keep_session(arena: Arena, response: Response, secret: str) -> None:
    """Gives the browser the cookie of a session."""
    secure = arena.settings.secure_cookies
    response.set_cookie(SESSION_COOKIE, secret, max_age=SESSION_S, httponly=True, samesite="lax", secure=secure)


def _by_guest_cookie(response: Response, arena: Arena, cookie: str) -> Visitor:
    """Raises: BadCookie."""
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
    with arena.database.reading() as session:
        found = session.execute(_OF_COOKIE, {"this_user": user_id}).one_or_none()
    if found is None:
        raise BadCookie(
            "The cookie's user no longer exists. The cookie is now deleted: load the page again.",
            expected="a user of this arena",
            got=f"user {user_id}",
        )
    kind, ban_reason = found
    if kind != UserKind.GUEST:
        # The guest signed up in the meantime: from then on only a session or a token is good for the account.
        response.delete_cookie(COOKIE)
        return NOBODY
    return Visitor(user_id, Role.GUEST, banned=ban_reason)


CurrentVisitor = Annotated[Visitor, Depends(get_visitor)]


async def get_user_id(visitor: CurrentVisitor) -> int | None:
    """The id of whoever makes the request, if they have a row already."""
    return visitor.user_id


CurrentUserId = Annotated[int | None, Depends(get_user_id)]


def find_user(session: Session, arena: Arena, user_id: int | None) -> User | None:
    """The user of this id; in an arena without isolation, its only user. Raises: BadCookie if it is gone by now."""
    if arena.settings.sandbox == "none":
        return local_user(session)
    if user_id is None:
        return None
    user = session.get(User, user_id)
    if user is None:
        raise BadCookie("Your account was deleted just now.", expected="a user of this arena", got=f"user {user_id}")
    return user


def find_viewer_id(session: Session, arena: Arena, user_id: int | None) -> int | None:
    """Who reads, None for a visitor. It is not asked whether they are still there: `get_visitor` has found them."""
    if arena.settings.sandbox == "none":
        return session.scalar(select(User.id).where(User.kind == UserKind.LOCAL))
    return user_id


def organiser(session: Session, arena: Arena, visitor: Visitor) -> User:
    """Whoever does what only organisers may do, for the audit log. Raises: SignInNeeded."""
    user = find_user(session, arena, visitor.user_id)
    if user is None:
        raise SignInNeeded("Sign in first.", expected="an organiser", got="a visitor")
    return user


def require_user(session: Session, arena: Arena, user_id: int | None, response: Response, network: str) -> User:
    """The user of this id, or a new guest who gets one. `network`: where the request comes from. Raises: TooMany."""
    user = find_user(session, arena, user_id)
    if user is None:
        arena.limiter.admit(network)
        user = User(kind=UserKind.GUEST, name="guest", network=arena.limiter.key(network))
        session.add(user)
        session.flush()
        user.name = f"guest {user.id}"
        session.flush()
        cookie = str(arena.signer.dumps(user.id))
        secure = arena.settings.secure_cookies
        response.set_cookie(COOKIE, cookie, max_age=YEAR_S, httponly=True, samesite="lax", secure=secure)
    elif user.kind == UserKind.GUEST and len(user.network or "") != NETWORK_DIGITS:
        # A guest of an earlier version, whose key says nothing of the network around.
        user.network = arena.limiter.key(network)
    return user


def local_user(session: Session) -> User:
    """The one user of HEXARENA_SANDBOX=none. A page asks for several things at once, each of which may be the first."""
    query = select(User).where(User.kind == UserKind.LOCAL)
    user = session.scalar(query)
    if user is None:
        session.execute(insert(User).values(kind=UserKind.LOCAL, name="you").on_conflict_do_nothing())
        user = session.scalars(query).one()
    return user
