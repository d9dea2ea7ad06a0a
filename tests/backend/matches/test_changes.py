"""Readers of changes: each is read once and in order, however transactions end, and nobody waits without need."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Connection, make_url, select, text

from hexarena.backend.ladder import refits
from hexarena.backend.matches import live
from hexarena.backend.models import ChangeRow
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.locks import AdvisoryLock
from hexarena.games.catalogue import find_game

GAME = "ants"
INSERT = text("INSERT INTO change (game, kind, subject_id) VALUES ('ants', 'match', :subject)")
LOCKS = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = :lock")
WRITERS, WRITES = 4, 60


class Reader:
    """A reader that begins now. `subjects`: what it has read."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.subjects: list[int] = []
        with database.transaction() as session:
            self.place = live.now(session)

    def read(self) -> list[int]:
        """All that it may read by now."""
        with self._database.transaction() as session:
            while changes := live.changes_since(session, self.place, game=None, limit=3):
                assert [one.cursor for one in changes] == sorted(one.cursor for one in changes)
                self.place = changes[-1].cursor
                self.subjects += [one.subject_id for one in changes]
        return self.subjects


def publish(database: Database, *subjects: int) -> None:
    with database.transaction() as session:
        live.publish_all(session, GAME, "match", subjects)


@contextmanager
def writing(database: Database) -> Iterator[Connection]:
    """A transaction of its own, which the block ends."""
    with database.engine.connect() as connection:
        yield connection


@pytest.fixture
def reader(database: Database) -> Reader:
    return Reader(database)


def test_changes_that_commit_out_of_order_are_all_seen(database: Database, reader: Reader) -> None:
    with writing(database) as early:
        early.execute(INSERT, {"subject": 1})
        publish(database, 2)
        assert reader.read() == []
        early.commit()
    assert reader.read() == [1, 2]


def test_who_has_written_no_change_keeps_nobody_waiting(database: Database, reader: Reader) -> None:
    with writing(database) as computing:
        computing.execute(text("SELECT pg_current_xact_id()"))
        publish(database, 1)
        assert reader.read() == [1]
        computing.execute(INSERT, {"subject": 2})
        publish(database, 3)
        assert reader.read() == [1]
        computing.commit()
    assert reader.read() == [1, 2, 3]


def test_a_refit_that_computes_keeps_nobody_waiting(
    database: Database, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = refits.rate_counted

    def watched(*args: Any) -> Any:
        publish(database, 1)
        assert reader.read() == [1]
        return fit(*args)

    monkeypatch.setattr(refits, "rate_counted", watched)
    with database.transaction() as session:
        assert refits.refit(session, find_game(GAME)) is not None
    assert reader.read()[0] == 1


def test_what_was_rolled_back_keeps_nobody_waiting(database: Database, reader: Reader) -> None:
    with writing(database) as failing:
        failing.execute(INSERT, {"subject": 1})
        failing.rollback()
        publish(database, 2)
        assert reader.read() == [2]
        with failing.begin_nested() as part:
            failing.execute(INSERT, {"subject": 3})
            part.rollback()
        publish(database, 4)
        assert reader.read() == [2, 4], "its savepoint's lock went with it"
        failing.execute(INSERT, {"subject": 5})
        publish(database, 6)
        assert reader.read() == [2, 4], "and it took another one for what came later"
        failing.commit()
    assert reader.read() == [2, 4, 5, 6]


def test_a_transaction_takes_one_lock_however_much_it_writes(database: Database) -> None:
    with database.transaction() as session:
        for number in range(300):
            live.publish_all(session, GAME, "match", [number, number])
        assert session.scalar(LOCKS, {"lock": int(AdvisoryLock.CHANGES)}) == 1
    with database.transaction() as session:
        assert session.scalar(LOCKS, {"lock": int(AdvisoryLock.CHANGES)}) == 0


@pytest.mark.parametrize("last", [2**31 - 2, 2**31 - 1, 2**31, 3 * 2**31 - 2])
def test_numbers_of_locks_begin_again(database: Database, last: int) -> None:
    with database.transaction() as session:
        session.execute(text("SELECT setval('change_id_seq', :last)"), {"last": last})
    reader = Reader(database)
    assert reader.place == live.Cursor(last)
    with writing(database) as early:
        early.execute(INSERT, {"subject": 1})
        publish(database, 2, 3)
        assert reader.read() == []
        early.commit()
    assert reader.read() == [1, 2, 3]


@pytest.mark.parametrize("last", [1000, 2**31 - 2, 3 * 2**31 - 2])
def test_a_lock_that_came_after_the_id_is_one_of_the_future(database: Database, last: int) -> None:
    """It came between the two questions: the last id, and who holds locks."""
    lock = text("SELECT pg_advisory_xact_lock_shared(:lock, :last)")
    with writing(database) as later, database.transaction() as session:
        session.execute(text("SELECT setval('change_id_seq', :last)"), {"last": last})
        later.execute(lock, {"lock": int(AdvisoryLock.CHANGES), "last": (last + 5) % 2**31})
        assert live.now(session) == live.Cursor(last)


def test_locks_of_another_database_or_for_another_purpose_keep_nobody_waiting(
    database: Database, reader: Reader
) -> None:
    other = Database(make_url(database.url).set(database="postgres").render_as_string(hide_password=False))
    lock = text("SELECT pg_advisory_xact_lock_shared(:lock, 0)")
    with writing(other) as elsewhere, writing(database) as here:
        elsewhere.execute(lock, {"lock": int(AdvisoryLock.CHANGES)})
        here.execute(lock, {"lock": int(AdvisoryLock.CHANGES) + 1})
        here.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": int(AdvisoryLock.CHANGES) << 32})
        publish(database, 1)
        assert reader.read() == [1]
    other.close()


def test_each_of_many_writers_is_read_once_and_in_order(database: Database, reader: Reader) -> None:
    """Each keeps its transactions open for a while, and rolls every fifth back."""
    committed: list[int] = []

    def write(number: int) -> None:
        dice = random.Random(number)
        with writing(database) as connection:
            for count in range(WRITES):
                subjects = [1_000_000 * number + 10 * count + one for one in range(1 + dice.randrange(3))]
                for subject in subjects:
                    connection.execute(INSERT, {"subject": subject})
                    time.sleep(dice.random() * 0.004)
                if dice.randrange(5):
                    connection.commit()
                    committed.extend(subjects)
                else:
                    connection.rollback()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(1, WRITERS + 1)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        reader.read()
    found = reader.read()
    assert sorted(found) == sorted(committed)
    with database.transaction() as session:
        asked = select(ChangeRow.subject_id).where(ChangeRow.subject_id.in_(committed)).order_by(ChangeRow.id)
        assert found == list(session.scalars(asked))


def test_a_cursor_reads_what_it_wrote_and_refuses_the_rest() -> None:
    assert live.Cursor.read(str(live.Cursor(12))) == live.Cursor(12)
    for junk in ("", "-", "12-34", "-1", " 1", "1.0", "¹", "9" * 40, str(uuid4())):
        assert live.Cursor.read(junk) is None
