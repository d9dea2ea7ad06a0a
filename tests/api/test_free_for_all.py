"""Free-for-alls over HTTP: how many play a practice match, and who; check matches; places; duels."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, update

from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import Match, Submission, SubmissionState, User, UserKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import deletion, life as submissions
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game

API = "/api/v1"
CODE = {"game": "claims", "language": "python", "source": "print('4 4')"}
pytestmark = pytest.mark.usefixtures("claims")


def seats(client: TestClient, database: Database, **changes: Any) -> list[str]:
    """Who plays, by seat. The match leaves the queue, in which only a few of one user may wait."""
    answer = client.post(f"{API}/matches", json={**CODE, **changes})
    assert answer.status_code == 201, answer.text
    with database.transaction() as session:
        session.execute(delete(Match).where(Match.id == answer.json()["id"]))
    return [seat["bot"] for seat in answer.json()["seats"]]


def refused(client: TestClient, **changes: Any) -> tuple[str, str]:
    answer = client.post(f"{API}/matches", json={**CODE, **changes})
    assert answer.status_code == 422, answer.text
    return answer.json()["expected"], answer.json()["got"]


def enter(client: TestClient, database: Database, name: str, **changes: Any) -> tuple[int, int]:
    """(bot, submission) of a version that is live, of an account: guests' bots are in no field."""
    found = client.post(
        f"{API}/submissions", json={**CODE, "source": f"print('{name}')", "bot": name, **changes}
    ).json()
    with database.transaction() as session:
        session.execute(update(User).where(User.kind == UserKind.GUEST).values(kind=UserKind.ACCOUNT))
        submissions.go_live(session, found["id"])
    return found["bot_id"], found["id"]


def test_a_practice_match_is_as_large_as_the_ladder_can_fill(client: TestClient, database: Database) -> None:
    assert seats(client, database) == ["your code", "Boss", "starter"]
    enter(client, database, "Ada")
    assert seats(client, database) == ["your code", "Boss", "starter", "Ada"]
    assert seats(client, database, seat=2) == ["Boss", "starter", "your code", "Ada"]


def test_few_bots_play_several_seats(client: TestClient, database: Database) -> None:
    assert seats(client, database, entrants=4) == ["your code", "Boss", "starter", "Boss"]


def test_one_may_choose_how_many_and_who(client: TestClient, database: Database) -> None:
    ada, _ = enter(client, database, "Ada")
    assert seats(client, database, entrants=2) == ["your code", "Boss"]
    assert seats(client, database, entrants=2, opponent=ada, seat=1) == ["Ada", "your code"]
    assert seats(client, database, opponents=[ada, ada, None]) == ["your code", "Ada", "Ada", "Boss"]
    assert seats(client, database, opponents=[None, ada], entrants=3) == ["your code", "Boss", "Ada"]
    assert seats(client, database, opponents=[None, ada])[:3] == ["your code", "Boss", "Ada"]


def test_what_cannot_be_played_is_refused(client: TestClient) -> None:
    sizes = "2, 3, 4 entrants with your code"
    assert refused(client, entrants=5) == (sizes, "5")
    assert refused(client, opponents=[None] * 4) == (sizes, "5")
    assert refused(client, opponents=[None] * 3, entrants=2) == (sizes, "4")
    assert refused(client, seat=3) == ("a seat from 0 to 2", "3")
    assert "either `opponent` or `opponents`" in refused(client, opponent=1, opponents=[1])[0]
    assert "either `fork`" in refused(client, opponents=[1], fork={"match": 1, "turn": 1})[0]
    assert client.post(f"{API}/matches", json={**CODE, "opponents": [99_999]}).status_code == 404
    assert client.post(f"{API}/matches", json={**CODE, "opponents": []}).status_code == 422


