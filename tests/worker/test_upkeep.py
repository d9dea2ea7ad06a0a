"""The dispatcher's second thread."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.models import DailyBoard, StandingHistory
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.worker import upkeep
from hexarena.worker.upkeep import Upkeep


def test_boards_of_days_that_are_over_are_kept(settings: Settings, database: Database) -> None:
    with database.transaction() as session:
        session.execute(update(StandingHistory).values(at=func.now() - timedelta(days=3)))
    keeper = Upkeep(settings, database, Blobs(settings.data_folder / "store"), threading.Event())
    while keeper.step():
        pass
    with database.transaction() as session:
        days = dict(session.execute(select(DailyBoard.game, func.count()).group_by(DailyBoard.game)).all())
        games = session.scalars(select(StandingHistory.game).distinct()).all()
    assert days.keys() == set(games)
    assert set(days.values()) <= {2, 3}


def test_a_bug_in_one_task_ends_no_later_round(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[int] = []
    stopping = threading.Event()

    def fail(_: Upkeep) -> int:
        rounds.append(1)
        if len(rounds) == 2:
            stopping.set()
        raise KeyError("a bug")

    monkeypatch.setattr(upkeep, "PAUSE_S", 0.0)
    monkeypatch.setattr(Upkeep, "step", fail)
    Upkeep(settings, database, Blobs(settings.data_folder / "store"), stopping).run()
    assert len(rounds) == 2
