"""Batches over HTTP: what they play, how their table fills, who may see and stop them, and what they may take."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import Job, Match, MatchKind, Submission
from hexarena.backend.practice import batches as running
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from hexarena.games.referee import Fault
from tests.conftest import new_visitor

API = "/api/v1"
CODE = {"game": "yavalath", "language": "python", "source": "print('4 4')"}


def bosses(client: TestClient, count: int) -> list[int]:
    return [bot["bot_id"] for bot in client.get(f"{API}/games/yavalath").json()["house_bots"][:count]]


def begin(client: TestClient, *, opponents: int = 2, seeds: int = 2, **changes: Any) -> dict[str, Any]:
    body = CODE | {"opponents": bosses(client, opponents), "seeds": seeds} | changes
    answer = client.post(f"{API}/batches", json=body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def now(client: TestClient, batch: dict[str, Any]) -> dict[str, Any]:
    answer = client.get(f"{API}/batches/{batch['id']}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def play(database: Database, row: dict[str, Any], results: str, digests: str | None = None) -> None:
    """Ends the row's first matches: w, d, l as the author sees them, f for lost by a fault."""
    with database.transaction() as session:
        leased = queue.lease(session, limit=999, seconds=60, max_attempts=3)
        leases = {lease.match_id: lease for lease in leased}
        waiting = [one for one in row["matches"] if one["match_id"] in leases]
        for number, (match, result) in enumerate(zip(waiting, results, strict=False)):
            claimed = queue.claim(session, match["match_id"], leases[match["match_id"]].token, seconds=60)
            assert claimed is not None
            own, other = {"w": (0, 1), "d": (0, 0), "l": (1, 0), "f": (1, 0)}[result]
            ranks = (own, other) if match["seat"] == 0 else (other, own)
            faults = (Fault(match["seat"], 1, "crash", "it crashed"),) if result == "f" else ()
            digest = (digests or "abcdefghijklmnop")[number]
            report = matches.Report(ranks, (0, 0), "because", 10, faults, 40.0, "test", "x", "1", digest)
            matches.finish(session, claimed, report)
        ended = {match["match_id"] for match in waiting[: len(results)]}
        queue.release(session, [lease for lease in leased if lease.match_id not in ended])


def test_a_batch_plays_each_bot_with_the_same_seeds_in_both_seats(client: TestClient, database: Database) -> None:
    batch = begin(client, opponents=2, seeds=2)
    first, second = batch["rows"]
    games = [(one["seed"], one["seat"]) for one in first["matches"]]
    assert games == [(one["seed"], one["seat"]) for one in second["matches"]]
    assert sorted(seat for _, seat in games) == [0, 0, 1, 1]
    assert len({seed for seed, _ in games}) == 2
    with database.transaction() as session:
        kinds = session.scalars(select(Match.kind)).all()
    assert kinds == [MatchKind.PRACTICE] * 8


def test_its_table_fills_with_what_was_played(client: TestClient, database: Database) -> None:
    batch = begin(client, opponents=1, seeds=3)
    assert batch["score"]["waiting"] == 6
    assert (batch["score"]["elo"], batch["score"]["elo_low"], batch["score"]["elo_high"]) == (0, None, None)
    play(database, batch["rows"][0], "wwdf")
    half = now(client, batch)
    score = half["rows"][0]["score"]
    reported = {name: score[name] for name in ("wins", "draws", "losses", "faults", "void", "waiting", "different")}
    assert reported == {"wins": 2, "draws": 1, "losses": 1, "faults": 1, "void": 0, "waiting": 2, "different": 4}
    assert score["elo_low"] < score["elo"] < score["elo_high"]
    assert (score["mean_turns"], score["mean_cpu_ms"], half["over"]) == (10, 40, False)
    play(database, half["rows"][0], "ww", digests="yz")
    done = now(client, batch)
    assert (done["over"], done["score"]["wins"], done["score"]["waiting"]) == (True, 4, 0)
    assert done["score"]["elo"] > score["elo"]


