"""Connections that cost more than they bring: clients that send or read slowly, and clients with too many connections.

uvicorn's protocol waits for ever for the rest of a request. Ours gives each connection a deadline for what it waits for
now, and the server looks once a second for connections that are past theirs (`sweep`). An answer may take as long as it
likes, so event streams have no deadline; only a client that stops reading has.

Who connects while there is no place left takes that of the connection that has waited longest without a request in
progress. The limit per client keeps one client from holding all places.
"""

from __future__ import annotations

import asyncio
import json
import math
import resource
import socket
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from types import FrameType, MappingProxyType
from typing import Any, cast

import structlog
import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from hexarena.backend.api.middleware.addresses import is_proxy, network_key
from hexarena.backend.api.middleware.handover import HAND_OVER, Handed, Streaming
from hexarena.backend.api.problems import URN, limit_headers
from hexarena.backend.errors import Quota, TooMany
from hexarena.backend.runtime.headers import safety_headers

log = structlog.get_logger()
HEAD_BYTES = 65_536
"""The longest head, as far as it comes in several pieces; one piece is not longer than the read buffer."""
PIPELINED = 8
"""Requests that may wait behind the one in progress."""
RETRY_S = 10.0
"""When a client may have closed one of its connections, or somebody one of all."""
READ_RATE = 1_000
"""Bytes per second that a client must take of an answer at least, when there are any."""
DESCRIPTORS = 65_536
"""More than that is of no use, and some systems have a limit of a billion."""
OWN_DESCRIPTORS = 128
"""For files, the database, the broker and logs."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that a client may take, and how many connections there may be.

    `head_s`: for a request's head, from the connection or its first byte on. `body_s`: for the whole body. `pause_s`:
    between two pieces of it. `read_s`: for each look whether an answer is read.
    """

    head_s: float = 10.0
    body_s: float = 60.0
    pause_s: float = 15.0
    read_s: float = 30.0
    total: int = 1_000
    each: int = 100
    proxies: str = ""


class Waiting(Enum):
    """What a connection waits for."""

    HEAD = "the head of a request"
    BODY = "the body of a request"
    US = "our answer"
    NEXT = "another request"  # uvicorn has a timer for this


@dataclass(slots=True)
class Places:
    """The connections of a server, counted."""

    taken: dict[int, GuardedProtocol] = field(default_factory=dict)
    by_client: Counter[str] = field(default_factory=Counter)
    reported: set[str] = field(default_factory=set)

    def add(self, connection: GuardedProtocol) -> None:
        """A connection was made."""
        self.taken[id(connection)] = connection
        self.by_client[connection.network] += 1

    def remove(self, connection: GuardedProtocol) -> None:
        """It was lost. Does nothing for one that got no place."""
        if self.taken.pop(id(connection), None) is not None:
            self.by_client[connection.network] -= 1
            if self.by_client[connection.network] <= 0:
                del self.by_client[connection.network]
                self.reported.discard(connection.network)

    def report(self, network: str) -> None:
        """A client has too many. Logged once, until it has gone."""
        if network not in self.reported:
            self.reported.add(network)
            log.warning("too many connections of one client; a proxy must be in HEXARENA_PROXIES", client=network)

    def longest_idle(self) -> GuardedProtocol | None:
        """The connection that has waited longest without a request in progress."""
        idle = (one for one in self.taken.values() if one.waiting in {Waiting.HEAD, Waiting.NEXT})
        return min(idle, key=lambda one: one.since, default=None)


class Pipeline(list[Any]):
    """Requests that wait behind the one in progress: what uvicorn asks of a deque, which takes 700 bytes when empty."""

    __slots__ = ()

    def appendleft(self, one: Any) -> None:
        """The newest, whose turn comes last."""
        self.insert(0, one)


