"""The arena, the publisher and the figures of `hexarena bench streams`."""

from __future__ import annotations

import json
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from pathlib import Path

from redis import Redis
from rich.table import Table
from sqlalchemy import delete, select

from hexarena.backend.api.middleware.connections import raise_descriptors
from hexarena.backend.matches import life as matches, live, queue
from hexarena.backend.models import Match, MatchKind, Submission, SubmissionState
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.local import LocalServers
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import seeding
from hexarena.bench.streams import Arrivals, Plan, watch
from hexarena.cli.bench.api_process import api_process, console, cpu_s, free_port, percentiles, resident_mb

GAME = "yavalath"
LEASE_S = 3600.0
LINES_EACH_S = 5.0
PROBE_PAUSE_S = 0.05
PROBE_S = 60.0
SPARE_CONNECTIONS = 200


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one kind: streams that opened, events that arrived of those expected, and percentiles in milliseconds."""

    what: str
    opened: int
    closed: int
    expected: int
    arrived: int
    p50_ms: float
    p95_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything of a run, of the API process. Memory: megabytes. CPU: seconds of a core in each second; `waited`: for
    a core that others used, in which nothing could be sent.
    """

    rows: tuple[Figures, ...]
    idle_mb: float
    open_mb: float
    most_mb: float
    idle_cpu: float
    busy_cpu: float
    waited: float


def measured(streams: int, live_streams: int, seconds: float, rate: float, patience_s: float) -> Measured:
    """One run with an arena of its own."""
    raise_descriptors()
    with (
        tempfile.TemporaryDirectory(prefix="hexarena-streams-") as folder,
        _arena(Path(folder), streams + live_streams) as arena,
    ):
        return arena.measure(streams, live_streams, seconds, rate, patience_s)


@dataclass(frozen=True, slots=True)
class BenchArena:
    """An arena of an API process alone; this process plays the parts of dispatcher and worker."""

    settings: Settings
    database: Database
    redis: Redis
    pid: int

    def measure(self, streams: int, live_streams: int, seconds: float, rate: float, patience_s: float) -> Measured:
        """One run."""
        changed = self._finished_matches(round(seconds * rate))
        running = self._schedule()
        before, idle_cpu = self._probe(5.0)
        idle_mb = resident_mb(self.pid)
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        plan = Plan(self.settings.port, streams, live_streams, running.match_id)
        client = context.Process(target=watch, args=(plan, there), daemon=True)
        client.start()
        opened = here.recv()
        console.print(f"open: {opened[0]} event streams, {opened[1]} of a match")
        open_mb = resident_mb(self.pid)
        publisher = Publisher(self, changed, running, seconds, rate)
        publisher.start()
        waited_s = _waited_s(self.pid)
        during, busy_cpu = self._probe(seconds)
        waited = (_waited_s(self.pid) - waited_s) / seconds
        publisher.join()
        most_mb = resident_mb(self.pid)
        events, lines = _arrived(here, patience_s)
        client.join()
        rows = (
            _figures("events", events, publisher.published, opened[0]),
            _figures("lines of a match", lines, publisher.sent, opened[1]),
            _requests("other requests before", before),
            _requests("other requests meanwhile", during),
        )
        return Measured(rows, idle_mb, open_mb, max(most_mb, resident_mb(self.pid)), idle_cpu, busy_cpu, waited)

    def _schedule(self) -> matches.ClaimedMatch:
        """A match that runs, as if a worker had it."""
        with self.database.transaction() as session:
            on_ladder = select(Submission.id).where(Submission.game == GAME, Submission.state == SubmissionState.LIVE)
            pair = list(session.scalars(on_ladder.order_by(Submission.id).limit(2)))
            matches.schedule(session, game=GAME, kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=1)
            (lease,) = queue.lease(session, limit=1, seconds=LEASE_S, max_attempts=3)
            claimed = queue.claim(session, lease.match_id, lease.token, seconds=LEASE_S)
        assert claimed is not None  # noqa: S101 - nobody else plays
        return claimed

    def _finished_matches(self, count: int) -> list[int]:
        found = []
        for _ in range(count):
            claimed = self._schedule()
            report = matches.Report((0, 1), (1, 0), "because", 1, (), 1, "bench", "none", "1", "d")
            with self.database.transaction() as session:
                matches.finish(session, claimed, report)
            found.append(claimed.match_id)
        return found

    def _probe(self, seconds: float) -> tuple[list[float], float]:
        """Another visitor's requests, milliseconds each; and the CPU time of the API process, seconds a second."""
        began, used, took = time.monotonic(), cpu_s(self.pid), []
        connection = HTTPConnection("127.0.0.1", self.settings.port, timeout=PROBE_S)
        while time.monotonic() - began < seconds:
            asked = time.monotonic()
            connection.request("GET", "/api/v1/games", headers={"Host": "localhost"})
            connection.getresponse().read()
            took.append(1000 * (time.monotonic() - asked))
            time.sleep(PROBE_PAUSE_S)
        connection.close()
        return took, (cpu_s(self.pid) - used) / (time.monotonic() - began)


