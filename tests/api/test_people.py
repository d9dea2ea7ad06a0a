"""Pages of people, and notices about their bots."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.ladder import boards, standings
from hexarena.backend.models import Bot, Notice, NoticeKind, Standing, Submission, User
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import deletion, life as submissions
from tests.api.played import house_bots
from tests.api.test_accounts import BOT, PASSWORD, signed_up
from tests.backend.ladder.ladders import newcomers, play, refit
from tests.conftest import new_visitor

API = "/api/v1"


def enter(client: TestClient, database: Database, name: str = "Mine") -> tuple[int, int]:
    """A bot of the client's that is on the ladder: (bot, submission)."""
    made = client.post(f"{API}/submissions", json={**BOT, "bot": name, "source": f"print({name!r})"})
    assert made.status_code == 201, made.text
    with database.transaction() as session:
        submissions.go_live(session, made.json()["id"])
    return made.json()["bot_id"], made.json()["id"]


def notices_of(client: TestClient) -> list[tuple[str, str, bool]]:
    """(kind, text, seen), newest first."""
    answer = client.get(f"{API}/me/notices")
    assert answer.status_code == 200, answer.text
    return [(one["kind"], one["text"], one["seen"]) for one in answer.json()["items"]]


def owner_of(session: Session, submission_id: int) -> User:
    return session.scalars(select(User).join(Submission).where(Submission.id == submission_id)).one()


# --- Whose bots these are ---------------------------------------------------------------------------------------------


def test_a_person_is_shown_with_all_bots_and_their_places(client: TestClient, database: Database) -> None:
    account = signed_up(client)
    bot, _ = enter(client, database)
    waiting = client.post(f"{API}/submissions", json={**BOT, "bot": "Waiting"}).json()
    shown = client.get(f"{API}/people/{account['id']}").json()
    assert (shown["name"], shown["kind"], shown["mine"]) == (account["name"], "account", True)
    (game,) = shown["games"]
    assert (game["game"], game["title"]) == ("yavalath", "Yavalath")
    (row,) = game["board"]
    board = client.get(f"{API}/games/yavalath/leaderboard").json()["items"]
    assert row == next(one for one in board if one["bot_id"] == bot)
    assert row["owner_id"] == client.get(f"{API}/bots/{bot}").json()["owner_id"] == account["id"]
    assert game["resting"] == [{"bot_id": waiting["bot_id"], "bot": "Waiting", "state": "queued"}]


def test_the_house_has_a_page_as_well(client: TestClient, database: Database) -> None:
    keystone = house_bots(database)["Keystone"][0]
    house = client.get(f"{API}/bots/{keystone}").json()["owner_id"]
    shown = client.get(f"{API}/people/{house}").json()
    assert [one["game"] for one in shown["games"]] == [one["id"] for one in client.get(f"{API}/games").json()]
    assert not shown["mine"]


def test_who_has_no_bots_is_known_to_himself_alone(client: TestClient, settings: Settings, database: Database) -> None:
    account = signed_up(client)
    assert client.get(f"{API}/people/{account['id']}").json()["games"] == []
    with new_visitor(settings) as stranger:
        private, unknown = (stranger.get(f"{API}/people/{one}") for one in (account["id"], 10**9))
        assert private.status_code == unknown.status_code == 404
        bot, _ = enter(client, database)
        assert stranger.get(f"{API}/people/{account['id']}").status_code == 200
        with database.transaction() as session:
            deletion.delete_bot(session, session.get_one(User, account["id"]), bot)
        assert stranger.get(f"{API}/people/{account['id']}").status_code == 404
        with database.transaction() as session:
            deletion.delete_account(session, session.get_one(User, account["id"]))
        assert stranger.get(f"{API}/people/{account['id']}").status_code == 404


# --- Notices ----------------------------------------------------------------------------------------------------------


def test_a_version_that_fails_and_one_that_is_disabled_are_reported(client: TestClient, database: Database) -> None:
    _, submission_id = enter(client, database)
    with database.transaction() as session:
        standings.disable(session, submission_id, "It crashed.")
        notices.stopped(session, submission_id, NoticeKind.DISABLED)
    second = client.post(f"{API}/submissions", json={**BOT, "bot": "Mine", "source": "nonsense"}).json()
    with database.transaction() as session:
        submissions.fail(session, second["id"], "It does not build.")
    assert notices_of(client) == [
        ("failed", "Mine v2 failed. It does not build.", False),
        ("disabled", "Mine v1 was disabled. It crashed.", False),
    ]


def test_what_was_seen_stays_seen(client: TestClient, settings: Settings, database: Database) -> None:
    _, submission_id = enter(client, database)
    with database.transaction() as session:
        for league in ("Bronze", "Silver"):
            notices.moved(session, submission_id, league=league, up=True)
    listed = client.get(f"{API}/me/notices").json()
    assert listed["unseen"] == 2
    oldest = listed["items"][-1]["id"]
    after = client.post(f"{API}/me/notices/seen", json={"up_to": oldest}).json()
    assert after["unseen"] == 1
    assert notices_of(client) == [
        ("promoted", "Mine was promoted to Silver.", False),
        ("promoted", "Mine was promoted to Bronze.", True),
    ]
    with new_visitor(settings) as stranger:
        assert stranger.get(f"{API}/me/notices").status_code == 401
        stranger.post(f"{API}/submissions", json={**BOT, "bot": "Theirs"})
        assert notices_of(stranger) == []
        assert stranger.post(f"{API}/me/notices/seen", json={"up_to": 10**9}).json()["unseen"] == 0
    assert client.get(f"{API}/me/notices").json()["unseen"] == 1


