"""Addresses of an earlier version that still answer. Gone in 0.4."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

STREAM = "text/event-stream"


class FormerAddresses:
    """The stream of changes was at `/events`, where the list of events is now. Who accepts a stream still gets it."""

    def __init__(self, app: ASGIApp, api: str) -> None:
        self._app = app
        self._former, self._now = f"{api}/events", f"{api}/feed"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, perhaps to the new address."""
        if scope["type"] == "http" and scope["path"] == self._former and _wants_stream(scope):
            scope = {**scope, "path": self._now, "raw_path": self._now.encode()}
        await self._app(scope, receive, send)


def _wants_stream(scope: Scope) -> bool:
    return scope["method"] == "GET" and STREAM in Headers(scope=scope).get("accept", "")
