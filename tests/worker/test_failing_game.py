"""Matches of a game whose own code fails: void at once, with a reason that its author can use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from hexarena.backend.matches import causes, life as matches, queue
from hexarena.backend.models import Job, Match, MatchKind, PendingResult, Submission
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import seeding
from hexarena.cli.new_game import command as new_game
from hexarena.games import discovery
from hexarena.worker import tasks
from hexarena.worker.lending import MatchSlots
from tests.conftest import CLEAR_SEEDED_MATCHES

SOUND = "    def outcome(self, state: State) -> Outcome | None:\n"


@pytest.fixture
def context(settings: Settings) -> Iterator[tasks.WorkerContext]:
    """A worker's, without isolation."""
    whole = tasks.WorkerContext.open(settings.model_copy(update={"sandbox": "none"}), MatchSlots(1), MatchSlots(0))
    yield whole
    whole.close()


@dataclass(frozen=True)
class Broken:
    """A game whose `outcome` is changed. `reason`: a pattern. Ids differ, as a process imports a game once."""

    game: str
    rules: str
    reason: str


@pytest.mark.long
@pytest.mark.parametrize(
    "broken",
    [
        Broken("raising", "return {}['nothing']", r"KeyError: 'nothing' \(game.py:\d+\)"),
        Broken("wordy", "raise SystemError('x' * 400 + '\\ny')", r"SystemError: x{227} … x+ y \(game.py:\d+\)"),
        Broken("lopsided", "return Outcome([0.0], [0], 'over')", "lopsided has an outcome of 1 ranks and 1 scores"),
        Broken("endless", "return None", "endless asks nobody, but has no outcome"),
    ],
    ids=lambda broken: broken.game,
)
def test_its_matches_are_void_and_say_what_failed_and_where(
    broken: Broken, context: tasks.WorkerContext, client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "games" / broken.game
    folder.mkdir(parents=True)
    new_game.write(broken.game, (2,), folder, simultaneous=True)
    source = (folder / "game.py").read_text()
    assert SOUND in source
    (folder / "game.py").write_text(source.replace(SOUND, f"{SOUND}        {broken.rules}\n"))
    monkeypatch.setenv(discovery.VARIABLE, str(folder.parent))
    with context.database.transaction() as session:
        seeding.seed(session)
        session.execute(CLEAR_SEEDED_MATCHES)
        bots = list(session.scalars(select(Submission.id).where(Submission.game == broken.game).limit(2)))
        matches.schedule(session, game=broken.game, kind=MatchKind.LADDER, submission_ids=bots, seed=1, league=1)
        (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=context.settings.max_attempts)
    tasks.run(context, lease.match_id, lease.token)
    seen = client.get(f"/api/v1/matches/{lease.match_id}").json()
    assert seen["state"] == "void"
    pattern = rf"{causes.GAME_FAILED}: {broken.reason}\. The match does not count\."
    assert re.fullmatch(pattern, seen["void_reason"]), seen["void_reason"]
    with context.database.transaction() as session:
        assert session.scalar(select(causes.cause_of(Match.void_reason))) == "game"
        assert [session.scalar(select(func.count()).select_from(table)) for table in (Job, PendingResult)] == [0, 0]
