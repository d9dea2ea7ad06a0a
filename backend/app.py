"""Puts the web application together: the API under /api/v1, and the built frontend for every other path."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import FileResponse, Response
from fastapi.routing import APIRoute
from itsdangerous import URLSafeSerializer
from redis.asyncio import Redis

import backend
from backend.api import duels, games, ladder, live, matches, problems, submissions
from backend.api.bell import Bell
from backend.api.deps import Arena
from backend.blobs import Blobs
from backend.db import Database
from backend.errors import Forbidden, NotFound
from backend.settings import Settings

API = "/api/v1"
LOCAL_REPLAY = "/local/replay"
INSTALLED = Path(backend.__file__).parent / "web"
IN_TREE = Path(backend.__file__).parent.parent / "frontend" / "dist"
PAGE_HEADERS = {
    "Cache-Control": "no-cache",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}


def make_app(settings: Settings | None = None) -> FastAPI:
    """The application for these settings. Connections are made when it starts."""
    chosen = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        arena = Arena(
            settings=chosen,
            database=Database(chosen.sqlalchemy_url()),
            blobs=Blobs(chosen.data_folder / "blobs"),
            redis=Redis.from_url(chosen.redis_url),
            signer=URLSafeSerializer(chosen.signing_key(), salt="user"),
            bell=Bell(),
        )
        app.state.arena = arena
        listening = asyncio.create_task(arena.bell.listen(arena.database.url))
        yield
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening
        await arena.redis.aclose()
        arena.database.close()

    app = FastAPI(
        title="Hexarena",
        summary="An open arena for game bots.",
        version="1",
        lifespan=lifespan,
        openapi_url=f"{API}/openapi.json",
        docs_url=f"{API}/docs",
        redoc_url=None,
        generate_unique_id_function=_operation_name,
    )
    problems.install(app)
    api = APIRouter(prefix=API, responses=problems.DOCUMENTED, dependencies=[Depends(same_origin)])
    for room in (games, ladder, submissions, matches, duels, live):
        api.include_router(room.router)
    app.include_router(api)
    _serve_pages(app)
    return app


def make_replay_app(replay: str) -> FastAPI:
    """The pages with one replay at LOCAL_REPLAY and no arena behind them, for `hexarena watch`."""
    app = FastAPI(openapi_url=None)
    problems.install(app)

    @app.get(LOCAL_REPLAY)
    def local_replay() -> Response:
        return Response(replay, media_type="application/x-ndjson", headers={"Cache-Control": "no-store"})

    _serve_pages(app)
    return app


def _operation_name(route: APIRoute) -> str:
    """Operations are named like their functions: `create_match`."""
    return route.name


def same_origin(request: Request) -> None:
    """A page of another site cannot write in a visitor's name. Raises: Forbidden."""
    origin = request.headers.get("origin")
    if request.method in {"GET", "HEAD", "OPTIONS"} or origin is None:
        return
    host = request.headers.get("host", "")
    if origin.partition("://")[2] != host:
        raise Forbidden("The request comes from another site.", expected=f"an origin at {host}", got=origin[:200])


def _serve_pages(app: FastAPI) -> None:
    root = INSTALLED if (INSTALLED / "index.html").exists() else IN_TREE

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(path: str, request: Request) -> Response:
        """A built file, or the one page whose script knows all other paths."""
        if path == "api" or path.startswith("api/"):
            raise NotFound(f"There is no {request.url.path}. The API is described at {API}/docs.")
        asset = _find_file(root, path)
        if asset is not None:
            return _asset(asset, request)
        index = root / "index.html"
        if not index.exists():
            raise NotFound("The frontend has not been built: run `make run`, or `python frontend/build.py`.")
        return FileResponse(index, headers=PAGE_HEADERS)


def _find_file(root: Path, path: str) -> Path | None:
    """A file below the root, whatever the path tries."""
    try:
        found = (root / path).resolve()
        return found if found.is_relative_to(root.resolve()) and found.is_file() else None
    except (OSError, ValueError):  # too long, a NUL in it
        return None


def _asset(asset: Path, request: Request) -> Response:
    """Files under assets/ carry a hash in their name; their gzipped twins were made by the build."""
    hashed = asset.parent.name == "assets"
    headers = {**PAGE_HEADERS, "Cache-Control": "public, max-age=31536000, immutable" if hashed else "no-cache"}
    packed = asset.with_name(asset.name + ".gz")
    if packed.exists() and "gzip" in request.headers.get("accept-encoding", ""):
        plain = FileResponse(asset)
        headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return FileResponse(packed, media_type=plain.media_type, headers=headers)
    return FileResponse(asset, headers=headers)
