"""The one renderer of errors: RFC 9457, application/problem+json, with what was expected and what was got."""

from __future__ import annotations

import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DataError, SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hexarena.backend.api.cookies import COOKIE, SESSION_COOKIE
from hexarena.backend.api.requests import current_id
from hexarena.backend.api.schemas import FieldError, Problem
from hexarena.backend.errors import (
    ArenaError,
    BadCookie,
    Invalid,
    NotFound,
    StorageFull,
    TooLarge,
    TooMany,
    Unavailable,
)
from hexarena.backend.matches.blobs import DAMAGED, Damaged, StoreError
from hexarena.backend.runtime.db import is_away
from hexarena.backend.runtime.disk import is_disk_full
from hexarena.backend.runtime.sizes import ARCHIVE_BYTES

log = structlog.get_logger()

BODY_BYTES = ARCHIVE_BYTES + 100_000
"""The largest request: a zip in its form. A source file of which JSON had to escape every character is smaller."""
GOT_CHARACTERS = 200
URN = "urn:hexarena:problem:"
NO_JSON = "The body is not JSON"
NO_OBJECT = frozenset({"model_attributes_type", "model_type", "dict_type"})
"""What the library calls a body that is no object."""
METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")
UNREADABLE = {UnicodeDecodeError: "UTF-8", RecursionError: "JSON that is nested less deeply"}
"""Why FastAPI could not read a body -> what was expected; it says neither."""


def problem_of(error: ArenaError) -> Problem:
    """An error of ours as a problem."""
    return Problem(
        type=f"{URN}{error.slug}",
        title=error.title,
        status=error.status,
        detail=error.detail,
        expected=error.expected,
        got=error.got,
    )


def limit_headers(error: TooMany) -> dict[str, str]:
    """Retry-After (RFC 9110), RateLimit and RateLimit-Policy.

    Source: https://www.ietf.org/archive/id/draft-ietf-httpapi-ratelimit-headers-10.html
    """
    retry_s = max(1, math.ceil(error.retry_s))
    headers = {"Retry-After": str(retry_s)}
    if error.quota is not None:
        quota = error.quota
        unit = "" if quota.unit is None else f';qu="{quota.unit}"'
        window = "" if quota.window_s is None else f";w={quota.window_s}"
        headers["RateLimit-Policy"] = f'"{quota.name}";q={quota.most}{unit}{window}'
        headers["RateLimit"] = f'"{quota.name}";r=0;t={retry_s}'
    return headers


def render(problem: Problem) -> JSONResponse:
    """A problem as a response."""
    named = problem.model_copy(update={"request_id": current_id()})
    content = named.model_dump(mode="json", exclude_none=True)
    return JSONResponse(content, status_code=problem.status, media_type="application/problem+json")


def install(app: FastAPI) -> None:
    """Sends every error through `render`."""
    app.add_exception_handler(ArenaError, _arena_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(DataError, _unstorable)
    app.add_exception_handler(SQLAlchemyError, _database_error)
    app.add_exception_handler(StoreError, _store_away)
    app.add_exception_handler(Exception, _our_bug)
    app.add_middleware(BodyLimit)


async def _arena_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ArenaError)  # noqa: S101 - Starlette calls by type
    response = render(problem_of(error))
    if isinstance(error, TooMany):
        response.headers.update(limit_headers(error))
    if isinstance(error, BadCookie):
        for cookie in (COOKIE, SESSION_COOKIE):  # pages cannot delete them themselves
            response.delete_cookie(cookie)
    if error.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


async def _validation_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    found = list(error.errors())
    if found[0]["type"] == "json_invalid":
        return render(_bad_json(found[0], error.body))
    fields = [FieldError(where=".".join(map(str, one["loc"])), message=_expected(one)) for one in found[:20]]
    first = found[0]
    return render(
        Problem(
            type=f"{URN}invalid",
            title="Invalid value",
            status=HTTPStatus.UNPROCESSABLE_ENTITY,
            detail="; ".join(f"{field.where}: {_sentence(field.message)}" for field in fields[:3]),
            expected=_expected(first),
            got=None if first["type"] == "missing" else _shown(first.get("input")),
            errors=fields,
        )
    )


def _bad_json(error: Mapping[str, Any], body: object) -> Problem:
    """What the parser says, and the text where it stopped."""
    at = int(error["loc"][-1])
    what = f"{error['ctx']['error']}, at character {at}"
    got = _shown(str(body)[at:]) or "the end of the body"
    detail = f"The body cannot be read as JSON: {what}."
    return Problem(type=f"{URN}bad-json", title=NO_JSON, status=400, detail=detail, expected="JSON", got=got)


