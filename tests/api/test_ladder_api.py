"""The ladder over HTTP: the board now and then, what ratings stand on, and going back to an earlier version."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from hexarena.backend.app import make_app
from hexarena.backend.ladder import refits
from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import Bot, MatchKind, Submission, SubmissionState
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from hexarena.games.catalogue import find_game
from hexarena.games.referee import Fault
from tests.conftest import Servers, new_template

API = "/api/v1"
GAME = find_game("yavalath")


@pytest.fixture(scope="module")
def template(servers: Servers, template: str) -> Iterator[str]:
    """An arena after some games among Yavalath's house bots: Capstone won all, the starter none."""
    with new_template(servers, template, _play_all) as name:
        yield name


def _play_all(database: Database) -> None:
    live = _live(database)
    order = ["starter", "Pebble", "Hotspur", "Watcher", "Planner", "Snare", "Keystone", "Capstone"]
    for low, one in enumerate(order):
        for other in order[low + 1 :]:
            for seats, ranks in (((one, other), (1, 0)), ((other, one), (0, 1))):
                play(database, [live[seat] for seat in seats], ranks)
    with database.transaction() as session:
        refits.refit(session, GAME)


@pytest.fixture
def played(database: Database) -> dict[str, int]:
    """Bot -> its live submission."""
    return _live(database)


def _live(database: Database) -> dict[str, int]:
    with database.transaction() as session:
        live = select(Bot.name, Submission.id).join(Submission, Submission.bot_id == Bot.id)
        rows = session.execute(live.where(Bot.game == GAME.id, Submission.state == SubmissionState.LIVE))
        return {row.name: row.id for row in rows}


def play(
    database: Database, pair: list[int], ranks: tuple[int, int], faults: tuple[Fault, ...] = (), digest: str = "d"
) -> None:
    with database.transaction() as session:
        match = matches.schedule(
            session, game=GAME.id, kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=1, priority=0
        )
        leases = queue.lease(session, limit=99, seconds=60, max_attempts=3)
        (token,) = [lease.token for lease in leases if lease.match_id == match.id]
        order = queue.claim(session, match.id, token, seconds=60)
        assert order is not None
        report = matches.Report(ranks, (0, 0), "because", 9, faults, 1.0, "test", "x", "1", digest)
        matches.finish(session, order, report)


