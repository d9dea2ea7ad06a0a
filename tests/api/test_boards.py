"""Boards are kept, and yet the next read shows whatever has changed."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, select, text, update

from hexarena.backend.api.deps import Arena
from hexarena.backend.api.views.boards import KEPT_LINES, Boards, Page
from hexarena.backend.ladder import boards, refits, standings
from hexarena.backend.matches import life as matches, live, queue
from hexarena.backend.models import (
    Bot,
    Match,
    MatchKind,
    Notice,
    NoticeKind,
    PendingResult,
    Standing,
    Submission,
    SubmissionState,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from hexarena.games.catalogue import find_game
from tests.api.played import Bots, house_bots, play
from tests.conftest import new_visitor

API = "/api/v1"
GAME = "yavalath"
BOARD = f"{API}/games/{GAME}/leaderboard"
CODE = {"game": GAME, "language": "python", "source": "print('4 4')"}


@pytest.fixture
def bots(database: Database) -> Bots:
    """Yavalath's house bots."""
    return house_bots(database)


@pytest.fixture(autouse=True)
def minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """None ends while a test runs: boards are rendered anew then."""
    monkeypatch.setattr("hexarena.backend.api.views.boards.LOOK_S", 10**10)


def read(client: TestClient, **headers: str) -> Any:
    answer = client.get(BOARD, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def row_of(client: TestClient, bot: str) -> Any:
    return next((row for row in read(client)["items"] if row["bot"] == bot), None)


def submit(client: TestClient, database: Database, name: str, *, source: str = "print('4 4')", game: str = GAME) -> int:
    """A version that has passed its check: the submission's id."""
    answer = client.post(f"{API}/submissions", json={**CODE, "game": game, "bot": name, "source": source})
    assert answer.status_code == 201, answer.text
    with database.transaction() as session:
        submissions.go_live(session, answer.json()["id"])
    return int(answer.json()["id"])


# --- Kept -------------------------------------------------------------------------------------------------------------


def test_a_board_that_has_not_changed_is_rendered_once(client: TestClient) -> None:
    arena: Arena = client.app.state.arena  # type: ignore[attr-defined]
    first = read(client)
    asked: list[str] = []
    event.listen(arena.database.engine, "before_cursor_execute", lambda *all_: asked.append(all_[2]))
    assert read(client) == first, "with the same `as_of`"
    assert asked
    assert not [one for one in asked if "standing_history" in one or "match_seat" in one]


def test_who_has_a_board_already_gets_an_empty_304(client: TestClient, database: Database, bots: Bots) -> None:
    answer = client.get(BOARD)
    tag = answer.headers["etag"]
    assert tag.startswith('W/"')
    for known in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        again = client.get(BOARD, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["cache-control"] == answer.headers["cache-control"]
    for unknown in ("", '"other"', tag[:-3], "junk,,"):
        assert client.get(BOARD, headers={"If-None-Match": unknown}).status_code == 200
    play(database, bots, "Keystone", "Pebble")
    changed = client.get(BOARD, headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag
    other_page = client.get(BOARD, params={"limit": 1}).headers["etag"]
    assert other_page not in {tag, changed.headers["etag"]}


def test_two_processes_give_one_board_the_same_tag(client: TestClient, settings: Settings) -> None:
    with new_visitor(settings) as other:
        assert other.get(BOARD).headers["etag"] == client.get(BOARD).headers["etag"]


def test_what_is_mine_is_mine_alone(client: TestClient, database: Database, settings: Settings) -> None:
    submit(client, database, "mine")
    with new_visitor(settings) as stranger:
        for visitor, expected in ((client, ["mine"]), (stranger, []), (client, ["mine"])):
            answer = visitor.get(BOARD)
            assert [row["bot"] for row in answer.json()["items"] if row["mine"]] == expected
            assert answer.headers["vary"] == "Cookie, Authorization, Accept, Accept-Encoding"
            of = "private" if visitor is client else "public"
            assert answer.headers["cache-control"] == f"{of}, no-cache"
        tags = [visitor.get(BOARD).headers["etag"] for visitor in (client, stranger)]
        assert tags[0] != tags[1]
        assert stranger.get(BOARD, headers={"If-None-Match": tags[0]}).status_code == 200


@pytest.mark.long
def test_boards_do_not_fill_the_memory(database: Database) -> None:
    boards = Boards()
    with database.transaction() as session:
        for limit in range(1, 400):
            boards.get(session, Page(GAME, 1000 + limit, None, None))
    assert sum(1 + len(one.lines) for one in boards._kept.values()) <= KEPT_LINES


# --- The next read shows it -----------------------------------------------------------------------------------------


def test_a_refit(client: TestClient, database: Database, bots: Bots) -> None:
    play(database, bots, "Keystone", "Pebble")
    before = row_of(client, "Keystone")
    with database.transaction() as session:
        refits.refit(session, find_game(GAME))
    after = row_of(client, "Keystone")
    assert (before["games"], after["games"]) == (0, 1)
    assert after["rating"] != before["rating"]


def test_a_match_that_ended(client: TestClient, database: Database, bots: Bots) -> None:
    read(client)
    newest = play(database, bots, "Keystone", "Pebble")
    assert row_of(client, "Pebble")["last_match_id"] == newest


def test_a_new_bot_and_its_next_version(client: TestClient, database: Database) -> None:
    assert row_of(client, "mine") is None
    submit(client, database, "mine")
    assert row_of(client, "mine")["version"] == 1
    submit(client, database, "mine", source="print('5 5')")
    assert row_of(client, "mine")["version"] == 2


def test_another_name_of_the_owner(client: TestClient, database: Database) -> None:
    submit(client, database, "mine")
    row = row_of(client, "mine")
    assert row["guest"]
    for name, request in (
        ("Ada", lambda: client.post(f"{API}/sign-up", json={"name": "Ada", "password": "correct horse"})),
        ("Grace", lambda: client.patch(f"{API}/me", json={"name": "Grace"})),
    ):
        assert request().status_code in {200, 201}
        row = row_of(client, "mine")
        assert (row["owner"], row["guest"], row["mine"]) == (name, False, True)


def test_a_guest_s_bots_that_move_to_an_account(client: TestClient, database: Database, settings: Settings) -> None:
    account = {"name": "Ada", "password": "correct horse"}
    with new_visitor(settings) as elsewhere:
        assert elsewhere.post(f"{API}/sign-up", json=account).status_code in {200, 201}
    submit(client, database, "mine")
    assert row_of(client, "mine")["guest"]
    assert client.post(f"{API}/sign-in", json=account).status_code == 200
    assert (row_of(client, "mine")["owner"], row_of(client, "mine")["mine"]) == ("Ada", True)


def test_a_deletion(client: TestClient, database: Database) -> None:
    submit(client, database, "mine")
    bot_id = row_of(client, "mine")["bot_id"]
    assert client.delete(f"{API}/bots/{bot_id}").status_code == 204
    assert row_of(client, "mine") is None


def test_the_deletion_of_an_account(client: TestClient, database: Database) -> None:
    submit(client, database, "mine")
    assert client.post(f"{API}/sign-up", json={"name": "Ada", "password": "correct horse"}).status_code in {200, 201}
    assert row_of(client, "mine")["owner"] == "Ada"
    answer = client.request("DELETE", f"{API}/me", json={"name": "Ada", "password": "correct horse"})
    assert answer.status_code == 204, answer.text
    assert row_of(client, "mine") is None


def test_a_version_that_is_disabled_and_restored(client: TestClient, database: Database) -> None:
    submission_id = submit(client, database, "mine")
    assert row_of(client, "mine") is not None
    with database.transaction() as session:
        standings.disable(session, submission_id, "It crashes.")
    assert row_of(client, "mine") is None
    assert client.post(f"{API}/submissions/{submission_id}/restore").status_code == 200
    assert row_of(client, "mine") is not None


def test_a_promotion(client: TestClient, database: Database, bots: Bots) -> None:
    before = row_of(client, "Pebble")["league_position"]
    play(database, bots, "Keystone", "Pebble")
    with database.transaction() as session:
        moved = update(Standing).where(Standing.submission_id == bots["Pebble"][1])
        session.execute(moved.values(league=before + 1))
        refits.refit(session, find_game(GAME))
    assert row_of(client, "Pebble")["league_position"] == before + 1


def test_a_change_of_a_transaction_that_began_before_and_commits_after_a_read(
    client: TestClient, database: Database, bots: Bots
) -> None:
    """Its event is older than others that the board has seen."""
    with database.transaction() as slow:
        standings.disable(slow, bots["Pebble"][1], "It crashes.")
        slow.flush()
        with database.transaction() as quick:
            live.publish(quick, GAME, "standing", bots["Keystone"][1])
        assert row_of(client, "Pebble") is not None
    assert row_of(client, "Pebble") is None


def test_changes_of_other_games_render_nothing_anew(client: TestClient, database: Database) -> None:
    first = read(client)
    with database.transaction() as session:
        other = session.scalars(
            select(Submission.id).join(Bot).where(Bot.game == "ants", Submission.state == SubmissionState.LIVE).limit(1)
        ).one()
        live.publish(session, "ants", "standing", other)
        matches.schedule(session, game="ants", kind=MatchKind.LADDER, submission_ids=[other, other], seed=1, league=1)
    assert read(client)["as_of"] == first["as_of"]


# --- Some lines of it -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1, 2, 4])
def test_some_lines_have_the_places_that_they_have_on_the_whole_board(database: Database, step: int) -> None:
    with database.transaction() as session:
        for number, standing in enumerate(session.scalars(select(Standing).where(Standing.game == GAME))):
            standing.rating = 1000.0 + number * 7919 % 101
        whole = {row.submission.id: row.rank for row in boards.leaderboard(session, GAME, limit=100)}
        some = list(whole)[1::step]
        assert len(whole) >= 6
        rows = boards.leaderboard(session, GAME, limit=100, only=some)
        assert {row.submission.id: row.rank for row in rows} == {one: whole[one] for one in some}


@pytest.mark.long
def test_a_bot_is_restored_only_where_its_owner_may_have_one_more(settings: Settings, database: Database) -> None:
    with new_visitor(settings.model_copy(update={"bots_each": 1})) as client:
        first = submit(client, database, "first")
        with database.transaction() as session:
            standings.disable(session, first, "It crashes.")
        submit(client, database, "second", source="print('5 5')")
        refused = client.post(f"{API}/submissions/{first}/restore")
        assert refused.status_code == 409
        assert "at most 1 bots of yours on this ladder" in refused.text


@pytest.mark.long
def test_of_more_bots_than_one_may_have_the_best_stay_after_signing_in(settings: Settings, database: Database) -> None:
    account, limited = {"name": "Ada", "password": "correct horse"}, settings.model_copy(update={"bots_each": 2})
    with new_visitor(limited) as elsewhere:
        assert elsewhere.post(f"{API}/sign-up", json=account).status_code in {200, 201}
        own = [submit(elsewhere, database, name, source=f"print('{name}')") for name in ("worst", "best")]
    with new_visitor(limited) as client:
        guests = [submit(client, database, name, source=f"print('{name}')") for name in ("middle", "low")]
        with database.transaction() as session:
            for submission_id, rating in zip((*own, *guests), (900.0, 1400.0, 1200.0, 1100.0), strict=True):
                session.get_one(Standing, submission_id).rating = rating
        assert client.post(f"{API}/sign-in", json=account).status_code == 200
        with database.transaction() as session:
            states = {one: session.get_one(Submission, one).state for one in (*own, *guests)}
        live_ones = [one for one, state in states.items() if state == SubmissionState.LIVE]
        assert live_ones == [own[1], guests[0]]
        assert states[own[0]] == states[guests[1]] == SubmissionState.DISABLED
        left = client.get(f"{API}/submissions/{own[0]}").json()
        assert "more than 2 on this ladder" in left["problem"]
        with database.transaction() as session:
            disabled = select(Notice.submission_id).where(Notice.kind == NoticeKind.DISABLED).order_by(Notice.id)
            assert set(session.scalars(disabled)) == {own[0], guests[1]}
        assert client.post(f"{API}/submissions/{own[0]}/restore").status_code == 409
    with new_visitor(settings.model_copy(update={"bots_each": 1})) as lowered:
        submit(lowered, database, "elsewhere", source="print('1')", game="ants")
        assert lowered.post(f"{API}/sign-in", json=account).status_code == 200
        with database.transaction() as session:
            left_alone = [session.get_one(Submission, one).state for one in live_ones]
        assert left_alone == [SubmissionState.LIVE] * 2, "nothing leaves a ladder to which the guest brought no bot"


# --- What there should not be -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_result_at_a_rules_level_that_is_gone_rates_nobody_and_is_shown(
    client: TestClient, database: Database, bots: Bots
) -> None:
    def ratings() -> dict[str, tuple[float, int]]:
        return {row["bot"]: (row["rating"], row["games"]) for row in read(client)["items"]}

    play(database, bots, "Keystone", "Pebble")
    with database.transaction() as session:
        refits.refit(session, find_game(GAME))
    before = ratings()
    match_id = play(database, bots, "Pebble", "Keystone", seed=2)
    level = max(find_game(GAME).levels) + 1
    with database.transaction() as session:
        session.execute(update(Match).where(Match.id == match_id).values(league=level))
    for again in (refits.refit, refits.recompute):
        with database.transaction() as session:
            again(session, find_game(GAME))
        assert ratings() == before
    with database.transaction() as session:
        assert session.scalar(select(PendingResult.match_id)) is None
    assert client.get(f"{API}/matches/{match_id}").json()["league"] == level
    bot, submission = bots["Pebble"]
    for asked in ({"game": GAME}, {"bot": bot}, {"game": GAME, "league": level}):
        listed = client.get(f"{API}/matches", params=asked)
        assert listed.status_code == 200, listed.text
        assert match_id in [one["id"] for one in listed.json()["items"]], asked
    for path in (f"bots/{bot}", f"bots/{bot}/opponents", f"bots/{bot}/history", f"submissions/{submission}/rating"):
        assert client.get(f"{API}/{path}").status_code == 200, path
    assert client.get(f"{API}/games/{GAME}/ladder/matchups").status_code == 200


def test_where_all_bots_are_the_same_code_all_have_the_same_place_and_nobody_moves(
    client: TestClient, database: Database
) -> None:
    copies = [submit(client, database, name) for name in ("one", "two", "three")]
    with database.transaction() as session:
        others = update(Submission).where(Submission.game == GAME, Submission.id.not_in(copies))
        session.execute(others.where(Submission.state == SubmissionState.LIVE).values(state=SubmissionState.SUPERSEDED))
        session.execute(text("DELETE FROM match"))
        standings.publish_owner(session, session.get_one(Submission, copies[0]).user_id)
        matches.schedule(
            session, game=GAME, kind=MatchKind.LADDER, submission_ids=copies[:2], seed=1, league=1, priority=0
        )
        (lease,) = queue.lease(session, limit=9, seconds=60, max_attempts=3)
        claimed = queue.claim(session, lease.match_id, lease.token, seconds=60)
        assert claimed is not None
        matches.finish(session, claimed, matches.Report((0, 1), (1, 0), "because", 9, (), 1.0, "test", "x", "1", "d"))
    before = read(client)["items"]
    for again in (refits.refit, refits.recompute):
        with database.transaction() as session:
            again(session, find_game(GAME))
        rows = read(client)["items"]
        assert [(row["rank"], row["shared_with"]) for row in rows] == [(1, 2)] * 3
        assert [(row["placing"], row["all_repeat"]) for row in rows] == [(True, False)] * 3
        assert [row["league"] for row in rows] == [row["league"] for row in before]
        assert len({(row["rating"], row["low"], row["games"]) for row in rows}) == 1
    with database.transaction() as session:
        assert session.scalars(select(Notice)).all() == []
    matchups = client.get(f"{API}/games/{GAME}/ladder/matchups").json()
    assert (len(matchups["bots"]), matchups["pairs"]) == (1, [])
    for submission in copies:
        assert client.get(f"{API}/submissions/{submission}/rating").status_code == 200
