"""The dispatcher: leases jobs that nobody holds and sends their ids to the workers.

A new job and a job whose worker died look the same to it, so recovery is exercised all the time. It also advances
duels and events, and sends refits soon after results arrive. Which matches the ladder plays, the scheduler decides
(`worker/scheduler.py`): however long that takes, leasing continues.

It works in rounds: at once when the database notifies it, and every second while something is under way. Each begins
with one question about all that there may be to do, and does no more than that; while nothing is under way, it is asked
now and then, and there is no round.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from typing import Any, NamedTuple

import psycopg
import structlog
from celery import Celery
from kombu.exceptions import OperationalError as BrokerError
from redis import Redis
from redis.exceptions import RedisError, TimeoutError as RedisTimeout
from sqlalchemy import Select, select, true
from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.accounts import life as accounts, sessions
from hexarena.backend.classes import marking, similarity
from hexarena.backend.duels import life as duels
from hexarena.backend.events import playing as events
from hexarena.backend.hosts import joining
from hexarena.backend.ladder import pending
from hexarena.backend.matches import (
    backlog,
    broker,
    causes,
    lending,
    life as matches,
    live,
    newcomers,
    queue,
    shares,
    store,
    workers,
)
from hexarena.backend.matches.quotas import budgets_of
from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.db import Database, allow_long_transaction
from hexarena.backend.runtime.disk import Disk
from hexarena.backend.runtime.logs import configure_logs
from hexarena.backend.runtime.metrics_server import serve_metrics
from hexarena.backend.runtime.parent import follow_parent
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.runtime.stopping import stop_on
from hexarena.backend.submissions import life as submissions
from hexarena.games.catalogue import all_games
from hexarena.worker import loops
from hexarena.worker.upkeep import Upkeep

log = structlog.get_logger()
SWEEP_S = 1.0
CROWDED_S = 0.1
"""Between two rounds while all slots are in use: each match that is asked for notifies us, and none can be sent."""
REST_S = 5.0
"""How often it is asked whether there is anything to do while nothing is under way: deadlines may have passed."""
LONGEST_REST_S = 60.0
"""The longest time without a round, whatever the answer is."""
PRUNE_S = 600.0
HOSTS_S = 5.0
"""How often the broker is asked whether it still knows the users of hosts: it forgets them when it restarts."""
HUNG_S = 60.0
"""The same, after it did not answer: each time takes a round's patience."""
GONE_S = 30.0
"""How often matches of games that are gone are looked for: another process may know more games than this one."""
SENT_AHEAD = 1
"""Matches that are sent before a worker is free, so that no worker waits for the dispatcher."""
UPKEEP_ENDS_S = 1.0
REFIT_PATIENCE_S = 10.0
"""A refit that is still due this long after it was sent is sent again."""
COMPARE_PATIENCE_S = 10.0
"""The same of similarity reports, which any worker claims at once that has a process free."""
MARK_PATIENCE_S = 120.0
"""The same of marks: each deadline of an assignment takes as long as a refit."""


