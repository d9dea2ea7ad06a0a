"""Which parts of the arena are up besides its workers, and which of them keep ending.

Each counts its starts, and sends a heartbeat every few seconds after work that succeeded. Whoever lasts a minute has
begun well, and the count starts anew. So a part that ends soon after each start differs from one that is up, also
where the kernel ended it and it could not say why.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, get_args

import structlog
from sqlalchemy import Float, case, cast, delete, func, null, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from hexarena.backend.models import Part
from hexarena.backend.runtime.db import Database

log = structlog.get_logger()
Name = Literal["dispatcher", "scheduler", "ratings", "webhooks", "api"]
NAMES: tuple[Name, ...] = get_args(Name)
HEARTBEAT_S = 15.0
ALIVE = timedelta(seconds=60)
LASTS = timedelta(seconds=60)
"""A part that has been up for so long has begun well."""
FORGOTTEN = timedelta(days=1)
MANY_STARTS = 3
RECENT_S = 600.0
"""Whatever keeps ending is started again within a minute. If it is not, somebody has stopped it, or moved it."""
CALLED: Mapping[str, str] = {
    "dispatcher": "dispatcher",
    "scheduler": "scheduler",
    "ratings": "ratings process",
    "webhooks": "webhooks process",
    "api": "API",
}
WITHOUT: Mapping[Name, str] = {
    "scheduler": "the ladders queue no matches",
    "ratings": "results are not counted",
    "webhooks": "no webhook is called",
    "api": "nobody can open a page",
}
"""What does not run without a part. Without a dispatcher, everything does: `backend/status/arena.py`."""


@dataclass(frozen=True, slots=True)
class PartStatus:
    """Of one part on one host. `up`: a heartbeat came in the last minute. `starts`: since it last lasted a minute.
    `started_s`: how long ago it was started last. `seen_s`: how long ago the last heartbeat came, null if none did.
    `problem`: the error that ended it last."""

    name: str
    host: str
    up: bool
    starts: int
    started_s: float
    seen_s: float | None
    problem: str | None

    @property
    def keeps_ending(self) -> bool:
        """Whether it ends again and again soon after its start."""
        return self.starts >= MANY_STARTS and self.started_s < RECENT_S


class Heartbeat:
    """Of this process. What the database does not take is left out: a part must not end for want of it."""

    def __init__(self, database: Database, name: Name) -> None:
        self._database = database
        self._key = {"name": name, "host": socket.gethostname()[:100]}
        self._begun = False
        self._sent_at = -HEARTBEAT_S

    def begin(self) -> None:
        """Counts this start, once."""
        if self._begun:
            return
        row = insert(Part).values(**self._key, starts=1)
        again = {"starts": Part.starts + 1, "started_at": func.now()}
        with self._database.transaction() as session:
            session.execute(row.on_conflict_do_update(index_elements=["name", "host"], set_=again))
        self._begun = True

    def beat(self) -> None:
        """Reports that work continues, if it did not do so just now. Raises: DBAPIError."""
        if time.monotonic() - self._sent_at < HEARTBEAT_S:
            return
        self.begin()
        lasted = Part.started_at < func.now() - LASTS
        # Another one on this host may have been stopped, and have taken the row of both with it.
        row = insert(Part).values(**self._key, starts=1, seen_at=func.now())
        again = {
            "seen_at": func.now(),
            "starts": case((lasted, 0), else_=Part.starts),
            "problem": case((lasted, null()), else_=Part.problem),
        }
        with self._database.transaction() as session:
            session.execute(row.on_conflict_do_update(index_elements=["name", "host"], set_=again))
        self._sent_at = time.monotonic()

    def end(self, error: BaseException | None) -> None:
        """Keeps why it ends; one that was stopped is forgotten."""
        try:
            with self._database.transaction() as session:
                if error is None:
                    session.execute(delete(Part).filter_by(**self._key))
                else:
                    problem = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
                    session.execute(update(Part).filter_by(**self._key).values(problem=problem.replace("\0", "")))
        except DBAPIError as unavailable:
            log.warning("the reason why this part ends was not stored", error=str(unavailable).splitlines()[0])


@contextmanager
def beating(database: Database, name: Name) -> Iterator[None]:
    """Sends heartbeats from a thread meanwhile, for a part that does not work in rounds."""
    heartbeat, stopping = Heartbeat(database, name), threading.Event()

    def send() -> None:
        while True:
            try:
                heartbeat.beat()
            except DBAPIError as error:
                log.warning("the database is unavailable", error=str(error).splitlines()[0])
            if stopping.wait(HEARTBEAT_S):
                return

    thread = threading.Thread(target=send, name="heartbeat", daemon=True)
    thread.start()
    error: BaseException | None = None
    try:
        yield
    except BaseException as caught:
        error = None if isinstance(caught, SystemExit) and not caught.code else caught
        raise
    finally:
        stopping.set()
        thread.join(HEARTBEAT_S)
        heartbeat.end(error)


def read(session: Session) -> list[PartStatus]:
    """All parts that were seen in the last day, by name and host. Raises: DBAPIError."""
    newest = func.greatest(Part.seen_at, Part.started_at)  # which leaves out what is null
    ages = [cast(func.extract("epoch", func.clock_timestamp() - at), Float) for at in (Part.started_at, Part.seen_at)]
    rows = session.execute(
        select(Part, func.coalesce(Part.seen_at > func.now() - ALIVE, False), *ages)
        .where(newest > func.now() - FORGOTTEN)
        .order_by(Part.name, Part.host)
    )
    return [
        PartStatus(one.name, one.host, up, one.starts, started, None if seen is None else max(0.0, seen), one.problem)
        for one, up, started, seen in rows
    ]


def troubles(found: Sequence[PartStatus]) -> list[str]:
    """A sentence for each part that keeps ending, and for each but the dispatcher that is not up."""
    said = [
        f"The {CALLED[one.name]} on {one.host} ends again and again: it was started {one.starts} times and never "
        f"lasted a minute. {f'It last ended with {one.problem}. ' if one.problem else ''}Its log says more."
        for one in found
        if one.keeps_ending
    ]
    there = {one.name for one in found if one.up or one.keeps_ending}
    return said + [f"No {CALLED[name]} is up: {what}." for name, what in WITHOUT.items() if name not in there]
