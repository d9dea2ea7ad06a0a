"""The loop of a process that works in rounds and is woken by the database: dispatcher, scheduler, webhooks.

A round gets the connection that listens, and waits at it itself. When the database is away, the next round begins with
a new connection: whatever was tied to the old one, such as a lock, is gone.
"""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Callable

import psycopg
import structlog
from sqlalchemy.exc import DBAPIError

from hexarena.backend.matches import parts
from hexarena.backend.runtime.db import Channel, Database

log = structlog.get_logger()
RETRY_S = 0.5
LOOK_S = 1.0
"""How soon a round that waits notices that it is to stop."""


def run_rounds(
    database: Database,
    channel: Channel,
    stopping: threading.Event,
    do_round: Callable[[psycopg.Connection], None],
    *,
    part: parts.Name,
    after_failure: Callable[[], None] = lambda: None,
) -> None:
    """Does rounds until `stopping` is set, and sends heartbeats of this part. Survives restarts of the database.

    `after_failure`: called when a round failed, since what it meant to write may not have been written.
    """
    heartbeat = parts.Heartbeat(database, part)
    listener: psycopg.Connection | None = None
    try:
        while not stopping.is_set():
            try:
                heartbeat.begin()
                listener = listener or database.listen(channel)
                do_round(listener)
                heartbeat.beat()
            except (DBAPIError, psycopg.Error) as error:
                log.warning("the database is unavailable", error=str(error).splitlines()[0])
                after_failure()
                if listener is not None:
                    listener.close()
                listener = None
                stopping.wait(RETRY_S)
    except BaseException as error:
        heartbeat.end(error)
        raise
    finally:
        if listener is not None:
            listener.close()
    heartbeat.end(None)


def wait(listener: psycopg.Connection, longest_s: float, stopping: threading.Event) -> bool:
    """Until there is a notification, or so long, or soon after `stopping` is set.

    Returns whether there was one, or several: one round is enough for all.
    """
    if _received(listener):
        return True
    readable = select.poll()  # psycopg's own wait would look ten times a second
    readable.register(listener.fileno(), select.POLLIN)
    end_s = time.monotonic() + longest_s
    while not stopping.is_set() and (left_s := end_s - time.monotonic()) > 0:
        if readable.poll(1000 * min(LOOK_S, left_s)):
            return _received(listener)
    return False


def _received(listener: psycopg.Connection) -> bool:
    return bool(list(listener.notifies(timeout=0.0)))