class Survey(NamedTuple):
    """What there is, as one row of one query: of the workers, of their slots, and what there may be to do."""

    workers: int
    slots: int
    spare: int
    held: int
    quiet: int
    asleep: int
    quiet_asleep: int
    unneeded_held: int
    is_used: bool
    awaited: bool
    needed: bool
    unneeded: bool
    refits: bool
    duels: bool
    events: bool
    marks: bool
    reports: bool
    hosts: bool

    @staticmethod
    def query() -> Select[*tuple[Any, ...]]:
        """What finds it."""
        there, held = workers.sums().subquery(), backlog.held().subquery()
        return select(
            *there.c,
            *held.c,
            backlog.is_used(),
            backlog.is_any_ready(backlog.IS_AWAITED),
            backlog.is_any_ready(backlog.IS_NEEDED),
            backlog.is_any_ready(backlog.IS_SPARE),
            pending.is_anything(),
            duels.is_any_running(),
            events.is_any_due(),
            marking.is_any_due(),
            similarity.is_any_unfinished(),
            joining.is_any_joined(),
        ).select_from(there.join(held, true()))

    @property
    def is_anything(self) -> bool:
        """Whether something is under way or has become due."""
        return any((self.is_used, self.refits, self.duels, self.events, self.marks, self.reports))

    @property
    def in_use(self) -> tuple[int, int]:
        """The slots that are in use, and how many of these by matches that nobody waits for."""
        return backlog.slots_of(self.held, self.quiet, self.asleep, self.quiet_asleep, spare=self.spare)

    def room(self, slots: int) -> int:
        """How many more matches may be sent."""
        return slots + SENT_AHEAD - self.in_use[0]

    def room_for_quiet(self, slots: int) -> int:
        """How many more matches that nobody waits for may be sent. None is sent ahead: what is, is for somebody, and
        they yield their slots to it, if a process is left to play it.
        """
        return min(slots - max(self.in_use), backlog.share_limit(slots + self.spare) - self.quiet)


