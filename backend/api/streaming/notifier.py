"""LISTEN in this process, once for all that wait for a notification of the database."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import psycopg
import structlog

from hexarena.backend.runtime.db import TCP, psycopg_url

log = structlog.get_logger()
PATIENCE_S = 1.0
"""How long anybody waits for a notification before looking without one."""


class Notifier:
    """Wakes all who wait when the database says that something changed. `woken`: how often it did."""

    def __init__(self) -> None:
        self.woken = 0
        self._waiting: set[asyncio.Event] = set()

    async def wait(self, seconds: float = PATIENCE_S, *, since: int | None = None) -> bool:
        """Returns True at the next notification, or at once if there was one after `woken` was `since`; False when it
        takes too long.
        """
        if since is not None and since != self.woken:
            return True
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    return await event.wait()
            return False
        finally:
            self._waiting.discard(event)

    def wake_all(self) -> None:
        """Wakes all who wait."""
        self.woken += 1
        for event in self._waiting:
            event.set()

    async def listen(self, url: str) -> None:
        """Wakes all whenever the database notifies. Runs for ever; reconnects when the connection is lost."""
        while True:
            try:
                address = psycopg_url(url)
                connection = await psycopg.AsyncConnection.connect(address, autocommit=True, **TCP)  # type: ignore[arg-type]
                async with connection:
                    await connection.execute("LISTEN hexarena_events")
                    self.wake_all()  # for what happened while nobody listened
                    while True:
                        if _received(connection):
                            self.wake_all()
                        await _until_readable(connection.fileno())
            except psycopg.Error as error:
                log.warning("lost the connection that listens for notifications", error=str(error))
                await asyncio.sleep(PATIENCE_S)


def _received(connection: psycopg.AsyncConnection) -> bool:
    """Takes all notifications that have come; whether there was one. psycopg's own generator costs ten times as much.

    Raises: psycopg.OperationalError, where the connection is lost.
    """
    connection.pgconn.consume_input()
    found = False
    while connection.pgconn.notifies() is not None:
        found = True
    return found


async def _until_readable(descriptor: int) -> None:
    """psycopg's own wait would look ten times a second."""
    loop, readable = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
