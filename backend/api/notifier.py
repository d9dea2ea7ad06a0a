"""Wakes open streams when the database notifies: LISTEN in this process, once for all open streams."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import psycopg
import structlog

from hexarena.backend.runtime.db import psycopg_url

log = structlog.get_logger()
PATIENCE_S = 1.0
"""How long a stream waits for a notification before it polls."""


class Notifier:
    """Wakes all open streams of this process when the database says that something changed."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Event] = set()

    async def wait(self) -> None:
        """Returns at the next notification, or after a second."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(event.wait(), PATIENCE_S)
        finally:
            self._waiting.discard(event)

    def wake_all(self) -> None:
        """Wakes all waiting streams."""
        for event in self._waiting:
            event.set()

    async def listen(self, url: str) -> None:
        """Wakes all streams whenever the database notifies. Runs for ever; reconnects when the connection is lost."""
        while True:
            try:
                connection = await psycopg.AsyncConnection.connect(psycopg_url(url), autocommit=True)
                async with connection:
                    await connection.execute("LISTEN hexarena_events")
                    async for _ in connection.notifies():
                        self.wake_all()
            except psycopg.Error as error:
                log.warning("lost the connection that listens for notifications", error=str(error))
                await asyncio.sleep(PATIENCE_S)
