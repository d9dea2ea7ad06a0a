"""The dispatcher: leases rows that nobody holds and sends their ids, so it is the sender and the sweeper in one.

Rows that are new and rows whose worker died look the same to it: recovery runs all the time and is never untested.
It also sees to duels, which it counts and supplies, and to the ladder: newcomers have matches in the queue, results are
rated soon, and when nobody waits for anything, the ladder plays on.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Hashable, Mapping
from random import Random

import psycopg
import structlog
from celery import Celery
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.orm import Session

from backend import duels, live, matches, queue, scheduling, submissions, tallies, workers
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
NEEDS_S = 0.5
"""How often newcomers and climbers are looked after."""
OVERDUE = 10
"""After so many pauses without one, a ladder match does not wait until nobody else does: settled bots play, too."""
REFIT_PATIENCE_S = 10.0
"""A refit that was sent so long ago, and still is due, is sent again."""


class Dispatcher:
    """One of possibly several: rows are locked with SKIP LOCKED."""

    def __init__(self, settings: Settings, database: Database, celery: Celery, random: Random) -> None:
        self._settings = settings
        self._database = database
        self._celery = celery
        self._random = random
        self._filled_in_at = 0.0
        self._pruned_at = 0.0
        self._needs_at = 0.0
        self._signs: Mapping[str, Hashable] = {}
        self._refits_sent_at: dict[str, float] = {}
        self.stopping = threading.Event()

    def run(self) -> None:
        """Until `stopping` is set. Outlives the database and the broker."""
        listener: psycopg.Connection | None = None
        while not self.stopping.is_set():
            try:
                listener = listener or self._database.listen("hexarena_jobs")
                if not self.tick(time.monotonic()):
                    for _ in listener.notifies(timeout=self._pause_s(), stop_after=1):
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

    def _pause_s(self) -> float:
        return min(SWEEP_S, self._settings.fill_in_s or SWEEP_S)

    def tick(self, now_s: float) -> int:
        """One look. Returns how many matches were sent.

        Raises: BrokerError (what was leased is given back), OperationalError and InterfaceError of SQLAlchemy.
        """
        with self._database.transaction() as session:
            slots = workers.slots(session) or self._settings.worker_processes
            self._house_keeping(session, now_s, slots)
            held, quiet = matches.in_flight(session)
            leases = matches.lease(
                session,
                room=slots + SPARE - held,
                quiet_room=max(1, slots - KEPT_FREE) - quiet,
                seconds=self._settings.queue_lease_s,
                max_attempts=self._settings.max_attempts,
            )
            submissions.fail_void_checks(session)
            to_refit = self._refits_to_send(session, now_s)
        self._send(leases)
        for game in to_refit:
            queue.send_refit(self._celery, game)
            self._refits_sent_at[game] = now_s
        return len(leases)

    def _refits_to_send(self, session: Session, now_s: float) -> list[str]:
        """The ladders that are due for a refit which nobody was told to do. Forgets those that were done."""
        due = [game for game in tallies.due(session) if game in all_games()]
        self._refits_sent_at = {game: at for game, at in self._refits_sent_at.items() if game in due}
        return [game for game in due if now_s - self._refits_sent_at.get(game, -REFIT_PATIENCE_S) >= REFIT_PATIENCE_S]

    def _send(self, leases: list[matches.Lease]) -> None:
        for index, lease in enumerate(leases):
            try:
                queue.send_match(self._celery, lease.match_id, lease.token)
            except (BrokerError, RedisError):
                with self._database.transaction() as session:
                    matches.release(session, leases[index:])
                raise

    def _house_keeping(self, session: Session, now_s: float, slots: int) -> None:
        if now_s - self._pruned_at > PRUNE_S:
            self._pruned_at = now_s
            live.prune(session)
            workers.forget_silent(session)
        duels.keep_going(session, slots)
        if now_s - self._needs_at >= NEEDS_S and scheduling.take_turn(session):
            self._needs_at = now_s
            signs = scheduling.signs(session)
            for game in [one for one in all_games().values() if signs.get(one.id) != self._signs.get(one.id)]:
                scheduling.schedule_needed(session, game, self._random, house=self._settings.fill_in_s > 0)
            self._signs = signs
        if not self._settings.fill_in_s:
            return
        if now_s - self._filled_in_at >= self._settings.fill_in_s and scheduling.take_turn(session):
            held, quiet = matches.in_flight(session)
            idle = not matches.waiting(session) and held < slots and quiet < max(1, slots - KEPT_FREE)
            overdue = now_s - self._filled_in_at >= OVERDUE * self._settings.fill_in_s
            if idle or overdue:
                self._filled_in_at = now_s
                self._fill_in(session, priority=None if idle else matches.PRIORITY[MatchKind.PROMOTION])

    def _fill_in(self, session: Session, *, priority: int | None) -> None:
        """One ladder match of some game that can have one."""
        games = list(all_games().values())
        for game in self._random.sample(games, len(games)):
            if scheduling.schedule_ladder(session, game, self._random, priority=priority):
                return


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
