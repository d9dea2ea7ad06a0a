"""A game from outside in a real arena: it is played and watched, and when it is gone, its matches stay."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from hexarena.backend.matches import life as matches
from hexarena.backend.matches.causes import GAME_GONE
from hexarena.backend.models import Match, MatchKind, MatchState, Standing, Submission
from hexarena.backend.runtime.db import Database, notify
from hexarena.cli.new_game.command import write
from tests.conftest import Processes, wait_until

API = "/api/v1"
PARTS = ("hexarena.worker.dispatcher", "hexarena.worker.app", "hexarena.worker.ratings")


def queue(database: Database, seed: int) -> int:
    """A ladder match of all house bots of the game: its id."""
    with database.transaction() as session:
        bots = session.scalars(select(Submission.id).where(Submission.game == "claims").order_by(Submission.id)).all()
        match = matches.schedule(
            session, game="claims", kind=MatchKind.LADDER, submission_ids=bots, seed=seed, league=1, priority=0
        )
        notify(session, "hexarena_jobs")
        return match.id


def state(database: Database, match_id: int) -> tuple[MatchState, str | None]:
    with database.transaction() as session:
        match = session.get_one(Match, match_id)
        return match.state, match.void_reason


@pytest.mark.long
def test_a_game_from_outside_is_played_and_its_matches_outlive_it(
    client: TestClient, database: Database, processes: Processes, tmp_path: Path
) -> None:
    folder = tmp_path / "games" / "claims"
    folder.mkdir(parents=True)
    write("claims", (2, 3), folder, simultaneous=True)
    broken = tmp_path / "games" / "broken"
    broken.mkdir()
    (broken / "game.py").write_text("def f(:\n")
    processes.extra = {"HEXARENA_GAMES": str(tmp_path / "games")}
    upgrade = [sys.executable, "-m", "hexarena.cli", "db", "upgrade"]
    done = subprocess.run(upgrade, env=processes.environment(), capture_output=True, text=True, check=True)
    assert "The game broken is left out: SyntaxError" in " ".join(done.stdout.split())

    running = [processes.start(part) for part in PARTS]
    played = queue(database, 1)
    wait_until(lambda: state(database, played)[0] == MatchState.DONE, f"a match is played; {processes.logs()}")

    def rated() -> int:
        with database.transaction() as session:
            where = (Standing.game == "claims", Standing.games > 0)
            return session.scalar(select(func.count()).select_from(Standing).where(*where)) or 0

    wait_until(lambda: rated() == 2, f"its ladder is refitted; {processes.logs()}")
    for process in running:
        processes.kill(process)

    # The test's own process has no such game: as if its package had been uninstalled.
    waiting = queue(database, 2)
    processes.extra = {}
    for part in PARTS[:2]:
        processes.start(part)
    wait_until(lambda: state(database, waiting)[0] == MatchState.VOID, f"a match is void; {processes.logs()}")
    assert state(database, waiting)[1] == GAME_GONE
    assert state(database, played)[0] == MatchState.DONE

    shown = client.get(f"{API}/matches/{played}").json()
    assert (shown["game"], shown["state"]) == ("claims", "done")
    assert {seat["bot"] for seat in shown["seats"]} == {"Boss", "starter"}
    replay = client.get(f"{API}/matches/{played}/replay")
    assert replay.status_code == 200
    assert replay.text.count("\n") > 3
    assert client.get(f"{API}/matches/{waiting}").json()["void_reason"] == GAME_GONE
    bots = {seat["bot_id"] for seat in shown["seats"]}
    versions = {seat["submission_id"] for seat in shown["seats"]}
    owner = client.get(f"{API}/bots/{min(bots)}").json()["owner_id"]
    readable = [
        *(f"bots/{bot}{page}" for bot in bots for page in ("", "/history", "/opponents")),
        *(f"submissions/{one}" for one in versions),
        *(f"people/{owner}", "matches", f"matches?bot={min(bots)}", "games", "bots"),
    ]
    for path in readable:
        assert client.get(f"{API}/{path}").status_code == 200, path
    for path in (
        "games/claims",
        "games/claims/leaderboard",
        "matches?game=claims",
        f"submissions/{min(versions)}/rating",
    ):
        answer = client.get(f"{API}/{path}")
        assert answer.status_code == 404, path
        assert "expected a game" in answer.json()["detail"]
    page = client.get(f"/matches/{played}")
    assert page.status_code == 200
