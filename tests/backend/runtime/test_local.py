"""The embedded servers: real ones, whose data outlives any kind of end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from redis import Redis
from sqlalchemy import text

from hexarena.backend.matches.broker import make_celery
from hexarena.backend.runtime import local
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.local import AlreadyRunning, FolderLock, LocalServers, LocalServersError, State
from hexarena.backend.runtime.settings import Settings

ABANDON = """
import os, signal, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from hexarena.backend.runtime.local import LocalServers
import psycopg, redis
servers = LocalServers(Path(sys.argv[1])).__enter__()
with psycopg.connect(servers.database_url, autocommit=True) as connection:
    connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
redis.Redis.from_url(servers.redis_url).set("kept", "42")
redis.Redis.from_url(servers.redis_url).execute_command("WAITAOF", "1", "0", "5000")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.long
def test_data_outlives_a_kill_of_the_parent_and_its_servers_are_taken_over(tmp_path: Path) -> None:
    folder = tmp_path / "servers"
    killed = subprocess.run([sys.executable, "-c", ABANDON, str(folder)], check=False)
    assert killed.returncode == -signal.SIGKILL
    with LocalServers(folder) as servers:
        with closing(psycopg.connect(servers.database_url)) as connection:
            assert connection.execute("SELECT answer FROM kept").fetchall() == [(42,)]
        with closing(Redis.from_url(servers.redis_url)) as redis:
            assert redis.get("kept") == b"42"


@pytest.mark.long
def test_no_server_is_left_and_no_port_was_opened(tmp_path: Path) -> None:
    with LocalServers(tmp_path / "servers") as servers:
        pids = [child.pid for child in servers.children.values()]
        assert "port=" not in servers.database_url
        assert servers.died() is None
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.long
def test_long_and_odd_paths_are_no_obstacle(tmp_path: Path) -> None:
    with LocalServers(tmp_path / ("long" * 30) / "and with blanks, C++, 100%41, #1, ?a=b&c") as servers:
        sockets = Path(servers.redis_url.removeprefix("unix://").partition("?")[0]).parent
        with closing(psycopg.connect(servers.database_url)) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        with closing(Redis.from_url(servers.redis_url)) as redis:
            assert redis.ping()
    assert not sockets.exists(), "nothing is left outside of the data folder"


@pytest.mark.long
def test_odd_characters_in_a_short_path_are_no_obstacle() -> None:
    with TemporaryDirectory(prefix="h++%41#?&") as folder, LocalServers(Path(folder)) as servers:
        with closing(psycopg.connect(servers.database_url)) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        database = Database.of(Settings(DATABASE_URL=servers.database_url))
        with database.transaction() as session:
            assert session.scalar(text("SELECT 1")) == 1
        database.close()
        with closing(Redis.from_url(servers.redis_url)) as redis:
            assert redis.ping()
        with make_celery(servers.redis_url, "odd").connection_for_write() as broker:
            broker.ensure_connection(max_retries=1)


@pytest.mark.long
def test_somebody_elses_process_is_left_alone(tmp_path: Path) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "input()", "postgres"], stdin=subprocess.PIPE)
    try:
        (tmp_path / "postgres").mkdir()
        (tmp_path / "postgres" / "postmaster.pid").write_text(f"{stranger.pid}\n")
        with LocalServers(tmp_path):
            assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.communicate()


def test_a_folder_that_cannot_be_used_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LocalServersError, match="HEXARENA_DATA_FOLDER"):
        FolderLock(tmp_path / "file")


def test_one_arena_a_folder(tmp_path: Path) -> None:
    with FolderLock(tmp_path), pytest.raises(AlreadyRunning, match=f"process {os.getpid()}"):
        FolderLock(tmp_path)
    with FolderLock(tmp_path):
        pass


def test_a_key_is_made_once(tmp_path: Path) -> None:
    first = Settings(data_folder=tmp_path / "data").signing_key()
    again = Settings(data_folder=tmp_path / "data").signing_key()
    assert first == again
    assert len(first) > 30
    assert (tmp_path / "data" / "secret_key").stat().st_mode & 0o077 == 0


def test_a_password_may_lie_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("s3/cr@t\n")
    settings = Settings(DATABASE_URL="postgres://ada@db:5432/arena", database_password_file=tmp_path / "password")
    assert settings.sqlalchemy_url() == "postgresql+psycopg://ada:s3%2Fcr%40t@db:5432/arena"


@pytest.mark.parametrize("left", [b"\n", b"\0" * 90, b"\xff\xfe"])
def test_a_file_of_a_server_that_lost_its_power_is_no_obstacle(left: bytes, tmp_path: Path) -> None:
    (tmp_path / "postmaster.pid").write_bytes(left)
    local._stop_orphaned_postgres(tmp_path)
    assert not (tmp_path / "postmaster.pid").exists()


def test_a_server_that_repairs_its_data_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever ended it would make it begin from the start again: after a power cut that may take minutes."""
    monkeypatch.setattr(local, "START_S", 0.05)
    servers = LocalServers(tmp_path)
    (tmp_path / "postgres.log").write_text("it is starting up")
    looks = iter([State.STARTING] * 20 + [State.UP])
    with subprocess.Popen(["sleep", "60"]) as server:
        servers._wait("postgres", server, lambda: next(looks))
        with pytest.raises(LocalServersError, match="did not start"):
            servers._wait("postgres", server, lambda: State.DOWN)
        server.kill()


def test_how_a_server_is_doing(tmp_path: Path) -> None:
    said = [local._postgres_state(["sh", "-c", f"exit {code}"]) for code in range(4)]
    assert said == [State.UP, State.STARTING, State.DOWN, State.DOWN]
    for answer, state in ((b"+PONG\r\n", State.UP), (b"-LOADING Valkey is loading\r\n", State.STARTING)):
        address = tmp_path / f"{state.name}.sock"
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(address))
            server.listen()
            answering = threading.Thread(target=_answer, args=(server, answer))
            answering.start()
            assert local._valkey_state(address) is state
            answering.join()
    assert local._valkey_state(tmp_path / "none.sock") is State.DOWN


def _answer(server: socket.socket, answer: bytes) -> None:
    connection, _ = server.accept()
    with connection:
        connection.recv(64)
        connection.sendall(answer)
