"""What the tests share: real servers, a database of its own for each test, and arenas made of real processes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest
from fastapi.testclient import TestClient
from psycopg import sql
from sqlalchemy import text

from backend import migrate
from backend.app import make_app
from backend.db import Database
from backend.local import LocalServers
from backend.logs import configure_logs
from backend.settings import Settings

configure_logs()
PATIENCE_S = 60.0
ONE_BY_ONE = ("e2e", "worker/sandbox", "worker/test_arena", "worker/test_duel.py")
"""Tests that kill, freeze and wait: run after all else, and the tests of a file one by one."""
CLEAR_SEEDED_MATCHES = text("DELETE FROM match")
"""Tests begin with house bots, but with an empty queue."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what `make test` runs after all else."""
    for item in items:
        if item.path.relative_to(Path(__file__).parent).as_posix().startswith(ONE_BY_ONE):
            item.add_marker(pytest.mark.machine)


@dataclass(frozen=True)
class Servers:
    """Addresses of a PostgreSQL and a Valkey or Redis that the tests may use."""

    database_url: str
    redis_url: str

    def url_of(self, database: str) -> str:
        """The address of another database on the same server."""
        return urlunsplit(urlsplit(self.database_url)._replace(path=f"/{database}"))

    def run(self, statement: str, *names: str) -> None:
        """Runs a statement about databases."""
        with closing(psycopg.connect(self.database_url, autocommit=True)) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Those of DATABASE_URL and REDIS_URL if both are set, else our own."""
    given = Settings()
    if given.database_url and given.redis_url:
        yield Servers(given.database_url, given.redis_url)
        return
    with LocalServers(tmp_path_factory.mktemp("servers")) as own:
        yield Servers(own.database_url, own.redis_url)


@pytest.fixture(scope="session")
def template(servers: Servers) -> Iterator[str]:
    """A migrated and seeded database; each test gets a copy."""
    name = f"hexarena_template_{uuid4().hex[:8]}"
    servers.run("CREATE DATABASE {}", name)
    database = Database(servers.url_of(name).replace("postgresql://", "postgresql+psycopg://"))
    migrate.prepare(database)
    with database.transaction() as session:
        session.execute(CLEAR_SEEDED_MATCHES)
    database.close()
    yield name
    servers.run("DROP DATABASE {}", name)


@pytest.fixture
def settings(servers: Servers, template: str, tmp_path: Path) -> Iterator[Settings]:
    """Settings of an arena of this test's own: database, queue and data folder."""
    name = f"hexarena_test_{uuid4().hex[:12]}"
    servers.run("CREATE DATABASE {} TEMPLATE {}", name, template)
    yield Settings(
        DATABASE_URL=servers.url_of(name),
        REDIS_URL=servers.redis_url,
        namespace=name.replace("_", "-"),
        data_folder=tmp_path / "data",
        secret_key="for tests only",
        fill_in_s=0,
        lease_s=3,
        queue_lease_s=5,
    )
    servers.run("DROP DATABASE {} WITH (FORCE)", name)


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """The test's own database."""
    database = Database(settings.sqlalchemy_url())
    yield database
    database.close()


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    """A visitor without a cookie yet, at the API of the test's own arena. No worker runs."""
    with TestClient(make_app(settings), base_url="http://testserver", raise_server_exceptions=False) as visitor:
        yield visitor


def wait_until(is_true: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> None:
    """Looks again and again until it is true. Fails with `what` when it never is."""
    end = time.monotonic() + patience_s
    while not is_true():
        if time.monotonic() > end:
            pytest.fail(f"in {patience_s} s it never came true: {what}")
        time.sleep(0.02)


@dataclass
class Processes:
    """Real parts of an arena, as processes."""

    settings: Settings
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        """What a part of this arena is told."""
        names = ("namespace", "data_folder", "secret_key", "sandbox", "port", "fill_in_s", "lease_s", "queue_lease_s")
        own = {f"HEXARENA_{name.upper()}": str(getattr(self.settings, name)) for name in names}
        addresses = {"DATABASE_URL": self.settings.database_url, "REDIS_URL": self.settings.redis_url}
        return {**os.environ, **own, **addresses}

    def start(self, module: str) -> subprocess.Popen[bytes]:
        """`worker.app`, `worker.dispatcher` or `backend.serve`, in a session of its own."""
        self.settings.data_folder.mkdir(exist_ok=True)
        with (self.settings.data_folder / f"{module}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", module], env=self.environment(), stdout=log, stderr=log, start_new_session=True
            )
        self.running.append(process)
        return process

    def revive(self) -> None:
        """Starts again what ended by itself, as the supervisor does."""
        for index, process in enumerate(self.running):
            if process.poll() is not None:
                self.running[index] = self.start(process.args[-1])  # type: ignore[index,arg-type]
                self.running.pop()

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """SIGKILL to the process and all of its session: as if the machine had lost power."""
        with suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        process.wait()

    def logs(self) -> str:
        """What they said, for failing tests."""
        return "\n".join(f"== {path.name}\n{path.read_text()}" for path in self.settings.data_folder.glob("*.log"))


@pytest.fixture
def processes(settings: Settings) -> Iterator[Processes]:
    """Nothing runs yet; all that was started is gone after the test."""
    parts = Processes(settings)
    yield parts
    for process in reversed(parts.running):
        if process.poll() is None:
            process.terminate()
    for process in parts.running:
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        parts.kill(process)
    print(parts.logs())


def free_port() -> int:
    """A port that nobody uses right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
