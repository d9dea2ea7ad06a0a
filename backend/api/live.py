"""Server-sent events: what changed in the arena, and the lines of a match while it is played.

Theory of operation: the database's NOTIFY wakes each open stream of this process (`Notifier`), which then reads what is
new for it. A missed notification delays an event by a second, but never loses it: the rows are there. Both streams
resume by Last-Event-ID.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, TypeAlias, cast

from fastapi import APIRouter, Depends, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from redis.exceptions import RedisError
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from hexarena.backend import notices
from hexarena.backend.api import schemas, views
from hexarena.backend.api.deps import Arena, CurrentUserId, InArena, find_user
from hexarena.backend.api.limits import ClientNetwork
from hexarena.backend.api.notifier import PATIENCE_S
from hexarena.backend.api.people import NoticeView, notice_view
from hexarena.backend.api.submissions import IdPath
from hexarena.backend.errors import NotFound
from hexarena.backend.matches import in_person, live, workers
from hexarena.backend.models import Job, MatchState, Submission
from hexarena.backend.submissions.life import game_named
from hexarena.games.lines import void_line

router = APIRouter()
StreamEntries: TypeAlias = list[tuple[bytes, list[tuple[bytes, dict[bytes, bytes]]]]]
"""Stream name -> entries of (id, fields), as Redis gives them."""
Message: TypeAlias = tuple[
    str, schemas.Match | schemas.Submission | schemas.StandingChange | schemas.DuelStatus | NoticeView
]
"""An event's name and data."""
CHUNK_LINES = 200
ALIVE_S = 10.0
"""A page cannot tell a silent arena from a broken connection, so the stream is never silent for long."""


async def _take_place(arena: InArena, network: ClientNetwork) -> AsyncIterator[None]:
    """A place among the client's streams, until the stream is over or the client has gone."""
    with arena.streams.place(network):
        yield


STREAM = [Depends(_take_place)]


# --- What changed ---------------------------------------------------------------------------------------------------


def _game_id(game: Annotated[str | None, Query(max_length=200)] = None) -> str | None:
    """Checked before the stream begins, so that an unknown game is an error and not an empty stream."""
    return None if game is None else game_named(game).id


@router.get("/events", tags=["live"], response_class=EventSourceResponse, dependencies=STREAM)
async def stream_events(
    arena: InArena,
    user_id: CurrentUserId,
    game_id: Annotated[str | None, Depends(_game_id)],
    last_event_id: Annotated[str | None, Header(max_length=80)] = None,
) -> AsyncIterator[ServerSentEvent]:
    """`match` (a Match that changed), `standing` (a StandingChange), `submission` (one of your own that changed),
    `notice` (a NoticeView of yours that is new or changed),
    `duel` (a Duel that started, counted a trial, or ended), and `alive` after ten seconds without any of them.
    """
    resumed = live.Cursor.read(last_event_id or "")
    now = await asyncio.to_thread(_now, arena)
    cursor = now if resumed is None or resumed.tx > now.tx else resumed
    yield ServerSentEvent(event="hello", id=str(cursor), data={})
    spoke_at = time.monotonic()
    while True:
        changes = await asyncio.to_thread(_changes, arena, cursor, game_id)
        if changes:
            cursor = changes[-1].cursor
            for name, data in await asyncio.to_thread(_messages, arena, changes, user_id):
                yield ServerSentEvent(event=name, id=str(cursor), data=data)
            spoke_at = time.monotonic()
        elif time.monotonic() - spoke_at > ALIVE_S:
            yield ServerSentEvent(event="alive", id=str(cursor), data={})
            spoke_at = time.monotonic()
        else:
            await arena.notifier.wait()


def _now(arena: Arena) -> live.Cursor:
    with arena.database.transaction() as session:
        return live.now(session)


def _changes(arena: Arena, cursor: live.Cursor, game: str | None) -> list[live.Change]:
    with arena.database.transaction() as session:
        return live.changes_since(session, cursor, game=game)


