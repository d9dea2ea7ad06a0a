"""Clients of `hexarena bench streams`: many event streams in one process, which notes when each event arrives.

Run in a process of its own, so that neither the arena nor the one that measures other requests shares its interpreter.
Times are those of the system's monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

EACH = 50
"""Streams of one loopback address: fewer than HEXARENA_STREAMS_EACH and HEXARENA_CONNECTIONS_EACH allow by default."""
AT_ONCE = 50
"""Connections that are being opened."""
EVENT = re.compile(rb'"?event: match\ndata: \{"id": ?(\d+),|sent-(\d+)-')
"""A match that changed, by its id; a line of a running match, by its number."""
TAIL_BYTES = 64
"""As much of an event as may have come with the piece before."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many streams to open, and where. `live`: of the match `match_id`. `patience_s`: for all of them to open."""

    port: int
    streams: int
    live: int
    match_id: int
    patience_s: float = 60.0


@dataclass(slots=True)
class Arrivals:
    """When what arrived, of all streams of a kind: the event's number, and seconds."""

    opened: int = 0
    closed: int = 0
    seen: list[tuple[int, float]] = field(default_factory=list)


class Watcher(asyncio.Protocol):
    """One stream."""

    def __init__(self, path: str, arrivals: Arrivals) -> None:
        self._path = path
        self._arrivals = arrivals
        self._tail = b""
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asks for the stream."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - it is a TCP connection
        transport.write(f"GET /api/v1{self._path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        """Notes what arrived."""
        now = time.monotonic()
        if not self.opened.done() and b" 200 OK" in data:
            self.opened.set_result(None)
            self._arrivals.opened += 1
        text, end = self._tail + data, 0
        for found in EVENT.finditer(text):
            self._arrivals.seen.append((int(found[1] or found[2]), now))
            end = found.end()
        self._tail = text[max(end, len(text) - TAIL_BYTES) :]

    def connection_lost(self, exc: Exception | None) -> None:
        """Counted: no stream ends while it is measured."""
        self._arrivals.closed += 1


def watch(plan: Plan, pipe: Connection) -> None:
    """Opens the streams, says how many are open, and sends what arrived at the next message from the other end."""
    asyncio.run(_watch(plan, pipe))


async def _watch(plan: Plan, pipe: Connection) -> None:
    events, lines = Arrivals(), Arrivals()
    paths = [("/feed", events)] * plan.streams + [(f"/matches/{plan.match_id}/live", lines)] * plan.live
    await _open_all(plan, paths)
    pipe.send((events.opened, lines.opened))
    await asyncio.to_thread(pipe.recv)
    pipe.send((events, lines))


async def _open_all(plan: Plan, paths: Sequence[tuple[str, Arrivals]]) -> None:
    places = asyncio.Semaphore(AT_ONCE)

    async def open_one(number: int, path: str, arrivals: Arrivals) -> None:
        client = number // EACH
        source = f"127.0.{1 + client // 250}.{1 + client % 250}"
        async with places:
            loop = asyncio.get_running_loop()
            made = await loop.create_connection(
                lambda: Watcher(path, arrivals), "127.0.0.1", plan.port, local_addr=(source, 0)
            )
            await made[1].opened

    with suppress(TimeoutError):
        async with asyncio.timeout(plan.patience_s):
            await asyncio.gather(*(open_one(number, *one) for number, one in enumerate(paths)))