class GuardedProtocol(HttpToolsProtocol):
    """HTTP/1.1 with deadlines. `limits` and `places` belong to the server: see `protocol_of`."""

    limits: Limits
    places: Places
    # With these in the dictionary of uvicorn's attributes, it would no longer share its keys with others: 1 kB each.
    __slots__ = (
        "_head_bytes",
        "_last_byte_at",
        "_looked_at",
        "_stream",
        "_unread_bytes",
        "network",
        "since",
        "waiting",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.pipeline = cast(Any, Pipeline())
        self.network = ""
        self.waiting = Waiting.HEAD
        self.since = self._now()
        self._last_byte_at = self.since
        self._head_bytes = 0
        self._unread_bytes = 0
        self._looked_at = math.inf
        self._stream: Streaming | None = None

    def _now(self) -> float:
        return self.loop.time()

    def _wait_for(self, what: Waiting) -> None:
        self.waiting, self.since = what, self._now()
        self._last_byte_at = self.since
        self._head_bytes = 0

    # --- Places ---

    def connection_made(self, transport: Any) -> None:
        """Gives the connection a place, or an answer that there is none."""
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        self.network = network_key(address)
        if self.places.by_client[self.network] >= self.limits.each and not is_proxy(address, self.limits.proxies):
            self.places.report(self.network)
            expected = f"at most {self.limits.each} connections from one address"
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS, expected, _retry("connections-of-address", self.limits.each))
            return
        if len(self.places.taken) >= self.limits.total:
            idle = self.places.longest_idle()
            if idle is None:
                expected = f"at most {self.limits.total} connections"
                self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, expected, _retry("connections", self.limits.total))
                return
            self.places.remove(idle)
            idle.transport.abort()
        self.places.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Frees the place."""
        self.places.remove(self)
        super().connection_lost(exc)
        if self._stream is not None:
            self._stream.lose()

    # --- What is waited for ---

    def data_received(self, data: bytes) -> None:
        """Reads on, unless the connection is only being closed."""
        if self.transport.is_closing():
            return
        self._last_byte_at = self._now()
        if self.waiting is Waiting.NEXT:
            self._wait_for(Waiting.HEAD)
        super().data_received(data)
        if self.waiting is Waiting.HEAD:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"a head of at most {HEAD_BYTES:,} bytes")

    def on_headers_complete(self) -> None:
        """The head is here: the body follows."""
        if not self.url.startswith(b"/") or len(self.pipeline) >= PIPELINED:
            # The parser makes a 400 of it. RFC 9112 allows full addresses as targets, too; but they would be a second
            # place for the host's name, and nobody sends them to a server.
            raise ValueError("a target that is no path, or too many requests at once")
        self._wait_for(Waiting.BODY)
        cast(dict[str, Any], self.scope)["extensions"] = {HAND_OVER: self.hand_over}
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is here: now it is our turn."""
        super().on_message_complete()
        self._wait_for(Waiting.NEXT if self.cycle.response_complete else Waiting.US)

    def on_response_complete(self) -> None:
        """Where the answer came before the whole request, the rest of that is still waited for."""
        super().on_response_complete()
        if self.waiting is Waiting.US and self.cycle.response_complete:
            self._wait_for(Waiting.NEXT)

    # --- Event streams ---

    def hand_over(self, stream: Handed) -> bool:
        """Continues the stream whose head was sent; its request ends without an end of its answer.

        False while more of the request is to come, and for a client that has sent the next one already.
        """
        cycle = self.cycle
        if self.pipeline or cycle.more_body or cycle.disconnected or not cycle.chunked_encoding:
            return False
        cycle.disconnected = True  # for uvicorn, which expects no more of it then
        self._stream = Streaming(stream.gone, keep_alive=cycle.keep_alive)
        self.cycle = cast(RequestResponseCycle, self._stream)
        self.scope, self.headers, self.url = cast(Any, None), [], b""
        task = self.loop.create_task(self._stream.run(stream, self), context=Context())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard, context=Context())
        return True

    def write_chunk(self, chunk: bytes) -> None:
        """Sends a part of a stream. Source: RFC 9112, 7.1."""
        self.transport.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))

    async def drained(self) -> None:
        """Waits for a client that does not keep up."""
        if self.flow.write_paused:
            await self.flow.drain()

    def end_stream(self) -> None:
        """Ends a stream in order. The connection is free for the next request."""
        stream, self._stream = self._stream, None
        self.transport.write(b"0\r\n\r\n")
        if stream is None or not stream.keep_alive:
            self.transport.close()
        self.on_response_complete()

    def break_off(self) -> None:
        """Ends a stream out of order, as its client shall see."""
        self.transport.close()

    # --- Slow readers ---

    def pause_writing(self) -> None:
        """The client does not keep up."""
        self._watch_reading()
        super().pause_writing()

    def resume_writing(self) -> None:
        """It does again."""
        self._looked_at = math.inf
        super().resume_writing()

    def _watch_reading(self) -> None:
        self._looked_at, self._unread_bytes = self._now(), self.transport.get_write_buffer_size()

    # --- Deadlines ---

    def check(self, now: float) -> None:
        """Ends the connection if it is past a deadline."""
        limits = self.limits
        left = self.transport.get_write_buffer_size()
        if not left:
            self._looked_at = math.inf
        elif self._looked_at == math.inf and (self.transport.is_closing() or self.waiting is Waiting.NEXT):
            self._watch_reading()  # too little is left for `pause_writing`, but it keeps the connection open
        elif now - self._looked_at >= limits.read_s:
            if left > self._unread_bytes - READ_RATE * limits.read_s:
                self.transport.abort()
                return
            self._watch_reading()
        waited = now - self.since
        if self.transport.is_closing():
            return
        if self.waiting is Waiting.HEAD and waited >= limits.head_s:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, f"the head of a request within {limits.head_s:g} s")
            return
        # Where we paused reading, the client cannot be blamed.
        late = waited >= limits.body_s or now - self._last_byte_at >= limits.pause_s
        if self.waiting is Waiting.BODY and late and not self.flow.read_paused:
            expected = f"the body within {limits.body_s:g} s, without pauses of {limits.pause_s:g} s"
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, expected)

    def _unsupported_upgrade_warning(self) -> None:
        """There are no WebSockets here: the request was answered like any other, and what follows is not read."""
        self.cycle.keep_alive = False

    # --- Answers that no application gives ---

    def send_400_response(self, msg: str) -> None:
        """For what the parser cannot read."""
        self._refuse(HTTPStatus.BAD_REQUEST, "a request after RFC 9112, with a path as its target")

    def _refuse(self, status: HTTPStatus, expected: str, retry: Mapping[str, str] = MappingProxyType({})) -> None:
        """Says why, unless an answer has begun, and closes the connection. `retry`: more headers."""
        cycle = self.cycle
        in_progress = cycle is not None and not cycle.response_complete
        answered = cycle is not None and cycle.response_started and self.waiting is not Waiting.HEAD
        if not answered and not self.pipeline and not (in_progress and cycle.response_started):
            self.transport.write(_answer(status, expected, retry))
        if in_progress:
            cycle.disconnected = True  # what the application still sends goes nowhere
            cycle.message_event.set()
        self.transport.close()


