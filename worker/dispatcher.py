"""The dispatcher: leases rows that nobody holds and sends their ids, so it is the sender and the sweeper in one.

Rows that are new and rows whose worker died look the same to it: recovery runs all the time and is never untested.
When nobody waits for anything, it lets the ladder play on.
"""

from __future__ import annotations

import threading
import time
from random import Random

import psycopg
import structlog
from celery import Celery
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError
from sqlalchemy import delete, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend import live, matches, pairing, queue, standings, submissions
from backend.api.games import WORKER_ALIVE
from backend.db import Database
from backend.models import MatchKind, Worker
from backend.settings import Settings
from games.catalogue import all_games

log = structlog.get_logger()
SWEEP_S = 1.0
PRUNE_S = 600.0
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
            except (SQLAlchemyError, psycopg.Error) as error:
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

        Raises: BrokerError (what was leased is given back), SQLAlchemyError.
        """
        with self._database.transaction() as session:
            self._house_keeping(session, now_s)
            room = _slots(session, self._settings) + 1 - matches.in_flight(session)
            leases = matches.lease(
                session,
                room=max(0, room),
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
            session.execute(delete(Worker).where(Worker.seen_at < func.now() - 10 * WORKER_ALIVE))
        if self._settings.fill_in_s and now_s - self._filled_in_at >= self._settings.fill_in_s:
            self._filled_in_at = now_s
            if not matches.waiting(session) and not matches.in_flight(session):
                self._fill_in(session)

    def _fill_in(self, session: Session) -> None:
        """One ladder match of some game, for the bots that have played least."""
        game = self._random.choice(list(all_games().values()))
        pair = pairing.next_pair(standings.field(session, game.id), self._random)
        if pair is not None:
            matches.schedule(
                session,
                game=game.id,
                kind=MatchKind.LADDER,
                submission_ids=[entrant.submission_id for entrant in pair],
                seed=submissions.random_seed(self._random),
                league=submissions.top_level(game),
            )


def _slots(session: Session, settings: Settings) -> int:
    """Matches that the workers who are up can play at once."""
    alive = select(func.sum(Worker.slots)).where(Worker.seen_at > func.now() - WORKER_ALIVE)
    return int(session.scalar(alive) or settings.worker_processes)
