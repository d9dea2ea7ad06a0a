"""The one reader of changes in a web process, and the streams that it feeds.

Theory of operation. While somebody listens, a task reads the rows of `change` after its position whenever the database
notifies, and once a second in any case. It renders them once (`renderings`) and puts the same bytes into the queue of
each stream. A stream that joins gets what comes after the position of that moment. One that resumes reads what it
missed by itself first, while its queue already fills: it may get a change twice, but never loses one. A page that
missed more than MOST_MISSED changes loads anew.

A queue is bounded. A client that is too slow for it loses its stream, and resumes by the last id that it got. While
nobody listens, nothing is read and nothing is kept.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Set as AbstractSet
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

import orjson
import structlog

from hexarena.backend.api.streaming.notifier import PATIENCE_S, Notifier
from hexarena.backend.api.streaming.renderings import Batch, batch_of
from hexarena.backend.api.streaming.sse import Signal, message
from hexarena.backend.api.views import KnownPlaces
from hexarena.backend.matches import live
from hexarena.backend.runtime.db import Database, is_away
from hexarena.backend.runtime.disk import Disk

log = structlog.get_logger()
ALIVE_S = 10.0
"""A page cannot distinguish a silent arena from a broken connection, so the stream is never silent for long."""
MOST_WAITING = 64
"""Batches that wait for a client. Their bytes are shared, unless the client is the only slow one."""
SLICE = 100
"""Streams that are served before other requests get their turn."""
PAUSE_S, PAUSE_EACH_S, LONGEST_PAUSE_S = 0.02, 0.00015, 0.5
"""Between two batches: longer for many streams, so that serving them leaves half of the time to other requests. What
happens in the meantime is sent at once, each thing only once."""
SHORTEST_LOOK_S = 0.05
"""After a notification of something that cannot be read yet: a transaction that wrote before is still open."""
RESUMED_KEPT = 32
MOST_MISSED = 5 * live.CHANGES_AT_ONCE
"""Changes that are sent to a stream that was away. All that resume wait for one another, a batch each, and to load a
page anew costs less than more batches.
"""
DISK_S = 2.0


class Subscription:
    """The queue of one stream. `game`: None for all of them. `viewer_id`: who reads it."""

    __slots__ = ("_signal", "_waiting", "game", "is_over", "spoke_at", "viewer_id")

    def __init__(self, game: str | None, viewer_id: int | None) -> None:
        self.game = game
        self.viewer_id = viewer_id
        self.is_over = False
        self.spoke_at = time.monotonic()
        self._waiting: list[bytes] = []
        self._signal = Signal()

    def put(self, chunk: bytes) -> None:
        """Queues a chunk. A queue that is full is emptied, and the stream ends: its client is too slow."""
        if len(self._waiting) >= MOST_WAITING:
            self.end()
        if not self.is_over:
            self.spoke_at = time.monotonic()
            self._waiting.append(chunk)
            self._signal.set()

    def end(self) -> None:
        """Ends the stream. What still waits is not sent: its client resumes before it."""
        self.is_over = True
        self._waiting = []
        self._signal.set()

    async def next(self) -> bytes | None:
        """The oldest chunk that waits, or what comes next. None at the end."""
        while not self._waiting and not self.is_over:
            await self._signal.wait()
        return None if self.is_over else self._waiting.pop(0)


@dataclass(frozen=True, slots=True)
class Missed:
    """What came after a cursor, up to `end`. `batch`: None if nothing did. `is_all`: nothing more before `end`."""

    end: live.Cursor
    batch: Batch | None
    is_all: bool


class Feed:
    """Reads changes for all streams of this process. Used by its event loop only."""

    def __init__(self, database: Database, notifier: Notifier, places: KnownPlaces) -> None:
        self._database = database
        self._notifier = notifier
        self._places = places
        self._streams: set[Subscription] = set()
        self._watched: dict[int, asyncio.Event] = {}
        self._position: live.Cursor | None = None
        self._wanted = asyncio.Event()
        self._positioning, self._resuming = asyncio.Lock(), asyncio.Lock()
        self._resumed: dict[live.Cursor, Missed] = {}
        self._is_full = False

    @property
    def notifier(self) -> Notifier:
        """What wakes it."""
        return self._notifier

    @property
    def position(self) -> live.Cursor | None:
        """How far it has read, None while nobody listens."""
        return self._position

    # --- Those who listen ---

    @asynccontextmanager
    async def subscribed(self, game: str | None, viewer_id: int | None) -> AsyncIterator[Subscription]:
        """A stream that is fed until the end of the block. Raises: OperationalError."""
        stream = Subscription(game, viewer_id)
        self._streams.add(stream)
        try:
            await self.start()
            yield stream
        finally:
            self._streams.discard(stream)
            self._rest()

    @asynccontextmanager
    async def watched(self, match_id: int) -> AsyncIterator[asyncio.Event]:
        """An event that is set whenever this match changes; one watcher for each match. Raises: OperationalError."""
        changed = self._watched[match_id] = asyncio.Event()
        try:
            await self.start()
            yield changed
        finally:
            if self._watched.get(match_id) is changed:
                del self._watched[match_id]
            self._rest()

    def look_again(self, match_id: int) -> None:
        """As if this match had changed."""
        if match_id in self._watched:
            self._watched[match_id].set()

    def _rest(self) -> None:
        """Stops reading when nobody listens."""
        if not self._streams and not self._watched:
            self._wanted.clear()
            self._position = None
            self._resumed.clear()

    async def start(self) -> live.Cursor:
        """Makes the reader read, from now on if it did not. Returns its position. Raises: OperationalError."""
        async with self._positioning:
            if self._position is None:
                self._position = await asyncio.to_thread(self._now)
            self._wanted.set()
            return self._position

    def _now(self) -> live.Cursor:
        with self._database.reading() as session:
            return live.now(session)

    def close(self) -> None:
        """Ends all streams: the process stops."""
        for stream in self._streams:
            stream.end()

    async def watch(self, disk: Disk) -> None:
        """Notifies all streams, for ever, when the disk is full and when there is room again."""
        while True:
            with suppress(OSError):
                is_full = (await asyncio.to_thread(disk.room)).is_full
                if is_full != self._is_full:
                    self._is_full = is_full
                    for stream in self._streams:
                        stream.put(_condition(is_full=is_full))
            await asyncio.sleep(DISK_S)

    # --- The streams ---

    async def chunks(
        self, stream: Subscription, resumed: str | None, past: timedelta = timedelta()
    ) -> AsyncGenerator[bytes]:
        """What a stream sends. `resumed`: its Last-Event-ID; None if it begins, with what changed in the `past`."""
        position = await self.start()
        if resumed is not None:
            begin = live.Cursor.read(resumed)
        else:
            begin = await asyncio.to_thread(self._ago, past) if past else None
        cursor = await self._checked(begin)
        yield message("hello", id_=cursor or position)
        if self._is_full:
            yield _condition(is_full=True)
        if cursor is None and (resumed is not None or begin is not None):
            yield message("reload", id_=position)
        elif cursor is not None:
            async for chunk in self._missed_chunks(stream, cursor, position):
                yield chunk
        while (waiting := await stream.next()) is not None:
            yield waiting

    def _ago(self, past: timedelta) -> live.Cursor | None:
        with self._database.reading() as session:
            return live.cursor_ago(session, past)

    async def _checked(self, cursor: live.Cursor | None) -> live.Cursor | None:
        """None for a cursor that nobody can resume by: unreadable, of the future, of changes that are pruned, or before
        more than MOST_MISSED.
        """
        return None if cursor is None else await asyncio.to_thread(self._resumable, cursor)

    def _resumable(self, cursor: live.Cursor) -> live.Cursor | None:
        with self._database.reading() as session:
            future = live.is_of_future(session, cursor)
            lost = future or live.is_pruned(session, cursor) or live.are_more_than(session, cursor, MOST_MISSED)
            return None if lost else cursor

    async def _missed_chunks(
        self, stream: Subscription, cursor: live.Cursor, position: live.Cursor
    ) -> AsyncGenerator[bytes]:
        while True:
            missed = await self._missed(cursor, position, stream.viewer_id)
            if missed.batch is not None and (chunk := missed.batch.chunk(stream.game, stream.viewer_id)):
                yield chunk
            if missed.is_all:
                return
            cursor = missed.end

    async def _missed(self, cursor: live.Cursor, position: live.Cursor, viewer_id: int | None) -> Missed:
        """Read once for all that resume by the same cursor, and by one at a time: thousands come after a restart."""
        viewers = frozenset() if viewer_id is None else frozenset({viewer_id})
        async with self._resuming:
            known = self._resumed.get(cursor)
            behind = known is not None and known.is_all and known.end < position
            lacks = known is not None and known.batch is not None and known.batch.lacks(viewers)
            if known is None or behind or lacks:
                known = await asyncio.to_thread(self._read_missed, cursor, viewers)
                if len(self._resumed) >= RESUMED_KEPT:
                    self._resumed.clear()
                self._resumed[cursor] = known
            return known

    def _read_missed(self, cursor: live.Cursor, viewers: AbstractSet[int]) -> Missed:
        with self._database.reading() as session:
            now = live.now(session)
            changes = live.changes_since(session, cursor, game=None)
            batch = batch_of(session, changes, viewers, self._places) if changes else None
        is_all = len(changes) < live.CHANGES_AT_ONCE
        return Missed(now if is_all else changes[-1].cursor, batch, is_all)

    # --- The reader ---

    async def run(self) -> None:
        """Reads for ever. A database that is away delays changes, and loses none."""
        while True:
            await self._wanted.wait()
            try:
                await self._follow()
            except Exception as error:
                if is_away(error):
                    log.warning("changes cannot be read now", error=str(error))
                    await asyncio.sleep(PATIENCE_S)
                    continue
                # A bug of ours must not silence all streams for ever: their clients reload, and we continue behind it.
                log.exception("changes were skipped")
                await self._skip()

    async def _skip(self) -> None:
        """Continues with what happens from now on, and notifies all streams that they missed something."""
        self._position = None
        while self._streams or self._watched:
            await asyncio.sleep(PATIENCE_S)
            try:
                chunk = message("reload", id_=await self.start())
            except Exception as error:  # noqa: BLE001 - whatever it is, it must not end the only reader
                log.warning("changes cannot be read now", error=str(error))
                continue
            for stream in self._streams:
                stream.put(chunk)
            for changed in self._watched.values():
                changed.set()
            return

    async def _follow(self) -> None:
        """Reads until nobody listens."""
        look_s = PATIENCE_S
        while self._wanted.is_set():
            woken = self._notifier.woken
            if await self._read():
                look_s = SHORTEST_LOOK_S
                await asyncio.sleep(min(PAUSE_S + PAUSE_EACH_S * len(self._streams), LONGEST_PAUSE_S))
            else:
                self._keep_alive()
                look_s = (
                    SHORTEST_LOOK_S if await self._notifier.wait(look_s, since=woken) else min(2 * look_s, PATIENCE_S)
                )

    async def _read(self) -> bool:
        """Sends what is new. Returns whether anything was."""
        position = await self.start()
        changes = await asyncio.to_thread(self._changes, position)
        batch = None
        while changes and self._streams and (batch is None or batch.lacks(self._viewers())):
            batch = await asyncio.to_thread(self._render, changes, self._viewers())
        if not changes or self._position is not position:  # everybody has left in the meantime
            return False
        self._position = changes[-1].cursor
        for change in changes:
            if change.kind == "match":
                self.look_again(change.subject_id)
        if batch is not None:
            await self._send(batch)
        return True

    def _viewers(self) -> frozenset[int]:
        return frozenset(one.viewer_id for one in self._streams if one.viewer_id is not None)

    def _changes(self, position: live.Cursor) -> list[live.Change]:
        with self._database.reading() as session:
            return live.changes_since(session, position, game=None)

    def _render(self, changes: list[live.Change], viewers: AbstractSet[int]) -> Batch:
        with self._database.reading() as session:
            return batch_of(session, changes, viewers, self._places)

    async def _send(self, batch: Batch) -> None:
        for number, stream in enumerate(list(self._streams), 1):
            if chunk := batch.chunk(stream.game, stream.viewer_id):
                stream.put(chunk)
            if number % SLICE == 0:
                await asyncio.sleep(0)

    def _keep_alive(self) -> None:
        now = time.monotonic()
        chunk = message("alive", id_=self._position)
        for stream in self._streams:
            if now - stream.spoke_at > ALIVE_S:
                stream.put(chunk)


def _condition(*, is_full: bool) -> bytes:
    """What pages say at their top."""
    return message("arena", orjson.dumps({"disk_full": is_full}).decode())
