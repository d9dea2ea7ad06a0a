"""The dispatcher: leases jobs that nobody holds and sends their ids to the workers.

A new job and a job whose worker died look the same to it, so recovery is exercised all the time. It also advances
duels and keeps the ladder going: it queues matches for newcomers, sends refits soon after results arrive, and queues
ladder matches when nobody is waiting for anything else.
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

from hexarena.backend import notices
from hexarena.backend.accounts import sessions
from hexarena.backend.duels import life as duels
from hexarena.backend.ladder import scheduling, tallies
from hexarena.backend.matches import broker, life as matches, live, newcomers, queue, shares, workers
from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.matches.quotas import budgets_of
from hexarena.backend.models import MatchKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.logs import configure_logs
from hexarena.backend.runtime.parent import follow_parent
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import deletion, life as submissions
from hexarena.games.catalogue import all_games

log = structlog.get_logger()
SWEEP_S = 1.0
PRUNE_S = 600.0
ERASE_S = 5.0
SENT_AHEAD = 1
"""Matches that are sent before a worker is free, so that no worker waits for the dispatcher."""
RETRY_S = 0.5
NEEDS_S = 0.5
"""How often matches are queued for bots in placement or on trial."""
OVERDUE = 10
"""After this many pauses without a ladder match, one is queued even while others wait: placed bots must play, too."""
REFIT_PATIENCE_S = 10.0
"""A refit that is still due this long after it was sent is sent again."""


class Dispatcher:
    """One of possibly several dispatchers: rows are locked with SKIP LOCKED."""

    def __init__(self, settings: Settings, database: Database, celery: Celery, random: Random) -> None:
        self._settings = settings
        self._database = database
        self._celery = celery
        self._random = random
        self._filled_in_at = 0.0
        self._blobs = Blobs(settings.data_folder / "blobs")
        self._pruned_at = 0.0
        self._erased_at = 0.0
        self._needs_at = 0.0
        self._change_tokens: Mapping[str, Hashable] = {}
        self._refits_sent_at: dict[str, float] = {}
        self.stopping = threading.Event()

    def run(self) -> None:
        """Runs until `stopping` is set. Survives restarts of the database and the broker."""
        listener: psycopg.Connection | None = None
        while not self.stopping.is_set():
            try:
                listener = listener or self._database.listen("hexarena_jobs")
                if not self.tick(time.monotonic()):
                    for _ in listener.notifies(timeout=self._pause_s(), stop_after=1):
                        pass
            except (OperationalError, InterfaceError, psycopg.Error) as error:
                log.warning("the database is unavailable", error=str(error).splitlines()[0])
                if listener is not None:
                    listener.close()
                listener = None
                self.stopping.wait(RETRY_S)
            except (BrokerError, RedisError) as error:
                log.warning("the broker is unavailable", error=str(error))
                self.stopping.wait(RETRY_S)
        if listener is not None:
            listener.close()

    def _pause_s(self) -> float:
        return min(SWEEP_S, self._settings.fill_in_s or SWEEP_S)

    def tick(self, now_s: float) -> int:
        """One round. Returns how many matches were sent.

        Raises: BrokerError (unsent leases are released), OperationalError and InterfaceError of SQLAlchemy.
        """
        with self._database.transaction() as session:
            slots = workers.slots(session) or self._settings.worker_processes
            self._do_due_work(session, now_s, slots)
            first = self._make_room(session, slots)
            held, quiet = queue.in_flight(session, spare=workers.spare(session))
            leases = queue.lease(
                session,
                limit=slots + SENT_AHEAD - held,
                quiet_limit=queue.share_limit(slots) - quiet,
                first=first,
                share_limit=queue.share_limit(slots),
                seconds=self._settings.queue_lease_s,
                max_attempts=self._settings.max_attempts,
            )
            submissions.fail_void_checks(session)
            to_refit = self._refits_to_send(session, now_s)
        self._send(leases)
        for game in to_refit:
            broker.send_refit(self._celery, game)
            self._refits_sent_at[game] = now_s
        return len(leases)

    def _make_room(self, session: Session, slots: int) -> list[int]:
        """The matches of newcomers, for which long matches were revoked where no slot was free."""
        first = newcomers.first_matches(session)
        if first:
            _, quiet = queue.in_flight(session, spare=workers.spare(session))
            missing = len(first) - max(0, queue.share_limit(slots) - quiet)
            limits = self._settings
            newcomers.make_room(session, missing, max_attempts=limits.max_attempts, pause_s=limits.lease_s)
        return first

    def _refits_to_send(self, session: Session, now_s: float) -> list[str]:
        """The ladders whose refit is due and was not sent recently. Forgets refits that are done."""
        due = [game for game in tallies.due(session) if game in all_games()]
        self._refits_sent_at = {game: at for game, at in self._refits_sent_at.items() if game in due}
        return [game for game in due if now_s - self._refits_sent_at.get(game, -REFIT_PATIENCE_S) >= REFIT_PATIENCE_S]

    def _send(self, leases: list[queue.Lease]) -> None:
        for index, lease in enumerate(leases):
            try:
                broker.send_match(self._celery, lease.match_id, lease.token)
            except (BrokerError, RedisError):
                with self._database.transaction() as session:
                    queue.release(session, leases[index:])
                raise

    def _do_due_work(self, session: Session, now_s: float, slots: int) -> None:
        """Does what is due: prunes old rows, advances duels, schedules needed matches and ladder matches."""
        self._prune(session, now_s)
        duels.advance_all(session, slots, budgets_of(self._settings))
        self._schedule_needed(session, now_s)
        self._schedule_when_idle(session, now_s, slots)

    def _prune(self, session: Session, now_s: float) -> None:
        if now_s - self._pruned_at > PRUNE_S:
            self._pruned_at = now_s
            live.prune(session)
            shares.prune(session)
            workers.delete_silent(session)
            sessions.prune(session)
            notices.prune(session)
        if now_s - self._erased_at > ERASE_S and not deletion.erase_some(session, self._blobs):
            self._erased_at = now_s

    def _schedule_needed(self, session: Session, now_s: float) -> None:
        """Schedules matches of versions in placement or on trial, on each ladder where something changed."""
        if now_s - self._needs_at >= NEEDS_S and scheduling.try_scheduling_lock(session):
            self._needs_at = now_s
            tokens = scheduling.change_tokens(session)
            for game in [one for one in all_games().values() if tokens.get(one.id) != self._change_tokens.get(one.id)]:
                scheduling.schedule_needed(session, game, self._random, house=self._settings.fill_in_s > 0)
            self._change_tokens = tokens

    def _schedule_when_idle(self, session: Session, now_s: float, slots: int) -> None:
        """Schedules a ladder match when nobody waits for anything, or when one is overdue."""
        if not self._settings.fill_in_s:
            return
        if now_s - self._filled_in_at >= self._settings.fill_in_s and scheduling.try_scheduling_lock(session):
            held, quiet = queue.in_flight(session)
            idle = not queue.waiting(session) and held < slots and quiet < queue.share_limit(slots)
            overdue = now_s - self._filled_in_at >= OVERDUE * self._settings.fill_in_s
            if idle or overdue:
                self._filled_in_at = now_s
                self._schedule_ladder_match(session, priority=None if idle else matches.PRIORITY[MatchKind.PROMOTION])

    def _schedule_ladder_match(self, session: Session, *, priority: int | None) -> None:
        """Schedules one ladder match, of a random game that can have one."""
        games = list(all_games().values())
        for game in self._random.sample(games, len(games)):
            if scheduling.schedule_ladder(session, game, self._random, priority=priority):
                return


def dispatch(settings: Settings) -> None:
    """Runs a dispatcher until SIGTERM."""
    configure_logs()
    follow_parent()
    database = Database(settings.sqlalchemy_url(), pool_size=2, max_overflow=1, idle_s=settings.transaction_idle_s)
    dispatcher = Dispatcher(settings, database, broker.make_celery(settings.redis_url, settings.namespace), Random())
    signal.signal(signal.SIGTERM, lambda *_: dispatcher.stopping.set())
    dispatcher.run()
    database.close()


if __name__ == "__main__":
    dispatch(Settings())
