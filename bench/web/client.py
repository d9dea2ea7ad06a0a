"""A client that sends requests at a steady rate, whether or not earlier ones have been answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import httpx2

TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class Answer:
    """`ms`: from when the request was due until the answer was read. `status`: 0 where there was none in time."""

    path: str
    ms: float
    status: int


async def ask(base: str, paths: Sequence[str], *, rate: float, seconds: float) -> list[Answer]:
    """Sends these in turn, `rate` a second. `base`: an address such as http://127.0.0.1:8000/api/v1."""
    began, limits = time.monotonic(), httpx2.Limits(max_connections=50)
    async with httpx2.AsyncClient(timeout=TIMEOUT_S, limits=limits) as client:

        async def ask_one(number: int) -> Answer:
            due, path = began + number / rate, paths[number % len(paths)]
            await asyncio.sleep(max(due - time.monotonic(), 0))
            try:
                status = (await client.get(base + path)).status_code
            except httpx2.TransportError:
                status = 0
            return Answer(path, 1000 * (time.monotonic() - due), status)

        return list(await asyncio.gather(*(ask_one(number) for number in range(max(round(rate * seconds), 1)))))