def test_teams_may_be_more_than_two_as_well(client: TestClient, database: Database) -> None:
    code = {"game": "battlegrounds", "source": "class Bot: pass"}
    two, four = seats(client, database, **code), seats(client, database, **code, entrants=4)
    assert (len(two), two.count("your code"), len(set(two))) == (8, 4, 2)
    assert (len(four), four.count("your code"), len(set(four))) == (16, 4, 2)
    assert seats(client, database, **code, entrants=4, seat=13)[12:] == ["your code"] * 4
    assert client.post(f"{API}/matches", json={**CODE, "game": "yavalath", "entrants": 3}).status_code == 422


def test_mixed_teams_are_dealt_by_the_seed(client: TestClient, database: Database) -> None:
    """As many bots as the smallest match has seats, the nearest on the board, each for itself."""
    code = {"game": "battlegrounds", "source": "class Bot: pass", "mixed": True}
    eight = seats(client, database, **code, seed="7")
    board = {one["bot"] for one in client.get(f"{API}/games/battlegrounds/leaderboard").json()["items"]}
    assert len(eight) == 8
    assert set(eight) == board | {"your code"}, "it has fewer than seven: they play several seats"
    assert eight.count("your code") == 1
    assert seats(client, database, **code, seed="7") == eight
    assert any(seats(client, database, **code, seed=str(seed)) != eight for seed in range(8, 12))
    assert len(seats(client, database, **code, entrants=11)) == 12
    drifter = next(bot["bot_id"] for bot in client.get(f"{API}/games/battlegrounds").json()["house_bots"])
    three = seats(client, database, **code, opponents=[drifter, drifter], entrants=3)
    assert (len(three), len(set(three))) == (8, 2)
    assert {len({*three[:4]}), len({*three[4:]})} <= {1, 2}


def test_mixed_teams_that_cannot_be_dealt_are_refused(client: TestClient) -> None:
    code = {"game": "battlegrounds", "mixed": True}
    most = max(find_game("battlegrounds").seats)
    assert refused(client, mixed=True) == ("no `mixed`", "one for Claims")
    assert refused(client, **code, opponents=[None] * 3, entrants=3) == (
        f"from 4 to {most} entrants with your code",
        "3",
    )
    assert "no `seat` in mixed teams" in refused(client, **code, seat=0)[0]
    assert "either `fork`" in refused(client, **code, fork={"match": 1, "turn": 1})[0]


def test_the_check_match_is_as_large_as_the_ladder_s(client: TestClient) -> None:
    submission = client.post(f"{API}/submissions", json={**CODE, "bot": "Ada"}).json()
    (match,) = client.get(f"{API}/matches", params={"game": "claims", "kind": "check"}).json()["items"]
    assert [seat["submission_id"] == submission["id"] for seat in match["seats"]] == [True, False, False, False]
    assert {seat["bot"] for seat in match["seats"][1:]} == {"starter"}


def test_a_duel_names_its_field(client: TestClient, database: Database) -> None:
    (_, one), (_, other) = enter(client, database, "Ada"), enter(client, database, "Eve")
    asked = {"game": "claims", "candidate": one, "baseline": other}
    duel = client.post(f"{API}/duels", json=asked).json()
    assert {bot["bot"] for bot in duel["field"]} == {"Boss", "starter"}
    assert client.get(f"{API}/duels/{duel['id']}").json()["field"] == duel["field"]
    of_two = client.get(f"{API}/games/claims/leaderboard").json()["items"]
    assert {tuple(row["places"]) for row in of_two} == {()}


def test_a_duel_continues_without_a_version_of_its_field_whose_code_is_deleted(
    client: TestClient, database: Database
) -> None:
    (_, one), (_, other), (_, old) = [enter(client, database, name) for name in ("Ada", "Eve", "Zoë")]
    asked = {"game": "claims", "candidate": one, "baseline": other}
    duel = client.post(f"{API}/duels", json=asked).json()
    assert "Zoë" in {bot["bot"] for bot in duel["field"]}
    delete_code(database, old)
    left = client.get(f"{API}/duels/{duel['id']}").json()
    assert (left["state"], {bot["bot"] for bot in left["field"]}) == ("running", {"Boss", "starter"})
    delete_code(database, other)
    ended = client.get(f"{API}/duels/{duel['id']}").json()
    assert (ended["state"], "deleted by its owner" in ended["void_reason"]) == ("void", True)


