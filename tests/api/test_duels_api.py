"""Duels over HTTP, without workers: begun, followed, listed, cancelled, and refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from hexarena.backend.api.deps import Arena
from hexarena.backend.api.streaming.renderings import batch_of
from hexarena.backend.app import make_app
from hexarena.backend.duels import life as duels
from hexarena.backend.matches import life as matches, live, queue
from hexarena.backend.models import Submission, SubmissionState
from hexarena.backend.rating.sprt import QUESTIONS
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests.api.streaming.test_feed import events

API = "/api/v1"


@pytest.fixture
def pair(database: Database) -> tuple[int, int]:
    """Two versions of house bots of Yavalath."""
    with database.transaction() as session:
        live_ones = select(Submission.id).where(Submission.game == "yavalath", Submission.state == SubmissionState.LIVE)
        one, other = session.scalars(live_ones.order_by(Submission.id).limit(2))
        return one, other


def ask(client: TestClient, pair: tuple[int, int], **changes: Any) -> Any:
    return client.post(f"{API}/duels", json={"game": "yavalath", "candidate": pair[0], "baseline": pair[1], **changes})


def play_on(database: Database, points: float, digest: str | None = None) -> None:
    """Counts, supplies, and plays all that waits; `points` of the first version. `digest`: None, another each time."""
    with database.transaction() as session:
        duels.advance_all(session, 1)
        for lease in queue.lease(session, limit=100, seconds=60, max_attempts=3):
            order = queue.claim(session, lease.match_id, lease.token, seconds=60)
            assert order is not None
            first = min(seat.submission_id for seat in order.seats)
            ranks = tuple(round(1 - points if seat.submission_id == first else points) for seat in order.seats)
            report = matches.Report(
                ranks, (0.0, 0.0), "because", 9, (), 1.0, "test", "x", "1", digest or f"{order.match_id}"
            )
            assert matches.finish(session, order, report)
    with database.transaction() as session:
        duels.advance_all(session, 1)


@pytest.mark.long
def test_a_duel_is_begun_followed_and_decided(
    client: TestClient, database: Database, pair: tuple[int, int], settings: Settings
) -> None:
    answer = ask(client, pair, preset="quick")
    assert answer.status_code == 201
    begun = answer.json()
    assert (begun["state"], begun["verdict"], begun["games"], begun["most_games"]) == ("running", "open", 0, 2000)
    assert (begun["margin_elo"], begun["paired"], begun["progress"], begun["elo"]) == (60, True, 0, 0)
    assert (begun["candidate"]["submission_id"], begun["baseline"]["submission_id"]) == pair
    assert begun["mine"]
    assert begun["matches"] == []
    address = f"{API}/duels/{begun['id']}"
    play_on(database, 1.0)
    stranger = TestClient(make_app(settings), base_url="http://testserver")
    with stranger:
        seen = stranger.get(address).json()
    assert (seen["games"], seen["won"], seen["drawn"], seen["lost"], seen["counts"]) == (4, 4, 0, 0, [0, 0, 0, 0, 2])
    assert (seen["elo"], seen["elo_high"], seen["mine"]) == (None, None, False)
    assert 0 < seen["llr"] < seen["llr_decides"] == QUESTIONS["quick"].decided
    assert 0 < seen["progress"] < 1
    assert [match["number"] for match in seen["matches"]] == [4, 3, 2, 1]
    assert all(match["points"] == 1 and match["counted"] for match in seen["matches"])
    while client.get(address).json()["state"] == "running":
        play_on(database, 1.0)
    over = client.get(address).json()
    assert (over["state"], over["verdict"], over["games"], over["progress"]) == ("done", "stronger", 32, 1)
    assert over["finished_at"]
    one, other = over["candidate"], over["baseline"]
    assert over["sentence"] == f"{one['bot']} v1 is stronger than {other['bot']} v1."
    assert len(over["matches"]) == 20
    refused = client.post(f"{address}/cancel")
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:hexarena:problem:conflict")


def test_the_former_names_of_the_two_sides_work_for_one_version_more(client: TestClient, pair: tuple[int, int]) -> None:
    begun = client.post(f"{API}/duels", json={"game": "yavalath", "one": pair[0], "other": pair[1]})
    assert begun.status_code == 201
    seen = begun.json()
    assert (seen["one"], seen["other"]) == (seen["candidate"], seen["baseline"])
    assert (seen["one"]["submission_id"], seen["other"]["submission_id"]) == pair
    both = client.post(f"{API}/duels", json={"game": "yavalath", "one": 1, "candidate": pair[0], "baseline": pair[1]})
    assert both.status_code == 422


def test_a_duel_of_bots_that_repeat_themselves_says_so(
    client: TestClient, database: Database, pair: tuple[int, int]
) -> None:
    address = f"{API}/duels/{ask(client, pair).json()['id']}"
    while not (seen := client.get(address).json())["repeats"]:
        assert seen["games"] < 16
        assert "repeat" not in seen["sentence"]
        play_on(database, 1.0, "the same again")
    assert (seen["state"], seen["games"], seen["progress"]) == ("done", 16, 1)
    assert seen["sentence"].startswith("These bots repeat themselves: 16 matches, but only 1 different one.")


def test_duels_are_listed_newest_first(client: TestClient, settings: Settings, pair: tuple[int, int]) -> None:
    older, newer = (ask(client, pair).json()["id"] for _ in range(2))
    with TestClient(make_app(settings), base_url="http://testserver") as other:
        foreign = ask(other, pair).json()["id"]
        assert [one["id"] for one in other.get(f"{API}/duels?mine=true").json()["items"]] == [foreign]

    def listed(query: str = "") -> list[int]:
        return [one["id"] for one in client.get(f"{API}/duels{query}").json()["items"]]

    assert listed() == [foreign, newer, older]
    assert listed("?mine=true&limit=1") == [newer]
    assert listed("?game=yavalath&mine=true") == [newer, older]
    assert listed("?game=ants") == []
    first = client.get(f"{API}/duels?limit=2").json()
    rest = client.get(f"{API}/duels?limit=2&after={first['next']}").json()
    assert [one["id"] for one in first["items"] + rest["items"]] == [foreign, newer, older]
    assert (rest["next"], client.get(f"{API}/duels?limit=3").json()["next"]) == (None, None)


@pytest.mark.long
def test_its_matches_are_public_but_only_listed_for_those_who_ask(
    client: TestClient, database: Database, pair: tuple[int, int]
) -> None:
    duel_id = ask(client, pair).json()["id"]
    played_before = client.get(f"{API}/games/yavalath").json()["matches"]
    play_on(database, 0.0)

    def listed(query: str) -> list[Any]:
        items: list[Any] = client.get(f"{API}/matches?game=yavalath&state=done{query}").json()["items"]
        return items

    assert listed("") == []
    assert len(listed(f"&duel={duel_id}")) == len(listed("&kind=duel")) == 4
    assert listed(f"&duel={duel_id + 1}") == []
    (match,) = listed(f"&duel={duel_id}&limit=1")
    client.cookies.clear()
    seen = client.get(f"{API}/matches/{match['id']}").json()
    assert (seen["kind"], seen["duel_id"]) == ("duel", duel_id)
    assert client.get(f"{API}/games/yavalath").json()["matches"] == played_before


def test_pages_hear_of_a_duel_as_events(client: TestClient, database: Database, pair: tuple[int, int]) -> None:
    with database.transaction() as session:
        before = live.now(session)
    duel_id = ask(client, pair).json()["id"]
    play_on(database, 1.0)
    arena: Arena = client.app.state.arena  # type: ignore[attr-defined]
    with database.transaction() as session:
        changes = live.changes_since(session, before, game="yavalath")
        assert [one.subject_id for one in changes if one.kind == "duel"] == [duel_id] * 2
        chunk = batch_of(session, changes, (), arena.places).chunk(None, None)
    heard = [data for name, _, data in events(chunk) if name == "duel"]
    assert [(one["id"], one["games"]) for one in heard] == [(duel_id, 4)], "told once, as it is now"


def test_a_duel_is_cancelled_by_whoever_began_it(client: TestClient, settings: Settings, pair: tuple[int, int]) -> None:
    address = f"{API}/duels/{ask(client, pair).json()['id']}"
    with TestClient(make_app(settings), base_url="http://testserver") as stranger:
        refused = stranger.post(f"{address}/cancel")
    assert (refused.status_code, refused.json()["title"]) == (403, "Not yours")
    for _ in range(2):
        answer = client.post(f"{address}/cancel")
        assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    assert client.get(f"{API}/me/notices").json()["items"] == [], "whoever did it himself knows it"
    assert client.post(f"{API}/duels/999999/cancel").status_code == 404
    assert client.get(f"{API}/duels/999999").json()["detail"] == "There is no duel 999999."


def test_a_duel_that_makes_no_sense_is_refused_with_a_reason(
    client: TestClient, database: Database, pair: tuple[int, int]
) -> None:
    with database.transaction() as session:
        session.execute(
            update(Submission).where(Submission.id == pair[1]).values(state=SubmissionState.DISABLED, problem="crashes")
        )
        third = session.scalars(
            select(Submission.id).where(Submission.game == "yavalath", Submission.id.not_in(pair)).limit(1)
        ).one()

    def problem(**changes: Any) -> tuple[int, str]:
        answer = ask(client, (pair[0], third), **changes)
        assert answer.headers["content-type"] == "application/problem+json"
        return answer.status_code, answer.json()["expected"]

    assert problem(baseline=pair[1]) == (409, "a version that is live, or was superseded")
    assert problem(baseline=pair[0]) == (422, "two different versions")
    assert problem(league=99) == (422, "one of 1")
    for wrong in ({"game": "chess"}, {"candidate": 0}, {"preset": "slow"}, {"games": 2001}, {"games": 0}, {"more": 1}):
        answer = ask(client, (pair[0], third), **wrong)
        assert answer.status_code == (404 if "game" in wrong else 422), wrong
    assert ask(client, (pair[0], 999_999)).status_code == 404
    ants = client.get(f"{API}/games/ants/leaderboard").json()["items"][0]["submission_id"]
    assert problem(baseline=ants) == (422, "one that plays Yavalath")
    assert client.get(f"{API}/duels").json()["items"] == []
    for _ in range(2):
        assert ask(client, (pair[0], third)).status_code == 201
    assert problem() == (429, "fewer than 2 running duels of yours")
    assert ask(client, (pair[0], third)).headers["RateLimit"] == '"duels-of-yours";r=0;t=10'
