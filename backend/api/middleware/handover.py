"""Event streams that have begun, without what it took to begin them.

A request passes some twenty middlewares and routers, and each waits for the answer's end: for a stream that lasts as
long as its page, that is 35 kB of frames which have nothing to do any more. So once a stream has sent its head, its
connection takes what it sends into a small task of its own, and the request is over for all others.

A server offers this by `HAND_OVER` among the `extensions` of a request's scope; `connections` does. Where there is
none, as in tests without a server, the stream stays inside of its request.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from typing import Protocol, cast

import structlog
from starlette.types import Scope

log = structlog.get_logger()
HAND_OVER = "hexarena.hand_over"


@dataclass(frozen=True, slots=True)
class Handed:
    """A stream. `gone`: called when the client has left; the chunks end after it. `held`: what it has until its end."""

    chunks: AsyncGenerator[bytes]
    gone: Callable[[], None]
    held: AsyncExitStack
    request_id: str | None


class Receiver(Protocol):
    """Takes a stream over, unless it returns False."""

    def __call__(self, stream: Handed) -> bool: ...


class Connection(Protocol):
    """What a stream writes to, in the terms of uvicorn's protocol."""

    def write_chunk(self, chunk: bytes) -> None: ...
    async def drained(self) -> None: ...
    def end_stream(self) -> None: ...
    def break_off(self) -> None: ...


def receiver_of(scope: Scope) -> Receiver | None:
    """Who takes the stream of this request over, None if nobody does."""
    return cast(Receiver | None, scope.get("extensions", {}).get(HAND_OVER))


class Streaming:
    """A stream that was handed over, in the place of uvicorn's `RequestResponseCycle`: it has what is asked of one."""

    __slots__ = ("_gone", "disconnected", "keep_alive", "response_complete")
    response_started = True

    def __init__(self, gone: Callable[[], None], *, keep_alive: bool) -> None:
        self._gone = gone
        self.keep_alive = keep_alive
        self.disconnected = False
        self.response_complete = False

    @property
    def message_event(self) -> Streaming:
        """Set when there is something to see for a request; the client's leaving is all that a stream looks for."""
        return self

    def set(self) -> None:
        """See `message_event`."""
        if self.disconnected:
            self._gone()

    def lose(self) -> None:
        """The client has left."""
        self.disconnected = True
        self._gone()

    async def run(self, stream: Handed, connection: Connection) -> None:
        """Sends the chunks until there are no more, or until the client leaves."""
        try:
            async with stream.held, aclosing(stream.chunks):
                async for chunk in stream.chunks:
                    await connection.drained()
                    if self.disconnected:
                        return
                    connection.write_chunk(chunk)
        except Exception:
            log.exception("an event stream broke", request=stream.request_id)
            connection.break_off()
            return
        if not self.disconnected:
            self.response_complete = True
            connection.end_stream()
