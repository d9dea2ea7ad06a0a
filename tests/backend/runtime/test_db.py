"""Sessions that only read."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from hexarena.backend.models import User, UserKind
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
