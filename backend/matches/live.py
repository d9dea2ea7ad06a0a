"""Live updates for pages.

Two streams: changes (of a match, standing, submission or duel), rows of `change` written in the same transaction as
the change, so none is lost and none is sent for what was rolled back; and the lines of running matches, a Redis stream
for each attempt, which may be lost, because the replay comes from the blobs afterwards.

Theory of operation. Readers follow changes by id. Ids are given in order, but commit in any: a reader must not pass the
id of a transaction that still runs. So before its first row a transaction takes a shared advisory lock whose second
number is the last id that was given (a trigger does it, migration 0052): its own ids are greater. A reader asks first
which id was given last, then who holds such locks, and reads rows up to the least of these numbers (`_LAST_SAFE`).
Transactions that have not written a change yet, however long they take, keep nobody waiting.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, cast

import structlog
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import Connection, func, insert, select, text
from sqlalchemy.orm import Session

from hexarena.backend.models import ChangeRow
from hexarena.backend.runtime.db import notify
from hexarena.backend.runtime.locks import AdvisoryLock

log = structlog.get_logger()

EventKind = Literal["match", "standing", "submission", "duel", "notice", "event", "announcement", "ladder"]
KEEP_EVENTS = timedelta(days=1)
CHANGES_AT_ONCE = 200
STREAM_SECONDS = 3600
SLOWEST = timedelta(seconds=5)
"""From a change to the end of its transaction. Refits, which take longer, note changes at their end."""
FLUSH_S = 0.1
FLUSHES_AT_ONCE = 3
"""A match's header, its first turn and one more do not wait for one another."""
_INSERT = insert(ChangeRow)
_LAST_GIVEN = text("SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('change', 'id')), 0)")
_SKIP_IDS = text(
    "SELECT setval(sequence, greatest(pg_sequence_last_value(sequence) + 1, ms)) "
    "FROM (SELECT CAST(pg_get_serial_sequence('change', 'id') AS regclass) AS sequence, "
    "CAST(1000 * extract(epoch FROM clock_timestamp()) AS bigint) AS ms) AS these"
)
# The locks are asked for by a query of the row, and so after the id. A lock has the last 31 bits of its id, which is
# the nearest one to this.
_LAST_SAFE = text(
    f"WITH given (id) AS MATERIALIZED ({_LAST_GIVEN.text}) "  # noqa: S608 - a constant
    "SELECT least(id, (SELECT min(id - (id - objid::bigint + 1073741824) % 2147483648 + 1073741824) FROM pg_locks "
    "WHERE locktype = 'advisory' AND objsubid = 2 AND classid = CAST(:lock AS bigint)::oid "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))) FROM given"
).bindparams(lock=int(AdvisoryLock.CHANGES))


def publish(session: Session, game: str, kind: EventKind, subject_id: int) -> None:
    """Publishes that something changed; readers load its new state. `subject_id`: the id of what changed."""
    publish_all(session, game, kind, [subject_id])


def publish_all(session: Session, game: str, kind: EventKind, subject_ids: Sequence[int]) -> None:
    """Publishes that several changed, in this order."""
    if subject_ids:
        session.execute(_INSERT, [{"game": game, "kind": kind, "subject_id": one} for one in subject_ids])
        notify(session, "hexarena_events")


@dataclass(frozen=True, slots=True, order=True)
class Cursor:
    """A place in the order of changes: after the one with this id."""

    id: int

    def __str__(self) -> str:
        return str(self.id)

    @classmethod
    def read(cls, written: str) -> Cursor | None:
        """Parses a cursor; None if it is not one. Until 0.2.0 they had two numbers, neither of which was this one."""
        return cls(int(written)) if written.isascii() and written.isdigit() and len(written) < 19 else None


@dataclass(frozen=True, slots=True)
class Change:
    """A change as readers get it."""

    cursor: Cursor
    game: str
    kind: EventKind
    subject_id: int


def now(session: Session) -> Cursor:
    """The cursor after everything that is over. Another one, later, may be before it: as far as nothing is between."""
    return Cursor(session.execute(_LAST_SAFE).scalar_one())


def is_of_future(session: Session, cursor: Cursor) -> bool:
    """Whether no change was given this id yet."""
    return cursor.id > int(session.execute(_LAST_GIVEN).scalar_one())


