"""What the tests share: real servers, a database of its own for each test, and arenas made of real processes."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen
from uuid import uuid4

import boto3
import psycopg
import pytest
from fastapi.testclient import TestClient
from moto.server import ThreadedMotoServer
from psycopg import sql
from sqlalchemy import text

from hexarena.backend.app import make_app
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.local import LocalServers
from hexarena.backend.runtime.logs import configure_logs
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import seeding
from hexarena.cli.new_game import command as new_game
from hexarena.games import discovery
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game
from tests import long_tests
from tests.documented import Visitor
from tests.forking import Forked
from tests.shared_work import shared_work

configure_logs()
PATIENCE_S = 300.0
"""With whatever must come true: only a test that fails waits so long, and a busy machine is slow."""
LONGEST_PAUSE_S = 0.15
TRANSACTION_IDLE_S = 60.0
"""A busy machine may keep a process waiting for longer than usual in the middle of a transaction."""
TESTS = Path(__file__).parent
ONE_BY_ONE = ("e2e", "worker/sandbox", "worker/test_arena", "worker/test_chaos", "cli/test_duel.py", "cli/test_pool.py")
"""Tests that kill, freeze and wait: run after all else, and the tests of a file one by one."""
NO_MACHINE, ONLY_MACHINE = "not machine", ("machine", "machine and not e2e", "e2e or isolation")
"""What the Makefile and CI want of all tests: none of these, or only some of these."""
ISOLATION = "worker/sandbox"
"""Of these, what depends on what the user may do: root mounts, and has control groups and users for sandboxes."""
LONGEST = (
    "worker/test_chaos", "worker/test_arena", "worker/sandbox/test_veterans", "e2e", "worker/sandbox/test_hostile.py",
)  # fmt: skip
"""Of these files: they begin first, so that none of them goes on alone when all others are done."""
MEMORY, ROOM_BYTES = Path("/dev/shm"), 2 << 30
FORGETFUL = ("fsync=off", "full_page_writes=off")
"""Of the PostgreSQL that tests share: it need not outlive the machine, and copying a database must be cheap."""
CLEAR_SEEDED_MATCHES = text("DELETE FROM match")
"""Tests begin with house bots, but with an empty queue."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--long`, see `tests/long_tests.py`."""
    long_tests.add_option(parser)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Says which of the long tests this run has."""
    return long_tests.headline(config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out files that hold none of the wanted tests: loading all of them takes each process half a minute."""
    wanted = config.getoption("markexpr")
    if collection_path.suffix != ".py" or wanted not in {*ONLY_MACHINE, NO_MACHINE}:
        return None
    if _place(collection_path).startswith(ONE_BY_ONE):
        return wanted == NO_MACHINE or None
    return (wanted in ONLY_MACHINE and "mark.machine" not in collection_path.read_text(encoding="utf-8")) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks what `make test` runs after all else, leaves out long tests of other turns, and puts the longest first."""
    for item in items:
        if _place(item.path).startswith(ONE_BY_ONE):
            item.add_marker(pytest.mark.machine)
        if _place(item.path).startswith(ISOLATION):
            item.add_marker(pytest.mark.isolation)
    long_tests.leave_others_out(config, items)
    items.sort(key=lambda item: [not _place(item.path).startswith(name) for name in LONGEST])


@functools.cache
def _place(path: Path) -> str:
    """Below the folder of the tests. Empty outside: such paths may be named beside the tests, for their doctests."""
    return path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else ""


@pytest.fixture(scope="session", autouse=True)
def _signals_reach_what_tests_start() -> None:
    """A shell lets what it starts in the background ignore Ctrl-C, and all that the tests start would inherit that."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.fixture(scope="session", autouse=True)
def _work_is_shared() -> Iterator[None]:
    with shared_work():
        yield


@dataclass(frozen=True)
class Servers:
    """Addresses of a PostgreSQL and a Valkey or Redis that the tests may use."""

    database_url: str
    redis_url: str
    copies_files: bool = False
    """Whether a new database is made by copying files, which is cheaper where nothing waits for the disk."""

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
    with quick_folder(tmp_path_factory) as folder, LocalServers(folder, postgres_settings=FORGETFUL) as own:
        yield Servers(own.database_url, own.redis_url, copies_files=True)


@contextmanager
def quick_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """In memory, where there is room: a database is hundreds of files, and making them on a disk takes most of a test.

    Begins with removing those of killed test runs, which nobody else would.
    """
    if not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < ROOM_BYTES:
        yield tmp_path_factory.mktemp("servers")
        return
    for left_over in MEMORY.glob("hexarena-servers-*-*"):
        if not Path(f"/proc/{left_over.name.split('-')[2]}").exists():
            shutil.rmtree(left_over, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"hexarena-servers-{os.getpid()}-", dir=MEMORY) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def template(servers: Servers) -> Iterator[str]:
    """A migrated and seeded database; each test gets a copy."""
    with new_database(servers, "template") as name:
        with closing(_database(servers, name)) as database:
            seeding.prepare(database)
            with database.transaction() as session:
                session.execute(CLEAR_SEEDED_MATCHES)
        yield name


