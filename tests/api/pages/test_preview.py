"""What other sites show of a link to a match."""

from __future__ import annotations

import re

from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import Bot, MatchKind, Submission, SubmissionState
from hexarena.backend.runtime.db import Database

API = "/api/v1"


def ladder_match(database: Database, *, over: bool = True) -> int:
    """A match of the first two house bots of Yavalath; the second one wins."""
    with database.transaction() as session:
        live = select(Submission.id).where(Submission.game == "yavalath", Submission.state == SubmissionState.LIVE)
        pair = session.scalars(live.order_by(Submission.id).limit(2)).all()
        match = matches.schedule(
            session, game="yavalath", kind=MatchKind.LADDER, submission_ids=pair, seed=7, league=1, priority=1
        )
        if over:
            lease = queue.lease(session, limit=1, seconds=60, max_attempts=3)[0]
            claimed = queue.claim(session, match.id, lease.token, seconds=60)
            assert claimed is not None
            matches.finish(session, claimed, matches.Report((1, 0), (0, 1), "why", 14, (), 1.0, "test", "x", "1", "d"))
        return match.id


def preview(client: TestClient, path: str) -> dict[str, str]:
    page = client.get(path)
    assert page.status_code == 200
    assert '<div id="app"></div>' in page.text
    return dict(re.findall(r'<meta property="og:([\w:]+)" content="([^"]*)" />', page.text))


def test_a_link_to_a_match_shows_its_result(client: TestClient, database: Database) -> None:
    match = ladder_match(database)
    names = [seat["bot"] for seat in client.get(f"{API}/matches/{match}").json()["seats"]]
    found = preview(client, f"/matches/{match}?turn=9")
    assert found["title"] == f"{names[1]} beat {names[0]} 1 : 0"
    assert found["description"] == "Yavalath, a ladder match of 14 turns. Watch it turn by turn."
    assert found["url"].endswith(f"/matches/{match}?turn=9")
    assert preview(client, f"/embed/matches/{match}")["title"] == found["title"]


def test_a_match_that_is_played_is_not_reported_as_over(client: TestClient, database: Database) -> None:
    found = preview(client, f"/matches/{ladder_match(database, over=False)}")
    assert " against " in found["title"]
    assert found["description"] == "Yavalath, a ladder match. Watch it live."


def test_nobody_is_invited_to_watch_a_void_match(client: TestClient, database: Database) -> None:
    match = ladder_match(database, over=False)
    with database.transaction() as session:
        matches.void_queued_matches(session, [match], "Not needed here.")
    found = preview(client, f"/matches/{match}")
    assert " against " in found["title"]
    assert found["description"] == "Yavalath, a ladder match. It is void and does not count."


def test_of_what_is_not_for_everybody_nothing_is_shown(client: TestClient) -> None:
    code = {"game": "yavalath", "language": "python", "source": "print('4 4')"}
    private = client.post(f"{API}/matches", json=code).json()["id"]
    for path in (f"/matches/{private}", "/matches/999999999", "/matches/x", "/", "/matches"):
        assert preview(client, path) == {}, path


def test_a_name_cannot_leave_its_place(client: TestClient, database: Database) -> None:
    match = ladder_match(database)
    with database.transaction() as session:
        session.execute(update(Bot).values(name=func.concat('"><script>', Bot.id)))
    page = client.get(f"/matches/{match}?turn=%22%3E%3Cscript%3E").text
    assert "&quot;&gt;&lt;script&gt;" in page
    assert page.count("<script") == client.get("/").text.count("<script")
