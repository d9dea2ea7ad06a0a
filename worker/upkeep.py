"""The dispatcher's second thread: keeps the boards of days, deletes stored texts that must go, makes partitions.

However slowly the store answers, no match waits for it.
"""

from __future__ import annotations

import math
import threading
import time

import psycopg
import structlog
from sqlalchemy.exc import DBAPIError

from hexarena.backend.ladder import past_boards
from hexarena.backend.matches import retention, store
from hexarena.backend.matches.blobs import Blobs, StoreError
from hexarena.backend.runtime import partitions
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.locks import AdvisoryLock
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import deletion

log = structlog.get_logger()
PAUSE_S = 15.0
BOARDS_S = 600.0
"""Between two looks for days whose boards are not kept."""
PARTITIONS_S = 600.0
"""Between two looks at what is left of the last partitions."""


class Upkeep(threading.Thread):
    """Runs until `stopping` is set. A store or database that is away delays it."""

    def __init__(self, settings: Settings, database: Database, blobs: Blobs, stopping: threading.Event) -> None:
        super().__init__(name="upkeep", daemon=True)
        self._database = database
        self._blobs = blobs
        self._marker = store.Marker(blobs, database)
        self._rules = retention.rules_of(settings)
        self._stopping = stopping
        self._looked_for_days_at = -math.inf
        self._looked_at_partitions_at = -math.inf

    def run(self) -> None:
        """Works until nothing is left to do, then pauses."""
        while not self._stopping.is_set():
            try:
                self._work()
            except (DBAPIError, psycopg.Error, StoreError) as error:
                log.warning("upkeep is delayed", error=str(error).splitlines()[0])
            except Exception:
                # A bug of ours in one of its tasks must not end the others for as long as the dispatcher runs.
                log.exception("upkeep failed")
            self._stopping.wait(PAUSE_S)

    def _work(self) -> None:
        # One dispatcher only: a log is taken out of its object by writing the rest anew.
        with self._database.lock(AdvisoryLock.UPKEEP) as mine:
            while mine and not self._stopping.is_set() and self.step():
                pass

    def step(self) -> int:
        """Keeps and deletes some. Returns how many boards, rows and matches were looked at.

        Raises: StoreError, DBAPIError.
        """
        self._keep_partitions()
        kept = self._keep_boards()
        self._marker.check()  # what is not in another store was not deleted
        erased = deletion.erase_some(self._database, self._blobs)
        return kept + erased + retention.delete_some(self._database, self._blobs, self._rules)

    def _keep_boards(self) -> int:
        if time.monotonic() - self._looked_for_days_at < BOARDS_S:
            return 0
        kept = past_boards.keep_some(self._database)
        if not kept:
            self._looked_for_days_at = time.monotonic()
        return kept

    def _keep_partitions(self) -> None:
        if time.monotonic() - self._looked_at_partitions_at < PARTITIONS_S:
            return
        self._looked_at_partitions_at = time.monotonic()
        while made := self._make_partition():
            log.info("partition made", table=made[0])
        with self._database.engine.begin() as connection:
            partitions.analyze(connection)

    def _make_partition(self) -> list[str]:
        """The next one that is missing."""
        with self._database.engine.begin() as connection:
            return partitions.make_room(connection, most=1)
