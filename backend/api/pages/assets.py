"""Built files with a hash in their names, from memory: a page has twenty of them, and none ever changes."""

from __future__ import annotations

from functools import lru_cache
from mimetypes import guess_type
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hexarena.backend.api.pages.encodings import packed_file
from hexarena.backend.errors import NotFound
from hexarena.backend.runtime.pages import find_page

FOLDER = "assets"
MOST_KEPT = 1000
"""Files, each in as many codings as are asked for: all of a build, and those of the one before."""
FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def assets_route(root: Path) -> Route:
    """Answers for the files in a folder of built pages."""

    async def asset(request: Request) -> Response:
        request.scope["route"] = route  # for the figures, as FastAPI's own routes do it
        found = find_page(root, f"{FOLDER}/{request.path_params['name']}")
        if found is None:
            raise NotFound(f"There is no {request.url.path}. It may be of an earlier version of the pages: reload.")
        content, headers = _read(*packed_file(found, request.headers.get("accept-encoding", "")))
        return Response(content, media_type=guess_type(found.name)[0], headers=headers)

    route = Route(f"/{FOLDER}/{{name}}", asset, name="asset")
    return route


@lru_cache(maxsize=MOST_KEPT)
def _read(file: Path, coding: str | None) -> tuple[bytes, dict[str, str]]:
    coded = {} if coding is None else {"Content-Encoding": coding, "Vary": "Accept-Encoding"}
    return file.read_bytes(), {**FOR_EVER, **coded}