def _messages(arena: Arena, changes: list[live.Change], user_id: int | None) -> list[Message]:
    """The current state of what changed; each thing only once, however often it changed."""
    with arena.database.transaction() as session:
        viewer = find_user(session, arena, user_id)
        viewer_id = None if viewer is None else viewer.id
        messages: list[Message] = []
        for match_id in _subjects(changes, "match"):
            with suppress(NotFound):  # somebody else's practice
                messages.append(("match", views.match_by_id(session, match_id, viewer_id)))
        own = Submission.user_id == (viewer_id or 0)
        for submission_id in _subjects(changes, "submission"):
            found = views.submission_views(session, own & (Submission.id == submission_id), viewer_id)
            messages.extend(("submission", one) for one in found)
        if viewer_id is not None and (ids := _subjects(changes, "notice")):
            messages.extend(("notice", notice_view(one)) for one in notices.newest(session, viewer_id, ids=ids))
        changed_duels = _subjects(changes, "duel")
        messages.extend(("duel", views.duel_by_id(session, duel_id, viewer_id)) for duel_id in changed_duels)
        by_game: dict[str, list[int]] = {}
        for change in changes:
            if change.kind == "standing":
                by_game.setdefault(change.game, []).append(change.subject_id)
        for game, submission_ids in by_game.items():
            items = views.standings_of(session, game, list(dict.fromkeys(submission_ids)), viewer_id)
            messages.append(("standing", schemas.StandingChange(game=game, items=items)))
        return messages


def _subjects(changes: list[live.Change], kind: str) -> list[int]:
    return list(dict.fromkeys(change.subject_id for change in changes if change.kind == kind))


# --- A match while it is played --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a match is. `attempt`: the one whose lines count. `replay`: all lines, once it is done."""

    match: schemas.Match
    attempt: int
    replay: list[str] | None


def _progress(arena: Arena, match_id: int, user_id: int | None) -> Progress:
    with arena.database.transaction() as session:
        viewer = find_user(session, arena, user_id)
        viewer_id = None if viewer is None else viewer.id
        row = views.match_row(session, match_id, viewer_id)
        places = arena.places.including(session, match_id) if row.state == MatchState.QUEUED else {}
        view = views.match_view(session, row, viewer_id, places)
        attempt = session.scalar(select(Job.attempts).where(Job.match_id == match_id)) or 0
        result = row.result
        if result is not None:
            attempt = result.attempt
        if row.in_person is not None:
            # Its lines are rows, which an attempt that plays on from them does not change.
            attempt = 1
        nameless = views.nameless_seats(row)
    if result is None:
        return Progress(view, attempt, None)
    text = arena.blobs.get_text(result.replay_key) or void_line("This replay is no longer stored.")
    if nameless:
        text = views.without_names(text, nameless)
    return Progress(view, attempt, text.rstrip("\n").split("\n"))


async def get_progress(arena: InArena, user_id: CurrentUserId, match_id: IdPath) -> Progress:
    """Read before the stream begins, so that an unknown match is an error and not an empty stream."""
    return await asyncio.to_thread(_progress, arena, match_id, user_id)


@router.get("/matches/{match_id}/live", tags=["live"], response_class=EventSourceResponse, dependencies=STREAM)
async def stream_match(
    arena: InArena,
    user_id: CurrentUserId,
    progress: Annotated[Progress, Depends(get_progress)],
    last_event_id: Annotated[str | None, Header(max_length=80)] = None,
) -> AsyncIterator[ServerSentEvent]:
    """The replay's lines as they are played: `status` (a Match), `lines` (an array of lines), `restart` (discard the
    lines: the match is played again), `end`. Also for matches that are over.
    """
    follower = Follower(arena, progress, _read_place(last_event_id))
    shown = None
    while True:
        if follower.progress.match != shown:
            shown = follower.progress.match
            yield ServerSentEvent(event="status", data=shown)
        if follower.advance_attempt():
            yield ServerSentEvent(event="restart", data={})
        if lines := await follower.new_lines():
            yield ServerSentEvent(event="lines", id=str(follower.place), data=lines)
        elif shown.state in OVER:
            yield ServerSentEvent(event="end", data={})
            return
        if shown.state not in OVER and follower.is_waiting:
            follower.progress = await asyncio.to_thread(_progress, arena, shown.id, user_id)


OVER = (MatchState.DONE, MatchState.VOID)