@pytest.mark.long
def test_a_game_that_repeats_tells_nothing_new(client: TestClient, database: Database) -> None:
    batch = begin(client, opponents=1, seeds=3)
    play(database, batch["rows"][0], "wwwwww", digests="ababab")
    row = now(client, batch)["rows"][0]
    assert [one["repeat"] for one in row["matches"]] == [False, False, True, True, True, True]
    assert (row["score"]["wins"], row["score"]["different"]) == (6, 2)
    alone = begin(client, opponents=1, seeds=1)
    play(database, alone["rows"][0], "ww")
    assert now(client, alone)["score"]["elo_low"] == row["score"]["elo_low"]


def test_the_same_moves_in_the_other_seat_are_another_game(client: TestClient, database: Database) -> None:
    batch = begin(client, opponents=1, seeds=2)
    assert [one["seat"] for one in batch["rows"][0]["matches"]] == [0, 1, 0, 1]
    play(database, batch["rows"][0], "wwww", digests="aaaa")
    assert now(client, batch)["score"]["different"] == 2


def test_the_newest_batches_of_a_game_are_listed_newest_first(client: TestClient, database: Database) -> None:
    batches = []
    for _ in range(2):
        batches.append(begin(client, opponents=1, seeds=1))
        play(database, batches[-1]["rows"][0], "ww")
    listed = client.get(f"{API}/batches?game=yavalath").json()["items"]
    assert [one["id"] for one in listed] == [batches[1]["id"], batches[0]["id"]]
    assert client.get(f"{API}/batches?game=tryangle").json()["items"] == []


def test_all_guests_of_one_network_have_a_limited_number_of_batches(
    client: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "RUNNING_PER_SHARE", 1)
    begin(client, opponents=1, seeds=1)
    with new_visitor(settings) as other:
        body = CODE | {"opponents": bosses(other, 1)}
        refused = other.post(f"{API}/batches", json=body)
        assert (refused.status_code, refused.json()["detail"]) == (429, "Wait until some batches are over.")


def test_what_waits_is_void_after_a_stop(client: TestClient, database: Database) -> None:
    batch = begin(client)
    play(database, batch["rows"][0], "w")
    stopped = client.post(f"{API}/batches/{batch['id']}/stop").json()
    assert (stopped["over"], stopped["score"]["wins"], stopped["score"]["void"]) == (True, 1, 7)
    assert client.post(f"{API}/batches/{batch['id']}/stop").json() == stopped
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Job)) == 0
    assert begin(client)["over"] is False


def test_one_person_has_one_batch_at_a_time(client: TestClient) -> None:
    begin(client)
    body = CODE | {"opponents": bosses(client, 1)}
    again = client.post(f"{API}/batches", json=body)
    assert (again.status_code, again.json()["detail"]) == (429, "Stop your batch, or wait until it is over.")
    assert again.headers["RateLimit-Policy"] == '"batches-of-yours";q=1;qu="concurrent-requests"'


@pytest.mark.long
def test_a_guests_batch_is_small_and_an_accounts_large(client: TestClient) -> None:
    listed = f"{API}/batches?game=yavalath"
    assert client.get(listed).json() == {"items": [], "most_matches": 20}
    refused = client.post(f"{API}/batches", json=CODE | {"opponents": bosses(client, 2), "seeds": 6})
    assert refused.status_code == 422
    assert "at most 20 matches" in refused.text
    assert "Sign up" in refused.text
    client.post(f"{API}/sign-up", json={"name": "learner", "password": "correct horse battery"})
    assert client.get(listed).json()["most_matches"] == 400
    large = begin(client, opponents=2, seeds=50)
    assert large["score"]["waiting"] == 200
    assert [one["id"] for one in client.get(listed).json()["items"]] == [large["id"]]


