"""Matches that are being watched: one reader for each in this process, whatever the number of its watchers.

A reader finds the lines of its match in the broker while it runs, and in the blobs afterwards. It keeps them as long as
somebody watches. A stream only knows how far its page is, so a slow one costs nothing but its place in the list.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError
from sqlalchemy import select

from hexarena.backend.api import tasks, views
from hexarena.backend.api.streaming.feed import Feed
from hexarena.backend.api.streaming.notifier import PATIENCE_S
from hexarena.backend.api.streaming.renderings import match_owners
from hexarena.backend.api.streaming.sse import PING, Signal, message
from hexarena.backend.matches import in_person, live
from hexarena.backend.matches.blobs import DAMAGED, Blobs, Damaged
from hexarena.backend.matches.store import is_out_of_reach
from hexarena.backend.models import Job, MatchState
from hexarena.backend.runtime.db import Database
from hexarena.games.lines import void_line

log = structlog.get_logger()
StreamEntries: TypeAlias = list[tuple[bytes, list[tuple[bytes, dict[bytes, bytes]]]]]
"""Stream name -> entries of (id, fields), as Redis gives them."""
CHUNK_LINES = 200
KEPT_COPIES = 2
"""Of a match's lines, as rendered chunks: one for streams that begin at its beginning, as much again for those that
resume anywhere.
"""
PING_S = 15.0
REVEALED = 10_000_000
"""Added to the attempt once a match is over of a game that hides something: its lines are others then."""
REPLACED = 20_000_000
"""Added to the attempt where its replay does not begin with the lines that were sent: the broker had lost some."""


@dataclass(slots=True)
class Place:
    """What a page has already: the number of lines of an attempt."""

    attempt: int
    lines: int

    def __str__(self) -> str:
        return f"{self.attempt}-{self.lines}"

    @classmethod
    def read(cls, written: str | None) -> Place:
        """The start, if it is none."""
        attempt, _, lines = (written or "").partition("-")
        numbers = all(one.isascii() and one.isdigit() and len(one) < 9 for one in (attempt, lines))
        return cls(int(attempt), int(lines)) if numbers else cls(0, 0)


@dataclass(frozen=True, slots=True)
class Status:
    """A match as streams show it: JSON for everybody, None if nobody else may see it, and for owners (`renderings`).
    Of a match whose results are held back, the organisers who watch it are among the owners.

    `attempt`: the one whose lines count (and REVEALED). `lines`: all of them, once it is over. Those of a match in
    person are there from its beginning: they are rows, which an attempt that plays on from them does not change.
    """

    state: MatchState
    attempt: int
    lines: list[str] | None
    owners: frozenset[int]
    shown: Mapping[int | None, str]
    in_person: in_person.Progress | None = None

    def for_viewer(self, viewer_id: int | None) -> str | None:
        """What this viewer may see."""
        return self.shown.get(viewer_id if viewer_id in self.owners else None)


@dataclass(eq=False, slots=True)
class Watch:
    """A match that somebody watches. `chunks`: rendered lines, by the number of the first."""

    match_id: int
    status: Status | None = None
    attempt: int = 0
    lines: list[str] = field(default_factory=list)
    watchers: set[Watcher] = field(default_factory=set)
    task: asyncio.Task[None] | None = None
    is_gone: bool = False
    is_broken: bool = False
    chunks: dict[int, bytes] = field(default_factory=dict)
    _kept_lines: int = 0

    @property
    def is_over(self) -> bool:
        """Whether no more lines come."""
        return self.is_gone or (self.status is not None and self.status.state.is_over)

    def wake(self) -> None:
        """Wakes the streams: something is new."""
        for watcher in self.watchers:
            watcher.signal.set()

    def lacks_view(self, *, but: Collection[int | None]) -> bool:
        """Whether nothing is rendered for somebody who watches, besides these."""
        known, others = self.status, (one.viewer_id for one in self.watchers if one.viewer_id not in but)
        return known is not None and any(known.for_viewer(one) is None for one in others)

    def become(self, status: Status | None) -> None:
        """The match is in another state, or looks different to somebody."""
        self.is_gone = status is None
        if status is not None:
            if self.status is None or status.attempt != self.status.attempt:
                self.attempt, self.lines = status.attempt, []
                self._forget_chunks()
            if status.lines is not None and self.lines is not status.lines:
                if self.lines != status.lines[: len(self.lines)]:
                    self.attempt = status.attempt + REPLACED
                self.lines = status.lines
                self._forget_chunks()
        if status is None or status != self.status:
            self.status = status or self.status
            self.wake()

    def add(self, lines: Sequence[str]) -> None:
        """More lines of the current attempt."""
        self.lines += lines
        self._forget_chunks()
        self.wake()

    def chunk(self, place: Place) -> bytes:
        """The next lines after a place, which moves along; rendered once for all who are there.

        It ends at a multiple of CHUNK_LINES, so that streams share what follows, wherever they began.
        """
        begin, end = place.lines, place.lines - place.lines % CHUNK_LINES + CHUNK_LINES
        fresh = self.lines[begin:end]
        place.lines += len(fresh)
        if (known := self.chunks.get(begin)) is None:
            known = message("lines", json.dumps(fresh), place)
            self._keep(begin, known, len(fresh))
        return known

    def _keep(self, begin: int, chunk: bytes, lines: int) -> None:
        """Keeps a chunk. All of them have KEPT_COPIES times the match's lines at most."""
        if self._kept_lines + lines > KEPT_COPIES * len(self.lines):
            self._forget_chunks()
        self.chunks[begin] = chunk
        self._kept_lines += lines

    def _forget_chunks(self) -> None:
        self.chunks.clear()
        self._kept_lines = 0


