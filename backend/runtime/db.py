"""The database: one engine a process, short transactions, LISTEN and NOTIFY."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Literal

import psycopg
from sqlalchemy import create_engine, event, func, select, text
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, TimeoutError as NoConnectionFree
from sqlalchemy.orm import Session, sessionmaker

from hexarena.backend.runtime.locks import AdvisoryLock
from hexarena.backend.runtime.settings import Settings

IDLE_S = 5.0
"""A transaction whose process sleeps (a frozen machine) loses its locks after that, so that others can continue."""
COMPUTES_MS = 600_000
"""The same, in milliseconds, for one that computes: a long history is counted and fitted while the ladder is locked."""
RECYCLE_S = 3600
"""How long a connection is used. Its temporary tables, which vacuum cannot freeze, must not grow old."""
TCP: dict[str, int] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""Over a network: a connection that was cut off fails within half a minute, not after the kernel's quarter hour."""
_CHANNELS = "channels to notify"
_NOTIFY = text("SELECT pg_notify(channel, '') FROM unnest(CAST(:channels AS text[])) AS channel")
Channel = Literal["hexarena_jobs", "hexarena_events", "hexarena_replies", "hexarena_webhooks"]


class Reader(Session):
    """A session that only reads."""

    def flush(self, objects: Sequence[object] | None = None) -> None:
        """Raises: RuntimeError, where there is something to write."""
        if self.new or self.dirty or self.deleted:
            raise RuntimeError("expected `transaction`, where something is written; got `reading`")


class Database:
    """An engine and its sessions. Make one a process, after any fork.

    `idle_s`: how long a transaction may hold its locks without a statement; then the server ends it.
    """

    def __init__(self, url: str, *, pool_size: int = 5, max_overflow: int = 15, idle_s: float = IDLE_S) -> None:
        self.url = url
        # In the server's own zone, a time at the edge of what Python can represent could not be loaded.
        options = f"-c timezone=UTC -c idle_in_transaction_session_timeout={round(idle_s * 1000)}"
        self.engine = create_engine(
            url,
            pool_size=pool_size,
            max_overflow=max_overflow,
            pool_pre_ping=True,
            pool_recycle=RECYCLE_S,
            connect_args={"options": options, **TCP},
        )
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        alone = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self._readers = sessionmaker(alone, class_=Reader, expire_on_commit=False, autoflush=False)

    @classmethod
    def of(cls, settings: Settings, *, pool_size: int = 5, max_overflow: int = 15) -> Database:
        """The arena's, by its settings."""
        return cls(
            settings.sqlalchemy_url(),
            pool_size=pool_size,
            max_overflow=max_overflow,
            idle_s=settings.transaction_idle_s,
        )

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """A session that commits at the end of the block, or rolls all of it back."""
        with self._sessions.begin() as session:
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session whose statements are transactions of their own: nothing is sent to begin and to end one.

        For a few that read, or write what stands alone. It has no locks.
        """
        with self._readers() as session:
            yield session

    def listen(self, channel: Channel) -> psycopg.Connection:
        """A separate connection that receives notifications. The caller closes it."""
        connection = psycopg.connect(psycopg_url(self.url), autocommit=True, **TCP)  # type: ignore[arg-type]
        try:
            connection.execute(f"LISTEN {channel}".encode())
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def lock(self, lock: AdvisoryLock) -> Iterator[bool]:
        """Whether this block has the lock, which nobody else gets before its end."""
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            mine = bool(connection.scalar(select(func.pg_try_advisory_lock(int(lock)))))
            try:
                yield mine
            finally:
                if mine:
                    # A connection that was cut off has taken its lock with it.
                    with suppress(DBAPIError):
                        connection.execute(select(func.pg_advisory_unlock(int(lock))))

    def close(self) -> None:
        """Closes all connections."""
        self.engine.dispose()


def is_away(error: BaseException) -> bool:
    """Whether the database does not answer now: nothing is wrong with what it was asked.

    It is away, or all connections are in use, or it ended the session of a process that slept in a transaction.
    """
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    listening = (psycopg.OperationalError, psycopg.InterfaceError)  # of a connection that is the driver's own
    return isinstance(error, (OperationalError, InterfaceError, NoConnectionFree, *listening))


def allow_long_transaction(session: Session) -> None:
    """For a transaction that computes between its statements: it may hold its locks for minutes."""
    session.execute(text(f"SET LOCAL idle_in_transaction_session_timeout = {COMPUTES_MS}"))


@contextmanager
def computing(session: Session) -> Iterator[None]:
    """The same for a part of a transaction."""
    allow_long_transaction(session)
    yield
    session.execute(text("SET LOCAL idle_in_transaction_session_timeout TO DEFAULT"))


def notify(session: Session, channel: Channel) -> None:
    """Wakes the listeners of a channel, once, if and when the transaction commits."""
    session.info.setdefault(_CHANNELS, set()).add(channel)


@event.listens_for(Session, "before_commit")
def _notify_all(session: Session) -> None:
    if channels := session.info.pop(_CHANNELS, None):
        session.execute(_NOTIFY, {"channels": sorted(channels)})


def psycopg_url(url: str) -> str:
    """The same address without SQLAlchemy's driver name."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)
