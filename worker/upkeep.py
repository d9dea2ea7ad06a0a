"""The dispatcher's second thread: deletes stored texts that must go, however slowly the store answers."""

from __future__ import annotations

import threading

import psycopg
import structlog
from sqlalchemy.exc import DBAPIError

from hexarena.backend.matches import retention
from hexarena.backend.matches.blobs import Blobs, StoreError
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import deletion

log = structlog.get_logger()
PAUSE_S = 15.0
LOCK = 0x68657862
"""Of the one dispatcher that does it: a log is taken out of its object by writing the rest anew."""


class Upkeep(threading.Thread):
    """Runs until `stopping` is set. A store or database that is away delays it."""

    def __init__(self, settings: Settings, database: Database, blobs: Blobs, stopping: threading.Event) -> None:
        super().__init__(name="upkeep", daemon=True)
        self._database = database
        self._blobs = blobs
        self._rules = retention.rules_of(settings)
        self._stopping = stopping

    def run(self) -> None:
        """Works until nothing is left to do, then pauses."""
        while not self._stopping.is_set():
            try:
                self._work()
            except (DBAPIError, psycopg.Error, StoreError) as error:
                log.warning("stored texts cannot be deleted now", error=str(error).splitlines()[0])
            self._stopping.wait(PAUSE_S)

    def _work(self) -> None:
        with self._database.lock(LOCK) as mine:
            while mine and not self._stopping.is_set() and self.step():
                pass

    def step(self) -> int:
        """Deletes some. Returns how many rows and matches were looked at. Raises: StoreError, DBAPIError."""
        erased = deletion.erase_some(self._database, self._blobs)
        return erased + retention.delete_some(self._database, self._blobs, self._rules)
