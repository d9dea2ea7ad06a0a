"""Sessions that only read, and connections that the server has closed while they rested."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from hexarena.backend.models import User, UserKind
from hexarena.backend.runtime import db
from hexarena.backend.runtime.db import Database


def test_each_statement_of_a_reader_is_a_transaction_of_its_own(database: Database) -> None:
    began = select(func.now())
    with database.reading() as session:
        assert session.scalar(began) < session.scalar(began)
    with database.transaction() as session:
        assert session.scalar(began) == session.scalar(began)


def test_a_reader_sees_what_is_committed_meanwhile_and_writes_nothing(database: Database) -> None:
    with database.reading() as reader:
        with database.transaction() as session:
            session.add(User(kind=UserKind.ACCOUNT, name="somebody new"))
        found = reader.scalars(select(User).where(User.name == "somebody new")).one()
        found.name = "somebody else"
        with pytest.raises(RuntimeError, match="got `reading`"):
            reader.flush()
        reader.add(User(kind=UserKind.ACCOUNT, name="nobody"))
        with pytest.raises(RuntimeError, match="got `reading`"):
            reader.commit()
    with database.transaction() as session:
        assert session.scalar(select(User.name).where(User.id == found.id)) == "somebody new"
        assert session.scalar(select(User.id).where(User.name == "nobody")) is None


def close_others(database: Database) -> None:
    """Closes all connections in the database's pool, as a server does that is started anew."""
    with database.listen("hexarena_jobs") as other:
        other.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )


@pytest.mark.parametrize("begin", [Database.transaction, Database.reading])
def test_a_connection_that_rested_is_asked_whether_it_still_works(
    database: Database, monkeypatch: pytest.MonkeyPatch, begin: Callable[[Database], AbstractContextManager[Session]]
) -> None:
    with begin(database) as session:
        first = session.scalar(text("SELECT pg_backend_pid()"))
    close_others(database)
    monkeypatch.setattr(db, "RESTED_S", 0.0)
    with begin(database) as session:
        assert session.scalar(text("SELECT pg_backend_pid()")) != first


def test_a_connection_that_was_in_use_just_now_fails_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db, "RESTED_S", math.inf)
    with database.transaction() as one, database.transaction() as other:
        assert one.scalar(text("SELECT 1")) == other.scalar(text("SELECT 1"))
    close_others(database)
    with pytest.raises(OperationalError) as failed, database.transaction() as session:
        session.execute(text("SELECT 1"))
    assert db.is_away(failed.value)
    for _ in range(2):
        with database.transaction() as session:
            assert session.scalar(text("SELECT 1")) == 1
