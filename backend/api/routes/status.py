"""How the arena is doing: for whoever balances load (ready), for Prometheus (metrics), and for organisers (status)."""

from __future__ import annotations

import asyncio

import structlog
from fastapi import APIRouter, Request, Response
from sqlalchemy.exc import DBAPIError

from hexarena.backend.api import schemas, tasks
from hexarena.backend.api.deps import Arena, InArena, arena_of
from hexarena.backend.errors import Forbidden, Unavailable
from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.readers import may_read
from hexarena.backend.status import arena as status, faults
from hexarena.backend.status.arena import ArenaStatus
from hexarena.backend.status.exposition import metrics_of
from hexarena.backend.status.faults import DayOfFaults
from hexarena.backend.status.history import STEP_S

log = structlog.get_logger()
router = APIRouter()
scrapes = APIRouter()
"""What is not below /api/v1."""
KEPT_S = 2.0
"""How old an answer may be: whoever asks more often gets the same."""
FAULTS_KEPT_S = 10.0


async def keep_history(arena: Arena, step_s: float = STEP_S) -> None:
    """Adds a moment to the history now and then, for ever. At its end, it uses the database no more."""
    while True:
        await asyncio.sleep(step_s)
        try:
            adding = asyncio.to_thread(arena.history.add_moment, arena.database)
            await tasks.outlast(asyncio.create_task(adding))
        except DBAPIError as error:
            log.warning("the database is unavailable", error=str(error).splitlines()[0])
        except Exception:
            log.exception("the arena's figures cannot be read")


async def look(arena: Arena) -> ArenaStatus:
    """The state of the arena, at most KEPT_S old."""
    broker = await tasks.answers(arena.redis)
    try:
        return await arena.status_seen.ask(
            lambda: arena.status.get(lambda: _look(arena, arena.database, broker=broker))
        )
    except TimeoutError:  # A frozen database; a status without it is made at once.
        return _look(arena, None, broker=broker)


def _look(arena: Arena, database: Database | None, *, broker: bool) -> ArenaStatus:
    settings = arena.settings
    return status.look(
        database,
        settings.data_folder,
        broker=broker,
        store=arena.store_watch.answers,
        reserve_bytes=settings.disk_reserve_bytes,
        position=arena.feed.position,
        history=arena.history.moments,
    )


@router.get("/status", tags=["organisers"])
async def get_status(arena: InArena) -> ArenaStatus:
    """How the arena is doing: queue, workers, ladders, what ended in the last hour, and what the machine has left.

    At most two seconds old.
    """
    return await look(arena)


@router.get("/status/faults", tags=["organisers"])
def get_faults(arena: InArena) -> DayOfFaults:
    """Faults of bots in the last 24 hours, by game, kind and language, and the newest of them; not of practice.

    At most ten seconds old.
    """

    def look() -> DayOfFaults:
        with arena.database.transaction() as session:
            return faults.read(session)

    return arena.faults.get(look)


@router.get("/ready", tags=["live"])
async def get_ready(arena: InArena) -> schemas.Ready:
    """Whether the arena can play: database, broker, store of replays, this version's schema, room on the disk,
    dispatcher and worker.

    Else 503 says what is missing. Whether pages can be served is another question, which any of them answers.
    """
    found = await look(arena)
    if not found.ready:
        raise Unavailable(
            " ".join(found.missing),
            expected="database, broker, store, schema, room on the disk, a dispatcher and a worker",
            got=f"{len(found.missing)} missing",
        )
    return schemas.Ready(ready=True)


@scrapes.get("/metrics", include_in_schema=False)
async def get_metrics(request: Request) -> Response:
    """All figures of the arena and of the processes that share this data folder, for Prometheus."""
    arena = arena_of(request)
    address = None if request.client is None else request.client.host
    if not may_read(arena.settings, address, request.headers):
        raise Forbidden(
            "The arena's figures are not public.",
            expected="a client of HEXARENA_METRICS_NETWORKS, or the bearer token of HEXARENA_METRICS_TOKEN",
            got=f"a client at {address}" if address else "a client without an address",
        )
    found = await look(arena)
    counted = await asyncio.to_thread(metrics.counted, arena.settings.data_folder)
    body = await asyncio.to_thread(metrics.text_of, [*metrics_of(found), *counted])
    return Response(body, media_type=metrics.CONTENT_TYPE)
