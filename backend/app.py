"""Puts the web application together: the API under /api/v1, and the built frontend for every other path."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import structlog
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from fastapi.routing import APIRoute
from itsdangerous import URLSafeSerializer
from redis.asyncio import Redis
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from hexarena.backend.api import description, problems, tasks
from hexarena.backend.api.deps import Arena, get_visitor
from hexarena.backend.api.kept import Kept
from hexarena.backend.api.middleware.addresses import behind_proxies
from hexarena.backend.api.middleware.former import FormerAddresses
from hexarena.backend.api.middleware.guard import Guard, SafetyHeaders
from hexarena.backend.api.middleware.heads import Heads
from hexarena.backend.api.middleware.in_flight import InFlight
from hexarena.backend.api.middleware.limits import Limiter
from hexarena.backend.api.pages.assets import assets_route
from hexarena.backend.api.pages.encodings import packed_file
from hexarena.backend.api.pages.heads import page_at
from hexarena.backend.api.requests import Requests
from hexarena.backend.api.routes import (
    accounts,
    batches,
    classes,
    docs,
    duels,
    editor,
    events,
    games,
    hosts,
    in_person,
    ladder,
    lessons,
    live,
    matches,
    moderation,
    oidc,
    people,
    pictures,
    results,
    similarity,
    status,
    submissions,
    webhooks,
)
from hexarena.backend.api.streaming.feed import Feed
from hexarena.backend.api.streaming.notifier import Notifier
from hexarena.backend.api.streaming.streams import Streams
from hexarena.backend.api.streaming.watching import Watches
from hexarena.backend.api.tasks import Shared
from hexarena.backend.api.views import KnownPlaces
from hexarena.backend.api.views.boards import Boards
from hexarena.backend.api.views.drawing import Pictures
from hexarena.backend.errors import NotFound
from hexarena.backend.matches.store import blobs_of
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.disk import Disk
from hexarena.backend.runtime.node import drawing_command
from hexarena.backend.runtime.pages import NO_PAGES, VIEWERS, find_page, outside_viewer, pages_folder
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.status.history import History
from hexarena.backend.status.store_watch import StoreWatch
from hexarena.games.catalogue import broken_games

log = structlog.get_logger()
API = "/api/v1"
OIDC_S = 600
"""How long somebody may take at an OpenID provider."""
PACKED_FROM = 700
"""Bytes of an answer that is compressed; a smaller one is a single packet anyhow."""
PACKED_LEVEL = 5
STORE_READERS, WATCHES_READERS = 16, 3
"""Threads that may wait for the store of replays: of the 40 that answer requests, of the few that read for streams."""
PAGE_HEADERS = {"Cache-Control": "no-cache"}


class WebApp(FastAPI):
    """The application inside of what every request and every answer passes, errors of ours included."""

    settings: Settings

    def openapi(self) -> dict[str, Any]:
        """The description of the API; made once."""
        if self.openapi_schema is None:
            found = super().openapi()
            description.narrow(found)
            description.describe_headers(found)
            description.refuse_nul(found)
        return self.openapi_schema or {}

    def build_middleware_stack(self) -> ASGIApp:
        """Called once, before the first request."""
        guarded = Guard(FormerAddresses(Heads(super().build_middleware_stack(), API), API), self.settings)
        counted = InFlight(guarded, self.settings.requests_each)
        return behind_proxies(Requests(SafetyHeaders(counted), API), self.settings.proxies)


def make_app(settings: Settings | None = None) -> FastAPI:
    """The application for these settings. Connections are made when it starts."""
    chosen = settings or Settings()
    app = WebApp(
        title="Hexarena",
        summary="An open arena for game bots.",
        version="1",
        lifespan=_lifespan,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation_name,
    )
    app.settings = chosen
    problems.install(app)
    app.add_middleware(GZipMiddleware, minimum_size=PACKED_FROM, compresslevel=PACKED_LEVEL)
    app.state.oauth = oidc.make_oauth(chosen)
    if chosen.oidc:
        app.add_middleware(
            SessionMiddleware,
            secret_key=chosen.signing_key(),
            session_cookie="hexarena_oidc",
            max_age=OIDC_S,
            path=f"{API}/oidc",
            same_site="lax",
            https_only=chosen.secure_cookies,
        )
    # First: the routes are tried one after the other, and these are most requests.
    app.router.routes.append(assets_route(pages_folder()))
    app.router.routes.extend(_api_routes())
    app.include_router(status.scrapes)
    _serve_pages(app)
    return app


@asynccontextmanager
async def _lifespan(app: WebApp) -> AsyncIterator[None]:
    """Opens what requests share and begins to read events; ends all of it when the process stops."""
    arena = app.state.arena = _open_arena(app.settings)
    arena.store_watch.start()
    readings = (
        arena.feed.notifier.listen(arena.database.url),
        arena.feed.run(),
        arena.feed.watch(arena.disk),
        status.keep_history(arena),
        arena.streams.keep_watch(arena.database),
    )
    readers = [asyncio.create_task(one) for one in readings]
    for broken in broken_games():
        log.error("a game is left out", game=broken.name, where=broken.where, problem=broken.problem)
    yield
    arena.store_watch.stop()
    arena.end_streams()
    await tasks.end(*readers)
    await arena.watches.ended()
    await arena.redis.aclose()
    arena.limiter.close()
    # A cancelled reader's thread continues to the end of its query, and has one of the connections.
    await asyncio.get_running_loop().shutdown_default_executor()
    arena.database.close()


def _open_arena(settings: Settings) -> Arena:
    database, redis, places = Database.of(settings), Redis.from_url(settings.redis_url), KnownPlaces()
    feed = Feed(database, Notifier(), places)
    read_by_streams = blobs_of(settings, at_once=WATCHES_READERS)
    return Arena(
        settings=settings,
        database=database,
        blobs=blobs_of(settings, at_once=STORE_READERS),
        disk=Disk(settings.data_folder, settings.disk_reserve_bytes),
        redis=redis,
        signer=URLSafeSerializer(settings.signing_key(), salt="user"),
        limiter=Limiter(settings),
        places=places,
        games=Kept(games.KEPT_S),
        front=Kept(games.KEPT_S),
        streams=Streams(settings.streams_each),
        feed=feed,
        boards=Boards(),
        watches=Watches(database, read_by_streams, redis, settings.namespace, feed, places),
        status=Kept(status.KEPT_S),
        status_seen=Shared(),
        workers_seen=Shared(),
        faults=Kept(status.FAULTS_KEPT_S),
        history=History(),
        store_watch=StoreWatch(blobs_of(settings), database),
        pictures=Pictures(drawing_command(settings.canvas)),
        event_files=asyncio.Lock(),
    )


@functools.cache
def _api_routes() -> list[BaseRoute]:
    """The API's routes, which work for any arena. Working out their schemas takes a quarter of a second."""
    api = APIRouter(prefix=API, responses=description.DOCUMENTED, dependencies=[Depends(get_visitor)])
    practice = (editor, matches, in_person, batches)
    of_accounts = (accounts, webhooks, oidc)
    for routes in (
        games,
        lessons,
        ladder,
        pictures,
        results,
        submissions,
        *practice,
        duels,
        events,
        moderation,
        classes,
        similarity,
        people,
        live,
        status,
        hosts,
        *of_accounts,
    ):
        api.include_router(routes.router)
    api.include_router(docs.router)
    whole = APIRouter(generate_unique_id_function=_operation_name)
    whole.include_router(api)
    return whole.routes