@dataclass(eq=False, slots=True)
class Watcher:
    """One stream of a match."""

    watch: Watch
    viewer_id: int | None
    has_left: bool = False
    signal: Signal = field(default_factory=Signal)

    def leave(self) -> None:
        """The client has gone."""
        self.has_left = True
        self.signal.set()


class Watches:
    """All matches that are watched in this process. Used by its event loop only."""

    def __init__(
        self, database: Database, blobs: Blobs, redis: Redis, namespace: str, feed: Feed, places: views.KnownPlaces
    ) -> None:
        self._database = database
        self._blobs = blobs
        self._redis = redis
        self._namespace = namespace
        self._feed = feed
        self._places = places
        self._watches: dict[int, Watch] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._is_closed = False

    @asynccontextmanager
    async def watching(self, match_id: int, viewer_id: int | None) -> AsyncIterator[Watcher]:
        """The match, for a stream of this viewer, who may see it. Raises: OperationalError."""
        watch = self._watches.get(match_id)
        if watch is None or watch.is_gone or watch.is_broken:
            watch = self._watches[match_id] = Watch(match_id)
        watcher = Watcher(watch, viewer_id)
        watch.watchers.add(watcher)
        try:
            if watch.task is None:
                watch.task = asyncio.create_task(self._read(watch), context=Context())
            elif watch.status is not None and watch.status.for_viewer(viewer_id) is None:
                self._feed.look_again(match_id)  # an owner, for whom nothing is rendered yet
            yield watcher
        finally:
            watch.watchers.discard(watcher)
            if not watch.watchers:
                self._leave(watch)

    def _leave(self, watch: Watch) -> None:
        """Nobody watches any more. The reader ends by itself: nobody waits for the broker's answer."""
        if self._watches.get(watch.match_id) is watch:
            del self._watches[watch.match_id]
        if watch.task is not None:
            watch.task.cancel()
            self._ending.add(watch.task)
            watch.task.add_done_callback(self._ending.discard)

    async def ended(self) -> None:
        """Waits for the readers that are ending."""
        await tasks.end(*self._ending)

    def close(self) -> None:
        """Ends all streams: the process stops."""
        self._is_closed = True
        for watch in self._watches.values():
            watch.wake()

    # --- The streams ---

    async def chunks(self, watcher: Watcher, place: Place) -> AsyncGenerator[bytes]:
        """What a stream sends: `status`, `restart`, `lines`, `end`."""
        watch, shown = watcher.watch, None
        while not (self._is_closed or watch.is_broken or watcher.has_left):
            # After each event we look again: the match may have changed while it was sent.
            view = None if watch.status is None else watch.status.for_viewer(watcher.viewer_id)
            if view is not None:
                if view != shown:
                    shown = view
                    yield message("status", view)
                    continue
                if place.attempt != watch.attempt:
                    had_lines, place = place.lines > 0, Place(watch.attempt, 0)
                    if had_lines:
                        yield message("restart")
                    continue
                if place.lines < len(watch.lines):
                    yield watch.chunk(place)
                    continue
            if watch.is_gone or (view is not None and watch.is_over):
                yield message("end")
                return
            if not await watcher.signal.wait(PING_S):
                yield PING

    # --- The readers ---

    async def _read(self, watch: Watch) -> None:
        """Follows the match until nobody watches. A database or a store that is away delays what streams show."""
        while True:
            try:
                async with self._feed.watched(watch.match_id) as changed:
                    await self._follow(watch, changed)
            except Exception as error:
                if is_out_of_reach(error):
                    log.warning("a match cannot be read now", match=watch.match_id, error=str(error))
                    await asyncio.sleep(PATIENCE_S)
                    continue
                # A bug of ours: the streams end, and the pages open new ones.
                log.exception("a match cannot be watched", match=watch.match_id)
                watch.is_broken = True
                watch.wake()
                return

    async def _follow(self, watch: Watch, changed: asyncio.Event) -> None:
        reading, attempt = None, 0
        try:
            while True:
                changed.clear()
                viewers = frozenset(one.viewer_id for one in watch.watchers)
                watch.become(await asyncio.to_thread(self._status, watch.match_id, viewers))
                if watch.lacks_view(but=viewers):
                    changed.set()  # an owner came while it was read, for whom nothing was rendered
                state = None if watch.status is None else watch.status.state
                if watch.status is not None and watch.status.in_person is not None and not watch.status.state.is_over:
                    await self._person_moves(watch.match_id, watch.status.in_person, changed)
                    continue
                if reading is not None and (state != MatchState.RUNNING or attempt != watch.attempt):
                    await tasks.end(reading)
                    reading = None
                if state == MatchState.RUNNING and reading is None:
                    attempt = watch.attempt
                    reading = asyncio.create_task(self._read_lines(watch, attempt))
                waits = state == MatchState.QUEUED  # its place in the queue changes without an event
                await _set_within(changed, PATIENCE_S if waits else None)
        finally:
            if reading is not None:
                await tasks.end(reading)

    async def _person_moves(self, match_id: int, known: in_person.Progress, changed: asyncio.Event) -> None:
        """Waits until a match in person has changed. An event would do, but an older transaction could delay it."""
        notifier = self._feed.notifier
        while not changed.is_set():
            woken = notifier.woken
            if await asyncio.to_thread(self._progress, match_id) != known:
                return
            await notifier.wait(PATIENCE_S, since=woken)

    def _progress(self, match_id: int) -> in_person.Progress | None:
        with self._database.transaction() as session:
            return in_person.progress(session, match_id)

    async def _read_lines(self, watch: Watch, attempt: int) -> None:
        """The lines of an attempt, from the broker. Without it, the match is shown once it is over."""
        key = live.stream_key(self._namespace, watch.match_id, attempt)
        last, last_id = False, b"0"
        while not last:
            try:
                found = await self._redis.xread({key: last_id}, block=int(PATIENCE_S * 1000))
            except RedisError:
                await asyncio.sleep(PATIENCE_S)
                continue
            for _, entries in cast(StreamEntries, found):
                for last_id, entry in entries:  # noqa: B007 - read on from there
                    lines, last = live.lines_of(entry)
                    watch.add(lines)

    def _status(self, match_id: int, viewers: frozenset[int | None]) -> Status | None:
        """None if the match is gone."""
        with self._database.transaction() as session:
            # All of one moment: a match in person that ends meanwhile has neither its rows nor a result between.
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            person = in_person.progress(session, match_id)
            row = views.find_match(session, match_id)
            if row is None:
                return None
            places = self._places.of(session, [row])
            owners = match_owners(session, row)
            if row.held:  # it has nothing for everybody, and organisers are no owners
                owners |= {one for one in viewers if one is not None and views.may_see(session, row, one)}
            shown = {
                viewer: views.match_view(session, row, viewer, places).model_dump_json()
                for viewer in {None} | (owners & viewers)
                if views.may_see(session, row, viewer)
            }
            attempt = session.scalar(select(Job.attempts).where(Job.match_id == match_id)) or 0
            nameless = views.nameless_seats(row)
            hides = views.hides(row.game)
            read = in_person.seen_lines if hides else in_person.lines
            rows = None if person is None else list(read(session, match_id))
        if row.result is None:
            lines = [void_line(row.void_reason or "").rstrip("\n")] if row.state == MatchState.VOID else rows
            return Status(row.state, attempt if person is None else 1, lines, owners, shown, person)
        try:
            text = self._blobs.text(row.result.replay_key) or void_line("This replay is no longer stored.")
        except Damaged as error:
            log.error("a replay is damaged", match=match_id, error=str(error))
            text = void_line(DAMAGED)
        if nameless:
            text = views.without_names(text, nameless)
        attempt = (row.result.attempt if person is None else 1) + (REVEALED if hides else 0)
        return Status(row.state, attempt, text.rstrip("\n").split("\n"), owners, shown, person)


async def _set_within(event: asyncio.Event, seconds: float | None) -> bool:
    """Waits until it is set. False if that takes too long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            return await event.wait()
    return False