class Dispatcher:
    """One of possibly several dispatchers: rows are locked with SKIP LOCKED."""

    def __init__(self, settings: Settings, database: Database, celery: Celery) -> None:
        self._settings = settings
        self._database = database
        self._celery = celery
        self._redis = Redis.from_url(settings.redis_url, socket_timeout=5, socket_connect_timeout=5)
        self._disk = Disk(settings.data_folder, settings.disk_reserve_bytes)
        self._was_full = False
        self._pruned_at = -math.inf
        self._looked_for_gone_at = -math.inf
        self._look_for_hosts_at = -math.inf
        self._refits_sent_at: dict[str, float] = {}
        self._marks_sent_at: dict[int, float] = {}
        self._comparison_sent: tuple[int, float] | None = None
        self._listener: psycopg.Connection | None = None
        self._woken = True
        self._query = Survey.query()
        question = self._query.compile(database.engine, compile_kwargs={"literal_binds": True})
        self._question = str(question).encode()
        self._usual = backlog.UsualSeconds()
        self._ticked_at = self._swept_at = -math.inf
        self.stopping = threading.Event()

    def run(self) -> None:
        """Runs until `stopping` is set. Survives restarts of the database and the broker."""
        loops.run_rounds(self._database, "hexarena_jobs", self.stopping, self._round, part="dispatcher")

    def _round(self, listener: psycopg.Connection) -> None:
        try:
            now_s = time.monotonic()
            there = self.look(listener, now_s)
            if there is None:
                self.wait(listener, REST_S)
                return
            left_s = self._ticked_at + CROWDED_S - now_s
            if left_s > 0 and there.room(self._slots(there)) <= 0:
                self.wait(listener, left_s)
                return
            with metrics.meters().dispatch_seconds.time():
                self.tick(now_s, there)
            # Whatever can be sent was sent: what changes that notifies us, or is found by the next sweep.
            self.wait(listener, SWEEP_S)
        except (BrokerError, RedisError) as error:
            log.warning("the broker is unavailable", error=str(error))
            self.stopping.wait(loops.RETRY_S)

    def wait(self, listener: psycopg.Connection, longest_s: float) -> None:
        """Until there may be something to do: a notification, or so long."""
        self._woken = loops.wait(listener, longest_s, self.stopping)

    def look(self, listener: psycopg.Connection, now_s: float) -> Survey | None:
        """What there is to do; None if nobody woke us, and nothing waits, is being played or has become due.

        What was notified while nobody listened is unknown, so the first round with a listener is never left out.
        """
        there = Survey(*listener.execute(self._question).fetchone() or ())
        new, self._listener = listener is not self._listener, listener
        if new or self._woken or now_s - self._ticked_at > LONGEST_REST_S or there.is_anything:
            return there
        if there.hosts:
            self._look_after_hosts(now_s)
        return None

    def tick(self, now_s: float, there: Survey | None = None) -> int:
        """One round. `there`: what `look` found. Returns how many matches were sent.

        Raises: BrokerError (unsent leases are released), DBAPIError.
        """
        self._ticked_at = now_s
        if self._is_full():
            return 0
        if there is None or there.hosts:
            self._look_after_hosts(now_s)
        with self._database.transaction() as session:
            there = there or Survey(*session.execute(self._query).one())
            slots = self._slots(there)
            there = self._do_due_work(session, now_s, there, slots)
            leases = self._lease(session, there, slots) if slots else []  # none: the disks of all workers are full
            to_refit = self._refits_to_send(session, now_s, there)
            to_mark, to_compare = self._sweep(session, now_s, there)
        self._send(leases)
        for game in to_refit:
            broker.send_refit(self._celery, game)
            self._refits_sent_at[game] = now_s
        for assignment_id in to_mark:
            broker.send_mark(self._celery, assignment_id)
            self._marks_sent_at[assignment_id] = now_s
        if to_compare is not None:
            broker.send_comparison(self._celery, to_compare)
            self._comparison_sent = to_compare, now_s
        return len(leases)

    def _lease(self, session: Session, there: Survey, slots: int) -> list[queue.Lease]:
        """The matches to send now. Has slots lent where others wait."""
        first = self._make_room(session, there, slots) if there.needed and there.duels else []
        if first:
            there = there._replace(**session.execute(backlog.held()).one()._asdict())
        held, quiet = there.in_use
        limit, quiet_limit = there.room(slots), there.room_for_quiet(slots)
        # Where a bot needs all slots, the others have their share of the turns, or they would wait for as long as that.
        taken = there.unneeded_held if there.needed else quiet
        spare_limit = min(quiet_limit, backlog.share_limit(slots) - taken)
        leases = []
        if there.awaited or (there.needed and quiet_limit > 0) or (there.unneeded and spare_limit > 0):
            leases = queue.lease(
                session,
                limit=limit,
                quiet_limit=quiet_limit,
                spare_limit=spare_limit,
                first=first,
                share_limit=backlog.share_limit(slots),
                seconds=self._settings.queue_lease_s,
                max_attempts=self._settings.max_attempts,
                usual=self._usual,
            )
        if held + len(leases) > slots:
            lending.want_slots(session, spare=there.spare)
        return leases

    def _slots(self, there: Survey) -> int:
        """Those of all workers, or of the one that is about to come."""
        return there.slots if there.workers else self._settings.worker_processes

    def _is_full(self) -> bool:
        """Whether nothing may begin, for want of room on the disk. Says so when that changes."""
        room = self._disk.room()
        if room.is_full != self._was_full:
            self._was_full = room.is_full
            if room.is_full:
                log.error("the disk is full: no match begins until there is room", free_bytes=room.free_bytes)
            else:
                log.warning("there is room on the disk again: matches begin again", free_bytes=room.free_bytes)
        return room.is_full

    def _sweep(self, session: Session, now_s: float, there: Survey) -> tuple[list[int], int | None]:
        """What may wait for a second, while rounds follow one another closely: marks and a report to send."""
        if now_s - self._swept_at < SWEEP_S:
            return [], None
        self._swept_at = now_s
        submissions.fail_void_checks(session, owners_first=True)
        to_mark = self._marks_to_send(session, now_s, there)
        return to_mark, self._comparison_to_send(session, now_s) if there.reports else None

    def _make_room(self, session: Session, there: Survey, slots: int) -> list[int]:
        """The matches of newcomers, for which long matches were revoked where no slot was free."""
        first = newcomers.first_matches(session)
        if first:
            missing = len(first) - max(0, there.room_for_quiet(slots))
            limits = self._settings
            newcomers.make_room(session, missing, max_attempts=limits.max_attempts, pause_s=limits.lease_s)
        return first

    def _refits_to_send(self, session: Session, now_s: float, there: Survey) -> list[str]:
        """The ladders whose refit is due and was not sent recently. Forgets refits that are done."""
        due = [game for game in pending.due(session) if game in all_games()] if there.refits else []
        self._refits_sent_at = {game: at for game, at in self._refits_sent_at.items() if game in due}
        return [game for game in due if now_s - self._refits_sent_at.get(game, -REFIT_PATIENCE_S) >= REFIT_PATIENCE_S]

    def _marks_to_send(self, session: Session, now_s: float, there: Survey) -> list[int]:
        """The assignments whose marks are due and were not sent recently."""
        due = marking.due(session) if there.marks else []
        self._marks_sent_at = {one: at for one, at in self._marks_sent_at.items() if one in due}
        return [one for one in due if now_s - self._marks_sent_at.get(one, -MARK_PATIENCE_S) >= MARK_PATIENCE_S]

    def _comparison_to_send(self, session: Session, now_s: float) -> int | None:
        """The similarity report that is due and was not sent recently."""
        due = similarity.due(session)
        recent = self._comparison_sent
        if recent is not None and recent[0] == due and now_s - recent[1] < COMPARE_PATIENCE_S:
            return None
        return due

    def _send(self, leases: list[queue.Lease]) -> None:
        for index, lease in enumerate(leases):
            try:
                broker.send_match(self._celery, lease.match_id, lease.token, awaited=lease.awaited)
            except (BrokerError, RedisError):
                log.warning("a match could not be sent", match=lease.match_id, attempt=lease.attempt)
                with self._database.transaction() as session:
                    queue.release(session, leases[index:])
                raise
            metrics.meters().sent.inc()
            if lease.attempt > 1:
                log.info("sent again", match=lease.match_id, attempt=lease.attempt)

    def _do_due_work(self, session: Session, now_s: float, there: Survey, slots: int) -> Survey:
        """Does what is due: prunes old rows, advances duels and events. Returns what there is afterwards."""
        self._prune(session, now_s)
        if now_s - self._looked_for_gone_at > GONE_S:
            self._looked_for_gone_at = now_s
            matches.void_queued_of_other_games(session, tuple(all_games()), causes.GAME_GONE)
        queued = duels.advance_all(session, slots, budgets_of(self._settings)) if there.duels else 0
        queued += events.advance_all(session, slots) if there.events else 0
        return there._replace(needed=True) if queued else there

    def _look_after_hosts(self, now_s: float) -> None:
        """If the broker is away, its users wait, too: nothing else does. Outside of a round, as it may hang."""
        if now_s < self._look_for_hosts_at:
            return
        self._look_for_hosts_at = now_s + HOSTS_S
        try:
            with self._database.transaction() as session:
                allow_long_transaction(session)
                made = joining.keep_known(session, self._redis, self._settings)
        except RedisError as error:
            log.warning("the broker does not say which users it has", error=str(error))
            if isinstance(error, RedisTimeout):
                self._look_for_hosts_at = now_s + HUNG_S
        else:
            if made:
                log.warning("the broker had forgotten the users of hosts", made=made)

    def _prune(self, session: Session, now_s: float) -> None:
        if now_s - self._pruned_at > PRUNE_S:
            self._pruned_at = now_s
            live.prune(session)
            shares.prune(session)
            workers.delete_silent(session)
            sessions.prune(session)
            notices.prune(session)
            accounts.forget_networks(session, self._settings.new_account_days)


def dispatch(settings: Settings) -> None:
    """Runs a dispatcher until SIGTERM."""
    configure_logs(settings.logs)
    follow_parent()
    metrics.count_into(settings.data_folder, "dispatcher")
    serve_metrics(settings)
    database = Database.of(settings, pool_size=2, max_overflow=1)
    blobs = store.open_or_exit(settings, database)
    dispatcher = Dispatcher(settings, database, broker.make_celery(settings.redis_url, settings.namespace))
    stop_on(dispatcher.stopping, signal.SIGTERM)
    upkeep = Upkeep(settings, database, blobs, dispatcher.stopping)
    upkeep.start()
    dispatcher.run()
    upkeep.join(UPKEEP_ENDS_S)
    database.close()


if __name__ == "__main__":
    dispatch(Settings())