def test_notices_move_with_a_guest_and_go_with_the_bot(
    client: TestClient, settings: Settings, database: Database
) -> None:
    account = signed_up(client)
    with new_visitor(settings) as guest:
        bot, submission_id = enter(guest, database)
        with database.transaction() as session:
            notices.moved(session, submission_id, league="Bronze", up=False)
        assert notices_of(guest) == [("demoted", "Mine fell back to Bronze.", False)]
        guest.post(f"{API}/sign-in", json={"name": account["name"], "password": PASSWORD})
        assert notices_of(guest) == [("demoted", "Mine fell back to Bronze.", False)]
        guest.delete(f"{API}/bots/{bot}")
        assert notices_of(guest) == []


def overtakings(database: Database, submission_id: int) -> Sequence[Notice]:
    with database.transaction() as session:
        query = select(Notice).where(Notice.submission_id == submission_id, Notice.kind == NoticeKind.OVERTAKEN)
        return session.scalars(query).all()


def won(database: Database, winner: int, loser: int) -> None:
    """So often that the winner stands above the loser."""
    for _ in range(6):
        play(database, (winner, loser))
        play(database, (loser, winner), (1, 0))
    refit(database)


@pytest.fixture
def pair(database: Database) -> tuple[int, int]:
    """Two bots of two people, the first above the second; both have found their places."""
    one, other = newcomers(database, 2)
    won(database, one, other)
    with database.transaction() as session:
        session.execute(update(Standing).where(Standing.submission_id.in_((one, other))).values(placing=False))
    return one, other


@pytest.mark.long
def test_whoever_is_overtaken_gets_one_notice_a_day(database: Database, pair: tuple[int, int]) -> None:
    one, other = pair
    assert overtakings(database, one) == []
    for _ in range(3):
        won(database, other, one)
    (notice,) = overtakings(database, one)
    assert not notice.seen
    with database.transaction() as session:
        board = [row.submission.id for row in boards.leaderboard(session, "yavalath", limit=100)]
        assert notice.place == board.index(one) + 1
        assert notice.other_id in board[: board.index(one)]
        assert session.get_one(User, notice.user_id).id == owner_of(session, one).id
        (reported,) = notices.newest(session, notice.user_id)
        assert reported.other is not None
        notices.overtaken(session, one, other, 77)
    (notice,) = overtakings(database, one)
    assert notice.place == 77, "the newest place, while nobody has seen it"
    with database.transaction() as session:
        notices.mark_seen(session, notice.user_id, notice.id)
        notices.overtaken(session, one, other, 78)
    (notice,) = overtakings(database, one)
    assert notice.place == 77


@pytest.mark.long
def test_own_bots_and_bots_that_still_seek_their_place_are_not_overtaken(
    database: Database, pair: tuple[int, int]
) -> None:
    one, other = pair
    with database.transaction() as session:
        session.execute(update(Standing).where(Standing.submission_id == one).values(placing=True))
    for _ in range(3):
        won(database, other, one)
    assert overtakings(database, one) == []
    with database.transaction() as session:
        owner = owner_of(session, one).id
        session.execute(update(Standing).where(Standing.submission_id == one).values(placing=False))
        session.execute(update(Submission).where(Submission.id == other).values(user_id=owner))
        session.execute(update(Bot).where(Bot.id == session.get_one(Submission, other).bot_id).values(owner_id=owner))
    for _ in range(8):
        won(database, one, other)
    assert overtakings(database, other) == []


def test_a_notice_of_an_overtaken_bot_names_who_did_it(client: TestClient, database: Database) -> None:
    _, mine = enter(client, database)
    snare = house_bots(database)["Snare"][1]
    with database.transaction() as session:
        notices.overtaken(session, mine, snare, 5)
    assert notices_of(client) == [("overtaken", "Snare has overtaken Mine: now in place 5.", False)]
    (other,) = newcomers(database, 1)
    with database.transaction() as session:
        notices.overtaken(session, mine, other, 6)
        by = session.get_one(User, owner_of(session, other).id).name
        name = session.scalars(select(Bot.name).join(Submission).where(Submission.id == other)).one()
    assert notices_of(client) == [("overtaken", f"{name} by {by} has overtaken Mine: now in place 6.", False)]


def test_old_notices_go(database: Database, pair: tuple[int, int]) -> None:
    with database.transaction() as session:
        for submission_id in pair:
            notices.moved(session, submission_id, league="Gold", up=True)
        session.execute(update(Notice).where(Notice.submission_id == pair[0]).values(at=Notice.at - 2 * notices.KEEP))
        notices.prune(session)
        assert session.scalars(select(Notice.submission_id)).all() == [pair[1]]
