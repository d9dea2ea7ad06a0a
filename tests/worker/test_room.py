"""A full disk, and a store of replays that is away: nothing new begins, nothing that was played is lost."""

from __future__ import annotations

import errno
import shutil
import threading
from collections.abc import Iterator
from random import Random

import boto3
import pytest
from fastapi.testclient import TestClient
from moto.server import ThreadedMotoServer
from sqlalchemy import func, select
from structlog.testing import capture_logs

from hexarena.backend.app import make_app
from hexarena.backend.matches import broker
from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.matches.store import checked_store
from hexarena.backend.models import Job, Match, MatchState, Result, Worker
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.disk import Disk, Room
from hexarena.backend.runtime.settings import Settings
from hexarena.worker import app
from hexarena.worker.dispatcher import Dispatcher
from hexarena.worker.identity import Identity
from hexarena.worker.scheduler import Scheduler
from tests.api.played import played_match
from tests.conftest import Processes, free_port, wait_until
from tests.worker.test_arena import assert_each_counted_once, count_done, queue_slow_matches

API = "/api/v1"
EVERYTHING = 10**18
"""More than any disk has."""
NEW = {"game": "yavalath", "bot": "new", "language": "python", "source": "print(1)"}


def full(settings: Settings) -> Settings:
    """The same arena on a disk without room: all of it is reserved."""
    return settings.model_copy(update={"disk_reserve_bytes": EVERYTHING})


def states(database: Database) -> list[MatchState]:
    with database.transaction() as session:
        return list(session.scalars(select(Match.state)))


