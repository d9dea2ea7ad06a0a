"""Live updates for pages.

Two streams: changes (of a match, standing, submission or duel), rows of `change` written in the same transaction as
the change, so none is lost and none is sent for what was rolled back; and the lines of running matches, a Redis stream
for each attempt, which may be lost, because the replay comes from the blobs afterwards.
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
from sqlalchemy import Connection, TextClause, func, insert, select, text
from sqlalchemy.orm import Session

from hexarena.backend.models import ChangeRow
from hexarena.backend.runtime.db import notify

log = structlog.get_logger()

EventKind = Literal["match", "standing", "submission", "duel", "notice", "event", "announcement", "ladder"]
KEEP_EVENTS = timedelta(days=1)
CHANGES_AT_ONCE = 200
STREAM_SECONDS = 3600
SLOWEST = timedelta(seconds=5)
"""Of the transactions that change what pages show."""
FLUSH_S = 0.1
FLUSHES_AT_ONCE = 3
"""A match's header, its first turn and one more do not wait for one another."""
_INSERT = insert(ChangeRow)
# A transaction sees its own changes, though its id may be the next one of its snapshot.
_OF_FORMER_CLUSTER = text(
    "DELETE FROM change WHERE tx >= pg_snapshot_xmax(pg_current_snapshot()) "
    "AND tx IS DISTINCT FROM pg_current_xact_id_if_assigned()"
)


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
    """A place in the order of changes: transaction, then id within it."""

    tx: int
    id: int

    def __str__(self) -> str:
        return f"{self.tx}-{self.id}"

    @classmethod
    def read(cls, written: str) -> Cursor | None:
        """Parses a cursor; None if it is not one."""
        tx, dash, event_id = written.partition("-")
        if not (dash and tx.isascii() and tx.isdigit() and event_id.isascii() and event_id.isdigit()):
            return None
        return cls(int(tx), int(event_id)) if len(tx) < 20 and len(event_id) < 19 else None


@dataclass(frozen=True, slots=True)
class Change:
    """A change as readers get it."""

    cursor: Cursor
    game: str
    kind: EventKind
    subject_id: int


def now(session: Session) -> Cursor:
    """The cursor after everything that is certainly committed."""
    oldest_running = session.scalar(text("SELECT pg_snapshot_xmin(pg_current_snapshot())::text"))
    return Cursor(int(oldest_running or 0), 0)


def cursor_ago(session: Session, ago: timedelta) -> Cursor | None:
    """The cursor before everything that changed in this time; None if nothing did.

    A change has the time at which its transaction began: SLOWEST is added, as that may have been long before it ended.
    Whole seconds, so that pages which open in the same second begin at the same place.
    """
    since = func.date_trunc("second", func.clock_timestamp() - (ago + SLOWEST))
    query = select(ChangeRow.tx, ChangeRow.id).where(ChangeRow.at >= since)
    row = session.execute(query.order_by(ChangeRow.tx, ChangeRow.id).limit(1)).first()
    return None if row is None else Cursor(int(row[0]), row[1] - 1)


def changes_since(session: Session, cursor: Cursor, *, game: str | None, limit: int = CHANGES_AT_ONCE) -> list[Change]:
    """Changes after the cursor, in order. Rows of transactions that may still run are left for the next call,
    as an older one of theirs could otherwise be skipped.
    """
    query = select(ChangeRow).where(*_after(cursor)).order_by(ChangeRow.tx, ChangeRow.id).limit(limit)
    if game is not None:
        query = query.where(ChangeRow.game == game)
    rows = session.scalars(query)
    return [Change(Cursor(int(row.tx), row.id), row.game, cast(EventKind, row.kind), row.subject_id) for row in rows]


def are_more_than(session: Session, cursor: Cursor, most: int) -> bool:
    """Whether `changes_since` the cursor has more changes than that. Reads as many of the index at most."""
    query = select(ChangeRow.id).where(*_after(cursor)).order_by(ChangeRow.tx, ChangeRow.id)
    return session.scalar(query.offset(most).limit(1)) is not None


def _after(cursor: Cursor) -> tuple[TextClause, TextClause]:
    after = text("(tx, id) > (CAST(CAST(:after_tx AS text) AS xid8), :after_id)")
    return (
        after.bindparams(after_tx=str(cursor.tx), after_id=cursor.id),
        text("tx < pg_snapshot_xmin(pg_current_snapshot())"),
    )


def prune(session: Session) -> None:
    """Deletes changes that no page can still be waiting for, but for the newest of them: see `is_pruned`."""
    session.execute(
        text(
            "DELETE FROM change WHERE (tx, id) < "
            "(SELECT tx, id FROM change WHERE at < now() - CAST(:kept AS interval) ORDER BY at DESC LIMIT 1)"
        ),
        {"kept": KEEP_EVENTS},
    )


def begin_anew(connection: Connection | Session) -> None:
    """Makes all earlier places too old to resume by: inserts a change that is old enough to be pruned."""
    long_ago = func.now() - 2 * KEEP_EVENTS
    connection.execute(_INSERT.values(at=long_ago, game="", kind="match", subject_id=0))


def forget_former_cluster(session: Session) -> int:
    """Deletes changes of transactions that this cluster has not come to. Returns how many.

    Whoever moves the database with pg_dump brings them along: transactions are counted anew in the new cluster.
    """
    deleted = session.execute(_OF_FORMER_CLUSTER).rowcount  # type: ignore[attr-defined]
    if deleted:
        begin_anew(session)
        log.warning("events of a former database cluster were deleted", changes=deleted)
    return int(deleted)


def is_pruned(session: Session, cursor: Cursor) -> bool:
    """Whether changes after the cursor may be gone: it is before the oldest, which is old enough to be pruned."""
    oldest = session.execute(
        select(ChangeRow.tx, ChangeRow.id, ChangeRow.at < func.now() - KEEP_EVENTS)
        .order_by(ChangeRow.tx, ChangeRow.id)
        .limit(1)
    ).first()
    return oldest is not None and bool(oldest[2]) and cursor < Cursor(int(oldest[0]), oldest[1])


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
