"""Parts of the arena that are up, that are not, and that end again and again."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import psycopg
import pytest
from sqlalchemy import func, select, update

from hexarena.backend.matches import parts
from hexarena.backend.matches.parts import Heartbeat, PartStatus, beating, troubles
from hexarena.backend.models import Part
from hexarena.backend.runtime.db import Database
from hexarena.worker import loops
from tests.conftest import wait_until

ALL_UP = [PartStatus(name, "a", up=True, starts=1, started_s=90.0, seen_s=1.0, problem=None) for name in parts.NAMES]


def read(database: Database) -> list[PartStatus]:
    with database.transaction() as session:
        return parts.read(session)


def back_in_time(database: Database, **values: timedelta) -> None:
    with database.transaction() as session:
        earlier = {name: func.now() - ago for name, ago in values.items()}
        session.execute(update(Part).values(**earlier))


def test_one_that_works_is_up_and_one_that_was_stopped_is_forgotten(database: Database) -> None:
    heartbeat = Heartbeat(database, "scheduler")
    heartbeat.begin()
    (begun,) = read(database)
    assert (begun.name, begun.up, begun.starts, begun.seen_s, begun.problem) == ("scheduler", False, 1, None, None)
    heartbeat.beat()
    (working,) = read(database)
    assert (working.up, working.starts, working.seen_s is not None) == (True, 1, True)
    heartbeat.end(None)
    assert read(database) == []


def test_one_that_stays_when_another_one_on_its_host_is_stopped_is_up(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "HEARTBEAT_S", 0.0)
    stays, goes = Heartbeat(database, "dispatcher"), Heartbeat(database, "dispatcher")
    stays.beat()
    goes.beat()
    goes.end(None)
    stays.beat()
    (found,) = read(database)
    assert (found.name, found.up, found.starts) == ("dispatcher", True, 1)


def test_a_heartbeat_that_is_not_due_writes_nothing(database: Database) -> None:
    heartbeat = Heartbeat(database, "scheduler")
    heartbeat.beat()
    back_in_time(database, seen_at=timedelta(seconds=50))
    heartbeat.beat()
    assert (read(database)[0].seen_s or 0) > 40


def test_one_that_is_silent_for_a_minute_is_not_up_and_after_a_day_forgotten(database: Database) -> None:
    Heartbeat(database, "ratings").beat()
    back_in_time(database, seen_at=timedelta(seconds=61))
    assert [one.up for one in read(database)] == [False]
    back_in_time(database, seen_at=timedelta(hours=25), started_at=timedelta(hours=25))
    assert read(database) == []


def test_one_that_keeps_ending_is_reported_with_its_error(database: Database) -> None:
    def fail(_: psycopg.Connection) -> None:
        raise ValueError("no such\nladder")

    for starts in (1, 2, 3):
        with pytest.raises(ValueError, match="no such"):
            loops.run_rounds(database, "hexarena_jobs", threading.Event(), fail, part="scheduler")
        (found,) = read(database)
        assert (found.up, found.starts, found.problem) == (False, starts, "ValueError: no such ladder")
        assert found.keeps_ending == (starts == 3)
    (reported,) = [one for one in troubles(read(database)) if "again and again" in one]
    assert reported.startswith(f"The scheduler on {found.host} ends again and again: it was started 3 times")
    assert "It last ended with ValueError: no such ladder. Its log says more." in reported
    assert not any("No scheduler" in one for one in troubles(read(database)))


def test_one_that_kept_ending_on_a_host_and_is_started_there_no_longer_is_not_reported(database: Database) -> None:
    for _ in range(3):
        Heartbeat(database, "scheduler").begin()
    back_in_time(database, started_at=timedelta(seconds=599))
    assert [one.keeps_ending for one in read(database)] == [True]
    back_in_time(database, started_at=timedelta(seconds=601))
    assert [one.keeps_ending for one in read(database)] == [False]
    assert "No scheduler is up: the ladders queue no matches." in troubles(read(database))


def test_one_that_is_killed_again_and_again_is_reported_without_an_error(database: Database) -> None:
    for _ in range(3):
        Heartbeat(database, "webhooks").beat()
    (reported,) = [one for one in troubles(read(database)) if "again and again" in one]
    assert reported.endswith("never lasted a minute. Its log says more.")


def test_whoever_lasts_a_minute_has_begun_well(database: Database) -> None:
    for _ in range(4):
        Heartbeat(database, "scheduler").begin()
    Heartbeat(database, "scheduler").end(KeyError("x"))
    back_in_time(database, started_at=timedelta(seconds=59))
    with database.transaction() as session:  # the heartbeat of the process that lives since then
        lives = Heartbeat(database, "scheduler")
        lives._begun = True
        session.expire_all()
    lives.beat()
    assert [(one.starts, one.problem) for one in read(database)] == [(4, "KeyError: 'x'")]
    back_in_time(database, started_at=timedelta(seconds=61))
    lives._sent_at = time.monotonic() - parts.HEARTBEAT_S
    lives.beat()
    assert [(one.starts, one.problem, one.keeps_ending) for one in read(database)] == [(0, None, False)]


def test_rounds_are_reported_until_they_are_stopped(database: Database) -> None:
    stopping, seen = threading.Event(), []

    def look(_: psycopg.Connection) -> None:
        seen.extend(read(database))
        if len(seen) == 2:
            stopping.set()

    loops.run_rounds(database, "hexarena_jobs", stopping, look, part="dispatcher")
    assert [(one.name, one.up) for one in seen] == [("dispatcher", False), ("dispatcher", True)]
    assert read(database) == []


def test_one_without_rounds_sends_heartbeats_meanwhile(database: Database) -> None:
    with beating(database, "ratings"):
        wait_until(lambda: [one.up for one in read(database)] == [True], "a heartbeat")
    assert read(database) == []
    with pytest.raises(RuntimeError):
        _work(database, RuntimeError("the broker said no"))
    assert [one.problem for one in read(database)] == ["RuntimeError: the broker said no"]


def _work(database: Database, ends_with: BaseException) -> None:
    with beating(database, "ratings"):
        wait_until(lambda: [one.up for one in read(database)] == [True], "a heartbeat")
        raise ends_with


@pytest.mark.parametrize("code", [None, 0])
def test_an_exit_without_an_error_is_a_stop(database: Database, code: int | None) -> None:
    with pytest.raises(SystemExit):
        _work(database, SystemExit(code))
    assert read(database) == []


def test_nothing_is_said_where_all_are_up_and_all_that_is_missing_is_named() -> None:
    assert troubles(ALL_UP) == []
    silent = [PartStatus("ratings", "a", up=False, starts=0, started_s=900.0, seen_s=300.0, problem=None)]
    assert troubles(silent) == [
        "No scheduler is up: the ladders queue no matches.",
        "No ratings process is up: results are not counted.",
        "No webhooks process is up: no webhook is called.",
        "No API is up: nobody can open a page.",
    ]


def test_what_an_error_says_is_kept_in_a_line_that_fits(database: Database) -> None:
    heartbeat = Heartbeat(database, "scheduler")
    heartbeat.begin()
    heartbeat.end(RuntimeError("a\0" + "x" * 1000))
    with database.transaction() as session:
        problem = session.scalar(select(Part.problem))
    assert problem is not None
    assert problem.startswith("RuntimeError: ax")
    assert len(problem) <= 300
