"""Server-sent events: what changed in the arena, and the lines of a match while it is played.

Each process reads both once, whatever the number of its streams: `feed` and `watching`. Both streams resume by
Last-Event-ID.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query
from sqlalchemy.exc import SQLAlchemyError

from hexarena.backend.api import schemas, tasks, views
from hexarena.backend.api.deps import Arena, CurrentUserId, CurrentVisitor, InArena, local_user
from hexarena.backend.api.middleware.limits import ClientNetwork
from hexarena.backend.api.parameters import IdPath
from hexarena.backend.api.streaming.feed import Subscription
from hexarena.backend.api.streaming.sse import EventStream
from hexarena.backend.api.streaming.watching import Place, Watcher
from hexarena.backend.errors import NotFound
from hexarena.backend.matches import retention, workers
from hexarena.backend.models import Match, MatchKind
from hexarena.backend.submissions.life import game_named

router = APIRouter()
LastEventId = Annotated[str | None, Header(max_length=80)]


async def get_held(arena: InArena, network: ClientNetwork) -> AsyncIterator[AsyncExitStack]:
    """What a stream has until it is over or its client has gone, first of all a place among the client's streams.

    A stream outlasts its request: see `handover`. It takes this along; what no stream took is given back.
    """
    async with AsyncExitStack() as held:
        held.enter_context(arena.streams.place(network))
        yield held


Held = Annotated[AsyncExitStack, Depends(get_held)]


# --- What changed ---------------------------------------------------------------------------------------------------


async def _game_id(game: Annotated[str | None, Query(max_length=200)] = None) -> str | None:
    """Checked before the stream begins, so that an unknown game is an error and not an empty stream."""
    return None if game is None else game_named(game).id


def get_viewer_id(arena: InArena, user_id: CurrentUserId) -> int | None:
    """Who reads the stream, to its end: it ends with their session or token."""
    if user_id is not None or arena.settings.sandbox != "none":
        return user_id
    with arena.database.transaction() as session:
        # A page opens its stream before anything has made the only user.
        return local_user(session).id


ViewerId = Annotated[int | None, Depends(get_viewer_id)]


async def get_subscription(
    arena: InArena,
    held: Held,
    visitor: CurrentVisitor,
    viewer_id: ViewerId,
    game_id: Annotated[str | None, Depends(_game_id)],
) -> Subscription:
    """Made before the stream begins, so that a database that is away is an error and not an empty stream."""
    stream = await held.enter_async_context(arena.feed.subscribed(game_id, viewer_id))
    if visitor.sign_in is not None:
        held.enter_context(arena.streams.while_valid(visitor.sign_in, stream.end))
    return stream


@router.get("/feed", tags=["live"], status_code=200, response_class=EventStream)
async def stream_feed(
    arena: InArena,
    held: Held,
    stream: Annotated[Subscription, Depends(get_subscription)],
    last_event_id: LastEventId = None,
    past_ms: Annotated[int, Query(ge=0, le=60_000)] = 0,
) -> EventStream:
    """`match` (a Match that changed), `standing` (a StandingChange), `submission` (one of your own that changed),
    `notice` (a NoticeView of yours that is new or changed), `duel` (a Duel that started, counted a trial, or ended),
    `event` (an EventInfo that changed), `announcement` (`id`: load the announcements), `ladder` (`game`: its ladder was
    frozen or thawed, lost a bot, or began a season, so load it), `arena` (`disk_full`: whether the arena takes nothing
    new; also at the beginning, if so), `hello` at the beginning, and `alive` after ten seconds without any of them.

    `past_ms`: begin with what changed in this time, and a few seconds more: a page that loaded what it shows while the
    stream was opened misses nothing then.

    `reload`: the stream cannot resume where you left off, or you missed more than a thousand changes, so load again
    what you show. A client that reads too slowly loses its stream, and resumes.
    """
    past = timedelta(milliseconds=past_ms)
    return EventStream(arena.feed.chunks(stream, last_event_id, past), stream.end, held.pop_all())


# --- A match while it is played --------------------------------------------------------------------------------------


def get_visible_match(arena: InArena, viewer_id: ViewerId, match_id: IdPath) -> int:
    """Checked before the stream begins, so that an unknown match is an error and not an empty stream."""
    with arena.database.reading() as session:
        row = session.get(Match, match_id)
        if row is None or not views.may_see(session, row, viewer_id):
            raise NotFound(f"There is no match {match_id}.")
    return match_id


async def get_watcher(
    arena: InArena,
    held: Held,
    visitor: CurrentVisitor,
    viewer_id: ViewerId,
    match_id: Annotated[int, Depends(get_visible_match)],
) -> Watcher:
    """One more stream of a match, until it ends."""
    watcher = await held.enter_async_context(arena.watches.watching(match_id, viewer_id))
    if visitor.sign_in is not None:
        held.enter_context(arena.streams.while_valid(visitor.sign_in, watcher.leave))
    return watcher


@router.get("/matches/{match_id}/live", tags=["live"], status_code=200, response_class=EventStream)
async def stream_match(
    arena: InArena, held: Held, watcher: Annotated[Watcher, Depends(get_watcher)], last_event_id: LastEventId = None
) -> EventStream:
    """The replay's lines as they are played: `status` (a Match), `lines` (an array of lines), `restart` (discard the
    lines: the match is played again), `end`. Also for matches that are over.
    """
    return EventStream(arena.watches.chunks(watcher, Place.read(last_event_id)), watcher.leave, held.pop_all())


# --- Health --------------------------------------------------------------------------------------------------------


@router.get("/health", tags=["live"])
async def get_health(arena: InArena) -> schemas.Health:
    """Whether all parts of the arena are up."""
    asked = asyncio.create_task(tasks.answers(arena.redis))
    try:
        alive, load = await arena.workers_seen.ask(lambda: _worker_status(arena))
    except (SQLAlchemyError, TimeoutError):
        alive, load = None, workers.Load()
    broker = await asked
    database, room = alive is not None, arena.disk.room()
    return schemas.Health(
        ok=database and broker and bool(alive) and not room.is_full,
        database=database,
        broker=broker,
        workers=alive or 0,
        late_ms=round(load.late_s * 1000, 1),
        cpu_wait=None if load.cpu_wait is None else round(load.cpu_wait, 3),
        disk_free_bytes=room.free_bytes,
        disk_full=room.is_full,
    )


@router.get("/retention", tags=["matches"])
def get_retention(arena: InArena) -> schemas.Retention:
    """How long replays and seat logs are kept here."""
    return schemas.Retention(
        replays=retention.days_kept(arena.settings, MatchKind.LADDER),
        practice_replays=retention.days_kept(arena.settings, MatchKind.PRACTICE),
        seat_logs=retention.days_kept(arena.settings, MatchKind.LADDER, log=True),
    )


def _worker_status(arena: Arena) -> tuple[int, workers.Load]:
    with arena.database.reading() as session:
        return workers.count(session), workers.worst_load(session)
