"""A bell that the database rings: LISTEN in this process, once for all open streams."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import psycopg
import structlog

from backend.db import psycopg_url

log = structlog.get_logger()
PATIENCE_S = 1.0
"""How long a stream waits for the bell before it looks by itself."""


class Bell:
    """Wakes all open streams of this process when the database says that something changed."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Event] = set()

    async def wait(self) -> None:
        """Returns at the next ring, or after a second."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(event.wait(), PATIENCE_S)
        finally:
            self._waiting.discard(event)

    def ring(self) -> None:
        """Wakes everybody."""
        for event in self._waiting:
            event.set()

    async def listen(self, url: str) -> None:
        """Rings whenever the database notifies, for ever; comes back when the connection is lost."""
        while True:
            try:
                connection = await psycopg.AsyncConnection.connect(psycopg_url(url), autocommit=True)
                async with connection:
                    await connection.execute("LISTEN hexarena_events")
                    async for _ in connection.notifies():
                        self.ring()
            except psycopg.Error as error:
                log.warning("no news from the database for a moment", error=str(error))
                await asyncio.sleep(PATIENCE_S)
