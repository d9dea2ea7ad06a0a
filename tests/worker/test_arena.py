"""Real workers play real matches; whatever dies, every match ends exactly once and counts exactly once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from textwrap import dedent

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from hexarena.backend.app import make_app
from hexarena.backend.ladder import refits
from hexarena.backend.matches import life as matches
from hexarena.backend.models import (
    Job,
    Match,
    MatchKind,
    MatchState,
    PairTally,
    PendingResult,
    Result,
    SeatResult,
    Source,
    Standing,
    Submission,
    SubmissionState,
    User,
    UserKind,
)
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.local import LocalServers
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions.seeding import seed
from hexarena.games.catalogue import find_game
from tests.conftest import PATIENCE_S, TRANSACTION_IDLE_S, Processes, wait_until

pytestmark = pytest.mark.sandbox

API = "/api/v1"
SLOW_BOT = dedent(
    """
    import time

    input()
    while True:
        rows = [input() for _ in range(int(input()))]
        input()
        time.sleep(0.04)
        empty = [(x, y) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == "0"]
        print(*empty[7 * len(empty) // 11])
    """
)
MATCHES = 8


def live_house_bots(session: Session) -> list[int]:
    live = select(Submission.id).where(Submission.game == "yavalath", Submission.state == SubmissionState.LIVE)
    return list(session.scalars(live.order_by(Submission.id)))


def count_done(database: Database) -> int:
    with database.transaction() as session:
        return session.scalar(select(func.count()).select_from(Result)) or 0


def are_running(database: Database) -> bool:
    with database.transaction() as session:
        return bool(session.scalar(select(func.count()).where(Match.state == MatchState.RUNNING)))


@pytest.fixture
def slow_matches(database: Database) -> int:
    """Rated matches between two slow bots, long enough to be killed in the middle. Returns how many."""
    return queue_slow_matches(database)


def queue_slow_matches(database: Database, count: int = MATCHES) -> int:
    with database.transaction() as session:
        pair = live_house_bots(session)[:2]
        for submission_id in pair:
            submission = session.get_one(Submission, submission_id)
            submission.source_sha256 = _slow_source(session)
        for seed in range(count):
            matches.schedule(session, game="yavalath", kind=MatchKind.LADDER, submission_ids=pair, seed=seed, league=1)
    return count


def _slow_source(session: Session) -> str:
    digest = sha256(SLOW_BOT.encode()).hexdigest()
    if session.get(Source, digest) is None:
        session.add(Source(sha256=digest, body=SLOW_BOT.encode()))
        session.flush()
    return digest


def assert_each_counted_once(database: Database, count: int) -> None:
    """The sums that a lost or doubled match would break."""
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Job)) == 0
        assert session.scalars(select(Match.state)).all() == [MatchState.DONE] * count
        assert session.scalar(select(func.count()).select_from(Result)) == count
    wait_until(lambda: not pending(database), "all results are rated")
    live = ratings(database)
    with database.transaction() as session:
        # Bots that always do the same repeat their matches, which count as repeats.
        repeats = session.scalars(select(func.sum(PairTally.repeats))).one()
        counted = 2 * (count - repeats)
        assert session.scalars(select(func.count()).where(Result.repeat)).one() == repeats
        assert session.scalar(select(func.sum(Standing.games))) == counted
        assert session.scalar(select(func.count()).where(SeatResult.rating_change.is_not(None))) == counted
        assert session.scalar(select(func.count()).where(SeatResult.rating.is_not(None))) == 2 * count
        assert refits.recompute(session, find_game("yavalath")).results == count
    assert ratings(database) == live, "the ratings follow from the results, to the last bit"


def pending(database: Database) -> int:
    with database.transaction() as session:
        return session.scalar(select(func.count()).select_from(PendingResult)) or 0


def ratings(database: Database) -> list[tuple[int, float, float]]:
    with database.transaction() as session:
        rows = session.scalars(select(Standing).where(Standing.game == "yavalath").order_by(Standing.submission_id))
        return [(row.submission_id, row.rating, row.deviation) for row in rows]


def children_of(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in found]


def test_matches_are_played_to_their_results(
    processes: Processes, database: Database, slow_matches: int, settings: Settings
) -> None:
    processes.start("hexarena.worker.app")
    processes.start("hexarena.worker.dispatcher")
    processes.start("hexarena.worker.ratings")
    wait_until(lambda: count_done(database) == slow_matches, "all matches are done")
    assert_each_counted_once(database, slow_matches)


def test_a_worker_killed_in_mid_match_loses_and_doubles_nothing(
    processes: Processes, database: Database, slow_matches: int, settings: Settings
) -> None:
    processes.start("hexarena.worker.dispatcher")
    processes.start("hexarena.worker.ratings")
    worker = processes.start("hexarena.worker.app")
    wait_until(lambda: count_done(database) >= 1 and are_running(database), "a match runs")
    processes.kill(worker)
    interrupted = count_done(database)
    assert interrupted < slow_matches
    processes.start("hexarena.worker.app")
    wait_until(lambda: count_done(database) == slow_matches, "all matches are done")
    assert_each_counted_once(database, slow_matches)
    with database.transaction() as session:
        assert max(session.scalars(select(Result.attempt))) == 2


def test_a_pool_process_killed_in_mid_match_loses_and_doubles_nothing(
    processes: Processes, database: Database, slow_matches: int
) -> None:
    processes.start("hexarena.worker.dispatcher")
    processes.start("hexarena.worker.ratings")
    worker = processes.start("hexarena.worker.app")
    wait_until(lambda: count_done(database) >= 1 and are_running(database), "a match runs")
    for pid in children_of(worker.pid):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: count_done(database) == slow_matches, "all matches are done")
    assert_each_counted_once(database, slow_matches)


def test_a_worker_that_sleeps_past_its_lease_comes_too_late(
    processes: Processes, database: Database, slow_matches: int
) -> None:
    processes.start("hexarena.worker.dispatcher")
    processes.start("hexarena.worker.ratings")
    sleeper = processes.start("hexarena.worker.app")
    wait_until(lambda: are_running(database), "a match runs")
    os.killpg(sleeper.pid, signal.SIGSTOP)
    processes.start("hexarena.worker.app")
    wait_until(lambda: count_done(database) == slow_matches, "another worker plays them all")
    os.killpg(sleeper.pid, signal.SIGCONT)
    sleeper.terminate()
    sleeper.wait(PATIENCE_S)
    assert_each_counted_once(database, slow_matches)


def test_dispatcher_and_ratings_killed_at_any_time_are_replaced_by_the_next(
    processes: Processes, database: Database, slow_matches: int
) -> None:
    processes.start("hexarena.worker.app")
    for _ in range(3):
        parts = [processes.start(f"hexarena.worker.{name}") for name in ("dispatcher", "ratings")]
        before = count_done(database)
        wait_until(lambda before=before: count_done(database) > before, "a match is done")  # type: ignore[misc]
        for part in parts:
            processes.kill(part)
    for name in ("dispatcher", "ratings"):
        processes.start(f"hexarena.worker.{name}")
    wait_until(lambda: count_done(database) == slow_matches, "all matches are done")
    assert_each_counted_once(database, slow_matches)


# --- Servers that go away ------------------------------------------------------------------------------------------


@pytest.fixture
def own_servers(tmp_path: Path) -> Iterator[LocalServers]:
    """Servers that a test may kill."""
    with LocalServers(tmp_path / "servers") as servers:
        yield servers


@pytest.fixture
def own_settings(own_servers: LocalServers, tmp_path: Path) -> Settings:
    """An arena on them."""
    settings = Settings(
        DATABASE_URL=own_servers.database_url,
        REDIS_URL=own_servers.redis_url,
        data_folder=tmp_path / "data",
        secret_key="for tests only",
        hosts="testserver",
        fill_in_s=0,
        lease_s=3,
        queue_lease_s=5,
        transaction_idle_s=TRANSACTION_IDLE_S,
    )
    database = Database(settings.sqlalchemy_url(), idle_s=settings.transaction_idle_s)
    migrate.upgrade(database)
    with database.transaction() as session:
        seed(session)
        session.query(Match).delete()
    database.close()
    return settings


@pytest.mark.parametrize("emptied", [False, True], ids=["keeps its data", "comes back empty"])
def test_the_broker_may_go_and_come_back(own_servers: LocalServers, own_settings: Settings, emptied: bool) -> None:
    database = Database(own_settings.sqlalchemy_url(), idle_s=TRANSACTION_IDLE_S)
    processes = Processes(own_settings)
    count = queue_slow_matches(database)
    try:
        processes.start("hexarena.worker.dispatcher")
        processes.start("hexarena.worker.app")
        wait_until(lambda: count_done(database) >= 1, "a match is done")
        own_servers.children["valkey"].kill()
        own_servers.children["valkey"].wait()
        with TestClient(make_app(own_settings)) as visitor:
            body = {"game": "yavalath", "bot": "meanwhile", "language": "python", "source": SLOW_BOT}
            assert visitor.post(f"{API}/submissions", json=body).status_code == 201
            assert visitor.get(f"{API}/health").json()["broker"] is False
        if emptied:
            for path in (own_servers.folder / "valkey").rglob("*.aof*"):
                path.unlink()
        own_servers.start_valkey()

        def all_done() -> bool:
            processes.revive()
            with database.transaction() as session:
                return session.scalar(select(func.count()).select_from(Job)) == 0

        wait_until(all_done, "all matches are done")
        assert count_done(database) >= count + 1
        with database.transaction() as session:
            states = set(session.scalars(select(Match.state)))
            newest = session.scalars(select(Submission).order_by(Submission.id.desc())).first()
            assert states == {MatchState.DONE}
            assert newest is not None
            assert newest.state == SubmissionState.LIVE
    finally:
        for process in processes.running:
            processes.kill(process)
        database.close()


def test_the_database_may_go_and_come_back(own_servers: LocalServers, own_settings: Settings) -> None:
    database = Database(own_settings.sqlalchemy_url(), idle_s=TRANSACTION_IDLE_S)
    processes = Processes(own_settings)
    count = queue_slow_matches(database)
    try:
        for name in ("dispatcher", "ratings", "app"):
            processes.start(f"hexarena.worker.{name}")
        wait_until(lambda: count_done(database) >= 1 and are_running(database), "a match runs")
        own_servers.children["postgres"].send_signal(signal.SIGQUIT)  # an immediate stop, as in a crash
        own_servers.children["postgres"].wait()
        with TestClient(make_app(own_settings), raise_server_exceptions=False) as visitor:
            refused = visitor.get(f"{API}/games")
            assert (refused.status_code, refused.json()["title"]) == (503, "Not available right now")
        own_servers.start_postgres()

        def all_done() -> bool:
            try:
                return count_done(database) == count
            except DBAPIError:
                return False

        wait_until(all_done, "all matches are done")
        assert_each_counted_once(database, count)
    finally:
        for process in processes.running:
            processes.kill(process)
        database.close()


# --- Safety ------------------------------------------------------------------------------------------------------


def test_without_isolation_no_worker_runs_where_others_have_accounts(processes: Processes, database: Database) -> None:
    with database.transaction() as session:
        session.add(User(kind=UserKind.GUEST, name="a stranger"))
    processes.settings = processes.settings.model_copy(update={"sandbox": "none"})
    worker = processes.start("hexarena.worker.app")
    assert worker.wait(PATIENCE_S) != 0
    assert "WITHOUT" not in processes.logs()
    assert "without isolation" in processes.logs()
