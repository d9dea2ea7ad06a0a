"""Playing in person over HTTP: who may, how often, and which replies count. The tests play the worker themselves."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from hexarena.backend.errors import TooMany
from hexarena.backend.matches import backlog, in_person, life as matches, queue
from hexarena.backend.matches.quotas import NO_QUOTAS
from hexarena.backend.matches.shares import Budgets, share_of
from hexarena.backend.models import Erasure, Job, Match, MatchSeat, Submission, Usage, User
from hexarena.backend.practice import in_person as playing
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import deletion
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Reply
from hexarena.games.lines import turn_line
from hexarena.games.referee import Turn, rounds
from tests.conftest import new_visitor

API = "/api/v1"
HOUR_S = 3600.0


def begin(client: TestClient, game: str = "yavalath", **options: Any) -> dict[str, Any]:
    answer = client.post(f"{API}/in-person", json={"game": game, **options})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def claim(database: Database, match_id: int) -> matches.ClaimedMatch:
    with database.transaction() as session:
        leases = queue.lease(session, limit=9, seconds=60, max_attempts=3)
        (lease,) = [one for one in leases if one.match_id == match_id]
        claimed = queue.claim(session, match_id, lease.token, seconds=60)
    assert claimed is not None
    return claimed


def ask(database: Database, match_id: int, turn: int = 1) -> matches.ClaimedMatch:
    """A worker claims the match and asks the person for a turn."""
    claimed = claim(database, match_id)
    with database.transaction() as session:
        assert in_person.hold(session, claimed)
        assert in_person.ask(session, match_id, turn, "the board\n", patience_s=HOUR_S) is None
    return claimed


def pause(database: Database, claimed: matches.ClaimedMatch) -> in_person.Answer | None:
    with database.transaction() as session:
        assert in_person.hold(session, claimed)
        return in_person.pause(session, claimed, cpu_s=1.0)


def reply(client: TestClient, match_id: int, line: str = "4 4", turn: int = 1) -> Any:
    return client.post(f"{API}/in-person/{match_id}/reply", json={"turn": turn, "line": line})


def test_a_match_in_person_is_a_practice_match_of_you_against_a_bot(client: TestClient) -> None:
    match = begin(client, seat=1, seed="42")
    assert (match["kind"], match["seed"], match["person"]) == ("practice", "42", {"seat": 1, "turn": None})
    assert [seat["mine"] for seat in match["seats"]] == [False, True]
    assert match["seats"][1]["bot"] == client.get(f"{API}/me").json()["name"]
    listed = client.get(f"{API}/in-person").json()
    assert [one["id"] for one in listed["items"]] == [match["id"]]
    assert client.get(f"{API}/matches?kind=practice").json()["items"][0]["id"] == match["id"]


@pytest.mark.parametrize("game", ["yavalath", "ants", "tryangle", "tron"])
def test_four_games_are_played_in_person(client: TestClient, game: str) -> None:
    assert client.get(f"{API}/games/{game}").json()["in_person"] is True
    assert begin(client, game)["game"] == game


def test_a_game_that_nobody_plays_in_person_says_so(client: TestClient) -> None:
    answer = client.post(f"{API}/in-person", json={"game": "battlegrounds"})
    assert answer.status_code == 422
    assert "is not played in person" in answer.json()["detail"]


def test_the_person_is_asked_with_what_a_bot_reads_and_answers_once(client: TestClient, database: Database) -> None:
    match_id = begin(client)["id"]
    assert reply(client, match_id).status_code == 409, "nobody has asked yet"
    ask(database, match_id)
    now = client.get(f"{API}/in-person/{match_id}").json()
    assert (now["turn"], now["prompt"], now["replied"]) == (1, "the board\n", False)
    assert reply(client, match_id, turn=2).status_code == 409
    assert reply(client, match_id).json()["replied"] is True
    twice = reply(client, match_id, "3 3")
    assert twice.status_code == 409
    assert "has your reply already" in twice.text


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("9 9", "expected a cell of the board"),
        ("", "two whole numbers"),
        ("here", "two whole numbers"),
        ("4 4\n5 5", "one line"),
        ("4 \x00", "one line"),
        ("4 4 " + "x" * 9_996, "too long"),
        ("x" * 1_000_000, None),
    ],
)
def test_a_line_that_would_be_a_fault_is_refused_and_another_one_may_follow(
    client: TestClient, database: Database, line: str, why: str | None
) -> None:
    match_id = begin(client)["id"]
    ask(database, match_id)
    answer = reply(client, match_id, line)
    assert answer.status_code in {422, 413}, answer.text
    assert why is None or why in answer.text.lower()
    assert reply(client, match_id).status_code == 200


def test_half_a_surrogate_pair_is_no_text(client: TestClient, database: Database) -> None:
    match_id = begin(client)["id"]
    ask(database, match_id)
    body = b'{"turn": 1, "line": "4 4 \\ud800"}'
    answer = client.post(
        f"{API}/in-person/{match_id}/reply", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422, answer.text
    assert reply(client, match_id).status_code == 200


def test_a_stone_where_one_lies_is_refused(client: TestClient, database: Database) -> None:
    match_id = begin(client)["id"]
    claimed = ask(database, match_id)
    reply(client, match_id, "4 4")
    play_turns(database, claimed, ["4 4", "0 0"])
    with database.transaction() as session:
        in_person.ask(session, match_id, 3, "", patience_s=HOUR_S)
    answer = reply(client, match_id, "0 0", turn=3)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("Expected an empty cell, got '0 0', which holds a stone.")
    assert reply(client, match_id, "1 1", turn=3).status_code == 200


def play_turns(database: Database, claimed: matches.ClaimedMatch, lines: list[str]) -> None:
    """A worker plays these replies, one a turn."""

    class Script:
        def ask(self, prompt: str, seconds: float) -> Reply:
            return Reply(lines.pop(0))

        def log(self) -> str:
            return ""

    wanted = len(lines)
    for event in rounds(find_game(claimed.game), [Script(), Script()], seed=claimed.seed, league=claimed.league):
        if isinstance(event, Turn):
            with database.transaction() as session:
                in_person.add_turn(session, claimed.match_id, event, turn_line(event))
            if event.number == wanted:
                return


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "line", "why"),
    [
        ("ants", "BEACON 1", "expected beacon <cell_index>"),
        ("ants", "BEACON 999 1", "expected a cell from 0 to"),
        ("ants", "LINE 0 999 1", "expected a cell from 0 to"),
        ("tryangle", "JUMP 1 2", "expected move, spawn"),
        ("tryangle", "MOVE 1 1 1", "task can't be applied"),
        ("tryangle", "SPAWN 0 1 2", "."),
    ],
)
def test_commands_that_the_rules_would_ignore_are_refused_too(
    client: TestClient, database: Database, game: str, line: str, why: str
) -> None:
    match_id = begin(client, game)["id"]
    ask(database, match_id)
    answer = reply(client, match_id, line)
    assert answer.status_code == 422, answer.text
    assert why in answer.json()["detail"].lower()
    assert reply(client, match_id, "WAIT").status_code == 200


def test_strangers_find_no_match_and_cannot_reply(client: TestClient, settings: Settings, database: Database) -> None:
    match_id = begin(client)["id"]
    ask(database, match_id)
    with new_visitor(settings) as stranger:
        begin(stranger)
        for answer in (
            stranger.get(f"{API}/in-person/{match_id}"),
            stranger.get(f"{API}/matches/{match_id}"),
            reply(stranger, match_id),
            stranger.post(f"{API}/in-person/{match_id}/resign"),
        ):
            assert answer.status_code == 404
    with new_visitor(settings) as nobody:
        assert reply(nobody, match_id).status_code == 404


def test_an_ordinary_match_asks_nobody(client: TestClient) -> None:
    practice = {"game": "yavalath", "language": "python", "source": "print('4 4')"}
    match_id = client.post(f"{API}/matches", json=practice).json()["id"]
    assert reply(client, match_id).status_code == 404


@pytest.mark.long
def test_of_two_replies_at_once_one_counts(client: TestClient, database: Database) -> None:
    match_id = begin(client)["id"]
    ask(database, match_id)
    with ThreadPoolExecutor(6) as pool:
        codes = list(pool.map(lambda x: reply(client, match_id, f"{x} 4").status_code, range(6)))
    assert sorted(codes) == [200, *[409] * 5]


def test_a_person_has_two_open_matches_beside_the_usual_ones(client: TestClient, database: Database) -> None:
    for _ in range(2):
        begin(client)
    third = client.post(f"{API}/in-person", json={"game": "ants"})
    assert third.status_code == 429
    assert "Finish one, or resign" in third.text
    practice = {"game": "yavalath", "language": "python", "source": "print('4 4')"}
    assert client.post(f"{API}/matches", json=practice).status_code == 201


def test_all_guests_of_one_network_have_a_limited_number_of_open_matches(
    client: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "OPEN_PER_SHARE", 3)
    mine = [begin(client)["id"] for _ in range(2)]
    with new_visitor(settings) as other:
        begin(other)
        refused = other.post(f"{API}/in-person", json={"game": "yavalath"})
        assert (refused.status_code, refused.json()["expected"]) == (429, "fewer than 3 of them")
        assert refused.json()["detail"].startswith("Your network has 3 open matches")
    assert [one["id"] for one in client.get(f"{API}/in-person").json()["items"]] == mine[::-1], "and not the other's"


def test_whoever_used_up_his_cpu_time_gets_no_reply_counted(client: TestClient, database: Database) -> None:
    match_id = begin(client)["id"]
    ask(database, match_id)
    with database.transaction() as session:
        user = session.scalars(select(User).join(Match, Match.requested_by_id == User.id)).one()
        session.add(Usage(minute=datetime.now(UTC), share=share_of(user), slot_s=0, cpu_s=101))
        session.flush()
        quotas = replace(NO_QUOTAS, budgets=Budgets(guest_s=100))
        with pytest.raises(TooMany, match="used up the CPU time of a day"):
            playing.reply(session, user, match_id, 1, "4 4", quotas=quotas)
        playing.reply(session, user, match_id, 1, "4 4", quotas=replace(quotas, budgets=Budgets(guest_s=102)))


def test_a_paused_match_waits_without_a_lease_until_the_reply_comes(client: TestClient, database: Database) -> None:
    match_id = begin(client)["id"]
    claimed = ask(database, match_id)
    assert pause(database, claimed) is None
    with database.transaction() as session:
        assert queue.lease(session, limit=9, seconds=60, max_attempts=3) == []
        assert (backlog.count(session), backlog.in_flight(session)) == ((0, 0), (0, 0))
        assert not in_person.hold(session, claimed), "the attempt is over"
    assert reply(client, match_id).status_code == 200
    again = claim(database, match_id)
    assert (again.attempt, again.person) == (2, 0)
    assert client.get(f"{API}/matches/{match_id}").json()["void_attempts"] == []


def test_a_reply_that_comes_as_the_match_pauses_is_not_lost(client: TestClient, database: Database) -> None:
    match_id = begin(client)["id"]
    claimed = ask(database, match_id)
    reply(client, match_id, "4 4")
    assert pause(database, claimed) == in_person.Answer("4 4")


def test_pauses_are_no_failed_attempts(client: TestClient, database: Database) -> None:
    match_id = begin(client)["id"]
    for turn in range(1, 9):
        claimed = ask(database, match_id, turn)
        with database.transaction() as session:
            in_person.expect_reply(session, match_id, turn)
            in_person.reply(session, match_id, "x")
            session.execute(
                update(Job).values(token=None, lease_until=None, asleep=True, paused_attempt=claimed.attempt)
            )
    assert claim(database, match_id).attempt == 9


def test_whoever_resigned_is_not_asked_any_more(client: TestClient, database: Database) -> None:
    match_id = begin(client)["id"]
    claimed = ask(database, match_id)
    pause(database, claimed)
    assert client.post(f"{API}/in-person/{match_id}/resign").json()["resigned"] is True
    assert client.post(f"{API}/in-person/{match_id}/resign").status_code == 200
    assert reply(client, match_id).status_code == 409
    claim(database, match_id)
    with database.transaction() as session:
        assert in_person.ask(session, match_id, 1, "", patience_s=HOUR_S) == in_person.Answer("", resigned=True)


def test_after_the_end_nothing_is_asked(client: TestClient, database: Database) -> None:
    match_id = begin(client)["id"]
    claimed = ask(database, match_id)
    report = matches.Report((0, 1), (1, 0), "because", 1, (), 1.0, "test", "key", "1", "d")
    with database.transaction() as session:
        assert matches.finish(session, claimed, report)
    assert reply(client, match_id).json()["detail"].startswith("This match is over.")
    assert client.post(f"{API}/in-person/{match_id}/resign").status_code == 409
    assert client.get(f"{API}/in-person/{match_id}").json()["turn"] is None
    assert client.get(f"{API}/in-person").json()["items"] == []
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Erasure)) == 0, "the person's log stays"


def test_whoever_is_deleted_leaves_no_match_in_person(client: TestClient, database: Database) -> None:
    match_id = begin(client)["id"]
    ask(database, match_id)
    with database.transaction() as session:
        owner = session.scalar(select(Match.requested_by_id).where(Match.id == match_id))
        deletion.delete_account(session, session.get_one(User, owner))
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Match)) == 0
        assert session.scalar(select(func.count()).select_from(MatchSeat)) == 0
        assert session.scalar(select(func.count()).where(Submission.language == "person")) == 0
