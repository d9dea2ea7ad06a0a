"""Lists of matches: each filter alone and together, pages, and what is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from hexarena.backend.matches import history, life as matches, queue
from hexarena.backend.models import Match, MatchKind, Submission
from hexarena.backend.runtime.db import Database
from hexarena.games.catalogue import find_game
from hexarena.games.referee import Fault
from tests.api.played import Bots, house_bots, play

API = "/api/v1"
CRASH = (Fault(1, 3, "crash", "gone"),)


@pytest.fixture
def bots(database: Database) -> Bots:
    """Yavalath's house bots."""
    return house_bots(database)


def found(client: TestClient, **query: Any) -> list[int]:
    answer = client.get(f"{API}/matches", params=query)
    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.json()["items"]]


@pytest.mark.long
def test_each_filter_finds_its_matches_and_all_of_them_together_the_one_that_fits_all(
    client: TestClient, database: Database, bots: Bots
) -> None:
    won = play(database, bots, "Keystone", "Pebble", seed=-7, days_ago=3)
    crashed = play(database, bots, "Keystone", "Pebble", faults=CRASH, reason="seat 1 stopped without a reply")
    lost = play(database, bots, "Pebble", "Keystone", kind=MatchKind.CHECK)
    drawn = play(database, bots, "Keystone", "Snare", ranks=(0, 0), reason="the board is full")
    other = play(database, bots, "Snare", "Pebble")
    keystone, pebble, snare = (bots[name][0] for name in ("Keystone", "Pebble", "Snare"))

    assert found(client) == [other, drawn, lost, crashed, won]
    assert found(client, bot=keystone) == [drawn, lost, crashed, won]
    assert found(client, bot=keystone, opponent=snare) == [drawn]
    assert found(client, bot=keystone, opponent=keystone) == []
    assert found(client, bot=keystone, version=1, opponent=pebble) == [lost, crashed, won]
    assert [found(client, bot=keystone, result=one) for one in ("win", "draw", "loss")] == [
        [crashed, won],
        [drawn],
        [lost],
    ]
    assert found(client, bot=keystone, seat=1) == [lost]
    assert found(client, reason="made a line of 4") == [other, lost, won]
    assert found(client, bot=pebble, reason="made a line of 4") == [other, lost, won]
    assert found(client, fault="any") == found(client, fault="crash") == [crashed]
    assert found(client, fault="timeout") == []
    assert found(client, bot=pebble, fault="crash") == found(client, bot=pebble, result="fault") == [crashed]
    assert found(client, bot=keystone, fault="crash") == []
    assert found(client, seed="-7") == [won]
    assert found(client, kind="check") == [lost]
    assert found(client, kind="practice") == []
    assert found(client, league=1, game="yavalath") == [other, drawn, lost, crashed, won]
    assert found(client, league=2) == found(client, game="ants") == []
    today, before = datetime.now(UTC).date(), datetime.now(UTC).date() - timedelta(days=3)
    assert found(client, since=str(today)) == [other, drawn, lost, crashed]
    assert found(client, until=str(before)) == found(client, since=str(before), until=str(before)) == [won]
    everything = {"game": "yavalath", "bot": keystone, "opponent": pebble, "version": 1, "result": "win", "seat": 0}
    everything |= {"reason": "made a line of 4", "seed": "-7", "since": str(before), "until": str(today)}
    assert found(client, kind="ladder", state="done", league=1, **everything) == [won]
    assert found(client, kind="ladder", fault="crash", **everything) == []


def test_whoever_shares_the_first_place_has_drawn_as_the_board_counts_it(
    client: TestClient, database: Database
) -> None:
    game = find_game("tron")
    with database.transaction() as session:
        three = session.scalars(select(Submission).where(Submission.game == game.id).limit(3)).all()
        ids = [one.id for one in three]
        match_id = matches.schedule(
            session, game=game.id, kind=MatchKind.LADDER, submission_ids=ids, seed=1, league=1, priority=0
        ).id
        (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=3)
        claimed = queue.claim(session, match_id, lease.token, seconds=60)
        assert claimed is not None
        report = matches.Report((0, 0, 2), (0, 0, 0), "over", 9, (), 1.0, "test", "x", "1", "d")
        matches.finish(session, claimed, report)
        bots = [one.bot_id for one in three]
    for bot, ended in zip(bots, ("draw", "draw", "loss"), strict=True):
        for result in ("win", "draw", "loss"):
            assert found(client, bot=bot, result=result) == ([match_id] if result == ended else []), (bot, result)


def test_a_mate_is_no_opponent(client: TestClient, database: Database) -> None:
    game = find_game("battlegrounds")
    with database.transaction() as session:
        one, other = session.scalars(select(Submission).where(Submission.game == game.id).limit(2)).all()
        seats = [one.id, other.id, *[one.id] * (game.seats[0] - 2)]
        match = matches.schedule(session, game=game.id, kind=MatchKind.LADDER, submission_ids=seats, seed=1, league=1)
        pair, match_id = (one.bot_id, other.bot_id), match.id
    assert found(client, bot=pair[0], opponent=pair[1]) == [match_id]
    assert found(client, bot=pair[0], opponent=pair[1], seat=2) == [], "a mate of the other has seat 2"
    assert found(client, bot=pair[0], opponent=pair[1], seat=game.team_seats) == [match_id]


def test_pages_follow_each_other_without_a_gap(client: TestClient, database: Database, bots: Bots) -> None:
    ids = [play(database, bots, "Keystone", "Pebble") for _ in range(5)]
    seen, after = [], None
    while True:
        query = {"bot": bots["Pebble"][0], "limit": 2, **({} if after is None else {"after": after})}
        page = client.get(f"{API}/matches", params=query).json()
        seen += [one["id"] for one in page["items"]]
        after = page["next"]
        if after is None:
            break
    assert seen == sorted(ids, reverse=True)