def _operation_name(route: APIRoute) -> str:
    """Operations are named like their functions: `create_match`."""
    return route.name


def _serve_pages(app: FastAPI) -> None:
    root = pages_folder()

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(path: str, request: Request) -> Response:
        """A built file, or the page whose script routes all other paths."""
        if problems.is_api(f"/{path}"):
            if problems.allowed_methods(request):
                raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED)
            raise NotFound(f"There is no {request.url.path}. The API is described at {API}/docs.")
        if path.startswith(f"{VIEWERS}/"):
            viewer = outside_viewer(root, path)
            if viewer is None:
                raise NotFound(f"There is no viewer {path}.")
            return FileResponse(viewer, media_type="text/javascript", headers=PAGE_HEADERS)
        file = find_page(root, path)
        if file is not None:
            return _file(file, request)
        if not (root / "index.html").exists():
            raise NotFound(NO_PAGES)
        return HTMLResponse(page_at(root, path, request), headers=PAGE_HEADERS)


def _file(file: Path, request: Request) -> Response:
    """A file whose name stays when its content changes; the build made compressed copies of it."""
    copy, coding = packed_file(file, request.headers.get("accept-encoding", ""))
    coded = {} if coding is None else {"Content-Encoding": coding, "Vary": "Accept-Encoding"}
    return FileResponse(copy, media_type=FileResponse(file).media_type, headers={**PAGE_HEADERS, **coded})
