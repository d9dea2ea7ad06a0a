"""`hexarena status`: run as an organiser would, against a real database and a real API."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from sqlalchemy import text, update

from hexarena.backend.accounts import life as accounts, tokens
from hexarena.backend.accounts.permissions import Scope
from hexarena.backend.matches import causes, parts, workers
from hexarena.backend.models import UserRole, VoidAttempt, Worker
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.status import arena
from hexarena.backend.status.arena import ArenaStatus
from hexarena.cli import status
from hexarena.cli.status import CAUSES, ago
from tests import forking
from tests.api.played import house_bots, play
from tests.conftest import Processes, free_port, wait_until


def hexarena(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    addresses = {"DATABASE_URL": settings.database_url, "REDIS_URL": settings.redis_url}
    environment = {**os.environ, **addresses, "HEXARENA_DATA_FOLDER": str(settings.data_folder), "COLUMNS": "80"}
    return forking.run("hexarena.cli.app", "status", *arguments, env=environment)


def heartbeat(database: Database, name: str = "host-1:77") -> None:
    with database.transaction() as session:
        known = {"slots": 3, "spare": 1, "disk_free_bytes": 1_612_300_000_000}
        workers.record_heartbeat(session, name, sandbox="x", languages=["c"], load=workers.Load(), **known)
    parts.Heartbeat(database, "dispatcher").beat()


def test_an_arena_that_is_not_ready_says_why_and_exits_with_1(settings: Settings) -> None:
    shown = hexarena(settings)
    assert shown.returncode == 1, shown.stderr
    assert "not ready" in shown.stdout
    assert "No worker is up" in shown.stdout
    assert "No dispatcher is up" in shown.stdout
    assert "No scheduler is up" in shown.stdout


def test_the_tables_fit_80_columns(settings: Settings, database: Database) -> None:
    heartbeat(database)
    heartbeat(database, "a-host-with-a-rather-long-name:1234567")
    bots = house_bots(database)
    one, other = sorted(bots)[:2]
    match_id = play(database, bots, one, other)
    with database.transaction() as session:
        session.add(VoidAttempt(match_id=match_id, attempt=1, reason=f"{causes.OVERLOADED}: x."))
        session.execute(
            update(Worker).where(Worker.name == "host-1:77").values(seen_at=text("now() - interval '4 min'"))
        )
    shown = hexarena(settings)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    lines = shown.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    for expected in (
        ": ready",
        "matches a minute",
        "machine overloaded 1",
        "down, 4 min",
        "yavalath",
        "GB of the disk",
        "1612 GB",
    ):
        assert expected in shown.stdout, expected
    assert any(line.strip().startswith("a-host-with-a-") for line in lines)


def test_the_figures_are_json_for_scripts(settings: Settings, database: Database) -> None:
    heartbeat(database)
    found = json.loads(hexarena(settings, "--json").stdout)
    assert (found["ready"], found["missing"]) == (True, [])
    assert found["figures"]["workers"][0]["slots"] == 3


@pytest.mark.long
def test_the_same_over_http_with_a_token(settings: Settings, database: Database, processes: Processes) -> None:
    port = free_port()
    processes.extra = {"HEXARENA_PORT": str(port)}
    processes.start("hexarena.backend.serve")
    url = f"http://127.0.0.1:{port}"
    with database.transaction() as session:
        olga = accounts.sign_up(
            session, None, name="Olga", password="correct horse", email=None, role=UserRole.ORGANISER
        )
        _, good = tokens.create(session, olga, "status", [Scope.ORGANISE])
        _, weak = tokens.create(session, olga, "other", [Scope.READ])
    said: list[str] = []

    def is_ready() -> bool:
        # Each time anew: a busy machine may take longer for one look than a worker may be silent.
        heartbeat(database)
        found = hexarena(settings, "--url", url, "--token", good, "--json")
        said.append(found.stdout)
        return found.returncode == 0

    wait_until(is_ready, "it answers, and is ready")
    assert json.loads(said[-1])["ready"]
    heartbeat(database)
    with database.transaction() as session:
        assert [(one.name, one.up) for one in parts.read(session) if one.name == "api"] == [("api", True)]
    refused = hexarena(settings, "--url", url, "--token", weak)
    assert (refused.returncode, "403" in refused.stderr, "organise" in refused.stderr) == (2, True, True)
    nobody = hexarena(settings, "--url", f"http://127.0.0.1:{free_port()}")
    assert (nobody.returncode, "cannot be read" in nobody.stderr) == (2, True)
    assert hexarena(settings, "--url", "file:///etc/passwd").returncode == 2


@pytest.mark.long
def test_a_token_goes_nowhere_else(settings: Settings) -> None:
    """Not where a redirect leads, and what speaks no HTTP is refused in words."""
    seen: list[str | None] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers["Authorization"])
            if self.path.startswith("/api"):
                self.send_response(302)
                self.send_header("Location", f"http://localhost:{self.server.server_port}/thief")
                self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        sent = hexarena(settings, "--url", url, "--token", "hxt_secret")
        assert (sent.returncode, "answered 302" in sent.stderr) == (2, True), sent.stderr
        assert seen == ["Bearer hxt_secret"]
        odd = hexarena(settings, "--url", f"{url}/a b")
        assert (odd.returncode, "Traceback" in odd.stderr) == (2, False), odd.stderr
        server.shutdown()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--url", "http://127.0.0.1:1", "--token", "hxt_abc…"), "Expected a token as your account's page shows it"),
        (("--url", "http://[::1", "--token", "hxt_abc"), "Expected an address such as https://arena.example.org; got"),
        (("--url", "http://[::1"), "Expected an address such as https://arena.example.org; got"),
    ],
)
def test_an_address_or_token_that_is_none_is_refused(words: tuple[str, ...], said: str, settings: Settings) -> None:
    done = hexarena(settings, *words)
    assert (done.returncode, said in " ".join(done.stderr.split())) == (2, True), done.stderr


def test_watching_goes_on_after_a_look_that_failed(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(status, "EVERY_S", 0.0)
    looked = arena.look(database, settings.data_folder, broker=True, store=True, reserve_bytes=0)
    for last in ("gone for good", None):
        answers: list[str | None] = ["gone for a moment", None, last]

        def look(answers: list[str | None] = answers) -> ArenaStatus:
            if not answers:
                raise KeyboardInterrupt
            if (problem := answers.pop(0)) is not None:
                raise status.NotAsked(problem)
            return looked

        with pytest.raises(status.NotAsked, match=last) if last else nullcontext():
            assert status._watch(looked, look) is looked
        assert not answers
        shown = capsys.readouterr().out
        assert ("gone for good" in shown, "gone for a moment" in shown) == (last is not None, False)


def test_watching_is_for_people(settings: Settings) -> None:
    refused = hexarena(settings, "--watch", "--json")
    assert (refused.returncode, "Expected --json or --watch; got both" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"), (172_800, "2 d")]
)
def test_times_are_short(seconds: float, words: str) -> None:
    assert ago(seconds) == words


def test_each_cause_has_words_for_people() -> None:
    assert CAUSES.keys() == {*causes.FAILURES, causes.WITHDRAWN}
