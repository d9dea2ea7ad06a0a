"""The arena itself: its identity, its hosts and processes, and what organisers did."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Identity, Index, SmallInteger, String, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from hexarena.backend.models.base import Base


class Host(Base):
    """A machine elsewhere whose workers may join with its token. Of that only the SHA-256 is kept.

    `joined_at`: when a worker of it last did, with `version` of Hexarena; null if none has.
    """

    __tablename__ = "host"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    name: Mapped[str] = mapped_column(String(40), unique=True)
    secret_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    joined_at: Mapped[datetime | None]
    version: Mapped[str | None] = mapped_column(String(40))


class AuditEntry(Base):
    """What an organiser did. Rows are never changed: the database refuses it.

    `user_id`: null if the arena did it by itself.
    """

    __tablename__ = "audit_entry"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    action: Mapped[str] = mapped_column(String(40))
    event_id: Mapped[int | None]
    detail: Mapped[dict[str, Any]] = mapped_column(server_default="{}")

    __table_args__ = (Index("ix_audit_entry_event_id", "event_id", "id"), Index("ix_audit_entry_user_id", "user_id"))


class ArenaIdentity(Base):
    """The id of this database, in one row. The store of replays has it, too: `matches/store.py`."""

    __tablename__ = "arena_identity"

    one: Mapped[bool] = mapped_column(primary_key=True, server_default="true")
    id: Mapped[str] = mapped_column(String(36))

    __table_args__ = (CheckConstraint("one", name="one_row"),)


class Worker(Base):
    """The last heartbeat of each worker.

    `spare`: how many matches it can hold beyond its slots while bots sleep. `late_s`: how late its timer fired at worst
    in the last seconds. `cpu_wait`: the share of that time in which something on its machine waited for a CPU, 0 to 1;
    null where the kernel does not say. `host_id`: of the host that joined; null for workers of the arena's own.
    `toolchains`: language -> the versions of its programs. `clock_off_s`: how far its clock is ahead of the database's.
    `disk_free_bytes`: of its data folder's disk; null before the first heartbeat since the arena has asked for it.
    """

    __tablename__ = "worker"

    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    slots: Mapped[int] = mapped_column(SmallInteger)
    spare: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    sandbox: Mapped[str] = mapped_column(String(200))
    languages: Mapped[list[str]] = mapped_column(JSONB)
    late_s: Mapped[float] = mapped_column(server_default="0")
    cpu_wait: Mapped[float | None]
    host_id: Mapped[int | None] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"))
    toolchains: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    clock_off_s: Mapped[float] = mapped_column(server_default="0")
    disk_free_bytes: Mapped[int | None]

    __table_args__ = (Index("ix_worker_host_id", "host_id"),)


class Part(Base):
    """A dispatcher, scheduler, ratings, webhooks or API process of the arena on a host: `backend/matches/parts.py`.

    `starts`: how often it was started since it last lasted a minute. `seen_at`: its last heartbeat; null before the
    first since the arena has known it. `problem`: the error that ended it last, until it lasts again.
    """

    __tablename__ = "part"

    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    host: Mapped[str] = mapped_column(String(100), primary_key=True)
    starts: Mapped[int]
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    seen_at: Mapped[datetime | None]
    problem: Mapped[str | None] = mapped_column(String(300))
