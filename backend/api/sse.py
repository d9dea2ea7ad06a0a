"""Server-sent events on the wire: a response made of bytes that are ready, shared by all streams that get the same.

FastAPI's own streams validate and render each event for each stream. Ours are rendered once, before they get here.
Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import StreamingResponse
from starlette.types import Send

PING = b": ping\n\n"
"""A comment: keeps proxies from closing a stream on which nothing happens."""
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


class EventStream(StreamingResponse):
    """A stream of events that `message` made. It ends with its chunks, or when the client goes away."""

    media_type = "text/event-stream"

    def __init__(self, chunks: AsyncGenerator[bytes]) -> None:
        super().__init__(chunks, headers=HEADERS)
        self._chunks = chunks

    async def stream_response(self, send: Send) -> None:
        """Closes the chunks at once at the end, rather than when somebody collects garbage."""
        async with aclosing(self._chunks):
            await super().stream_response(send)


def message(name: str, data: str = "{}", id_: object = None) -> bytes:
    """One event. `data`: JSON, hence without line ends. `id_`: what the client resumes by, once it has the event."""
    place = "" if id_ is None else f"id: {id_}\n"
    return f"event: {name}\ndata: {data}\n{place}\n".encode()