def _retry(name: str, most: int) -> dict[str, str]:
    """Headers that say when to try again, as the limits of requests have them."""
    return limit_headers(TooMany(name, retry_s=RETRY_S, quota=Quota(name, most, unit="concurrent-requests")))


def _answer(status: HTTPStatus, expected: str, retry: Mapping[str, str]) -> bytes:
    slug = status.phrase.lower().replace(" ", "-")
    problem = {"type": f"{URN}{slug}", "title": status.phrase, "status": status, "detail": f"Expected {expected}."}
    body = json.dumps(problem).encode()
    media = "application/problem+json"
    framing = {"content-type": media, "content-length": str(len(body)), "connection": "close"}
    headers = {**framing, **safety_headers(media), **retry}
    lines = "".join(f"{name.lower()}: {value}\r\n" for name, value in headers.items())
    return STATUS_LINE[status] + lines.encode() + b"\r\n" + body


class GuardedServer(uvicorn.Server):
    """Looks every `tick_s` for connections that are past their deadlines.

    `before_shutdown`: ends what would keep the server from stopping, such as event streams.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        *,
        before_shutdown: Callable[[], None] = lambda: None,
        tick_s: float = 1.0,
    ) -> None:
        super().__init__(config)
        self._before_shutdown = before_shutdown
        self._tick_s = tick_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()

    async def main_loop(self) -> None:
        """Ticks, and stops at once when it is to; uvicorn's own loop wakes ten times a second."""
        self._loop = asyncio.get_running_loop()
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                async with asyncio.timeout(self._tick_s):
                    await self._stopping.wait()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """What a signal does. From any thread."""
        super().handle_exit(sig, frame)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stops in order."""
        self._before_shutdown()
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Whether it stops."""
        sweep(self.server_state.connections)
        return await super().on_tick(counter)


def sweep(connections: Iterable[object]) -> None:
    """Checks all connections."""
    for connection in list(connections):
        if isinstance(connection, GuardedProtocol):
            connection.check(connection.loop.time())


def protocol_of(limits: Limits) -> type[GuardedProtocol]:
    """The protocol for one server, which counts its connections."""
    return type("GuardedProtocol", (GuardedProtocol,), {"limits": limits, "places": Places()})


def raise_descriptors() -> int:
    """Allows this process as many open files as the system does: how many connections it may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return max(1, (wanted if soft == resource.RLIM_INFINITY else soft) - OWN_DESCRIPTORS)