def delete_code(database: Database, submission_id: int) -> None:
    """Its owner does, once it was superseded."""
    with database.transaction() as session:
        one = session.get_one(Submission, submission_id)
        one.state = SubmissionState.SUPERSEDED
        session.flush()
        deletion.delete_source(session, session.get_one(User, one.user_id), submission_id)


def test_a_game_says_how_many_meet(client: TestClient, claims: Game) -> None:
    shown = client.get(f"{API}/games/claims").json()
    assert shown["ladder_entrants"] == list(claims.ladder_entrants) == [4, 3, 2]
    assert (claims.free_for_all, claims.for_two) == (True, False)


def test_a_batch_plays_each_bot_among_others_and_compares_places(client: TestClient, database: Database) -> None:
    ada, _ = enter(client, database, "Ada")
    enter(client, database, "Bob")
    asked = {**CODE, "source": "print('0')", "opponents": [ada], "seeds": 3}
    answer = client.post(f"{API}/batches", json=asked)
    assert answer.status_code == 201, answer.text
    batch = answer.json()
    (row,) = batch["rows"]
    assert (row["bot"], len(row["matches"]), row["score"]["waiting"]) == ("Ada", 6, 6)
    by_seed: dict[str, list[list[str]]] = {}
    for one in row["matches"]:
        shown = client.get(f"{API}/matches/{one['match_id']}").json()
        bots = [seat["bot"] for seat in shown["seats"]]
        assert len(bots) == len(set(bots)) == 4, "the ladder's number, each once"
        assert bots[one["seat"]] not in {"Ada", "Boss", "starter", "Bob"}
        by_seed.setdefault(shown["seed"], []).append(bots)
    for first, second in by_seed.values():
        here, there = first.index("Ada"), second.index("Ada")
        assert here != there
        assert first[there] == second[here], "the code sits where Ada sat"
        assert [bot for bot in first if bot in {"Boss", "starter", "Bob"}] == [
            bot for bot in second if bot in {"Boss", "starter", "Bob"}
        ], "but for the two, all sit as before"
    ranks = {"Ada": 2, "Boss": 0, "starter": 0, "Bob": 0}
    with database.transaction() as session:
        for lease in queue.lease(session, limit=99, seconds=60, max_attempts=3):
            claimed = queue.claim(session, lease.match_id, lease.token, seconds=60)
            assert claimed is not None
            places = tuple(ranks.get(seat.player.bot, 1) for seat in claimed.seats)
            report = matches.Report(places, (0.0,) * 4, "because", 9, (), 1.0, "test", "x", "1", str(lease.match_id))
            matches.finish(session, claimed, report)
    score = client.get(f"{API}/batches/{batch['id']}").json()["score"]
    assert (score["wins"], score["draws"], score["losses"], score["waiting"]) == (6, 0, 0, 0)


def test_a_batch_in_a_free_for_all_that_cannot_be_filled_says_so(
    client: TestClient, database: Database, claims: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, _ = enter(client, database, "Ada")
    monkeypatch.setattr("hexarena.backend.practice.batches.nearest", lambda *_: [])
    answer = client.post(f"{API}/batches", json={**CODE, "opponents": [ada], "seeds": 1})
    assert answer.status_code == 201, "two can play this game"
    object.__setattr__(claims, "ladder_entrants", (4, 3))
    try:
        client.post(f"{API}/batches/{answer.json()['id']}/stop")
        refused = client.post(f"{API}/batches", json={**CODE, "source": "print(1)", "opponents": [ada], "seeds": 1})
    finally:
        object.__setattr__(claims, "ladder_entrants", (4, 3, 2))
    assert refused.status_code == 409, refused.text
    assert "at least 1 other bots" in refused.text
