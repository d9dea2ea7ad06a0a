"""Server-sent events on the wire: a response made of bytes that are ready, shared by all streams that get the same.

FastAPI's own streams validate and render each event for each stream. Ours are rendered once, before they get here.
Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, aclosing

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from hexarena.backend.api.middleware.handover import Handed, receiver_of
from hexarena.backend.api.requests import current_id

PING = b": ping\n\n"
"""A comment: keeps proxies from closing a stream on which nothing happens."""
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


class EventStream(StreamingResponse):
    """A stream of events that `message` made. `gone`: called when the client has left; the chunks end after it. `held`:
    what the stream has until its end.

    Once its head is sent, the connection takes it over (`handover`). Where none can, it stays inside of its request;
    Starlette's own loop would take two more tasks then, and cancel them.
    """

    media_type = "text/event-stream"

    def __init__(self, chunks: AsyncGenerator[bytes], gone: Callable[[], None], held: AsyncExitStack) -> None:
        super().__init__(chunks, headers=HEADERS)
        self._chunks = chunks
        self._gone = gone
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the head, and the chunks unless the connection takes them over."""
        async with self._held as held:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            stream = Handed(self._chunks, self._gone, held.pop_all(), current_id())
        take_over = receiver_of(scope)
        if take_over is None or not take_over(stream):
            await self._stay(stream, receive, send)

    async def _stay(self, stream: Handed, receive: Receive, send: Send) -> None:
        """Sends the chunks until there are no more, or until the client leaves."""
        looking = asyncio.create_task(self._look(receive))
        try:
            async with stream.held, aclosing(stream.chunks):
                async for chunk in stream.chunks:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                await send({"type": "http.response.body", "body": b""})
        finally:
            looking.cancel()

    async def _look(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._gone()


class Signal:
    """Wakes one stream that waits."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: asyncio.Future[bool] | None = None

    def set(self, *, in_time: bool = True) -> None:
        """Wakes the stream, if it waits."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(in_time)

    async def wait(self, seconds: float | None = None) -> bool:
        """Until the signal is set from now on. False if that takes too long."""
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        timer = None if seconds is None else loop.call_later(seconds, lambda: self.set(in_time=False))
        try:
            return await self._waiting
        finally:
            self._waiting = None
            if timer is not None:
                timer.cancel()


def message(name: str, data: str = "{}", id_: object = None) -> bytes:
    """One event. `data`: JSON, hence without line ends. `id_`: what the client resumes by, once it has the event."""
    place = "" if id_ is None else f"id: {id_}\n"
    return f"event: {name}\ndata: {data}\n{place}\n".encode()
