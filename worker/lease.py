"""Keeps the lease of a match while it is played, and asks in between whether its slot is wanted."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy.exc import SQLAlchemyError

from hexarena.backend.matches import lending, queue
from hexarena.backend.matches.life import ClaimedMatch
from hexarena.backend.runtime.db import Database
from hexarena.worker.lending import Slot

log = structlog.get_logger()
LOOK_S = 0.25
"""How often a match that has had its slot for a while looks whether it should lend it out."""


@contextmanager
def renewed(database: Database, claimed: ClaimedMatch, slot: Slot, *, lease_s: float) -> Iterator[threading.Event]:
    """Renews the lease while the block runs, at once when its slot is lent out or back. The event: it is lost.

    `lease_s`: how long it holds without being renewed.
    """
    over, lost = threading.Event(), slot.abandoned

    def renew() -> None:
        every_s = lease_s / 3
        due_s = time.monotonic() + every_s
        while not lost.is_set():
            changed = slot.changed.wait(min(LOOK_S, max(0.0, due_s - time.monotonic())))
            slot.changed.clear()
            if over.is_set():
                return
            try:
                if changed or time.monotonic() >= due_s:
                    due_s = time.monotonic() + every_s
                    _renew(database, claimed, slot, lease_s)
                elif slot.may_be_wanted():
                    _lend_if_wanted(database, claimed, slot)
            except SQLAlchemyError as error:
                log.warning("could not renew a lease", match=claimed.match_id, error=str(error))

    renewing = threading.Thread(target=renew, name=f"lease of match {claimed.match_id}", daemon=True)
    renewing.start()
    try:
        yield lost
    finally:
        over.set()
        slot.changed.set()
        renewing.join()


def _renew(database: Database, claimed: ClaimedMatch, slot: Slot, lease_s: float) -> None:
    with database.transaction() as session:
        held = queue.renew(session, claimed, seconds=lease_s, asleep=slot.is_asleep, lent=slot.is_lent)
    if not held:
        slot.abandoned.set()


def _lend_if_wanted(database: Database, claimed: ClaimedMatch, slot: Slot) -> None:
    with database.transaction() as session:
        wanted = lending.is_wanted(session, claimed)
    if wanted:
        slot.want()
