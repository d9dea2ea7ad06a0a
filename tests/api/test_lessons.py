"""Learn the game over HTTP: lessons, attempts, marks; whose they are, and what they survive."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from hexarena.backend.api.routes.lessons import lesson_html
from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import LessonAttempt, Match
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.games.catalogue import all_games
from hexarena.games.referee import Fault
from tests.conftest import new_visitor

API = "/api/v1"
LESSONS = f"{API}/games/ants/lessons"
CODE = {"language": "python", "source": "print('WAIT')"}


def begin(client: TestClient, lesson: int = 2, **changes: str) -> dict[str, Any]:
    answer = client.post(f"{LESSONS}/{lesson}/attempts", json=CODE | changes)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def play(database: Database, attempt: dict[str, Any], results: str) -> None:
    """Ends the attempt's next matches: w, d, l as its author sees them, v for void."""
    waiting = [match for match in attempt["matches"] if match["state"] == "queued"]
    with database.transaction() as session:
        leased = queue.lease(session, limit=99, seconds=60, max_attempts=3)
        leases = {lease.match_id: lease for lease in leased}
        played = {match["match_id"] for match in waiting[: len(results)]}
        for match, result in zip(waiting, results, strict=False):
            claimed = queue.claim(session, match["match_id"], leases[match["match_id"]].token, seconds=60)
            assert claimed is not None
            if result == "v":
                matches.void(session, claimed, "The worker failed.")
                continue
            own, other = {"w": (0, 1), "d": (0, 0), "l": (1, 0)}[result]
            ranks = (own, other) if match["seat"] == 0 else (other, own)
            fault = (Fault(0, 1, "crash", "it crashed"),) if result == "l" else ()
            report = matches.Report(ranks, (0, 0), "because", 9, fault, 1.0, "test", "x", "1", "d")
            matches.finish(session, claimed, report)
        queue.release(session, [lease for lease in leased if lease.match_id not in played])


def now(client: TestClient, attempt: dict[str, Any]) -> dict[str, Any]:
    answer = client.get(f"{LESSONS}/{attempt['lesson']}/attempts/{attempt['id']}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def mark(client: TestClient, lesson: int = 2) -> tuple[int, int, bool]:
    found = client.get(LESSONS).json()["items"][lesson - 1]
    return found["attempts"], found["best"], found["passed"]


def test_every_game_has_a_way_in(client: TestClient) -> None:
    for game in all_games().values():
        found = client.get(f"{API}/games/{game.id}/lessons").json()
        assert (found["matches"], found["wins"]) == (5, 3)
        assert [one["number"] for one in found["items"]] == list(range(1, len(game.lessons) + 1))
        for one in found["items"]:
            assert one["boss"]["name"]
            assert one["boss_summary"]
            assert "<p>" in one["statement_html"]
            assert (one["attempts"], one["best"], one["passed"], one["latest"]) == (0, 0, False, None)


def test_the_pictures_of_lessons_are_there(client: TestClient) -> None:
    html = lesson_html(all_games()["ants"], 1)
    assert '<img src="/api/v1/games/ants/pictures/chain.svg"' in html
    assert client.get(f"{API}/games/ants/pictures/chain.svg").status_code == 200


def test_an_attempt_is_five_practice_matches_by_the_rules_of_the_lesson(client: TestClient, database: Database) -> None:
    attempt = begin(client)
    assert [one["seat"] for one in attempt["matches"]] == [0, 1, 0, 1, 0]
    assert len({client.get(f"{API}/matches/{one['match_id']}").json()["seed"] for one in attempt["matches"]}) == 5
    for one in attempt["matches"]:
        match = client.get(f"{API}/matches/{one['match_id']}").json()
        assert (match["kind"], match["league"]) == ("practice", 2)
        assert {seat["bot"] for seat in match["seats"]} == {"your code", "Greedy"}
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Match)) == 5


@pytest.mark.long
@pytest.mark.parametrize(
    ("results", "wins", "passed"),
    [("wwwll", 3, True), ("wwlll", 2, False), ("wwddd", 2, False), ("lwwdw", 3, True), ("wwvvv", 2, False)],
)
def test_three_wins_of_five_pass(client: TestClient, database: Database, results: str, wins: int, passed: bool) -> None:
    attempt = begin(client)
    play(database, attempt, results)
    done = now(client, attempt)
    points = {"w": 1.0, "d": 0.5, "l": 0.0, "v": None}
    assert [one["points"] for one in done["matches"]] == [points[one] for one in results]
    assert (done["wins"], done["over"], done["passed"]) == (wins, True, passed)
    assert mark(client) == (1, wins, passed)


