"""Playing on from a turn of a match, over HTTP: who may, from where, and against whom."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import MatchSeat, Submission
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from tests.conftest import new_visitor

API = "/api/v1"
CODE = {"game": "yavalath", "language": "python", "source": "print('4 4')"}


def played(client: TestClient, database: Database, turns: int = 10, **options: Any) -> dict[str, Any]:
    """A practice match that is over after so many turns."""
    match = client.post(f"{API}/matches", json=CODE | options).json()
    end(database, match["id"], turns)
    return dict(client.get(f"{API}/matches/{match['id']}").json())


def end(database: Database, match_id: int, turns: int) -> matches.ClaimedMatch:
    with database.transaction() as session:
        lease = next(
            one for one in queue.lease(session, limit=9, seconds=60, max_attempts=3) if one.match_id == match_id
        )
        claimed = queue.claim(session, match_id, lease.token, seconds=60)
        assert claimed is not None
        report = matches.Report((0, 1), (1, 0), "because", turns, (), 1.0, "test", f"key of {match_id}", "1", "d")
        matches.finish(session, claimed, report)
        return claimed


def fork(client: TestClient, match: int, turn: int, **changes: Any) -> Any:
    return client.post(f"{API}/matches", json=CODE | {"fork": {"match": match, "turn": turn}} | changes)


def test_a_fork_has_the_seed_the_seats_and_the_opponents_of_its_match(client: TestClient, database: Database) -> None:
    match = played(client, database, seat=1, seed="42")
    answer = fork(client, match["id"], 6)
    assert answer.status_code == 201, answer.text
    fresh = answer.json()
    assert fresh["fork"] == {"match": match["id"], "turn": 6}
    assert (fresh["seed"], fresh["league"], fresh["kind"]) == ("42", match["league"], "practice")
    assert fresh["seats"][0]["submission_id"] == match["seats"][0]["submission_id"]
    assert fresh["seats"][1]["submission_id"] != match["seats"][1]["submission_id"]
    assert [seat["mine"] for seat in fresh["seats"]] == [False, True]


def test_a_worker_learns_what_it_plays_on_from(client: TestClient, database: Database) -> None:
    match = played(client, database)
    claimed = end(database, fork(client, match["id"], 6).json()["id"], 9)
    assert claimed.fork == matches.Fork(match["id"], 6, f"key of {match['id']}")
    again = end(database, played(client, database)["id"] and fork(client, match["id"], 0).json()["id"], 9)
    assert again.fork is not None
    assert again.fork.turn == 0


@pytest.mark.long
def test_a_fork_can_be_forked(client: TestClient, database: Database) -> None:
    first = fork(client, played(client, database)["id"], 6).json()
    end(database, first["id"], 12)
    second = fork(client, first["id"], 11)
    assert second.json()["fork"] == {"match": first["id"], "turn": 11}


def test_a_fork_has_the_rules_of_its_match(client: TestClient, database: Database) -> None:
    for league in (1, 2):
        match = played(client, database, game="tryangle", league=league)
        assert fork(client, match["id"], 6, game="tryangle").json()["league"] == league


def test_only_turns_that_something_follows_can_be_played_on_from(client: TestClient, database: Database) -> None:
    match = played(client, database, turns=10)
    for turn, status in ((0, 201), (9, 201), (10, 422), (32_000, 422), (-1, 422), (10**9, 422)):
        assert fork(client, match["id"], turn).status_code == status, turn
    assert "a turn from 0 to 9" in fork(client, match["id"], 10).text


def test_others_matches_and_matches_that_are_not_over_are_refused(
    client: TestClient, settings: Settings, database: Database
) -> None:
    match = played(client, database)
    waiting = client.post(f"{API}/matches", json=CODE).json()
    assert fork(client, waiting["id"], 0).status_code == 409
    assert fork(client, 999_999, 0).status_code == 404
    with new_visitor(settings) as stranger:
        played(stranger, database)
        assert fork(stranger, match["id"], 2).status_code == 404


def test_whoever_has_a_bot_in_it_plays_no_practice_of_others_on(
    client: TestClient, settings: Settings, database: Database
) -> None:
    with new_visitor(settings) as bob:
        made = bob.post(f"{API}/submissions", json=CODE | {"bot": "of Bob"}).json()
        with database.transaction() as session:
            matches.void_queued_with(session, [made["id"]], "Not needed here.")
            submissions.go_live(session, made["id"])
        match = played(client, database, opponent=made["bot_id"])
        for turn in (2, 10_000):
            refused = fork(bob, match["id"], turn)
            assert (refused.status_code, refused.json()["detail"]) == (404, f"You had no seat in match {match['id']}.")
        assert fork(client, match["id"], 2).status_code == 201


def test_a_fork_says_once_what_it_plays(client: TestClient, database: Database) -> None:
    match = played(client, database)
    for extra in ({"seed": "5"}, {"seat": 0}, {"opponent": 1}, {"league": 1}):
        refused = fork(client, match["id"], 2, **extra)
        assert refused.status_code == 422, extra
        assert "expected either `fork`" in refused.text
    assert fork(client, match["id"], 2, game="ants").status_code == 422


def test_bots_whose_code_is_gone_cannot_play_on(client: TestClient, database: Database) -> None:
    match = played(client, database)
    opponent = match["seats"][1]["submission_id"]
    with database.transaction() as session:
        session.execute(
            update(Submission).where(Submission.id == opponent).values(source_sha256=None, state="superseded")
        )
    assert fork(client, match["id"], 2).status_code == 409


def test_what_is_gone_with_its_code_is_not_played_on_from(client: TestClient, database: Database) -> None:
    match = played(client, database)
    with database.transaction() as session:
        own, opponent = (one["submission_id"] for one in match["seats"])
        me = session.get_one(Submission, own).user_id
        other = session.scalars(
            select(Submission.id)
            .where(Submission.game == match["game"], Submission.id.not_in((own, opponent)))
            .limit(1)
        ).one()
        seat = update(MatchSeat).where(MatchSeat.match_id == match["id"], MatchSeat.seat == 0)
        session.execute(seat.values(submission_id=other))
        gone = update(Submission).where(Submission.id == other)
        session.execute(gone.values(user_id=me, source_sha256=None, state="superseded"))
    refused = fork(client, match["id"], 2)
    assert (refused.status_code, "whose code is still there" in refused.text) == (409, True)
