"""Whether the arena is ready, its figures for organisers and Prometheus, and what each request gets."""

from __future__ import annotations

import re
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, text, update

from hexarena.backend.api import tasks
from hexarena.backend.api.deps import Arena
from hexarena.backend.api.routes import live
from hexarena.backend.api.routes.status import keep_history
from hexarena.backend.app import make_app
from hexarena.backend.matches import parts, workers
from hexarena.backend.matches.store import MARKER
from hexarena.backend.models import User, UserRole
from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.status.arena import NO_DATABASE, NO_STORE
from hexarena.games.referee import Fault
from tests.backend.ladder.ladders import newcomers, play
from tests.conftest import wait_until

API = "/api/v1"
TOKEN = {"Authorization": "Bearer open sesame"}
SAMPLE = re.compile(r"^(?P<name>hexarena_\w+)(?:\{(?P<labels>.*)\})? (?P<value>\S+)$", re.MULTILINE)


def visitor(settings: Settings, address: str = "192.0.2.7", **changes: object) -> TestClient:
    """A context manager: somebody at this address. `changes`: of the settings."""
    chosen = settings.model_copy(update={"metrics_token": "open sesame", **changes})
    return TestClient(make_app(chosen), base_url="http://testserver", client=(address, 50_000))


def heartbeat(database: Database) -> None:
    with database.transaction() as session:
        load, known = workers.Load(0.01, 0.1), {"slots": 2, "spare": 1, "disk_free_bytes": 5_000}
        workers.record_heartbeat(session, "a:1", sandbox="x", languages=["python"], load=load, **known)
    parts.Heartbeat(database, "dispatcher").beat()


def samples(client: TestClient, **headers: str) -> dict[str, float]:
    """Name and labels -> value, as Prometheus sees them."""
    answer = client.get("/metrics", headers={**TOKEN, **headers})
    assert answer.status_code == 200, answer.text
    found = SAMPLE.finditer(answer.text)
    return {one["name"] + (f"{{{one['labels']}}}" if one["labels"] else ""): float(one["value"]) for one in found}


# --- Ready ------------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_an_arena_without_a_worker_is_not_ready_and_says_so(client: TestClient, database: Database) -> None:
    answer = client.get(f"{API}/ready")
    assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
    assert "No worker is up" in answer.json()["detail"]
    heartbeat(database)
    wait_until(lambda: client.get(f"{API}/ready").json() == {"ready": True}, "it is ready")


def test_the_faults_of_the_day_are_for_organisers(client: TestClient, database: Database) -> None:
    assert client.get(f"{API}/status/faults").status_code == 401
    client.post(f"{API}/sign-up", json={"name": "Ada", "password": "correct horse"})
    assert client.get(f"{API}/status/faults").status_code == 403
    with database.transaction() as session:
        session.execute(update(User).values(role=UserRole.ORGANISER).where(User.name == "Ada"))
    pair = newcomers(database, 2)
    match = play(database, pair, (1, 0), faults=[Fault(0, 3, "crash", "It ended.")])
    found = client.get(f"{API}/status/faults").json()
    assert [(one["fault"], one["language"], one["count"]) for one in found["counts"]] == [("crash", "python", 1)]
    assert [(one["match_id"], one["turn"], one["message"]) for one in found["newest"]] == [(match, 3, "It ended.")]
    play(database, pair, (1, 0), faults=[Fault(0, 3, "crash", "It ended.")])
    assert client.get(f"{API}/status/faults").json() == found, "it is kept for some seconds"


def test_nor_is_one_with_the_schema_of_another_version(client: TestClient, database: Database) -> None:
    heartbeat(database)
    with database.transaction() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0007'"))
    wait_until(lambda: "revision 0007" in client.get(f"{API}/ready").text, "the schema is said to be old")
    assert client.get(f"{API}/ready").status_code == 503


def test_nor_is_one_without_a_broker(settings: Settings, database: Database) -> None:
    heartbeat(database)
    with visitor(settings, redis_url="redis://127.0.0.1:1/0") as client:
        answer = client.get(f"{API}/ready")
        assert answer.status_code == 503
        assert answer.json()["detail"] == "The broker does not answer."
        assert samples(client)["hexarena_broker_up"] == 0


def test_nor_is_one_without_its_store_of_replays(settings: Settings, database: Database) -> None:
    heartbeat(database)
    marker = settings.data_folder / "blobs" / MARKER
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.unlink(missing_ok=True)
    marker.symlink_to(marker)  # which cannot be read
    with visitor(settings) as client:
        wait_until(lambda: client.get(f"{API}/ready").status_code == 503, "it is said not to be ready")
        assert client.get(f"{API}/ready").json()["detail"] == NO_STORE
        assert samples(client)["hexarena_store_up"] == 0