@contextmanager
def new_template(servers: Servers, template: str, fill: Callable[[Database], object]) -> Iterator[str]:
    """Another template with what all tests of a file begin with: a copy of that one, filled once."""
    with new_database(servers, "template", template) as name:
        with closing(_database(servers, name)) as database:
            fill(database)
        yield name


@contextmanager
def new_database(servers: Servers, what: str, template: str | None = None) -> Iterator[str]:
    """The name of a database, empty or a copy of a template, which is gone at the end of the block."""
    name = f"hexarena_{what}_{uuid4().hex[:12]}"
    if template is None:
        servers.run("CREATE DATABASE {}", name)
    else:
        strategy = " STRATEGY file_copy" if servers.copies_files else ""
        servers.run(f"CREATE DATABASE {{}} TEMPLATE {{}}{strategy}", name, template)
    yield name
    servers.run("DROP DATABASE {} WITH (FORCE)", name)


def _database(servers: Servers, name: str) -> Database:
    url = servers.url_of(name).replace("postgresql://", "postgresql+psycopg://")
    return Database(url, idle_s=TRANSACTION_IDLE_S)


@pytest.fixture
def settings(servers: Servers, template: str, tmp_path: Path) -> Iterator[Settings]:
    """Settings of an arena of this test's own: database, queue and data folder."""
    with new_arena(servers, template, tmp_path) as settings:
        yield settings


@contextmanager
def new_arena(servers: Servers, template: str, folder: Path) -> Iterator[Settings]:
    """An arena that is gone at the end of the block."""
    with new_database(servers, "test", template) as name:
        yield Settings(
            DATABASE_URL=servers.url_of(name),
            REDIS_URL=servers.redis_url,
            namespace=name.replace("_", "-"),
            data_folder=folder / "data",
            secret_key="for tests only",
            hosts="testserver",
            fill_in_s=0,
            bots_each=0,
            versions_a_day=0,
            transaction_idle_s=TRANSACTION_IDLE_S,
            lease_s=3,
            queue_lease_s=5,
        )


@contextmanager
def new_empty_database(servers: Servers) -> Iterator[str]:
    """The address of a database without any table, which is gone at the end of the block."""
    with new_database(servers, "test") as name:
        yield servers.url_of(name)


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadedMotoServer]:
    """A server with the bucket `arena`, which the environment names as it does for any S3 client."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    # Servers of one process share what they store.
    urlopen(Request(f"http://{host}:{port}/moto-api/reset", method="POST")).close()
    boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="arena")
    yield server
    server.stop()


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """The test's own database."""
    database = Database.of(settings)
    yield database
    database.close()


@pytest.fixture(scope="session")
def claims_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of games with one in it: a free-for-all of two to four, as `hexarena new-game` writes it."""
    folder = tmp_path_factory.mktemp("games")
    (folder / "claims").mkdir()
    new_game.write("claims", (2, 3, 4), folder / "claims", simultaneous=True)
    return folder


@pytest.fixture
def claims(claims_folder: Path, database: Database, monkeypatch: pytest.MonkeyPatch) -> Game:
    """That game, with its ladder in the test's own arena."""
    monkeypatch.setenv(discovery.VARIABLE, str(claims_folder))
    with database.transaction() as session:
        seeding.seed(session)
        session.execute(CLEAR_SEEDED_MATCHES)
    return find_game("claims")


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    """A visitor without a cookie yet, at the API of the test's own arena. No worker runs."""
    with new_visitor(settings) as visitor:
        yield visitor


def new_visitor(settings: Settings) -> TestClient:
    """A context manager; see `client`."""
    return Visitor(make_app(settings), base_url="http://testserver", raise_server_exceptions=False)


def wait_until(is_true: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> None:
    """Looks again and again until it is true. Fails with `what` when it never is."""
    end, pause_s = time.monotonic() + patience_s, 0.02
    while not is_true():
        if time.monotonic() > end:
            pytest.fail(f"in {patience_s} s it never came true: {what}")
        time.sleep(pause_s)
        # Whoever looks too often takes the CPU from what it waits for.
        pause_s = min(1.5 * pause_s, LONGEST_PAUSE_S)


def is_anybody_waiting(database: Database) -> bool:
    """Whether a transaction waits for a lock that another one has."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with database.transaction() as session:
        return bool(session.scalar(text(waiting)))


@dataclass
class Processes:
    """Real parts of an arena, as processes. `extra`: variables for those that start from now on."""

    settings: Settings
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """What a part of this arena is told."""
        names = ("namespace", "data_folder", "secret_key", "sandbox", "port", "bots_each", "versions_a_day")
        times = ("fill_in_s", "lease_s", "queue_lease_s", "transaction_idle_s")
        own = {f"HEXARENA_{name.upper()}": str(getattr(self.settings, name)) for name in names + times}
        addresses = {"DATABASE_URL": self.settings.database_url, "REDIS_URL": self.settings.redis_url}
        return {**os.environ, **own, **addresses, **self.extra}

    def start(self, module: str) -> subprocess.Popen[bytes]:
        """`hexarena.worker.app`, `hexarena.worker.dispatcher` or `hexarena.backend.serve`, in a session of its own."""
        self.settings.data_folder.mkdir(exist_ok=True)
        with (self.settings.data_folder / f"{module}.log").open("ab") as log:
            process = Forked(module, env=self.environment(), stdout=log, stderr=log, start_new_session=True)
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
