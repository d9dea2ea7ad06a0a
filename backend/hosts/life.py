"""The life of a host: added with a token, joined by its workers, removed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from redis import Redis
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.accounts.secrets import new_secret, sha256_of
from hexarena.backend.errors import Conflict, Invalid, NotFound
from hexarena.backend.hosts import broker_users, roles
from hexarena.backend.matches.workers import alive
from hexarena.backend.models import Host, Worker

PREFIX = "hxh_"
"""Of tokens, which distinguishes them from those of people."""
NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,38}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Listed:
    """A host, and how many of its workers are up."""

    host: Host
    up: int


def add(session: Session, name: str) -> tuple[Host, str]:
    """A new host and its token, which is shown only now. Raises: Invalid, Conflict (the name)."""
    if NAME.fullmatch(name) is None:
        raise Invalid("A host's name cannot be read.", expected="up to 40 of a-z, 0-9, . and -", got=name[:60])
    if session.scalar(select(Host.id).where(Host.name == name)) is not None:
        raise Conflict(f"There is a host {name} already.", expected="another name", got=name)
    secret = new_secret(PREFIX)
    host = Host(name=name, secret_sha256=sha256_of(secret))
    session.add(host)
    session.flush()
    audit.record(session, None, "add a host", host=name)
    return host, secret


def list_all(session: Session) -> Sequence[Listed]:
    """All of them, by name."""
    up = select(func.count()).where(Worker.host_id == Host.id, alive()).scalar_subquery()
    return [Listed(host, count) for host, count in session.execute(select(Host, up).order_by(Host.name))]


def find(session: Session, token: str) -> Host | None:
    """The host whose token this is."""
    return session.scalar(select(Host).where(Host.secret_sha256 == sha256_of(token)))


def remove(session: Session, redis: Redis | None, name: str) -> str:
    """Ends a host: its token, its database role with all connections, its user of the broker, whose name is the answer.
    Its matches are played again. `redis`: None where the broker is away; it forgets the user when it restarts.

    Raises: NotFound, Conflict (the arena's role may not drop others).
    """
    host = session.scalar(select(Host).where(Host.name == name).with_for_update())
    if host is None:
        raise NotFound(f"There is no host {name}.", expected="one that `hexarena host list` shows", got=name)
    roles.drop(session, host.id)
    user = roles.name_of(session, host.id)
    if redis is not None:
        broker_users.drop(redis, user)
    session.delete(host)
    audit.record(session, None, "remove a host", host=name)
    session.flush()
    return user