def board(client: TestClient, **query: Any) -> dict[str, Any]:
    answer = client.get(f"{API}/games/yavalath/leaderboard", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.long
def test_the_board_is_by_league_then_rating_and_says_how_sure_it_is(client: TestClient, played: dict[str, int]) -> None:
    rows = board(client)["items"]
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    keys = [(row["league_position"], row["rating"]) for row in rows]
    assert keys == sorted(keys, reverse=True)
    by_name = {row["bot"]: row for row in rows}
    assert (by_name["Keystone"]["league"], by_name["Keystone"]["boss_of"]) == ("Silver", "Silver")
    assert by_name["starter"]["rating"] == 1000
    for row in rows:
        assert row["low"] < row["rating"] < row["high"]
    *upper, last = rows
    assert all(0 < row["above_next"] < 1 and row["games_left"] >= 0 for row in upper)
    assert last["above_next"] is None
    assert by_name["Planner"]["above_next"] > 0.5


@pytest.mark.long
def test_the_board_comes_page_by_page_and_league_by_league(client: TestClient, played: dict[str, int]) -> None:
    whole = [row["bot"] for row in board(client)["items"]]
    pages, after = [], None
    while True:
        page = board(client, limit=2, **({} if after is None else {"after": after}))
        pages += [row["bot"] for row in page["items"]]
        after = page["next"]
        if after is None:
            break
    assert pages == whole
    assert [row["bot"] for row in board(client, league=3)["items"]] == ["Keystone"]
    assert board(client, league=9)["items"] == []


@pytest.mark.parametrize(
    "cursor", ["", "1", "1_2", "x_1_2", "1_nan_2", "1_inf_2", "1_1_9999999999999999999999", "1_2_3_4"]
)
def test_a_cursor_of_ones_own_making_is_refused(client: TestClient, cursor: str) -> None:
    answer = client.get(f"{API}/games/yavalath/leaderboard", params={"after": cursor})
    assert answer.status_code == 422
    assert "next" in answer.json()["expected"]


def test_a_cursor_of_another_board_is_refused(client: TestClient) -> None:
    cursor = board(client, limit=1)["next"]
    assert board(client, limit=1, after=cursor)["items"] == board(client, limit=2)["items"][1:]
    plain = cursor.rsplit("_", 1)[0]
    assert board(client, limit=1, after=plain)["items"] == board(client, limit=1, after=cursor)["items"]
    for path, league in (("yavalath", 2), ("ants", None)):
        params = {"after": cursor} if league is None else {"after": cursor, "league": league}
        answer = client.get(f"{API}/games/{path}/leaderboard", params=params)
        assert (answer.status_code, answer.json()["detail"]) == (422, "This cursor belongs to another board.")


@pytest.mark.long
def test_the_board_of_an_earlier_day(client: TestClient, played: dict[str, int], database: Database) -> None:
    then = datetime.now(UTC)
    before = board(client)["items"]
    for _ in range(8):
        play(database, [played["starter"], played["Watcher"]], (0, 1))
    with database.transaction() as session:
        refits.refit(session, GAME)
    past = client.get(f"{API}/games/yavalath/leaderboard/at", params={"at": then.isoformat()}).json()["items"]
    assert [(row["bot"], row["games"]) for row in past] == [(row["bot"], row["games"]) for row in before]
    old = (then - timedelta(days=400)).isoformat()
    assert client.get(f"{API}/games/yavalath/leaderboard/at", params={"at": old}).json()["items"] == []
    refused = client.get(f"{API}/games/yavalath/leaderboard/at", params={"at": "2026-11-01T00:00:00"})
    assert refused.status_code == 422
    assert "2026-11-01T00:00:00Z" in refused.json()["expected"]
    refused = client.get(f"{API}/games/yavalath/leaderboard/at", params={"at": "yesterday"})
    assert refused.json()["expected"] == "a time with its zone, such as 2026-11-01T00:00:00Z"
    refused = client.get(f"{API}/games/yavalath/leaderboard/at")
    assert (refused.json()["expected"], refused.json().get("got")) == ("a value for at", None)


def test_what_the_ratings_stand_on(client: TestClient, played: dict[str, int]) -> None:
    found = client.get(f"{API}/games/yavalath/ladder").json()
    assert (found["results"], found["pending"]) == (len(played) * (len(played) - 1), 0)
    assert [league["name"] for league in found["leagues"]] == ["Wood", "Bronze", "Silver", "Gold", "Legend"]
    assert found["leagues"][-1]["boss"] is None
    assert sum(league["bots"] for league in found["leagues"]) == len(played)
    assert 0 <= found["draws"] < 1
    assert client.get(f"{API}/games/none/ladder").status_code == 404


def test_a_rating_is_explained(client: TestClient, played: dict[str, int]) -> None:
    found = client.get(f"{API}/submissions/{played['Watcher']}/rating").json()
    assert found["games"] == 2 * (len(played) - 1)
    assert {one["bot"] for one in found["against"]} == set(played) - {"Watcher"}
    by_name = {one["bot"]: one for one in found["against"]}
    assert (by_name["Pebble"]["points"], by_name["Keystone"]["points"]) == (2, 0)
    assert by_name["Pebble"]["moved"] > 0 > by_name["Keystone"]["moved"]
    assert {one["repeats"] for one in found["against"]} == {False}
    assert found["boss"] == "Hotspur"
    assert found["below"]["bot"] in {"Pebble", "Hotspur"}
    assert found["below"]["above"] > 0.5
    assert found["matches"]
    assert client.get(f"{API}/submissions/999999/rating").status_code == 404


def test_match_ups_are_scored_and_expected_points_of_each_ordered_pair(
    client: TestClient, played: dict[str, int]
) -> None:
    answer = client.get(f"{API}/games/yavalath/ladder/matchups")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    rows = board(client)["items"]
    shown = ("rank", "bot", "bot_id", "version", "submission_id", "rating")
    assert found["bots"] == [{name: row[name] for name in shown} for row in rows]
    assert len(found["pairs"]) == len(played) * (len(played) - 1)
    pair = next(
        one
        for one in found["pairs"]
        if (one["submission_id"], one["opponent_id"]) == (played["Watcher"], played["Keystone"])
    )
    assert (pair["games"], pair["points"]) == (2, 0)
    assert 0 < pair["expected"] < 1
    assert 0 < pair["next_game"] < 0.5
    assert found["cycles"] == []
    assert client.get(f"{API}/games/battlegrounds/ladder/matchups").json()["team_game"] is False
    assert client.get(f"{API}/games/none/ladder/matchups").status_code == 404


def test_pairs_whose_games_only_repeat_are_marked(
    client: TestClient, played: dict[str, int], database: Database
) -> None:
    pair = played["Watcher"], played["Keystone"]
    for number in range(8):
        one, other = pair if number % 2 else pair[::-1]
        play(database, [one, other], (0, 1), digest="as always")
    with database.transaction() as session:
        refits.refit(session, GAME)
    found = client.get(f"{API}/games/yavalath/ladder/matchups").json()["pairs"]
    assert {(one["submission_id"], one["opponent_id"]) for one in found if one["repeats"]} == {pair, pair[::-1]}
    against = client.get(f"{API}/submissions/{played['Watcher']}/rating").json()["against"]
    assert [one["bot"] for one in against if one["repeats"]] == ["Keystone"]


@pytest.mark.long
def test_a_cycle_has_its_submissions_in_order(client: TestClient, played: dict[str, int], database: Database) -> None:
    """Pebble beats Keystone again and again, which beats Watcher, which beats Pebble."""
    trio = [played[name] for name in ("Keystone", "Watcher", "Pebble")]
    for number in range(9):
        for one, other in ((0, 1), (1, 2), (2, 0)):
            play(database, [trio[one], trio[other]], (0, 1), digest=f"game {number}")
    with database.transaction() as session:
        refits.refit(session, GAME)
    (cycle,) = client.get(f"{API}/games/yavalath/ladder/matchups").json()["cycles"]
    assert cycle["submission_ids"] == trio
    assert 0.95 <= cycle["sure"] < 1


def test_matches_are_found_by_how_they_ended_for_a_bot(
    client: TestClient, played: dict[str, int], database: Database
) -> None:
    """Capstone won all its matches, the starter none; then the two draw, and the starter crashes."""
    won = 2 * (len(played) - 1) + 1
    pair = [played["Capstone"], played["starter"]]
    play(database, pair, (0, 0))
    play(database, pair, (0, 1), (Fault(1, 3, "crash", "gone"),))
    bots = {row["bot"]: row["bot_id"] for row in board(client)["items"]}

    def found(bot: str, result: str) -> int:
        query = {"bot": bots[bot], "result": result, "limit": 100}
        return len(client.get(f"{API}/matches", params=query).json()["items"])

    assert [found("Capstone", result) for result in ("win", "draw", "loss", "fault")] == [won, 1, 0, 0]
    assert [found("starter", result) for result in ("win", "draw", "loss", "fault")] == [0, 1, won, 1]


def test_a_bots_history(client: TestClient, played: dict[str, int]) -> None:
    bot = next(row["bot_id"] for row in board(client)["items"] if row["bot"] == "Keystone")
    points = client.get(f"{API}/bots/{bot}/history").json()["items"]
    assert len(points) >= 2
    assert points[-1]["games"] == 2 * (len(played) - 1)
    assert all(point["live"] for point in points)
    assert client.get(f"{API}/bots/999999/history").status_code == 404


def test_going_back_is_for_the_owner_alone(client: TestClient, database: Database, settings: Settings) -> None:
    first = client.post(
        f"{API}/submissions", json={"game": "yavalath", "bot": "mine", "language": "python", "source": "print(1)"}
    ).json()
    assert client.post(f"{API}/submissions/{first['id']}/restore").status_code == 409
    with database.transaction() as session:
        submissions.go_live(session, first["id"])
    second = client.post(
        f"{API}/submissions", json={"game": "yavalath", "bot": "mine", "language": "python", "source": "print(2)"}
    ).json()
    with database.transaction() as session:
        submissions.go_live(session, second["id"])
    with TestClient(make_app(settings), base_url="http://testserver") as stranger:
        assert stranger.post(f"{API}/submissions/{first['id']}/restore").status_code == 403
    back = client.post(f"{API}/submissions/{first['id']}/restore")
    assert (back.status_code, back.json()["state"]) == (200, "live")
    assert client.get(f"{API}/submissions/{second['id']}").json()["state"] == "superseded"
    assert client.post(f"{API}/submissions/999999/restore").status_code == 404
