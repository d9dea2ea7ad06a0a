"""Whether the store of replays answers, and is still the same.

It is asked now and then in a thread, since one that is away takes its time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog

from hexarena.backend.matches.blobs import Blobs, StoreError
from hexarena.backend.matches.store import Marker
from hexarena.backend.runtime.db import Database

log = structlog.get_logger()
EVERY_S = 15.0
STOP_S = 1.0
PATIENCE_S = 5.0
"""A store that has not answered for so long counts as one that does not."""


class StoreWatch:
    """Asks for the store's marker, again and again from `start` to `stop`. Before the first answer nothing is wrong."""

    def __init__(
        self,
        blobs: Blobs,
        database: Database | None = None,
        every_s: float = EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`database`: whose store it must be."""
        self._marker = Marker(blobs, database)
        self._every_s = every_s
        self._clock = clock
        self._asked_at: float | None = None
        self._failed = False
        self._thread: threading.Thread | None = None
        self._asked, self._stopping = threading.Event(), threading.Event()

    @property
    def answers(self) -> bool:
        """Whether the last question was answered, and the one that is open is young."""
        asked_at = self._asked_at
        return not self._failed and (asked_at is None or self._clock() - asked_at < PATIENCE_S)

    def check(self) -> None:
        """One question, for whoever found nothing there. Raises: StoreError."""
        self._marker.check()

    def start(self, *, first_s: float = 0.0) -> None:
        """In a thread that nobody waits for. `first_s`: how long it waits here for the first answer."""
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()
        self._asked.wait(first_s)

    def stop(self) -> None:
        """Asks no more, and uses the database no more, unless the store takes longer than STOP_S to answer."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(STOP_S)

    def ask(self) -> None:
        """One question. Logs when the answer changes."""
        self._asked_at = self._clock()
        try:
            self._marker.check()
        except StoreError as error:
            if not self._failed:
                log.error("the store of replays does not answer", error=str(error))
            self._failed = True
        else:
            if self._failed:
                log.warning("the store of replays answers again")
            self._failed = False
        finally:
            self._asked_at = None
            self._asked.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.ask()
            self._stopping.wait(self._every_s)