def cursor_ago(session: Session, ago: timedelta) -> Cursor | None:
    """The cursor before everything that changed in this time; None if nothing did.

    A change has the time at which it was noted: SLOWEST is added, as its transaction ends later.
    Whole seconds, so that pages which open in the same second begin at the same place.
    """
    since = func.date_trunc("second", func.clock_timestamp() - (ago + SLOWEST))
    # The times are few, and to be looked up first, not the ids one by one.
    recent = select(ChangeRow.id).where(ChangeRow.at >= since).offset(0).subquery()
    first = session.scalar(select(func.min(recent.c.id)))
    return None if first is None else Cursor(first - 1)


def changes_since(session: Session, cursor: Cursor, *, game: str | None, limit: int = CHANGES_AT_ONCE) -> list[Change]:
    """Changes after the cursor, in order. Those after one that a running transaction may still write are left for the
    next call, as it could otherwise be skipped. The transaction must be one that sees what others commit meanwhile.
    """
    end = now(session)
    query = select(ChangeRow).where(ChangeRow.id > cursor.id, ChangeRow.id <= end.id)
    if game is not None:
        query = query.where(ChangeRow.game == game)
    rows = session.scalars(query.order_by(ChangeRow.id).limit(limit)) if cursor < end else ()
    return [Change(Cursor(row.id), row.game, cast(EventKind, row.kind), row.subject_id) for row in rows]


def are_more_than(session: Session, cursor: Cursor, most: int) -> bool:
    """Whether `changes_since` the cursor has more changes than that. Reads as many of the index at most."""
    query = select(ChangeRow.id).where(ChangeRow.id > cursor.id).order_by(ChangeRow.id)
    return session.scalar(query.offset(most).limit(1)) is not None


def prune(session: Session) -> None:
    """Deletes changes that no page can still be waiting for, but for the newest of them: see `is_pruned`."""
    session.execute(
        text(
            "DELETE FROM change WHERE id < "
            "(SELECT id FROM change WHERE at < now() - CAST(:kept AS interval) ORDER BY at DESC LIMIT 1)"
        ),
        {"kept": KEEP_EVENTS},
    )


def begin_anew(connection: Connection | Session) -> None:
    """Makes all places of the database that this one was copied from too old to resume by.

    Inserts a change that is old enough to be pruned, with an id that no other database can have come to: none has a
    thousand changes a second from 1970 until now.
    """
    connection.execute(_SKIP_IDS)
    long_ago = func.now() - 2 * KEEP_EVENTS
    connection.execute(_INSERT.values(at=long_ago, game="", kind="match", subject_id=0))


def is_pruned(session: Session, cursor: Cursor) -> bool:
    """Whether changes after the cursor may be gone: it is before the oldest, which is old enough to be pruned."""
    oldest = session.execute(
        select(ChangeRow.id, ChangeRow.at < func.now() - KEEP_EVENTS).order_by(ChangeRow.id).limit(1)
    ).first()
    return oldest is not None and bool(oldest[1]) and cursor.id < oldest[0]


# --- Lines of running matches -----------------------------------------------------------------------------------------


def stream_key(namespace: str, match_id: int, attempt: int) -> str:
    """The Redis stream of one attempt at one match."""
    return f"{namespace}:match:{match_id}:{attempt}"


class LineStream:
    """Sends a running match's lines, ten batches a second, its first ones at once. Without a broker the match continues
    unwatched.
    """

    def __init__(self, redis: Redis, key: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._redis = redis
        self._key = key
        self._clock = clock
        self._waiting: list[str] = []
        self._due_at = -math.inf
        self._broken = False

    def add(self, line: str) -> None:
        """Takes one line, with or without its line end."""
        self._waiting.append(line.rstrip("\n"))
        if self._clock() >= self._due_at:
            self.flush()

    def flush(self, *, last: bool = False) -> None:
        """Sends buffered lines; `last` marks the end of the stream."""
        if self._broken or not (self._waiting or last):
            return
        try:
            with self._redis.pipeline(transaction=False) as pipe:
                pipe.xadd(self._key, {"lines": json.dumps(self._waiting), "last": int(last)})
                pipe.expire(self._key, STREAM_SECONDS)
                pipe.execute()
        except RedisError as error:
            self._broken = True
            log.warning("live lines are lost: no broker", stream=self._key, error=repr(error))
        self._waiting = []
        # Whoever was silent for a while may send several at once: the first turn must not wait for the second.
        now = self._clock()
        self._due_at = max(self._due_at, now - (FLUSHES_AT_ONCE - 1) * FLUSH_S) + FLUSH_S


def lines_of(entry: dict[bytes, bytes]) -> tuple[Sequence[str], bool]:
    """The lines of a stream entry, and whether they are the last."""
    return json.loads(entry[b"lines"]), entry[b"last"] == b"1"