class Publisher(threading.Thread):
    """Publishes events and sends lines, evenly spread. `published`, `sent`: number -> when."""

    def __init__(
        self, arena: BenchArena, changed: Sequence[int], running: matches.ClaimedMatch, seconds: float, rate: float
    ) -> None:
        super().__init__(daemon=True)
        self._arena = arena
        self._changed = changed
        self._key = live.stream_key(arena.settings.namespace, running.match_id, running.attempt)
        self._seconds = seconds
        self._rate = rate
        self.published: dict[int, float] = {}
        self.sent: dict[int, float] = {}

    def run(self) -> None:
        """Until the time is over."""
        began = time.monotonic()
        lines = live.LineStream(self._arena.redis, self._key)
        while (now := time.monotonic() - began) < self._seconds:
            if len(self.published) < min(now * self._rate, len(self._changed)):
                self._publish(self._changed[len(self.published)])
            if len(self.sent) < now * LINES_EACH_S:
                self._send(lines, len(self.sent))
            time.sleep(0.5 / (self._rate + LINES_EACH_S))

    def _publish(self, match_id: int) -> None:
        self.published[match_id] = time.monotonic()
        with self._arena.database.transaction() as session:
            live.publish(session, GAME, "match", match_id)

    def _send(self, lines: live.LineStream, number: int) -> None:
        self.sent[number] = time.monotonic()
        lines.add(json.dumps({"t": number, "bench": f"sent-{number}-"}))
        lines.flush()


@contextmanager
def _arena(folder: Path, connections: int) -> Iterator[BenchArena]:
    with LocalServers(folder) as servers:
        settings = Settings(
            DATABASE_URL=servers.database_url,
            REDIS_URL=servers.redis_url,
            data_folder=folder,
            port=free_port(),
            connections=connections + SPARE_CONNECTIONS,
        )
        database = Database.of(settings)
        seeding.prepare(database)
        _clear_queue(database)
        with api_process(settings) as pid:
            redis = Redis.from_url(settings.redis_url)
            yield BenchArena(settings, database, redis, pid)
            redis.close()
        database.close()


def _clear_queue(database: Database) -> None:
    """The house bots' first matches, which nobody would play."""
    with database.transaction() as session:
        session.execute(delete(Match))


def _arrived(pipe: Connection, patience_s: float) -> tuple[Arrivals, Arrivals]:
    time.sleep(patience_s)
    pipe.send("enough")
    events, lines = pipe.recv()
    return events, lines


def _figures(what: str, arrivals: Arrivals, sent: Mapping[int, float], opened: int) -> Figures:
    """Percentiles of what arrived. What never did counts as expected, and spoils no percentile."""
    delays = [1000 * (at - sent[number]) for number, at in arrivals.seen if number in sent]
    return Figures(what, opened, arrivals.closed, opened * len(sent), len(delays), *percentiles(delays))


def _requests(what: str, took: Sequence[float]) -> Figures:
    return Figures(what, 1, 0, len(took), len(took), *percentiles(took))


def _waited_s(pid: int) -> float:
    """How long its threads were ready to run, but did not, since they began."""
    files = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(file.read_text().split()[1]) for file in files) / 1e9


def table_of(measured: Measured) -> Table:
    table = Table(
        title=f"One API process: {measured.idle_mb:.0f} MB idle, {measured.open_mb:.0f} MB with all streams, "
        f"{measured.most_mb:.0f} MB at the end; "
        f"CPU {measured.idle_cpu:.2f} s/s before, {measured.busy_cpu:.2f} meanwhile, "
        f"and {measured.waited:.2f} waiting for a core"
    )
    for heading in ("what", "open", "closed", "arrived", "of", "p50 ms", "p95 ms", "p99 ms"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for row in measured.rows:
        numbers = (f"{one:,.1f}" for one in (row.p50_ms, row.p95_ms, row.p99_ms))
        table.add_row(row.what, *(f"{one:,}" for one in (row.opened, row.closed, row.arrived, row.expected)), *numbers)
    return table
