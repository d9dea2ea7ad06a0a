"""Transactions on a real PostgreSQL: what they hold while their process does something else."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from hexarena.backend.runtime.db import Database, allow_long_transaction, is_away
from hexarena.backend.runtime.locks import AdvisoryLock
from hexarena.backend.runtime.settings import Settings
from tests.conftest import wait_until

IDLE_MS = text("SELECT setting::int FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'")
ME = text("SELECT pg_backend_pid()")
LADDER = text("SELECT game FROM ladder WHERE game = 'yavalath' FOR UPDATE NOWAIT")


def is_connected(database: Database, process_id: int) -> bool:
    """Asked in a transaction of its own: within one, PostgreSQL shows the same activity again and again."""
    with database.transaction() as session:
        count = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid")
        return bool(session.scalar(count, {"pid": process_id}))


def test_a_transaction_whose_process_sleeps_loses_its_locks(settings: Settings, database: Database) -> None:
    sleepy = Database(settings.sqlalchemy_url(), idle_s=0.1)

    def sleep_with_a_lock() -> None:
        with sleepy.transaction() as session:
            process_id = session.scalars(ME).one()
            session.execute(LADDER)
            wait_until(lambda: not is_connected(database, process_id), "the server ends the transaction")
            with database.transaction() as other:
                assert other.scalar(LADDER) == "yavalath"
            session.execute(ME)

    with pytest.raises(DBAPIError, match="idle-in-transaction timeout") as ended:
        sleep_with_a_lock()
    assert is_away(ended.value), "what it wanted to do may be done again"
    sleepy.close()


def test_a_wrong_statement_is_no_database_that_is_away(database: Database) -> None:
    with pytest.raises(DBAPIError) as wrong, database.transaction() as session:
        session.execute(text("SELECT no_such_column FROM ladder"))
    assert not is_away(wrong.value)


def test_a_connection_that_listens_and_is_cut_off_is_a_database_that_is_away(database: Database) -> None:
    with closing(database.listen("hexarena_replies")) as listener:
        with database.transaction() as session:
            session.execute(text("SELECT pg_terminate_backend(:it)"), {"it": listener.info.backend_pid})
        with pytest.raises(psycopg.OperationalError) as lost:
            list(listener.notifies(timeout=60, stop_after=1))
    assert is_away(lost.value)


def test_one_that_computes_keeps_its_locks_for_minutes_and_the_next_one_does_not(settings: Settings) -> None:
    busy = Database(settings.sqlalchemy_url(), pool_size=1, max_overflow=0, idle_s=7.5)
    with busy.transaction() as session:
        assert session.scalar(IDLE_MS) == 7_500
        allow_long_transaction(session)
        assert session.scalar(IDLE_MS) == 600_000
    with busy.transaction() as session:
        assert session.scalar(IDLE_MS) == 7_500
    busy.close()


def test_sessions_answer_in_utc_whatever_zone_the_server_has(settings: Settings, database: Database) -> None:
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        name = connection.scalar(text("SELECT quote_ident(current_database())"))
        connection.execute(text(f"ALTER DATABASE {name} SET timezone = 'Asia/Tokyo'"))
    later = Database(settings.sqlalchemy_url())
    with later.transaction() as session:
        assert session.scalar(text("SHOW timezone")) == "UTC"
    later.close()


def test_a_lock_is_somebody_s_until_his_block_ends(database: Database) -> None:
    with database.lock(AdvisoryLock.UPKEEP) as mine, database.lock(AdvisoryLock.UPKEEP) as other:
        assert (mine, other) == (True, False)

    def fail() -> None:
        with database.lock(AdvisoryLock.UPKEEP):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with database.lock(AdvisoryLock.UPKEEP) as mine:
        assert mine


def test_a_lock_goes_with_its_connection(database: Database) -> None:
    def is_free() -> bool:
        with database.lock(AdvisoryLock.UPKEEP) as mine:
            return mine

    with database.lock(AdvisoryLock.UPKEEP):
        assert not is_free()
        with database.transaction() as session:
            held = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = :number"
            session.execute(text(held), {"number": int(AdvisoryLock.UPKEEP)})
        wait_until(is_free, "the server ends the connection, which it is only asked to")
