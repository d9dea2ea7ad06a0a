"""What `hexarena up` does when one of its servers ends."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import closing
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from redis import Redis
from rich.console import Console

from hexarena.backend.runtime import local
from hexarena.backend.runtime.local import LocalServers, LocalServersError
from hexarena.cli import supervisor
from hexarena.cli.supervisor import ServerKeeper
from tests.conftest import PATIENCE_S, wait_until


def answers(servers: LocalServers) -> bool:
    try:
        with closing(psycopg.connect(servers.database_url)):
            return bool(Redis.from_url(servers.redis_url).ping())
    except (psycopg.OperationalError, OSError):
        return False


@pytest.mark.long
@pytest.mark.parametrize("name", ["postgres", "valkey"])
def test_a_server_that_ended_starts_again_with_all_that_it_had(tmp_path: Path, name: str) -> None:
    said = StringIO()
    with LocalServers(tmp_path) as servers:
        with psycopg.connect(servers.database_url, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
        keeper = ServerKeeper(servers, Console(file=said, width=500))
        keeper.look()
        ended = servers.children[name]
        os.killpg(ended.pid, signal.SIGKILL)
        ended.wait()

        def is_back() -> bool:
            keeper.look()
            return servers.children[name] is not ended and servers.died() is None and answers(servers)

        wait_until(is_back, "it starts again")
        with psycopg.connect(servers.database_url) as connection:
            assert connection.execute("SELECT number FROM kept").fetchall() == [(7,)]
    assert said.getvalue().splitlines() == [
        f"{name} has stopped unexpectedly; see {tmp_path}/{name}.log. It starts again in 1 s.",
        f"{name} runs again.",
    ]


def test_one_that_cannot_start_is_tried_again_ever_more_seldom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a full disk: the arena waits for room."""
    said, tries = StringIO(), []

    def restart(_: LocalServers, name: str) -> None:
        tries.append(name)
        if len(tries) == 3:
            monkeypatch.setattr(LocalServers, "died", lambda _: None)
        else:
            raise LocalServersError("No space left on device")

    monkeypatch.setattr(supervisor, "RESTART_S", 0.01)
    monkeypatch.setattr(LocalServers, "died", lambda _: "postgres")
    monkeypatch.setattr(LocalServers, "restart", restart)
    keeper = ServerKeeper(LocalServers(tmp_path), Console(file=said, width=500))

    def is_back() -> bool:
        keeper.look()
        return len(tries) == 3

    wait_until(is_back, "it starts again")
    pauses = [line.rpartition(" in ")[2] for line in said.getvalue().splitlines() if "unexpectedly" in line]
    assert pauses == ["0.01 s.", "0.02 s.", "0.04 s."]
    assert said.getvalue().count("No space left on device") == 2


def test_nobody_who_stops_the_arena_waits_for_a_server_that_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that repairs a large database."""
    never_ready = tmp_path / "server"
    never_ready.write_text("#!/bin/sh\nexec sleep 3600\n")
    never_ready.chmod(0o755)
    monkeypatch.setattr(local, "valkey_binary", lambda: never_ready)
    monkeypatch.setattr(local, "START_S", 3600.0)
    monkeypatch.setattr(supervisor, "RESTART_S", 0.0)
    said, servers = StringIO(), LocalServers(tmp_path)
    monkeypatch.setattr(servers, "died", lambda: "valkey")
    keeper = ServerKeeper(servers, Console(file=said, width=500))
    keeper.look()
    looking = threading.Thread(target=keeper.look)
    looking.start()
    wait_until(lambda: "valkey" in servers.children, "it is started")
    assert looking.is_alive()
    servers.stopping.set()
    looking.join(PATIENCE_S)
    assert not looking.is_alive()
    servers.stop()
    assert said.getvalue().count("\n") == 1, "no failure is reported"


def test_what_ends_for_days_is_still_started_again() -> None:
    assert supervisor._pause_s(0) == supervisor.RESTART_S
    assert {supervisor._pause_s(times) for times in (5, 1024, 10**6)} == {supervisor.LONGEST_PAUSE_S}
