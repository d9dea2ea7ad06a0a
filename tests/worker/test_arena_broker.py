"""The broker dies while a Celery process takes a message from it: the process listens again once the broker is back."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

from hexarena.backend.matches import broker
from hexarena.backend.runtime.local import valkey_binary
from hexarena.backend.runtime.settings import Settings
from tests.conftest import Processes, wait_until

DEATHS = 12
"""Without worker/reconnecting.py one in eight left the process waiting for ever."""


def answers(redis: Redis) -> bool:
    try:
        return bool(redis.ping())
    except RedisError:
        return False


@pytest.fixture
def start_broker(tmp_path: Path) -> Callable[[], subprocess.Popen[bytes]]:
    """Starts an empty broker of the test's own, always at the same address."""

    def start() -> subprocess.Popen[bytes]:
        socket = tmp_path / "broker.sock"
        socket.unlink(missing_ok=True)
        command = [str(valkey_binary()), "--port", "0", "--unixsocket", str(socket), "--save", ""]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
        wait_until(lambda: answers(Redis(unix_socket_path=str(socket))), "the broker answers")
        return process

    return start


@pytest.mark.long
def test_ratings_go_on_however_often_the_broker_dies(
    settings: Settings, tmp_path: Path, start_broker: Callable[[], subprocess.Popen[bytes]]
) -> None:
    chance, own = Random(1), start_broker()
    here = settings.model_copy(update={"redis_url": f"unix://{tmp_path / 'broker.sock'}?db=0"})
    queue, redis = f"{here.namespace}{broker.RATINGS}", Redis(unix_socket_path=str(tmp_path / "broker.sock"))
    parts = Processes(here)
    try:
        parts.start("hexarena.worker.ratings")
        with broker.make_celery(here.redis_url or "", here.namespace) as app:

            def ask() -> None:
                with suppress(OperationalError):
                    broker.send_refit(app, "yavalath")

            for death in range(DEATHS):
                for _ in range(chance.randrange(1, 6)):
                    ask()
                with suppress(subprocess.TimeoutExpired):
                    own.wait(0.3 * chance.random())
                own.send_signal(signal.SIGKILL)
                own.wait()
                own = start_broker()
                broker.send_refit(app, "yavalath")
                wait_until(lambda: redis.llen(queue) == 0, f"ratings read their queue after death {death}")
    finally:
        own.kill()
        own.wait()
        for process in parts.running:
            parts.kill(process)
        print(parts.logs())
