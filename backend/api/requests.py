"""What every request gets: an id, and a place in the figures.

The id is the client's `X-Request-Id` if that can be one, else a new one. The answer's header has it, an error's body,
and each line that is logged while the request is answered.
"""

from __future__ import annotations

import re
import time
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.logs import about

HEADER = "X-Request-Id"
SANE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE, PAGE = "none", "/{path:path}"


class Requests:
    """Middleware: names requests and counts them. Outside of all that may answer one. `prefix`: of the API's paths."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs the app; the route is known when it has."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = _id_of(scope)
        began = time.perf_counter()
        ended_s: float | None = None
        status = 500

        async def naming(message: Message) -> None:
            nonlocal status, ended_s
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[HEADER] = request_id
                if headers.get("content-type", "").startswith("text/event-stream"):
                    ended_s = time.perf_counter() - began
            await send(message)

        with about(request=request_id):
            try:
                await self.app(scope, receive, naming)
            finally:
                self._count(scope, status, time.perf_counter() - began if ended_s is None else ended_s)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", NO_ROUTE)
        if route != PAGE and not route.startswith(self._prefix) and scope["path"].startswith(f"{self._prefix}/"):
            route = self._prefix + route  # a route knows its path below the router that it is in
        method = scope["method"] if scope["method"] in METHODS else "other"
        meters = metrics.meters()
        meters.requests.labels(method, route, str(status)).inc()
        meters.request_seconds.labels(route).observe(seconds)


def current_id() -> str | None:
    """The id of the request that is being answered, None if there is none."""
    found = structlog.contextvars.get_contextvars().get("request")
    return found if isinstance(found, str) else None


def _id_of(scope: Scope) -> str:
    given = Headers(scope=scope).get(HEADER, "")
    return given if SANE.fullmatch(given) else uuid4().hex
