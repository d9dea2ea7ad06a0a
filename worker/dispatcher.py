"""The dispatcher: leases rows that nobody holds and sends their ids, so it is the sender and the sweeper in one.

Rows that are new and rows whose worker died look the same to it: recovery runs all the time and is never untested.
When nobody waits for anything, it lets the ladder play on.
"""

from __future__ import annotations

import signal
import threading
import time
from random import Random

import psycopg
import structlog
from celery import Celery
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.orm import Session

from backend import live, matches, pairing, queue, standings, submissions, workers
from backend.db import Database
from backend.logs import configure_logs
from backend.models import MatchKind
from backend.parent import follow_parent
from backend.settings import Settings
from games.catalogue import all_games

log = structlog.get_logger()
SWEEP_S = 1.0
PRUNE_S = 600.0
SPARE = 1
"""Matches that are sent before a worker is free, so that none has to wait for the dispatcher."""
KEPT_FREE = 1
"""Of several workers, this many are left to matches that somebody waits for: one of the ladder may take minutes."""
RETRY_S = 0.5


class Dispatcher:
    """One of possibly several: rows are locked with SKIP LOCKED."""

    def __init__(self, settings: Settings, database: Database, celery: Celery, random: Random) -> None:
        self._settings = settings
        self._database = database
        self._celery = celery
        self._random = random
        self._filled_in_at = 0.0
        self._pruned_at = 0.0
        self.stopping = threading.Event()

    def run(self) -> None:
        """Until `stopping` is set. Outlives the database and the broker."""
        listener: psycopg.Connection | None = None
        while not self.stopping.is_set():
            try:
                listener = listener or self._database.listen("hexarena_jobs")
                if not self.tick(time.monotonic()):
                    for _ in listener.notifies(timeout=SWEEP_S, stop_after=1):
                        pass
            except (OperationalError, InterfaceError, psycopg.Error) as error:
                log.warning("the database is away", error=str(error).splitlines()[0])
                if listener is not None:
                    listener.close()
                listener = None
                self.stopping.wait(RETRY_S)
            except (BrokerError, RedisError) as error:
                log.warning("the broker is away", error=str(error))
                self.stopping.wait(RETRY_S)
        if listener is not None:
            listener.close()

    def tick(self, now_s: float) -> int:
        """One look. Returns how many matches were sent.

        Raises: BrokerError (what was leased is given back), OperationalError and InterfaceError of SQLAlchemy.
        """
        with self._database.transaction() as session:
            self._house_keeping(session, now_s)
            slots = workers.slots(session) or self._settings.worker_processes
            held, quiet = matches.in_flight(session)
            leases = matches.lease(
                session,
                room=slots + SPARE - held,
                quiet_room=max(1, slots - KEPT_FREE) - quiet,
                seconds=self._settings.queue_lease_s,
                max_attempts=self._settings.max_attempts,
            )
            submissions.fail_void_checks(session)
        self._send(leases)
        return len(leases)

    def _send(self, leases: list[matches.Lease]) -> None:
        for index, lease in enumerate(leases):
            try:
                queue.send_match(self._celery, lease.match_id, lease.token)
            except (BrokerError, RedisError):
                with self._database.transaction() as session:
                    matches.release(session, leases[index:])
                raise

    def _house_keeping(self, session: Session, now_s: float) -> None:
        if now_s - self._pruned_at > PRUNE_S:
            self._pruned_at = now_s
            live.prune(session)
            workers.forget_silent(session)
        if self._settings.fill_in_s and now_s - self._filled_in_at >= self._settings.fill_in_s:
            self._filled_in_at = now_s
            if not matches.waiting(session) and not matches.in_flight(session)[0]:
                self._fill_in(session)

    def _fill_in(self, session: Session) -> None:
        """One ladder match of some game, for the bots that have played least."""
        game = self._random.choice(list(all_games().values()))
        entrants = pairing.next_match(standings.field(session, game.id), game.ladder_entrants, self._random)
        if entrants:
            seed = pairing.random_seed(self._random)
            matches.schedule(
                session,
                game=game.id,
                kind=MatchKind.LADDER,
                submission_ids=game.seated([entrant.submission_id for entrant in entrants], seed),
                seed=seed,
                league=submissions.top_level(game),
            )


def dispatch(settings: Settings) -> None:
    """Runs a dispatcher until SIGTERM."""
    configure_logs()
    follow_parent()
    database = Database(settings.sqlalchemy_url(), pool_size=2, max_overflow=1)
    dispatcher = Dispatcher(settings, database, queue.make_celery(settings.redis_url, settings.namespace), Random())
    signal.signal(signal.SIGTERM, lambda *_: dispatcher.stopping.set())
    dispatcher.run()
    database.close()


if __name__ == "__main__":
    dispatch(Settings())
