"""HEAD for whatever the API answers to GET (RFC 9110, 9.3.2): the same head, and no body.

FastAPI's routes know only the method that they are written for, so a HEAD would get the page's 404.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEAD = "HEAD"


class Heads:
    """Middleware: asks the app for what GET gives. A stream, which would not end, ends after its head."""

    def __init__(self, app: ASGIApp, api: str) -> None:
        self._app = app
        self._prefix = f"{api}/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs the app."""
        if scope["type"] != "http" or scope["method"] != HEAD or not scope["path"].startswith(self._prefix):
            await self._app(scope, receive, send)
            return
        asked: Scope = {**scope, "method": "GET", "extensions": {}}  # so no connection takes a stream over

        async def leaving() -> Message:
            """What a stream waits for."""
            return {"type": "http.disconnect"}

        async def headless(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self._app(asked, leaving, headless)
        if "route" in asked:
            scope["route"] = asked["route"]  # for the figures