def test_nor_is_one_whose_connections_are_all_in_use(settings: Settings, database: Database) -> None:
    heartbeat(database)
    with visitor(settings) as client, ExitStack() as busy:
        engine = client.app.state.arena.database.engine  # type: ignore[attr-defined]
        engine.pool._timeout = 0.05
        for _ in range(20):
            busy.enter_context(engine.connect())
        answer = client.get(f"{API}/matches/1")
        assert (answer.status_code, answer.json()["detail"].partition(".")[0]) == (503, "The database does not answer")
        assert client.get(f"{API}/ready").status_code == 503
        assert samples(client)["hexarena_database_up"] == 0
        busy.close()
        assert client.get(f"{API}/matches/1").status_code == 404


# --- Prometheus -------------------------------------------------------------------------------------------------------


def test_the_public_may_not_read_the_metrics(settings: Settings) -> None:
    with visitor(settings) as client:
        refused = client.get("/metrics")
        assert (refused.status_code, refused.headers["content-type"]) == (403, "application/problem+json")
        assert "HEXARENA_METRICS_TOKEN" in refused.json()["expected"]
        assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 403
        assert client.get("/metrics", headers=TOKEN).status_code == 200


def test_nobody_waits_for_a_database_that_is_frozen(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor for each other: the threads that wait are one for health and one for the rest."""
    heartbeat(database)
    monkeypatch.setattr(tasks, "PATIENCE_S", 0.3)
    with database.transaction() as frozen:
        frozen.execute(text("SET LOCAL idle_in_transaction_session_timeout = '60s'"))
        frozen.execute(text("LOCK TABLE worker IN ACCESS EXCLUSIVE MODE"))
        answers = [client.get(f"{API}/health").json() for _ in range(2)]
        assert [(one["ok"], one["database"], one["broker"]) for one in answers] == [(False, False, True)] * 2
        ready = client.get(f"{API}/ready")
        assert (ready.status_code, ready.json()["detail"]) == (503, NO_DATABASE)
    wait_until(lambda: client.get(f"{API}/health").json()["database"], "the database answers again")
    wait_until(lambda: client.get(f"{API}/ready").status_code == 200, "the arena is ready again")


def test_health_asks_database_and_broker_at_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may take as long as anybody has patience."""
    asked, look = threading.Event(), live._worker_status

    async def answers(redis: object) -> bool:
        asked.set()
        return True

    def worker_status(arena: Arena) -> tuple[int, workers.Load]:
        assert asked.wait(20)
        return look(arena)

    monkeypatch.setattr(tasks, "answers", answers)
    monkeypatch.setattr(live, "_worker_status", worker_status)
    found = client.get(f"{API}/health").json()
    assert (found["database"], found["broker"]) == (True, True)


@pytest.mark.long
def test_loopback_may_but_not_through_a_proxy(settings: Settings) -> None:
    with visitor(settings, "127.0.0.1") as client:
        assert client.get("/metrics").status_code == 200
        assert client.get("/metrics", headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 403
    with visitor(settings, "127.0.0.1", proxies="127.0.0.1") as client:
        assert client.get("/metrics", headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 403


def test_the_metrics_tell_what_the_database_knows(settings: Settings, database: Database) -> None:
    heartbeat(database)
    with visitor(settings) as client:
        code = {"game": "yavalath", "bot": "mine", "language": "python", "source": "print('4 4')"}
        assert client.post(f"{API}/submissions", json=code).status_code == 201
        found: dict[str, float] = {}

        def waits() -> bool:
            # A look that takes too long on a busy machine says nothing of the database.
            found.update(samples(client))
            return found.get("hexarena_queue_waiting") == 1

        wait_until(waits, "the check match waits")
    assert found['hexarena_queue_matches{game="yavalath",kind="check",state="waiting"}'] == 1
    assert found['hexarena_submissions_pending{state="queued"}'] == 1
    assert found['hexarena_queue_age_seconds{kind="check"}'] > 0
    assert found['hexarena_worker_slots{host="a"}'] == 2
    assert found['hexarena_worker_disk_free_bytes{host="a"}'] == 5_000
    assert found['hexarena_worker_disk_full{host="a"}'] == 0
    assert found["hexarena_ready"] == 1
    assert found["hexarena_disk_free_bytes"] > 0
    assert found['hexarena_ladder_competitors{game="yavalath"}'] > 0


def test_the_metrics_are_there_while_the_database_is_away(settings: Settings) -> None:
    with visitor(settings, database_url="postgresql://nobody@127.0.0.1:1/nothing") as client:
        found = samples(client)
    assert (found["hexarena_database_up"], found["hexarena_ready"], found["hexarena_broker_up"]) == (0, 0, 1)
    assert "hexarena_queue_waiting" not in found


@pytest.mark.long
def test_requests_are_counted_by_the_templates_of_their_routes(settings: Settings) -> None:
    def count(found: dict[str, float], route: str, status: int, method: str = "GET") -> float:
        host = metrics.own_host()
        name = f'hexarena_requests_total{{host="{host}",method="{method}",route="{route}",status="{status}"}}'
        return found.get(name, 0)

    with visitor(settings) as client:
        before = samples(client)
        for path in ("/games/yavalath", "/games/ants", "/games/never-heard-of", "/matches/123456"):
            client.get(f"{API}{path}")
        client.get("/some/page")
        client.get("/api/v1/there/is/no/such/thing")
        client.request("BREW", "/coffee")
        after = samples(client)

    def more(*which: object) -> float:
        return count(after, *which) - count(before, *which)  # type: ignore[arg-type]

    assert more("/api/v1/games/{game_id}", 200) == 2
    assert more("/api/v1/games/{game_id}", 404) == 1
    assert more("/api/v1/matches/{match_id}", 404) == 1
    assert not [name for name in after if "123456" in name or "never-heard-of" in name or "coffee" in name]
    assert not [name for name in after if "BREW" in name]
    assert after[f'hexarena_request_seconds_count{{host="{metrics.own_host()}",route="/metrics"}}'] >= 1


def test_labels_have_no_names_of_people_or_bots(settings: Settings) -> None:
    with visitor(settings) as client:
        code = {"game": "yavalath", "bot": "Zaphod", "language": "python", "source": "print('4 4')"}
        assert client.post(f"{API}/submissions", json=code).status_code == 201
        assert client.post(f"{API}/sign-up", json={"name": "Trillian", "password": "correct horse"}).is_success
        text = client.get("/metrics", headers=TOKEN).text
    assert "Zaphod" not in text
    assert "Trillian" not in text
    labels = {label for one in SAMPLE.finditer(text) for label in re.findall(r'(\w+)="', one["labels"] or "")}
    assert labels <= {
        "cause", "fault", "game", "host", "kind", "language", "le", "method", "outcome", "part", "route", "state",
        "status", "version",
    }  # fmt: skip


# --- For organisers ---------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_organisers_and_nobody_else_see_the_status(settings: Settings, database: Database) -> None:
    heartbeat(database)
    with visitor(settings) as client:
        assert client.get(f"{API}/status").status_code == 401
        assert client.post(f"{API}/sign-up", json={"name": "Olga", "password": "correct horse"}).is_success
        assert client.get(f"{API}/status").status_code == 403
        with database.transaction() as session:
            session.execute(update(User).where(User.name == "Olga").values(role=UserRole.ORGANISER))
        assert client.get(f"{API}/status").json()["history"] == []
        assert client.portal is not None
        keeping = client.portal.start_task_soon(keep_history, client.app.state.arena, 0.01)  # type: ignore[attr-defined]
        wait_until(lambda: client.get(f"{API}/status").json()["history"], "the history has begun")
        found = client.get(f"{API}/status").json()
        keeping.cancel()
    assert found["figures"]["workers"][0]["host"] == "a"
    assert {ladder["game"] for ladder in found["figures"]["ladders"]} >= {"ants", "yavalath"}
    assert found["history"][0]["waiting"] == 0
    assert found["disk_size_bytes"] >= found["disk_free_bytes"] > 0


# --- Names of requests ------------------------------------------------------------------------------------------------


def test_each_answer_has_an_id_and_problems_have_the_same(client: TestClient) -> None:
    one, other = (client.get(f"{API}/games") for _ in range(2))
    ids = {answer.headers["X-Request-Id"] for answer in (one, other)}
    assert len(ids) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", name) for name in ids)
    missing = client.get(f"{API}/games/none")
    assert missing.json()["request_id"] == missing.headers["X-Request-Id"]
    page = client.get("/no/such/page.js")
    assert "X-Request-Id" in page.headers


def test_a_clients_own_id_is_kept_if_it_can_be_one(client: TestClient) -> None:
    def answered(given: str) -> str:
        return client.get(f"{API}/games/none", headers={"X-Request-Id": given}).json()["request_id"]

    for sane in ("abcdefgh", "4bf92f3577b34da6a3ce929d0e0e4736", "a.b_c-d:1".replace(":", ""), "x" * 64):
        assert answered(sane) == sane
    for odd in ("short", "x" * 65, "with blanks in it", '{"a": 1234567}', "new\tlines\t", "-abcdefgh", "<script>12"):
        assert answered(odd) != odd


@pytest.mark.long
def test_what_the_guard_refuses_has_an_id_and_is_counted(client: TestClient) -> None:
    before = metrics.total(metrics.counted(Path("/nowhere")), "hexarena_requests_total")
    refused = client.get(f"{API}/games", headers={"Host": "evil.example"})
    assert refused.status_code == 421
    assert refused.json()["request_id"] == refused.headers["X-Request-Id"]
    assert metrics.total(metrics.counted(Path("/nowhere")), "hexarena_requests_total") == before + 1


@pytest.mark.parametrize("table", ["worker"])
def test_a_bug_of_ours_is_logged_with_the_id_that_the_visitor_gets(
    client: TestClient, database: Database, table: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(User))
        session.execute(text(f"ALTER TABLE {table} RENAME TO {table}_gone"))
    health = client.get(f"{API}/health").json()
    assert (health["ok"], health["database"]) == (False, False), "it answers all the same, and says what is wrong"
    found = client.get(f"{API}/languages", headers={"X-Request-Id": "look-for-me-too"})
    assert found.status_code == 500
    assert found.json()["request_id"] == "look-for-me-too"
    assert "look-for-me-too" in found.json()["detail"]
