"""The database: one engine a process, short transactions, and the wake-up calls of LISTEN / NOTIFY."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import psycopg
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session, sessionmaker

STUCK_MS = 5_000
"""A transaction whose process sleeps (a frozen machine) loses its locks after that, so that others can go on."""
COMPUTES_MS = 600_000
"""The same for one that computes: a long history is counted and fitted while the ladder is locked."""
Channel = Literal["hexarena_jobs", "hexarena_events"]


class Database:
    """An engine and its sessions. Make one a process, after any fork."""

    def __init__(self, url: str, *, pool_size: int = 5, max_overflow: int = 15) -> None:
        self.url = url
        self.engine = create_engine(
            url,
            pool_size=pool_size,
            max_overflow=max_overflow,
            pool_pre_ping=True,
            connect_args={"options": f"-c idle_in_transaction_session_timeout={STUCK_MS}", "connect_timeout": 10},
        )
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """A session that commits at the end of the block, or rolls all of it back."""
        with self._sessions.begin() as session:
            yield session

    def listen(self, channel: Channel) -> psycopg.Connection:
        """A connection of its own that hears `notify` calls. The caller closes it."""
        connection = psycopg.connect(psycopg_url(self.url), autocommit=True)
        connection.execute(f"LISTEN {channel}".encode())
        return connection

    def close(self) -> None:
        """Gives back all connections."""
        self.engine.dispose()


def take_time(session: Session) -> None:
    """For a transaction that computes for long between its statements: it keeps its locks for minutes."""
    session.execute(text(f"SET LOCAL idle_in_transaction_session_timeout = {COMPUTES_MS}"))


def notify(session: Session, channel: Channel) -> None:
    """Wakes the listeners of a channel, if and when the transaction commits."""
    session.execute(text("SELECT pg_notify(:channel, '')"), {"channel": channel})


def psycopg_url(url: str) -> str:
    """The same address without SQLAlchemy's driver name."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)
