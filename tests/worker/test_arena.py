"""Real workers play real matches; whatever dies, every match ends exactly once and counts exactly once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from textwrap import dedent

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select
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


@pytest.mark.long
def test_matches_are_played_to_their_results(
    processes: Processes, database: Database, slow_matches: int, settings: Settings
) -> None:
    processes.start("hexarena.worker.app")
    processes.start("hexarena.worker.dispatcher")
    processes.start("hexarena.worker.ratings")
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
    database = Database.of(settings)
    migrate.upgrade(database)
    with database.transaction() as session:
        seed(session)
        session.query(Match).delete()
    database.close()
    return settings


@pytest.mark.long
def test_the_api_takes_what_it_can_and_says_what_is_away(own_servers: LocalServers, own_settings: Settings) -> None:
    """That all is played once they are back is for tests/worker/test_chaos.py."""
    own_servers.children["valkey"].kill()
    own_servers.children["valkey"].wait()
    with TestClient(make_app(own_settings), raise_server_exceptions=False) as visitor:
        body = {"game": "yavalath", "bot": "meanwhile", "language": "python", "source": SLOW_BOT}
        assert visitor.post(f"{API}/submissions", json=body).status_code == 201
        assert visitor.get(f"{API}/health").json()["broker"] is False
        own_servers.children["postgres"].send_signal(signal.SIGQUIT)  # an immediate stop, as in a crash
        own_servers.children["postgres"].wait()
        refused = visitor.get(f"{API}/games")
        assert (refused.status_code, refused.json()["title"]) == (503, "Not available right now")


# --- Safety ------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_without_isolation_no_worker_runs_where_others_have_accounts(processes: Processes, database: Database) -> None:
    with database.transaction() as session:
        session.add(User(kind=UserKind.GUEST, name="a stranger"))
    processes.settings = processes.settings.model_copy(update={"sandbox": "none"})
    worker = processes.start("hexarena.worker.app")
    assert worker.wait(PATIENCE_S) != 0
    assert "WITHOUT" not in processes.logs()
    assert "without isolation" in processes.logs()