@dataclass(slots=True)
class Place:
    """What a page has already: the number of lines of an attempt."""

    attempt: int
    lines: int

    def __str__(self) -> str:
        return f"{self.attempt}-{self.lines}"


def _read_place(written: str | None) -> Place:
    attempt, _, lines = (written or "").partition("-")
    numbers = all(one.isascii() and one.isdigit() and len(one) < 9 for one in (attempt, lines))
    return Place(int(attempt), int(lines)) if numbers else Place(0, 0)


class Follower:
    """Finds the lines of a match that a page lacks: in the broker while it runs, in the blobs afterwards."""

    def __init__(self, arena: Arena, progress: Progress, place: Place) -> None:
        self._arena = arena
        self.progress = progress
        self.place = place
        self.is_waiting = True  # for a change of the match, rather than for more of its lines
        self._stream_id = b"0"
        self._read = 0

    def advance_attempt(self) -> bool:
        """Moves on to the current attempt. True if the page has lines of an earlier one."""
        if self.place.attempt == self.progress.attempt:
            return False
        had_lines = self.place.lines > 0
        self.place = Place(self.progress.attempt, 0)
        self._stream_id, self._read = b"0", 0
        return had_lines

    async def new_lines(self) -> list[str]:
        """Lines that the page lacks, a chunk at a time; `place` moves along. Waits a little when there are none."""
        match = self.progress.match
        if self.progress.replay is not None:
            return self._advance(self.progress.replay[self.place.lines :][:CHUNK_LINES])
        if match.state == MatchState.VOID:
            return self._advance([void_line(match.void_reason or "").rstrip("\n")][self.place.lines :])
        if match.person is not None:
            fresh = await asyncio.to_thread(self._read_rows, match.id)
            if not fresh:
                await self._arena.notifier.wait()
            return self._advance(fresh)
        if match.state == MatchState.RUNNING:
            fresh, last = await self._read_stream(match.id)
            self.is_waiting = last or not fresh
            if not last:
                return self._advance(fresh)
            fresh = self._advance(fresh)
            await self._arena.notifier.wait()
            return fresh
        await self._arena.notifier.wait()
        return []

    def _advance(self, lines: list[str]) -> list[str]:
        self.place = Place(self.place.attempt, self.place.lines + len(lines))
        return lines

    def _read_rows(self, match_id: int) -> list[str]:
        """Of a match in person. A chunk at a time."""
        with self._arena.database.transaction() as session:
            return list(in_person.lines(session, match_id, self.place.lines))[:CHUNK_LINES]

    async def _read_stream(self, match_id: int) -> tuple[list[str], bool]:
        """The next lines from the broker that the page lacks, and whether they are the match's last."""
        key = live.stream_key(self._arena.settings.namespace, match_id, self.progress.attempt)
        try:
            reading = self._arena.redis.xread({key: self._stream_id}, block=int(PATIENCE_S * 1000))
            found = cast(StreamEntries, await reading)
        except RedisError:
            await self._arena.notifier.wait()
            return [], False
        fresh: list[str] = []
        last = False
        for _, entries in found:
            for entry_id, entry in entries:
                lines, last = live.lines_of(entry)
                fresh += lines[max(0, self.place.lines + len(fresh) - self._read) :]
                self._stream_id = entry_id
                self._read += len(lines)
        return fresh, last


# --- Health --------------------------------------------------------------------------------------------------------


@router.get("/health", tags=["live"])
async def get_health(arena: InArena) -> schemas.Health:
    """Whether all parts of the arena are up."""
    try:
        alive, load = await asyncio.to_thread(_worker_status, arena)
    except SQLAlchemyError:
        alive, load = None, workers.Load()
    try:
        broker = bool(await arena.redis.ping())
    except RedisError:
        broker = False
    database = alive is not None
    return schemas.Health(
        ok=database and broker and bool(alive),
        database=database,
        broker=broker,
        workers=alive or 0,
        late_ms=round(load.late_s * 1000, 1),
        cpu_wait=None if load.cpu_wait is None else round(load.cpu_wait, 3),
    )


def _worker_status(arena: Arena) -> tuple[int, workers.Load]:
    with arena.database.transaction() as session:
        return workers.count(session), workers.worst_load(session)