def test_an_attempt_says_what_disqualified_the_code(client: TestClient, database: Database) -> None:
    attempt = begin(client)
    play(database, attempt, "ll")
    first, second, *_ = now(client, attempt)["matches"]
    assert first["fault"] == {"seat": 0, "turn": 1, "kind": "crash", "message": "it crashed"}
    assert second["fault"] is None, "it was the opponent who crashed in seat 0"


def test_it_is_passed_with_the_third_win_and_over_with_the_last_match(client: TestClient, database: Database) -> None:
    attempt = begin(client)
    play(database, attempt, "ww")
    assert (now(client, attempt)["passed"], now(client, attempt)["over"]) == (False, False)
    play(database, now(client, attempt), "w")
    assert (now(client, attempt)["passed"], now(client, attempt)["over"]) == (True, False)
    play(database, now(client, attempt), "ll")
    assert (now(client, attempt)["passed"], now(client, attempt)["over"]) == (True, True)


def test_a_mark_stays_when_a_later_attempt_fails(client: TestClient, database: Database) -> None:
    play(database, begin(client), "wwwww")
    later = begin(client)
    play(database, later, "lllll")
    assert mark(client) == (2, 5, True)
    assert mark(client, lesson=1) == (0, 0, False)
    assert client.get(LESSONS).json()["items"][1]["latest"] == later["id"]


def test_attempts_are_their_authors_alone(client: TestClient, settings: Settings, database: Database) -> None:
    attempt = begin(client)
    play(database, attempt, "wwwww")
    with new_visitor(settings) as stranger:
        assert mark(stranger) == (0, 0, False)
        begin(stranger, lesson=1)
        address = f"{LESSONS}/2/attempts/{attempt['id']}"
        unknown = stranger.get(f"{LESSONS}/2/attempts/999999")
        assert (stranger.get(address).status_code, unknown.status_code) == (404, 404)
    wrong_lesson = client.get(f"{LESSONS}/1/attempts/{attempt['id']}")
    wrong_game = client.get(f"{API}/games/tryangle/lessons/2/attempts/{attempt['id']}")
    assert (wrong_lesson.status_code, wrong_game.status_code) == (404, 404)


def test_a_guests_marks_move_to_his_account(client: TestClient, database: Database) -> None:
    play(database, begin(client), "wwwll")
    signed_up = client.post(f"{API}/sign-up", json={"name": "learner", "password": "correct horse battery"})
    assert signed_up.status_code == 201, signed_up.text
    assert mark(client) == (1, 3, True)


def test_an_attempt_goes_with_its_authors_account(client: TestClient, database: Database) -> None:
    play(database, begin(client), "wwwll")
    deleted = client.request("DELETE", f"{API}/me", json={"name": client.get(f"{API}/me").json()["name"]})
    assert deleted.status_code == 204, deleted.text
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(LessonAttempt)) == 0


def test_lessons_that_are_not_there(client: TestClient) -> None:
    for lesson, status in ((5, 404), (99, 404), (100, 422), (0, 422), (-1, 422)):
        answer = client.post(f"{LESSONS}/{lesson}/attempts", json=CODE)
        assert answer.status_code == status, answer.text
    missing = client.post(f"{LESSONS}/5/attempts", json=CODE).json()
    assert (missing["expected"], missing["got"]) == ("a lesson from 1 to 4", "5")
    assert client.get(f"{API}/games/chess/lessons").status_code == 404
    for changes in ({"language": "cobol"}, {"source": ""}, {"lesson": 2}):
        answer = client.post(f"{LESSONS}/1/attempts", json=CODE | changes)
        assert answer.status_code == 422, answer.text


def run(client: TestClient) -> Any:
    return client.post(f"{API}/matches", json=CODE | {"game": "ants"})


def test_an_attempt_waits_for_the_matches_before_it(client: TestClient) -> None:
    for _ in range(3):
        assert run(client).status_code == 201
    answer = client.post(f"{LESSONS}/2/attempts", json=CODE)
    assert answer.status_code == 429
    assert "Wait until your earlier matches are played." in answer.json()["detail"]


def test_an_attempt_counts_as_one_match_of_three(client: TestClient, database: Database) -> None:
    attempt = begin(client)
    assert [run(client).status_code for _ in range(3)] == [201, 201, 429]
    play(database, attempt, "www")
    assert run(client).status_code == 429
    play(database, now(client, attempt), "ll")
    assert run(client).status_code == 201


def test_one_attempt_plays_at_a_time(client: TestClient, database: Database) -> None:
    attempt = begin(client)
    answer = client.post(f"{LESSONS}/3/attempts", json=CODE)
    assert answer.status_code == 429
    assert "Wait until your attempt at lesson 2 is over." in answer.json()["detail"]
    assert answer.headers["RateLimit"] == '"attempts-of-yours";r=0;t=10'
    play(database, attempt, "wwwll")
    begin(client, 3)
