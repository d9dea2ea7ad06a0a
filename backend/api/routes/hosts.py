"""Workers on other machines: what they receive when they join."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from psycopg.errors import LockNotAvailable
from pydantic import ConfigDict, StringConstraints
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from hexarena.backend.api.deps import CurrentVisitor, InArena
from hexarena.backend.api.schemas import Schema
from hexarena.backend.errors import Conflict, SignInNeeded, Unavailable
from hexarena.backend.hosts import joining
from hexarena.backend.matches.blobs import StoreError
from hexarena.backend.matches.store import WrongStore, checked_store, identity

router = APIRouter(tags=["hosts"])
PATIENCE_S = 5.0
"""With the broker."""
LOCK_PATIENCE_S = 10.0
"""With another worker that is joining; a worker waits 20 s for its answer."""
Word = Annotated[str, StringConstraints(min_length=1, max_length=40)]


class Joining(Schema):
    """A worker that wants to join. `version`: of its Hexarena; `revision`: the newest schema that it knows."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"version": "0.3.0", "revision": "0039"}]}
    )

    version: Word
    revision: Word


class JoinedHost(Schema):
    """Where everything is, with credentials of the host's own. Keep it like a password.

    `arena`: the id that the store's marker must have. `limited`: whether its user of the broker reaches the arena's
    keys only. `settings`: those that all workers of the arena share, by their names. `store_variables`: variables by
    which it reaches the store.
    """

    host_id: int
    host: str
    arena: str
    database_url: str
    redis_url: str
    limited: bool
    settings: dict[str, str | float]
    store_variables: dict[str, str]


@router.post("/hosts/join")
def join_arena(body: Joining, arena: InArena, visitor: CurrentVisitor) -> JoinedHost:
    """Informs a worker on another machine where database, broker and store are. With the token of `hexarena host add`.

    409 if it is of another version than the arena, or if no other machine can reach the arena's servers.
    """
    if visitor.host_id is None:
        raise SignInNeeded("Only hosts join.", expected="the token of a host", got="an arena without isolation")
    joining.check_version(body.version, body.revision)
    settings = arena.settings
    try:
        checked_store(settings, arena.database)  # a new store gets its marker here, never from elsewhere
    except WrongStore as error:
        raise Conflict(str(error)) from None
    except StoreError as error:
        raise Unavailable("The store of replays does not answer.", got=str(error)) from None
    try:
        with (
            Redis.from_url(settings.redis_url, socket_timeout=PATIENCE_S, socket_connect_timeout=PATIENCE_S) as redis,
            arena.database.transaction() as session,
        ):
            session.execute(text(f"SET LOCAL lock_timeout = '{round(1000 * LOCK_PATIENCE_S)}ms'"))
            welcome = joining.welcome(session, redis, settings, visitor.host_id, identity(session))
    except RedisError:
        raise Unavailable("The broker does not answer.", expected="a broker that is up") from None
    except OperationalError as error:
        if not isinstance(error.orig, LockNotAvailable):
            raise
        raise Unavailable("Another worker is joining right now. Try again in a moment.") from None
    return JoinedHost(
        host_id=welcome.host_id,
        host=welcome.host,
        arena=welcome.arena,
        database_url=welcome.database_url,
        redis_url=welcome.redis_url,
        limited=welcome.limited,
        settings=dict(welcome.settings),
        store_variables=dict(welcome.store_variables),
    )
