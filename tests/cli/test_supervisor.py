"""What `hexarena up` does when one of its servers ends."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from redis import Redis
from rich.console import Console

from hexarena.backend.runtime.local import LocalServers, LocalServersError
from hexarena.cli import supervisor
from hexarena.cli.supervisor import ServerKeeper
from tests.conftest import wait_until


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