def test_a_worker_whose_disk_cannot_be_looked_at_goes_on(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[None] = []

    def room(_: Disk) -> Room:
        looks.append(None)
        if len(looks) == 1:
            raise OSError(errno.ESTALE, "Stale file handle")
        return Room(10**9, is_full=False)

    monkeypatch.setattr(Disk, "room", room)
    monkeypatch.setattr(app, "HEARTBEAT_S", 0.01)
    stopping = threading.Event()
    identity = Identity.of_this_process()
    sending = threading.Thread(
        target=app._send_heartbeats, args=(settings, identity, "x", {}, None), kwargs={"stopping": stopping}
    )
    sending.start()

    def has_room() -> bool:
        with database.transaction() as session:
            return session.scalar(select(Worker.disk_free_bytes).where(Worker.name == identity.name)) == 10**9

    try:
        wait_until(has_room, "a heartbeat after the one that failed")
    finally:
        stopping.set()
        sending.join()


# --- A full disk ---------------------------------------------------------------------------------------------------


def test_a_dispatcher_leases_nothing_while_the_disk_is_full(settings: Settings, database: Database) -> None:
    count = queue_slow_matches(database)
    celery = broker.make_celery(settings.redis_url, settings.namespace)
    for _ in range(2):
        assert Dispatcher(full(settings), database, celery).tick(0.0) == 0
    with database.transaction() as session:
        assert session.scalar(select(func.count()).where(Job.token.is_not(None))) == 0
    assert Dispatcher(settings, database, celery).tick(0.0) > 0
    assert states(database) == [MatchState.QUEUED] * count


def test_a_scheduler_queues_nothing_while_the_disk_is_full(settings: Settings, database: Database) -> None:
    filling = settings.model_copy(update={"fill_in_s": 0.001})
    assert Scheduler(full(filling), database, Random(1)).tick(10.0) == 0
    assert states(database) == []
    assert Scheduler(filling, database, Random(1)).tick(10.0) > 0


def test_an_api_on_a_full_disk_reads_and_deletes_and_takes_nothing_new(settings: Settings) -> None:
    with TestClient(make_app(settings), base_url="http://testserver") as before:
        own = before.post(f"{API}/submissions", json=NEW).json()
        cookies = before.cookies
    with TestClient(make_app(full(settings)), base_url="http://testserver", cookies=cookies) as visitor:
        health = visitor.get(f"{API}/health").json()
        assert health["disk_full"] is True
        assert health["ok"] is False
        assert 0 < health["disk_free_bytes"] < EVERYTHING
        refused = visitor.post(f"{API}/submissions", json=NEW)
        assert refused.status_code == 507
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["type"] == "urn:hexarena:problem:storage-full"
        assert "nothing is lost" in refused.json()["detail"]
        assert visitor.post(f"{API}/matches", json={"game": "yavalath"}).status_code == 507
        assert visitor.get(f"{API}/submissions/{own['id']}").status_code == 200
        assert visitor.post(f"{API}/sign-in", json={"name": "Nobody", "password": "wrong"}).status_code == 401
        assert visitor.delete(f"{API}/bots/{own['bot_id']}").status_code == 204


def test_a_disk_that_was_full_needs_more_than_the_reserve(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(settings.data_folder, 0)
    free = disk.room().free_bytes
    assert not disk.is_full
    for reserve, is_full in ((2 * free, True), (round(free / 1.05), True), (free // 2, False)):
        monkeypatch.setattr(disk, "_reserve", reserve)
        monkeypatch.setattr(disk, "_looked_at", float("-inf"))
        assert disk.is_full is is_full


def test_a_disk_that_is_away_for_a_moment_is_as_it_was(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dispatcher and the scheduler look at it in each of their rounds."""

    def away(_: object) -> None:
        raise OSError(errno.ESTALE, "Stale file handle")

    disk, never_seen = Disk(settings.data_folder, 2**62), Disk(settings.data_folder, 0)
    found = disk.room()
    assert found.is_full
    monkeypatch.setattr(disk, "_looked_at", float("-inf"))
    monkeypatch.setattr(shutil, "disk_usage", away)
    with capture_logs() as said:
        assert disk.room() == found
        monkeypatch.setattr(disk, "_looked_at", float("-inf"))
        assert disk.is_full
    assert [one["event"] for one in said] == ["the disk cannot be looked at"], "once"
    for _ in range(2):
        with pytest.raises(OSError, match="Stale file handle"):
            never_seen.room()


@pytest.mark.long
@pytest.mark.sandbox
def test_a_worker_on_a_full_disk_leaves_its_matches_to_others(processes: Processes, database: Database) -> None:
    count = queue_slow_matches(database, 2)
    processes.extra["HEXARENA_DISK_RESERVE_BYTES"] = str(EVERYTHING)
    without_room = processes.start("hexarena.worker.app")
    del processes.extra["HEXARENA_DISK_RESERVE_BYTES"]
    processes.start("hexarena.worker.dispatcher")
    wait_until(lambda: "sandbox self-test passed" in processes.logs(), "the worker is up")
    processes.start("hexarena.worker.app")
    processes.start("hexarena.worker.ratings")
    wait_until(lambda: count_done(database) == count, "the other worker plays all matches")
    assert without_room.poll() is None
    assert "this machine's disk is full" in processes.logs()
    with database.transaction() as session:
        assert {one.partition(":")[2] for one in session.scalars(select(Result.worker))}
        assert set(session.scalars(select(Result.attempt))) == {1}, "waiting for room is no attempt"


# --- A store that is away ------------------------------------------------------------------------------------------


@pytest.fixture
def bucket_port(processes: Processes, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The arena's store is a bucket of a server at this port, which a test starts and stops."""
    port = free_port()
    for name, value in {
        "HEXARENA_STORE": "s3://arena",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    return port


def start_bucket(port: int) -> ThreadedMotoServer:
    """A server that has nothing but an empty bucket."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="arena")
    return server


@pytest.mark.long
@pytest.mark.sandbox
def test_results_wait_for_a_store_that_comes_back(processes: Processes, database: Database, bucket_port: int) -> None:
    count = queue_slow_matches(database, 3)
    server = start_bucket(bucket_port)
    processes.start("hexarena.worker.dispatcher")
    processes.start("hexarena.worker.app")
    processes.start("hexarena.worker.ratings")
    wait_until(lambda: MatchState.RUNNING in states(database), "a match runs")
    server.stop()
    wait_until(lambda: "a result cannot be stored now" in processes.logs(), "a result waits")
    server = start_bucket(bucket_port)
    wait_until(lambda: count_done(database) == count, "all matches are done")
    assert_each_counted_once(database, count)
    with database.transaction() as session:
        keys = session.execute(select(Result.replay_key, Result.attempt)).all()
    blobs = Blobs("s3://arena")
    assert all(blobs.text(key) and blobs.text(key, 1) for key, attempt in keys if attempt == 1)
    assert sum(attempt == 1 for _, attempt in keys) >= 1, "what waited was not played again"
    server.stop()


@pytest.mark.long
@pytest.mark.sandbox
def test_results_wait_for_a_folder_whose_mount_is_gone(
    processes: Processes, database: Database, settings: Settings
) -> None:
    folder, away = settings.data_folder / "blobs", settings.data_folder / "away"
    count = queue_slow_matches(database, 3)
    processes.start("hexarena.worker.dispatcher")
    processes.start("hexarena.worker.app")
    processes.start("hexarena.worker.ratings")
    wait_until(lambda: MatchState.RUNNING in states(database), "a match runs")
    folder.rename(away)
    wait_until(lambda: "got a folder without marker" in processes.logs(), "a result waits")
    # A process that has just begun makes an empty folder.
    assert not [*folder.rglob("*")], "nothing is written there"
    assert count_done(database) < count
    away.rename(folder)
    wait_until(lambda: count_done(database) == count, "all matches are done")
    assert_each_counted_once(database, count)
    blobs = Blobs(folder)
    with database.transaction() as session:
        assert all(blobs.text(key) for key in session.scalars(select(Result.replay_key)))


def test_replays_in_a_folder_whose_mount_is_gone_are_not_said_to_be_deleted(
    settings: Settings, database: Database
) -> None:
    match_id = played_match(database, checked_store(settings, database))
    folder = settings.data_folder / "blobs"
    with TestClient(make_app(settings), base_url="http://testserver") as visitor:
        address = f"{API}/matches/{match_id}/replay"
        assert visitor.get(address).status_code == 200
        folder.rename(settings.data_folder / "away")
        gone = visitor.get(address)
        assert (gone.status_code, gone.json()["title"]) == (503, "Not available right now")
        (settings.data_folder / "away").rename(folder)
        assert visitor.get(address).status_code == 200


@pytest.mark.long
@pytest.mark.sandbox
@pytest.mark.parametrize("part", ["worker.app", "worker.dispatcher", "backend.serve"])
def test_a_part_that_sees_another_store_ends_and_says_why(
    processes: Processes, database: Database, settings: Settings, part: str
) -> None:
    (settings.data_folder / "blobs").mkdir(parents=True)
    (settings.data_folder / "blobs" / "arena-id").write_text("another")
    assert processes.start(f"hexarena.{part}").wait(60) == 1
    assert "belongs to another database" in processes.logs()
    assert "HEXARENA_STORE" in processes.logs()
