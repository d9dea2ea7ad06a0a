"""How the API begins and ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys

import pytest

from hexarena.backend.matches import parts
from hexarena.backend.runtime.db import Database
from tests.conftest import Processes, free_port, wait_until

COUNT = """
import gc
from hexarena.backend.app import make_app
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.serve import build_routes

def made():
    gc.collect()
    return sum(type(one).__name__ == "_EffectiveRouteContext" for one in gc.get_objects())

app = make_app(Settings(secret_key="for tests only"))
print(made())
build_routes(app)
print(made())
for path in ("/api/v1/feed", "/api/v1/games", "/api/v1/nowhere", "/metrics", "/nowhere"):
    asked = {"type": "http", "method": "GET", "path": path, "root_path": "", "query_string": b"", "headers": []}
    for route in app.router.routes:
        route.matches(asked)
print(made())
"""
"""How many routes of routers FastAPI has made: of a new application, before it listens, and after some requests.

In a process of its own: what FastAPI makes is kept with the routers, which the applications of other tests share.
"""


@pytest.mark.long
def test_no_visitor_waits_until_the_routes_are_made() -> None:
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    new, listening, asked = map(int, done.stdout.split())
    assert listening > new + 100
    assert asked == listening


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_one_that_is_stopped_is_no_crash(processes: Processes, database: Database, number: signal.Signals) -> None:
    def found() -> list[parts.PartStatus]:
        with database.transaction() as session:
            return parts.read(session)

    processes.settings = processes.settings.model_copy(update={"port": free_port()})
    api = processes.start("hexarena.backend.serve")
    wait_until(lambda: any(one.up for one in found()) and answers(processes.settings.port), "it serves")
    api.send_signal(number)
    assert api.wait(60) == 0
    assert found() == []