def test_a_batch_is_its_authors_alone(client: TestClient, settings: Settings) -> None:
    batch = begin(client)
    with new_visitor(settings) as stranger:
        for answer in (
            stranger.get(f"{API}/batches/{batch['id']}"),
            stranger.get(f"{API}/batches/999999"),
            stranger.post(f"{API}/batches/{batch['id']}/stop"),
        ):
            assert answer.status_code == 404, answer.text
        assert stranger.get(f"{API}/batches?game=yavalath").json()["items"] == []
    assert now(client, batch)["over"] is False


def test_bad_batches_are_refused_and_nothing_is_queued(client: TestClient, database: Database) -> None:
    some = bosses(client, 1)
    for change, status in (
        ({"opponents": []}, 422),
        ({"opponents": [*some, 999_999]}, 404),
        ({"opponents": some, "seeds": 0}, 422),
        ({"opponents": some, "seeds": 51}, 422),
        ({"opponents": list(range(1, 22))}, 422),
        ({"opponents": some, "game": "chess"}, 404),
        ({"opponents": some, "league": 99}, 422),
        ({"opponents": some, "source": " "}, 422),
    ):
        answer = client.post(f"{API}/batches", json=CODE | change)
        assert answer.status_code == status, (change, answer.text)
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Match)) == 0


def test_a_bot_named_twice_plays_once(client: TestClient) -> None:
    some = bosses(client, 1)
    batch = client.post(f"{API}/batches", json=CODE | {"opponents": some * 2, "seeds": 1}).json()
    assert [(row["bot_id"], len(row["matches"])) for row in batch["rows"]] == [(some[0], 2)]


def test_code_that_cannot_be_built_ends_its_batch(client: TestClient, database: Database) -> None:
    batch = begin(client)
    with database.transaction() as session:
        lease = queue.lease(session, limit=1, seconds=60, max_attempts=3)[0]
        claimed = queue.claim(session, lease.match_id, lease.token, seconds=60)
        assert claimed is not None
        submissions.record_failed_build(session, claimed, batch["id"], problem="It does not build.", build_log="line 1")
    ended = now(client, batch)
    assert (ended["over"], ended["score"]["void"], ended["problem"]) == (True, 8, "It does not build.")
    assert ended["build_log"] == "line 1"


def test_a_match_that_somebody_watches_goes_before_a_batch(client: TestClient, database: Database) -> None:
    begin(client)
    watched = client.post(f"{API}/matches", json=CODE).json()
    with database.transaction() as session:
        first = queue.lease(session, limit=1, seconds=60, max_attempts=3)[0]
    assert first.match_id == watched["id"]


@pytest.mark.long
def test_batches_of_two_people_take_turns(client: TestClient, settings: Settings, database: Database) -> None:
    """Neither the first one's many matches nor the limit of quiet ones keeps the second waiting."""
    for visitor, name in ((client, "first"), (None, "second")):
        if visitor is not None:
            visitor.post(f"{API}/sign-up", json={"name": name, "password": "correct horse battery"})
            begin(visitor, opponents=2, seeds=20)
            continue
        with new_visitor(settings) as other:
            other.post(f"{API}/sign-up", json={"name": name, "password": "correct horse battery"})
            begin(other, opponents=2, seeds=20)
    with database.transaction() as session:
        leased = [one.match_id for one in queue.lease(session, limit=8, seconds=60, max_attempts=3)]
        askers = session.scalars(select(Match.requested_by_id).where(Match.id.in_(leased))).all()
    assert sorted(askers.count(asker) for asker in set(askers)) == [4, 4]


@pytest.mark.long
def test_a_guests_batch_moves_to_his_account_and_goes_with_it(client: TestClient, database: Database) -> None:
    batch = begin(client)
    client.post(f"{API}/sign-up", json={"name": "learner", "password": "correct horse battery"})
    assert now(client, batch)["id"] == batch["id"]
    deleted = client.request("DELETE", f"{API}/me", json={"name": "learner", "password": "correct horse battery"})
    assert deleted.status_code == 204, deleted.text
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Submission).where(Submission.id == batch["id"])) == 0
