"""The leaderboard as an instrument: results against one bot, trends, tables for spreadsheets."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from hexarena.backend.api.views.tables import wants_csv
from hexarena.backend.ladder import refits
from hexarena.backend.matches import life as matches, live, queue
from hexarena.backend.models import Bot, MatchKind, Result, StandingHistory, Submission, SubmissionState, User
from hexarena.backend.runtime.db import Database
from hexarena.games.catalogue import find_game
from tests.api.played import Bots, house_bots, play

API = "/api/v1"


@pytest.fixture
def bots(database: Database) -> Bots:
    """Yavalath's house bots."""
    return house_bots(database)


def results(client: TestClient, bot: int, **query: Any) -> list[tuple[str, int, int, int, int, int]]:
    answer = client.get(f"{API}/bots/{bot}/opponents", params=query)
    assert answer.status_code == 200, answer.text
    names = ("opponent", "seat", "won", "drawn", "lost", "repeats")
    return [tuple(one[name] for name in names) for one in answer.json()["items"]]


@pytest.mark.long
def test_results_are_counted_by_opponent_and_seat(client: TestClient, database: Database, bots: Bots) -> None:
    keystone = bots["Keystone"][0]
    play(database, bots, "Keystone", "Pebble")
    play(database, bots, "Keystone", "Pebble", ranks=(0, 0))
    play(database, bots, "Pebble", "Keystone")
    play(database, bots, "Keystone", "Snare", ranks=(1, 0))
    same = play(database, bots, "Keystone", "Snare", ranks=(1, 0))
    play(database, bots, "Keystone", "Snare", kind=MatchKind.CHECK)
    with database.transaction() as session:
        session.execute(update(Result).where(Result.match_id == same).values(repeat=True))
    expected = [("Pebble", 0, 1, 1, 0, 0), ("Pebble", 1, 0, 0, 1, 0), ("Snare", 0, 0, 0, 1, 1)]
    assert results(client, keystone) == results(client, keystone, version=1) == expected
    assert results(client, bots["Snare"][0]) == [("Keystone", 1, 1, 0, 0, 1)]
    assert results(client, bots["Capstone"][0]) == []


def test_members_of_a_team_are_no_opponents_and_a_team_counts_once(client: TestClient, database: Database) -> None:
    game = find_game("battlegrounds")
    with database.transaction() as session:
        live = select(Submission).where(Submission.game == game.id, Submission.state == SubmissionState.LIVE)
        one, other = session.scalars(live.limit(2)).all()
        bot = one.bot_id
        seats = [*[one.id] * game.team_seats, *[other.id] * game.team_seats]
        schedule = {"game": game.id, "kind": MatchKind.LADDER, "seed": 1, "league": 1, "submission_ids": seats}
        match_id = matches.schedule(session, **schedule).id
    _finish(database, match_id, tuple(int(seat >= game.team_seats) for seat in range(len(seats))))
    assert [one[1:] for one in results(client, bot or 0)] == [(0, 1, 0, 0, 0)]


def _finish(database: Database, match_id: int, ranks: tuple[int, ...]) -> None:
    with database.transaction() as session:
        (token,) = [one.token for one in queue.lease(session, limit=99, seconds=60, max_attempts=3)]
        claimed = queue.claim(session, match_id, token, seconds=60)
        assert claimed is not None
        report = matches.Report(ranks, (0,) * len(ranks), "because", 9, (), 1.0, "test", "x", "1", "d")
        matches.finish(session, claimed, report)


def test_a_bot_or_version_that_is_not_there_has_no_results(client: TestClient, bots: Bots) -> None:
    assert client.get(f"{API}/bots/999999/opponents").status_code == 404
    answer = client.get(f"{API}/bots/{bots['Pebble'][0]}/opponents", params={"version": 9})
    assert (answer.status_code, "no version 9" in answer.json()["detail"]) == (404, True)
    assert client.get(f"{API}/bots/1/opponents", params={"version": 0}).status_code == 422


