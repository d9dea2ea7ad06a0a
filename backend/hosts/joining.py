"""What a worker elsewhere receives when it joins: where everything is, and credentials that are its host's own.

Nothing but what HTTP carries is needed on that machine: the arena's address and a token. Its worker then speaks to the
database, the broker and the store by itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit

from redis import Redis
from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session

from hexarena.backend.errors import Conflict
from hexarena.backend.hosts import broker_users, roles
from hexarena.backend.models import Host
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.settings import Settings

SHARED = (*("namespace", "store", "lease_s", "max_attempts", "keep_bots_s", "person_patience_s", "transaction_idle_s"),)
"""Settings that a worker elsewhere has from the arena."""
STORE_VARIABLES = ("AWS_", "GOOGLE_", "AZURE_")
"""Beginnings of the variables by which a store's client finds its address and its keys."""


@dataclass(frozen=True, slots=True)
class Welcome:
    """What a worker receives. `settings`: those of SHARED. `store_variables`: for the environment.

    `limited`: whether its user of the broker may use the arena's keys only.
    """

    host_id: int
    host: str
    arena: str
    database_url: str = field(repr=False)
    redis_url: str = field(repr=False)
    limited: bool
    settings: Mapping[str, str | float]
    store_variables: Mapping[str, str] = field(repr=False)


def check_version(of_worker: str, revision: str) -> None:
    """Raises: Conflict, if the worker's code is not the arena's."""
    own = version("hexarena"), migrate.newest_revision()
    if (of_worker, revision) != own:
        raise Conflict(
            "This worker is of another version than the arena.",
            expected=f"Hexarena {own[0]} with the schema {own[1]}",
            got=f"Hexarena {of_worker[:40]} with the schema {revision[:40]}",
        )


def welcome(session: Session, redis: Redis, settings: Settings, host_id: int, arena: str) -> Welcome:
    """Makes what a host needs, or brings it up to date. `arena`: the id of the database.

    Raises: Conflict, if this arena cannot be joined from elsewhere. RedisError.
    """
    database_url = _outside(settings.join_database_url or settings.database_url, "database", "JOIN_DATABASE_URL")
    redis_url = _outside(settings.join_redis_url or settings.redis_url, "broker", "JOIN_REDIS_URL")
    host = session.scalars(select(Host).where(Host.id == host_id).with_for_update(key_share=True)).one()
    password = roles.password_of(settings.signing_key(), host)
    role = roles.admit(session, host.id, password)
    limited = broker_users.admit(redis, role, password, settings.namespace)
    host.joined_at, host.version = func.now(), version("hexarena")
    own = urlsplit(settings.redis_url)
    broker_user = (role, password) if limited else (unquote(own.username or ""), unquote(own.password or ""))
    return Welcome(
        host_id=host.id,
        host=host.name,
        arena=arena,
        database_url=_with_user(database_url, role, password),
        redis_url=_with_user(redis_url, *broker_user),
        limited=limited,
        settings={name: getattr(settings, name) for name in SHARED},
        store_variables=store_variables(settings),
    )


def is_any_joined() -> ColumnElement[bool]:
    """Whether a host has joined, whose users the broker must know."""
    return exists().where(Host.joined_at.is_not(None))


def keep_known(session: Session, redis: Redis, settings: Settings) -> int:
    """Makes the users again that a restarted broker has forgotten. Returns how many. Raises: RedisError."""
    made = 0
    # One that is being removed has lost its user already.
    joined = select(Host).where(Host.joined_at.is_not(None)).order_by(Host.id)
    for host in session.scalars(joined.with_for_update(read=True, skip_locked=True)):
        role = roles.name_of(session, host.id)
        if not broker_users.knows(redis, role):
            password = roles.password_of(settings.signing_key(), host)
            made += broker_users.admit(redis, role, password, settings.namespace)
    return made


def store_variables(settings: Settings) -> dict[str, str]:
    """How a host reaches the store: as it was set for hosts, else as this process does."""
    if not settings.store:
        return {}
    return settings.join_store or {
        name: value for name, value in os.environ.items() if name.startswith(STORE_VARIABLES)
    }


def _outside(url: str, what: str, variable: str) -> SplitResult:
    """Raises: Conflict, for an address that no other machine can use."""
    parts = urlsplit(url)
    sockets = any(host.startswith("/") for host in parse_qs(parts.query).get("host", []))
    if not parts.hostname or sockets:
        raise Conflict(
            f"No other machine can reach the {what} of this arena: it listens on a socket of its own machine.",
            expected=f"a server that listens to the network, and its address in HEXARENA_{variable}",
            got="a socket",
        )
    return parts


def _with_user(parts: SplitResult, user: str, password: str) -> str:
    known = f"{quote(user, safe='')}:{quote(password, safe='')}@" if user or password else ""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port is None else f":{parts.port}"
    return parts._replace(netloc=f"{known}{host}{port}").geturl()