def test_a_cursor_of_other_filters_is_refused(client: TestClient, database: Database, bots: Bots) -> None:
    for _ in range(3):
        play(database, bots, "Keystone", "Pebble")
    cursor = client.get(f"{API}/matches", params={"limit": 1}).json()["next"]
    assert client.get(f"{API}/matches", params={"limit": 2, "after": cursor}).status_code == 200
    plain = client.get(f"{API}/matches", params={"limit": 2, "after": cursor.split("_")[0]})
    assert plain.json()["items"] == client.get(f"{API}/matches", params={"limit": 2, "after": cursor}).json()["items"]
    answer = client.get(f"{API}/matches", params={"game": "yavalath", "after": cursor})
    assert (answer.status_code, answer.json()["detail"]) == (422, "This cursor belongs to other filters.")


def test_a_cursor_of_the_future_is_refused(client: TestClient, database: Database, bots: Bots) -> None:
    newest = [play(database, bots, "Keystone", "Pebble") for _ in range(2)][-1]
    mark = client.get(f"{API}/matches", params={"limit": 1}).json()["next"].split("_")[1]
    assert client.get(f"{API}/matches", params={"after": f"{newest}_{mark}"}).status_code == 200
    for after in (f"{newest + 1}_{mark}", f"{10**17}_{mark}", str(10**17)):
        answer = client.get(f"{API}/matches", params={"after": after})
        assert (answer.status_code, answer.json()["got"]) == (422, after)
        assert answer.json()["detail"] == "This cursor is of the future: no match has its id yet."


def test_a_search_that_finds_little_stops_and_goes_on_where_it_stopped(database: Database, bots: Bots) -> None:
    rare = play(database, bots, "Keystone", "Pebble", reason="the board is full")
    common = [play(database, bots, "Keystone", "Pebble") for _ in range(6)]
    filters = history.Filters(bot_id=bots["Pebble"][0], reason="the board is full")
    with database.transaction() as session:
        first = history.find(session, filters, viewer_id=0, limit=5, below=None, depths=(2, 4))
        assert (first.ids, first.next_id) == ([], common[2])
        assert first.searched_to == session.get_one(Match, common[2]).created_at
        second = history.find(session, filters, viewer_id=0, limit=5, below=first.next_id, depths=(2, 4))
    assert (second.ids, second.next_id, second.searched_to) == ([rare], None, None)


def test_a_filter_has_the_same_mark_always_and_another_one_another(bots: Bots) -> None:
    one = history.Filters(bot_id=1, until=date(2026, 11, 1))
    assert one.mark() == history.Filters(until=date(2026, 11, 1), bot_id=1).mark()
    assert one.mark() != history.Filters(owner_ids=(1,), until=date(2026, 11, 1)).mark()


def test_the_endings_of_a_game_are_listed_without_seats(client: TestClient, database: Database, bots: Bots) -> None:
    play(database, bots, "Keystone", "Pebble")
    play(database, bots, "Keystone", "Pebble", reason="seat 1 made a line of 4")
    play(database, bots, "Keystone", "Pebble", reason="seat 0's lead cannot be caught")
    play(database, bots, "Keystone", "Pebble", reason="seat 0 stopped and seat 1 wrote too much")
    assert client.get(f"{API}/games/yavalath/endings").json()["items"] == [
        {"reason": "made a line of 4", "matches": 2},
        {"reason": "stopped and wrote too much", "matches": 1},
        {"reason": "lead cannot be caught", "matches": 1},
    ]
    assert client.get(f"{API}/games/ants/endings").json()["items"] == []
    assert client.get(f"{API}/games/chess/endings").status_code == 404


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ({"seed": "9" * 80}, 422, "64-bit"),
        ({"seed": str(2**63)}, 422, "64-bit"),
        ({"seed": "1.5"}, 422, "64-bit"),
        ({"bot": 999999}, 404, "There is no bot 999999."),
        ({"bot": 1, "opponent": 999999}, 404, "There is no bot 999999."),
        ({"bot": 1, "version": 77}, 404, "Bot 1 has no version 77."),
        ({"version": 1}, 422, "A version needs its bot."),
        ({"opponent": 1}, 422, "An opponent needs a side."),
        ({"seat": 0}, 422, "A seat needs a side."),
        ({"result": "win"}, 422, "A result needs a side."),
        ({"since": "yesterday"}, 422, "a day such as 2026-11-01"),
        ({"since": "2026-02-30"}, 422, "since"),
        ({"until": "1700000000"}, 422, "a day such as 2026-11-01"),
        ({"until": "9999-12-31"}, 422, "a day such as 2026-11-01"),
        ({"since": "2026-11-02", "until": "2026-11-01"}, 422, "`since` before `until`"),
        ({"fault": "laziness"}, 422, "fault"),
        ({"reason": "x" * 201}, 422, "reason"),
        ({"reason": "a\0b"}, 422, "reason"),
        ({"kind": "friendly"}, 422, "kind"),
        ({"after": "x1"}, 422, "`next` of an earlier page"),
        ({"after": "1_00000000"}, 422, "This cursor belongs to other filters."),
        ({"after": "9" * 81}, 422, "after"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(
    client: TestClient, query: dict[str, Any], status: int, said: str
) -> None:
    answer = client.get(f"{API}/matches", params=query)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert said in answer.text


def test_the_last_and_the_first_day_of_the_calendar_can_be_asked_for(client: TestClient) -> None:
    assert found(client, since="2000-01-01", until="2999-12-31") == []