def _expected(error: Mapping[str, Any]) -> str:
    """The library's words, where they are clear."""
    missing = error["type"] == "missing"
    if error["loc"] == ("body",) and (missing or error["type"] in NO_OBJECT):
        # Without this header, as curl -d sends it, a body of JSON is only bytes.
        typed = missing or isinstance(error.get("input"), bytes)
        return "a JSON object" + (" as the body, with the header Content-Type: application/json" if typed else "")
    if missing:
        return f"a value for {error['loc'][-1]}"
    if str(error["type"]).startswith(("datetime", "timezone")):
        return "a time with its zone, such as 2026-11-01T00:00:00Z"
    if error["type"] == "extra_forbidden":
        return f"no field {error['loc'][-1]}"
    if "UploadFile" in str(error["msg"]):
        # Nobody who forgot the @ of curl knows the library's class.
        return f"a file, as curl -F {error['loc'][-1]}=@NAME sends it"
    return str(error["msg"])


def _sentence(expected: str) -> str:
    """The library's words are one already; ours say only what was expected."""
    return f"expected {expected}" if expected[:1].islower() else expected


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101
    phrase = HTTPStatus(error.status_code).phrase
    slug = phrase.lower().replace(" ", "-")
    detail = str(error.detail) if error.detail != phrase else f"{request.method} {request.url.path}: {phrase.lower()}."
    expected = UNREADABLE.get(type(error.__cause__))
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = expected = ", ".join(allowed_methods(request))
    response = render(
        Problem(type=f"{URN}{slug}", title=phrase, status=error.status_code, detail=detail, expected=expected)
    )
    response.headers.update(headers)
    return response


def allowed_methods(request: Request) -> list[str]:
    """The methods of all routes with this path (RFC 9110, 15.5.6): a router names those of the first one only.

    The page answers to any path, so it counts only where nothing else is.
    """
    *routes, page = request.app.router.routes
    found = _methods(request, routes) or ([] if is_api(request.url.path) else _methods(request, [page]))
    return sorted({*found, "HEAD"}) if "GET" in found else found


def is_api(path: str) -> bool:
    """Whether this is no path of a page."""
    return path == "/api" or path.startswith("/api/")


def _methods(request: Request, routes: list[BaseRoute]) -> list[str]:
    scopes = {method: {**request.scope, "method": method} for method in METHODS}
    return [method for method, scope in scopes.items() if any(one.matches(scope)[0] is Match.FULL for one in routes)]


async def _database_error(request: Request, error: Exception) -> JSONResponse:
    if is_disk_full(error) or not is_away(error):
        return await _our_bug(request, error)
    log.error("the database does not answer", path=request.url.path, error=str(error))
    return render(problem_of(Unavailable("The database does not answer. Nothing was lost; try again in a moment.")))


async def _unstorable(request: Request, error: Exception) -> JSONResponse:
    """PostgreSQL has no text with a NUL in it, so no name and no reason of ours has one."""
    if "NUL (0x00)" not in str(getattr(error, "orig", "")):
        return await _our_bug(request, error)
    return render(problem_of(Invalid("A text contains a NUL character.", expected="text without NUL")))


async def _store_away(request: Request, error: Exception) -> JSONResponse:
    if is_disk_full(error):
        return _disk_full(request, error)
    if isinstance(error, Damaged):
        log.error("a replay is damaged", path=request.url.path, error=str(error))
        return render(problem_of(NotFound(DAMAGED)))
    log.error("the store of replays does not answer", path=request.url.path, error=str(error))
    return render(problem_of(Unavailable("The store of replays does not answer. Nothing was lost; try again soon.")))


def _disk_full(request: Request, error: Exception) -> JSONResponse:
    log.error("the disk is full", path=request.url.path, error=str(error))
    return render(problem_of(StorageFull()))


async def _our_bug(request: Request, error: Exception) -> JSONResponse:
    if is_disk_full(error):
        return _disk_full(request, error)
    reference = current_id() or uuid4().hex
    log.error("unhandled exception", reference=reference, path=request.url.path, exc_info=error)
    detail = f"This is a bug of ours. It was logged as {reference}."
    return render(Problem(type=f"{URN}internal", title="Our mistake", status=500, detail=detail))


def _shown(value: object) -> str:
    text = (
        value.decode(errors="replace") if isinstance(value, bytes) else value if isinstance(value, str) else repr(value)
    )
    safe = text.encode("utf-8", "backslashreplace").decode()
    return safe if len(safe) <= GOT_CHARACTERS else safe[:GOT_CHARACTERS] + "…"


class BodyLimit:
    """Refuses bodies beyond BODY_BYTES before they fill the memory, whatever their headers say."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs the app on a body that is counted while it is read."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and len(declared) < 19 and int(declared) > BODY_BYTES:
            await self._refuse(int(declared))(scope, receive, send)
            return
        counted = 0

        async def counting() -> Message:
            nonlocal counted
            message = await receive()
            counted += len(message.get("body", b""))
            if counted > BODY_BYTES:
                # FastAPI lets only this kind of exception through while it reads a body.
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"Expected at most {BODY_BYTES:,} bytes.")
            return message

        await self.app(scope, counting, send)

    @staticmethod
    def _refuse(size: int) -> JSONResponse:
        expected = f"at most {BODY_BYTES:,} bytes"
        return render(problem_of(TooLarge("The request is too large.", expected=expected, got=f"{size:,} bytes")))
