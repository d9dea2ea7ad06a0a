"""Whom a practice match is against when nobody is chosen: the boss that its author has to beat next."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from hexarena.backend.models import Standing
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import life as submissions

CODE = {"game": "yavalath", "language": "python", "source": "print('4 4')"}


def opponents(client: TestClient) -> set[str]:
    """Of a practice match, and as the game's page announces it."""
    match = client.post("/api/v1/matches", json=CODE).json()
    game = client.get("/api/v1/games/yavalath").json()
    return {match["seats"][1]["bot"], game["next_boss"]["name"]}


@pytest.mark.long
def test_a_newcomer_meets_the_boss_of_the_lowest_league(client: TestClient) -> None:
    assert opponents(client) == {"Hotspur"}
    client.post("/api/v1/submissions", json={**CODE, "bot": "not live yet"})
    assert opponents(client) == {"Hotspur"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("league", "boss"), [(1, "Hotspur"), (2, "Snare"), (3, "Keystone"), (4, "Capstone"), (5, "Capstone")]
)
def test_who_was_promoted_meets_the_boss_of_the_best_bots_league(
    client: TestClient, database: Database, league: int, boss: str
) -> None:
    submission_id = client.post("/api/v1/submissions", json={**CODE, "bot": "climber"}).json()["id"]
    with database.transaction() as session:
        submissions.go_live(session, submission_id)
        session.execute(update(Standing).where(Standing.submission_id == submission_id).values(league=league))
    assert opponents(client) == {boss}
