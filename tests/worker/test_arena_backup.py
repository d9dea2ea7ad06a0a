"""An arena is backed up while it plays; elsewhere it plays on, and its ratings follow from the same results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import func, select

from hexarena.backend.backup.making import make
from hexarena.backend.backup.restoring import restore
from hexarena.backend.ladder import refits
from hexarena.backend.matches.store import checked_store
from hexarena.backend.models import Job, Match, MatchState, PendingResult, Result, Standing
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.games.catalogue import find_game
from tests.conftest import Processes, Servers, new_empty_database, wait_until
from tests.worker.test_arena import are_running, count_done, queue_slow_matches

pytestmark = [pytest.mark.sandbox, pytest.mark.machine]

MATCHES = 12
PARTS = ("hexarena.worker.app", "hexarena.worker.dispatcher")
Rating = tuple[int, float, float, int]


@dataclass
class Arena:
    settings: Settings
    database: Database
    parts: Processes

    def is_over(self) -> bool:
        with self.database.transaction() as session:
            return session.scalar(select(func.count()).select_from(Job)) == 0

    def ratings(self) -> list[Rating]:
        """After a refit of all results."""
        with self.database.transaction() as session:
            refits.refit(session, find_game("yavalath"))
        with self.database.transaction() as session:
            assert session.scalar(select(func.count()).select_from(PendingResult)) == 0
            rows = select(Standing.submission_id, Standing.rating, Standing.deviation, Standing.games)
            return [tuple(row) for row in session.execute(rows.order_by(Standing.submission_id))]


@pytest.fixture
def elsewhere(servers: Servers, settings: Settings, tmp_path: Path) -> Iterator[Arena]:
    """Another machine: an empty database, another folder, another queue."""
    with new_empty_database(servers) as url:
        changes = {"database_url": url, "data_folder": tmp_path / "elsewhere", "namespace": f"{settings.namespace}-2"}
        there = settings.model_copy(update=changes)
        database, parts = Database.of(there), Processes(there)
        yield Arena(there, database, parts)
        for process in parts.running:
            parts.kill(process)
        print(parts.logs())
        database.close()


def results_of(database: Database) -> dict[int, str]:
    with database.transaction() as session:
        return dict(session.execute(select(Result.match_id, Result.replay_key)).all())


@pytest.mark.long
def test_an_arena_that_was_backed_up_while_it_played_plays_on_elsewhere(
    settings: Settings, database: Database, processes: Processes, elsewhere: Arena, tmp_path: Path
) -> None:
    queue_slow_matches(database, MATCHES)
    here = Arena(settings, database, processes)
    for part in PARTS:
        processes.start(part)
    wait_until(lambda: count_done(database) >= 3 and are_running(database), "some matches are played, others run")
    said = make(settings, database, tmp_path / "arena.zip", replays=True, report=lambda *_: None)
    at_backup = said.rows("result")
    assert 3 <= at_backup < MATCHES
    assert (said.objects(), said.missing) == (at_backup, 0)
    wait_until(here.is_over, "the old arena has played all")

    restore(
        elsewhere.settings,
        elsewhere.database,
        tmp_path / "arena.zip",
        replays=True,
        same_store=False,
        report=lambda *_: None,
    )
    restored = results_of(elsewhere.database)
    assert len(restored) == at_backup
    assert restored.items() <= results_of(database).items()
    assert rated(elsewhere.database, restored) == rated(database, restored)
    for part in PARTS:
        elsewhere.parts.start(part)
    wait_until(elsewhere.is_over, "the new arena has played what was left")
    with elsewhere.database.transaction() as session:
        states = session.execute(select(Match.state, func.count()).group_by(Match.state)).all()
    assert dict(states) == {MatchState.DONE: MATCHES}
    blobs = checked_store(elsewhere.settings, elsewhere.database)
    texts = [blobs.text(key) for key in results_of(elsewhere.database).values()]
    assert len(texts) == MATCHES
    assert all(texts)
    found = elsewhere.ratings()
    with elsewhere.database.transaction() as session:
        refits.recompute(session, find_game("yavalath"))
    assert elsewhere.ratings() == found
    assert found == here.ratings(), "the same matches, by their seeds, ended the same"


def rated(database: Database, only: dict[int, str]) -> dict[int, tuple[str, int]]:
    """How these matches ended."""
    with database.transaction() as session:
        rows = session.execute(select(Result.match_id, Result.digest, Result.turns).where(Result.match_id.in_(only)))
        return {match_id: (digest or "", turns) for match_id, digest, turns in rows}
