"""The arena and the figures of `hexarena bench web`."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table
from sqlalchemy import text

from hexarena.backend.ladder import refits
from hexarena.backend.matches import store
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.local import LocalServers
from hexarena.backend.runtime.settings import Settings
from hexarena.bench.web import client, loading, pages
from hexarena.bench.web.world import Plan
from hexarena.cli.bench.api_process import api_process, console, cpu_s, free_port, parent_of, percentiles, reaped_cpu_s
from hexarena.games.catalogue import all_games

BACKENDS = text(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "UNION ALL SELECT pg_backend_pid()"
)
WARM_UP = 20
"""Requests before a kind is measured: the first ones load code and open connections."""

BYTES_A_MATCH = 4_000
"""Of a database that is filled: 2.3 kB of tables and indexes (docs/growth.md), its log, and what sorting takes."""


class NoRoom(Exception):
    """The disk has no room for the database that would be filled."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Of a kind of request. CPU: milliseconds a request. `failed`: without an answer, or with an error."""

    what: str
    requests: int
    failed: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    p99_goal_ms: float
    api_ms: float
    database_ms: float
    cpu_goal_ms: float
    slowest: str


@dataclass(frozen=True, slots=True)
class Used:
    """CPU seconds so far, of the API process and of the database's processes."""

    api: float
    database: float


def measured(plan: Plan, rate: float, seconds: float, only: Sequence[str], folder: Path | None) -> list[Figures]:
    """One run. `only`: beginnings of the names of kinds. Raises: NoRoom."""
    with _settings(folder, BYTES_A_MATCH * plan.matches) as settings:
        database = Database.of(settings, pool_size=1)
        if not loading.is_loaded(database):
            began = time.monotonic()
            loading.load(database, plan, lambda step: console.print(f"{time.monotonic() - began:6.1f} s  {step}"))
            console.print(f"{time.monotonic() - began:6.1f} s  loaded")
            _refit(database)
            console.print(f"{time.monotonic() - began:6.1f} s  refitted")
        with database.transaction() as session:
            kinds = [one for one in pages.kinds(pages.known(session)) if one.name.startswith(tuple(only))]
        store.adopt(settings, database)  # the matches that were loaded have no replays
        with api_process(settings) as pid:
            found = [_measure(settings, database, pid, kind, rate, seconds) for kind in kinds]
        database.close()
    return found


def _refit(database: Database) -> None:
    """As after any match: an arena in use has the fits of its last refits, from which it explains ratings."""
    for game in all_games().values():
        with database.transaction() as session:
            refits.refit(session, game)


def _check_room(place: Path, needed_bytes: int) -> None:
    """Raises: NoRoom, for a folder without a database on a disk that has no room for one."""
    there = next(one for one in (place.absolute(), *place.absolute().parents) if one.is_dir())
    free = shutil.disk_usage(there).free
    if not (place / "postgres").exists() and free < needed_bytes:
        raise NoRoom(
            f"The database would not fit: expected {needed_bytes / 1e9:.1f} GB free at {there}, got {free / 1e9:.1f} "
            "GB. Another place: --folder (make big FOLDER=…), or TMPDIR. Fewer matches: --matches."
        )


@contextmanager
def _settings(folder: Path | None, needed_bytes: int) -> Iterator[Settings]:
    given = Settings()
    with ExitStack() as stack:
        own = stack.enter_context(tempfile.TemporaryDirectory(prefix="hexarena-web-"))
        urls = (given.database_url, given.redis_url)
        if not all(urls):
            _check_room(folder or Path(own), needed_bytes)
            servers = stack.enter_context(LocalServers(folder or Path(own)))
            urls = (servers.database_url, servers.redis_url)
        yield Settings(
            DATABASE_URL=urls[0],
            REDIS_URL=urls[1],
            data_folder=Path(own) / "data",
            port=free_port(),
            namespace="bench_web",
        )


def _measure(
    settings: Settings, database: Database, api: int, kind: pages.Kind, rate: float, seconds: float
) -> Figures:
    base = f"http://127.0.0.1:{settings.port}/api/v1"
    asyncio.run(client.ask(base, kind.paths, rate=WARM_UP, seconds=1))
    before = _used(database, api)
    answers = asyncio.run(client.ask(base, kind.paths, rate=rate, seconds=seconds))
    after = _used(database, api)
    console.print(f"measured: {kind.name}")
    slowest = max(answers, key=lambda one: one.ms)
    return Figures(
        kind.name,
        len(answers),
        sum(one.status != 200 for one in answers),
        *percentiles([one.ms for one in answers]),
        kind.p99_ms,
        1000 * (after.api - before.api) / len(answers),
        1000 * (after.database - before.database) / len(answers),
        kind.cpu_ms,
        slowest.path,
    )


def _used(database: Database, api: int) -> Used:
    """Backends that ended are counted with their parent, whichever database they were for."""
    with database.transaction() as session:
        *backends, own = session.scalars(BACKENDS).all()
    return Used(cpu_s(api), sum(map(cpu_s, backends)) + reaped_cpu_s(parent_of(own)))


def table_of(found: Sequence[Figures]) -> Table:
    """Goals beside what was reached."""
    table = Table(title="Requests at a steady rate: milliseconds, and CPU milliseconds a request; (goal)")
    for heading in ("what", "requests", "failed", "p50", "p95", "p99", "CPU", "API", "database"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for one in found:
        table.add_row(
            one.what,
            f"{one.requests:,}",
            f"{one.failed:,}",
            f"{one.p50_ms:,.1f}",
            f"{one.p95_ms:,.1f}",
            f"{one.p99_ms:,.1f} ({one.p99_goal_ms:,.0f})",
            f"{one.api_ms + one.database_ms:,.1f} ({one.cpu_goal_ms:,.0f})",
            f"{one.api_ms:,.1f}",
            f"{one.database_ms:,.1f}",
        )
    return table
