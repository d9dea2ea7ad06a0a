"""The scheduler: decides which matches the ladders play, those of open events included, and queues them.

It holds each ladder in memory and reads only what has changed; it computes outside transactions, and queues a limited
number of matches in a round. One schedules at a time: others wait for the lock of its connection to the database. One
that dies loses nothing: the next one reads the ladders anew.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Sequence
from random import Random

import psycopg

from hexarena.backend.events.ladder_memory import Ladders
from hexarena.backend.ladder import memory, scheduling
from hexarena.backend.ladder.memory import LadderMemory
from hexarena.backend.ladder.scheduling import Planned
from hexarena.backend.matches import backlog, life as matches, workers
from hexarena.backend.models import MatchKind
from hexarena.backend.moderation import freezing
from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.disk import Disk
from hexarena.backend.runtime.locks import AdvisoryLock
from hexarena.backend.runtime.logs import configure_logs
from hexarena.backend.runtime.metrics_server import serve_metrics
from hexarena.backend.runtime.parent import follow_parent
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.runtime.stopping import stop_on
from hexarena.games.catalogue import all_games
from hexarena.worker import loops

ROUND_S = 0.5
"""The least pause between two rounds."""
SWEEP_S = 1.0
"""The longest pause while an event is open, whose ladder goes by the time of day."""
REST_S = 15.0
"""The longest pause otherwise: workers come and go without a notification."""
MOST_AT_ONCE = 50
"""Matches of one game that are queued in a round."""


class Scheduler:
    """The ladders in memory, and when they were last given a match."""

    def __init__(self, settings: Settings, database: Database, random: Random) -> None:
        self._settings = settings
        self._database = database
        self._random = random
        self._disk = Disk(settings.data_folder, settings.disk_reserve_bytes)
        self._ladders = {game.id: LadderMemory(game) for game in all_games().values()}
        self._events = Ladders()
        self._filled_in_at = 0.0
        self._locked: psycopg.Connection | None = None
        self.stopping = threading.Event()

    def run(self) -> None:
        """Runs until `stopping` is set. Survives restarts of the database."""
        loops.run_rounds(
            self._database,
            "hexarena_jobs",
            self.stopping,
            self._round,
            part="scheduler",
            after_failure=self._doubt,
        )

    def _round(self, listener: psycopg.Connection) -> None:
        if self._locked is not listener and _try_lock(listener):
            self._locked = listener
        if self._locked is listener:
            with metrics.meters().schedule_seconds.time():
                metrics.meters().scheduled.inc(self.tick(time.monotonic()))
            # Not less than the pause between rounds, whatever changes.
            self.stopping.wait(ROUND_S)
            longest_s = min(SWEEP_S if self._events.any_open else REST_S, self._settings.fill_in_s or REST_S)
            loops.wait(listener, max(0.0, longest_s - ROUND_S), self.stopping)
        else:
            # Until the other one ends. What it is notified of must be read all the same.
            loops.wait(listener, SWEEP_S, self.stopping)

    def _doubt(self) -> None:
        self._locked, self._events = None, Ladders()
        for ladder in self._ladders.values():
            ladder.doubt()

    def tick(self, now_s: float) -> int:
        """One round. Returns how many matches were queued; none while the disk is full. Raises: DBAPIError."""
        if self._disk.is_full:
            return 0
        with self._database.transaction() as session:
            tokens = memory.tokens(session)
            frozen = freezing.frozen(session)
            known = [one for one in self._ladders.values() if one.game.id in tokens and one.game.id not in frozen]
            changed = [ladder for ladder in known if ladder.read(session, tokens[ladder.game.id])]
            self._events.read(session, now_s)
        house = self._settings.fill_in_s > 0
        scheduled = 0
        for ladder in changed:
            planned = scheduling.plan_needed(ladder.roster(), self._random, most=MOST_AT_ONCE, house=house)
            scheduled += self._queue(ladder, planned)
        return scheduled + self._schedule_events(now_s) + self._fill_in(known, now_s)

    def _schedule_events(self, now_s: float) -> int:
        """Rates the ladders of open events, and queues matches of versions that have few."""
        self._events.rate(now_s)
        planned = self._events.plan(self._random)
        if not planned and not self._events.new:
            return 0
        with self._database.transaction() as session:
            return self._events.write(session, planned)

    def _fill_in(self, ladders: list[LadderMemory], now_s: float) -> int:
        """Queues a ladder match when nobody waits for anything; while others wait, one of each ladder that has none.

        The latter have a turn now and then (`queue`): placed bots must play, too, and the trials of one game must not
        stop the ladders of all others.
        """
        pause_s, since_s = self._settings.fill_in_s, now_s - self._filled_in_at
        if not pause_s or since_s < pause_s:
            return 0
        with self._database.transaction() as session:
            slots = workers.slots(session) or self._settings.worker_processes
            held, quiet = backlog.in_flight(session)
            waiting, needed = backlog.count(session)
            with_spare = backlog.with_spare(session)
        able: list[LadderMemory | int] = [*ladders, *self._events.playing]
        if needed:
            self._filled_in_at = now_s
            return sum(self._queue_ladder_match([one]) for one in able if _key(one) not in with_spare)
        if waiting or held >= slots or quiet >= backlog.share_limit(slots):
            return 0
        self._filled_in_at = now_s
        return self._queue_ladder_match(able)

    def _queue_ladder_match(self, able: Sequence[LadderMemory | int]) -> int:
        """Queues one ladder match, of a random one of these games and open events that can have one."""
        for ladder in self._random.sample(able, len(able)):
            if isinstance(ladder, int):
                if planned := self._events.plan_further(ladder, self._random):
                    return self._queue_of_event(ladder, planned)
            elif planned := scheduling.plan_ladder(ladder.roster(), self._random):
                return self._queue(ladder, [planned])
        return 0

    def _queue_of_event(self, event_id: int, planned: Planned) -> int:
        with self._database.transaction() as session:
            return self._events.write(session, {event_id: [planned]}, priority=matches.PRIORITY[MatchKind.LADDER])

    def _queue(self, ladder: LadderMemory, planned: list[Planned]) -> int:
        if not planned:
            return 0
        with self._database.transaction() as session:
            queued = memory.queue(session, ladder.game, planned)
        if queued < len(planned):
            ladder.doubt()
        return queued


def _key(ladder: LadderMemory | int) -> str | int:
    """The game, or the event."""
    return ladder if isinstance(ladder, int) else ladder.game.id


def _try_lock(listener: psycopg.Connection) -> bool:
    """Whether this connection has the lock now, which it keeps as long as it lives."""
    row = listener.execute("SELECT pg_try_advisory_lock(%s)", [int(AdvisoryLock.SCHEDULING)]).fetchone()
    return row is not None and bool(row[0])


def schedule(settings: Settings) -> None:
    """Runs a scheduler until SIGTERM."""
    configure_logs(settings.logs)
    follow_parent()
    metrics.count_into(settings.data_folder, "scheduler")
    serve_metrics(settings)
    database = Database.of(settings, pool_size=1, max_overflow=1)
    scheduler = Scheduler(settings, database, Random())
    stop_on(scheduler.stopping, signal.SIGTERM)
    scheduler.run()
    database.close()


if __name__ == "__main__":
    schedule(Settings())
