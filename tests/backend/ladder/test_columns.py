"""Columns come from the database, and go there, bit for bit."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Select, func, select, text

from hexarena.backend.ladder import columns
from hexarena.backend.models import Standing, StandingHistory, Submission
from hexarena.backend.runtime.db import Database

FLOATS = [0.1, -0.0, 1e-310, 1.7976931348623157e308, math.inf, -math.inf, math.nan, 1000.000001]


def written() -> Select[*tuple[Any, ...]]:
    return (
        select(StandingHistory.rating, StandingHistory.league, StandingHistory.games, StandingHistory.live)
        .where(StandingHistory.deviation == 7.5)
        .order_by(StandingHistory.id)
    )


def test_what_is_written_is_read_again(database: Database) -> None:
    with database.transaction() as session:
        one = session.scalars(select(Standing.submission_id).where(Standing.game == "yavalath")).first()
        rows = {
            "submission_id": np.full(len(FLOATS), one),
            "game": "yavalath",
            "rating": np.array(FLOATS),
            "deviation": np.full(len(FLOATS), 7.5),
            "games": np.arange(len(FLOATS)) - 3,
            "wins": np.zeros(len(FLOATS), np.int64),
            "draws": np.zeros(len(FLOATS), np.int64),
            "losses": np.zeros(len(FLOATS), np.int64),
            "league": np.arange(len(FLOATS)),
            "live": np.arange(len(FLOATS)) % 2 == 0,
        }
        columns.insert(session, StandingHistory, rows)
        ratings, leagues, games, live = columns.read(session, written())
        assert ratings.tobytes() == np.array(FLOATS).tobytes()
        assert (ratings.dtype, leagues.dtype, games.dtype, live.dtype) == ("f8", "i2", "i8", "?")
        assert leagues.tolist() == list(range(len(FLOATS)))
        assert games.tolist() == [one - 3 for one in range(len(FLOATS))]
        assert live.tolist() == [True, False] * (len(FLOATS) // 2)
        assert [len(one) for one in columns.read(session, written().where(StandingHistory.league > 99))] == [0] * 4


def test_more_rows_than_go_at_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "ROWS_AT_ONCE", 3)
    with database.transaction() as session:
        for size in (10, 0, 3):
            columns.stage(session, "staged", Standing, {"games": np.arange(size), "rating": np.arange(size) / 3})
            found = session.execute(text("SELECT games, rating FROM staged ORDER BY games")).all()
            assert [tuple(row) for row in found] == [(one, one / 3) for one in range(size)]
    with database.transaction() as session:
        assert session.scalar(text("SELECT count(*) FROM staged")) == 0, "the connection keeps it, without rows"
        columns.stage(session, "staged", Standing, {"games": np.arange(2), "rating": np.arange(2) / 3})
        assert session.scalar(text("SELECT count(*) FROM staged")) == 2
    with suppress(ZeroDivisionError), database.transaction() as session:
        columns.stage(session, "another", Standing, {"games": np.arange(2), "rating": np.arange(2) / 3})
        raise ZeroDivisionError
    with database.transaction() as session:
        columns.stage(session, "another", Standing, {"games": np.arange(1), "rating": np.arange(1) / 3})
        assert session.scalar(text("SELECT count(*) FROM another")) == 1, "of a transaction that was rolled back, none"


def test_text_and_nulls_are_refused(database: Database) -> None:
    with database.transaction() as session:
        with pytest.raises(TypeError, match="expected numbers"):
            columns.read(session, select(Submission.language))
        with pytest.raises(ValueError, match="without nulls"):
            columns.read(session, select(Standing.submission_id, Standing.parent_id))
        known = func.coalesce(Standing.parent_id, -1, type_=Standing.submission_id.type)
        ids, parents = columns.read(session, select(Standing.submission_id, known))
        assert len(ids) == len(parents) == session.scalar(select(func.count()).select_from(Standing))