def test_a_row_has_its_newest_ratings_and_the_last_change(client: TestClient, database: Database, bots: Bots) -> None:
    play(database, bots, "Keystone", "Pebble")
    with database.transaction() as session:
        refits.refit(session, find_game("yavalath"))
    board = client.get(f"{API}/games/yavalath/leaderboard").json()
    with database.transaction() as session:
        oldest = session.scalars(select(func.min(StandingHistory.at)).where(StandingHistory.game == "yavalath")).one()
    assert board["since"] == oldest.isoformat().replace("+00:00", "Z")
    row = next(row for row in board["items"] if row["bot"] == "Keystone")
    assert row["trend"][-1] == pytest.approx(row["rating"])
    assert row["last_change"] == pytest.approx(row["trend"][-1] - row["trend"][-2])
    assert row["last_change"] > 0
    with database.transaction() as session:
        start = {"deviation": 1.0, "games": 0, "wins": 0, "draws": 0, "losses": 0, "league": 1, "live": True}
        session.add_all(
            StandingHistory(submission_id=row["submission_id"], game="yavalath", rating=float(number), **start)
            for number in range(40)
        )
        live.publish(session, "yavalath", "standing", row["submission_id"])
    rows = client.get(f"{API}/games/yavalath/leaderboard").json()["items"]
    assert next(one["trend"] for one in rows if one["bot"] == "Keystone") == [float(number) for number in range(16, 40)]


def test_a_row_names_its_newest_rated_match_that_is_over(client: TestClient, database: Database, bots: Bots) -> None:
    """A practice match is its author's alone."""
    play(database, bots, "Keystone", "Pebble")
    newest = play(database, bots, "Pebble", "Keystone")
    play(database, bots, "Pebble", "Keystone", kind=MatchKind.PRACTICE)
    with database.transaction() as session:
        pair = [bots["Keystone"][1], bots["Pebble"][1]]
        matches.schedule(session, game="yavalath", kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=1)
    rows = client.get(f"{API}/games/yavalath/leaderboard").json()["items"]
    assert {row["bot"]: row["last_match_id"] for row in rows if row["last_match_id"]} == {
        "Keystone": newest,
        "Pebble": newest,
    }


def table(client: TestClient, path: str, **query: Any) -> list[dict[str, str]]:
    answer = client.get(f"{API}/games/yavalath/{path}", params={"format": "csv", **query})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith('attachment; filename="yavalath-leaderboard')
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_the_board_is_a_table_too_now_and_then(client: TestClient, bots: Bots) -> None:
    rows = client.get(f"{API}/games/yavalath/leaderboard").json()["items"]
    found = table(client, "leaderboard", limit=1000)
    assert [(one["bot"], float(one["rating"])) for one in found] == [(row["bot"], row["rating"]) for row in rows]
    assert len(table(client, "leaderboard", limit=2)) == 2
    assert {one["league"] for one in table(client, "leaderboard", league=3)} == {"Silver"}
    soon = datetime.now(UTC) + timedelta(minutes=1)
    assert [one["bot"] for one in table(client, "leaderboard/at", at=soon.isoformat())] == [row["bot"] for row in rows]
    accepted = client.get(f"{API}/games/yavalath/leaderboard", headers={"Accept": "text/csv"})
    assert accepted.text == client.get(f"{API}/games/yavalath/leaderboard", params={"format": "csv"}).text
    assert client.get(f"{API}/games/yavalath/leaderboard", params={"format": "xlsx"}).status_code == 422


def test_a_spreadsheet_runs_no_name(client: TestClient, database: Database, bots: Bots) -> None:
    with database.transaction() as session:
        session.execute(update(Bot).where(Bot.id == bots["Pebble"][0]).values(name='=HYPERLINK("x","y")'))
        owner = session.get_one(Bot, bots["Pebble"][0]).owner_id
        session.execute(update(User).where(User.id == owner).values(name="+1, a name"))
    found = table(client, "leaderboard")
    assert '\'=HYPERLINK("x","y")' in {one["bot"] for one in found}
    assert {one["owner"] for one in found} == {"'+1, a name"}
    assert all(float(one["low"]) <= float(one["rating"]) for one in found), "numbers stay numbers"


@pytest.mark.parametrize(
    ("written", "accept", "wanted"),
    [
        ("csv", "application/json", True),
        (None, "text/csv", True),
        (None, "text/csv;q=0.9, */*", True),
        (None, "application/json, text/csv", False),
        (None, "*/*", False),
        ("json", "text/csv", False),
    ],
)
def test_csv_is_what_format_says_or_else_what_is_accepted_first(written: str | None, accept: str, wanted: bool) -> None:
    assert wants_csv(written, accept) == wanted
