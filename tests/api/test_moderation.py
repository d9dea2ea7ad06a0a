"""What organisers do to an arena that runs: everybody sees it, nobody else may, and it is all in the log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from hexarena.backend.matches import life as matches, live
from hexarena.backend.models import (
    AuditEntry,
    Event,
    EventPairing,
    Match,
    MatchKind,
    MatchState,
    Submission,
    SubmissionState,
    User,
    UserRole,
)
from hexarena.backend.moderation import announcements
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.worker.scheduler import Scheduler
from tests.api.test_events_api import EVENTS, begin, new_event
from tests.backend.events.test_events import advance, claim_all, finish, play
from tests.backend.ladder.ladders import newcomers, play as finished, refit
from tests.conftest import new_visitor

API = "/api/v1"
NOBODYS = "correct horse battery"


@pytest.fixture
def organiser(client: TestClient, database: Database) -> TestClient:
    """Who is signed in and may organise."""
    client.post(f"{API}/sign-up", json={"name": "Ada", "password": NOBODYS})
    with database.transaction() as session:
        session.execute(update(User).where(User.name == "Ada").values(role=UserRole.ORGANISER))
    return client


def actions(organiser: TestClient) -> list[str]:
    return [one["action"] for one in organiser.get(f"{API}/audit").json()["items"]]


def user_id(database: Database, name: str) -> int:
    with database.transaction() as session:
        return session.scalars(select(User.id).where(User.name == name)).one()


def sign_up(visitor: TestClient, name: str, **more: str) -> None:
    assert visitor.post(f"{API}/sign-up", json={"name": name, "password": NOBODYS, **more}).status_code == 201


# --- Announcements ----------------------------------------------------------------------------------------------------


def test_an_announcement_is_for_everybody_until_it_is_withdrawn(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    with database.transaction() as session:
        before = live.now(session)
    said = organiser.post(f"{API}/announcements", json={"message": "  Pizza at six.  "})
    assert (said.status_code, said.json()["message"]) == (201, "Pizza at six.")
    with database.transaction() as session:
        assert [one.kind for one in live.changes_since(session, before, game=None)] == ["announcement"]
    with new_visitor(settings) as visitor:
        (shown,) = visitor.get(f"{API}/announcements").json()["items"]
        assert (shown["message"], shown["event_id"], shown["until"]) == ("Pizza at six.", None, None)
        assert visitor.delete(f"{API}/announcements/{shown['id']}").status_code == 401
        for _ in range(2):
            assert organiser.delete(f"{API}/announcements/{shown['id']}").status_code == 204
        assert visitor.get(f"{API}/announcements").json()["items"] == []
    assert actions(organiser) == ["withdraw announcement", "announce"]


def test_an_announcement_ends_by_itself(organiser: TestClient, database: Database) -> None:
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    made = organiser.post(f"{API}/announcements", json={"message": "Soon.", "until": soon}).json()
    assert [one["id"] for one in organiser.get(f"{API}/announcements").json()["items"]] == [made["id"]]
    with database.transaction() as session:
        session.connection().exec_driver_sql("UPDATE announcement SET until = now() - interval '1 second'")
    assert organiser.get(f"{API}/announcements").json()["items"] == []


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"message": " "}, 422, "message"),
        ({"message": "x" * 401}, 422, "message"),
        ({"message": "x", "until": "2020-01-01T00:00:00Z"}, 422, "never be shown"),
        ({"message": "x", "event": 99}, 404, "There is no event 99."),
        ({"message": "x", "event": 2**63}, 422, "event"),
    ],
)
def test_announcements_that_nobody_could_read_are_refused(
    organiser: TestClient, body: dict[str, object], status: int, said: str
) -> None:
    refused = organiser.post(f"{API}/announcements", json=body)
    assert (refused.status_code, said in refused.text) == (status, True)


def test_too_many_announcements_are_refused(organiser: TestClient) -> None:
    answers = [organiser.post(f"{API}/announcements", json={"message": str(one)}).status_code for one in range(21)]
    assert answers == [201] * 20 + [409]


def test_each_event_has_announcements_of_its_own_until_it_has_been_over_for_long(
    organiser: TestClient, database: Database
) -> None:
    made = [organiser.post(EVENTS, json=new_event(name=name)).json() for name in ("Cup", "Other cup")]
    first, other = (one["event"]["id"] for one in made)

    def announce(event: int | None) -> int:
        return organiser.post(f"{API}/announcements", json={"message": "Hear, hear.", "event": event}).status_code

    assert [announce(first) for _ in range(21)] == [201] * 20 + [409]
    assert (announce(other), announce(None)) == (201, 201)
    assert len(organiser.get(f"{API}/announcements").json()["items"]) == 22
    assert organiser.post(f"{EVENTS}/{first}/cancel", json={"reason": "Nobody came."}).status_code == 200
    assert len(organiser.get(f"{API}/announcements").json()["items"]) == 22, "its page may still say what follows"
    with database.transaction() as session:
        week_ago = datetime.now(UTC) - announcements.SHOWN_AFTER
        session.execute(update(Event).where(Event.id == first).values(finished_at=week_ago))
    assert [one["event_id"] for one in organiser.get(f"{API}/announcements").json()["items"]] == [None, other]
    assert announce(first) == 422


# --- Frozen ladders ---------------------------------------------------------------------------------------------------


def test_a_frozen_ladder_schedules_nothing_until_it_is_thawed(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    pair = newcomers(database, 2)
    refit(database)
    with database.transaction() as session:
        waiting = matches.schedule(
            session, game="yavalath", kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=3
        ).id
    frozen = organiser.post(f"{API}/games/yavalath/ladder/freeze", json={"reason": "Marks are being made."}).json()
    assert frozen["frozen_reason"] == "Marks are being made."
    with database.transaction() as session:
        match = session.get_one(Match, waiting)
        assert (match.state, match.void_reason) == (MatchState.VOID, "The ladder is frozen: Marks are being made.")
    scheduler = Scheduler(settings, database, Random(1))
    scheduler.tick(1_000.0)
    assert queued(database) == set()
    with new_visitor(settings) as visitor:
        assert visitor.get(f"{API}/games/yavalath/ladder").json()["frozen_reason"] == "Marks are being made."
        assert visitor.post(f"{API}/games/yavalath/ladder/thaw").status_code == 401
    for _ in range(2):
        assert organiser.post(f"{API}/games/yavalath/ladder/thaw").json()["frozen_at"] is None
    scheduler.tick(2_000.0)
    assert queued(database) == {"yavalath"}
    assert actions(organiser) == ["thaw ladder", "freeze ladder"]


def queued(database: Database) -> set[str]:
    """The games of which rated matches wait."""
    with database.transaction() as session:
        return set(session.scalars(select(Match.game).where(Match.state == MatchState.QUEUED)))


@pytest.mark.long
def test_a_paused_event_begins_nothing_until_it_goes_on(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    event_id = begin(organiser, database)
    paused = organiser.post(f"{EVENTS}/{event_id}/pause", json={"reason": "The network is down."}).json()
    assert (paused["phase"], paused["paused_reason"]) == ("freezing", "The network is down.")
    assert advance(database) == 0
    assert claim_all(database) == []
    with new_visitor(settings) as visitor:
        seen = visitor.get(f"{EVENTS}/{event_id}").json()
        assert (seen["frozen_at"], seen["paused_reason"]) == (None, "The network is down.")
        assert visitor.post(f"{EVENTS}/{event_id}/continue").status_code == 401
    for _ in range(2):
        assert organiser.post(f"{EVENTS}/{event_id}/continue").json()["paused_reason"] is None
    play(database, event_id)
    assert organiser.get(f"{EVENTS}/{event_id}").json()["phase"] == "done"
    refused = organiser.post(f"{EVENTS}/{event_id}/pause", json={"reason": "x"})
    assert refused.status_code == 409
    assert actions(organiser)[:2] == ["continue event", "pause event"]


# --- Seasons ----------------------------------------------------------------------------------------------------------


def test_an_organiser_begins_a_season_and_everybody_can_read_the_last_one_s_table(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    seasons = f"{API}/games/yavalath/seasons"
    assert organiser.get(seasons).json() == {"items": []}
    refused = organiser.post(seasons, json={})
    assert (refused.status_code, "No match of this season was rated yet." in refused.text) == (409, True)
    strong, weak = newcomers(database, 2)
    for _ in range(3):
        finished(database, (strong, weak), (0, 1))
    with database.transaction() as session:
        before = live.now(session)
    begun = organiser.post(seasons, json={"name": "  Spring 2027 "})
    assert (begun.status_code, begun.json()["number"], begun.json()["name"]) == (201, 2, "Spring 2027")
    with database.transaction() as session:
        assert "ladder" in {one.kind for one in live.changes_since(session, before, game="yavalath")}
    with new_visitor(settings) as visitor:
        assert [one["name"] for one in visitor.get(seasons).json()["items"]] == ["Spring 2027", "Season 1"]
        table = visitor.get(f"{seasons}/1").json()
        mine = [row for row in table["items"] if row["submission_id"] in (strong, weak)]
        assert [(row["submission_id"], row["games"], row["wins"]) for row in mine] == [(strong, 3, 3), (weak, 3, 0)]
        assert table["ended_at"] == begun.json()["started_at"] == mine[0]["since"]
        rows = visitor.get(f"{seasons}/1", params={"format": "csv"}).text.splitlines()
        assert (rows[0].split(",")[:2], len(rows)) == (["rank", "bot"], 1 + len(table["items"]))
        assert visitor.get(f"{seasons}/2").json()["items"] == []
        assert visitor.get(f"{seasons}/3").status_code == 404
        assert visitor.post(seasons, json={}).status_code == 401
    assert organiser.post(seasons, json={"name": " "}).status_code == 422
    assert actions(organiser)[0] == "start season"


# --- Bans -------------------------------------------------------------------------------------------------------------


def test_whoever_is_banned_does_nothing_more_here(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    event = organiser.post(EVENTS, json=new_event()).json()["event"]["id"]
    with new_visitor(settings) as eve:
        sign_up(eve, "Eve")
        token = eve.post(f"{API}/me/tokens", json={"name": "t", "scopes": ["submit", "play"]}).json()["token"]
        code = {"game": "yavalath", "bot": "Evil", "language": "python", "source": "print()"}
        submitted = eve.post(f"{API}/submissions", json=code).json()
        go_live(database, submitted["id"])
        assert eve.post(f"{EVENTS}/{event}/entries", json={"bot": submitted["bot_id"]}).status_code == 200
        waits = eve.post(f"{API}/submissions", json={**code, "source": "print(1)"}).json()["id"]
        board = eve.get(f"{API}/games/yavalath/leaderboard?limit=2").json()["items"]
        asked = {"game": "yavalath", "candidate": board[0]["submission_id"], "baseline": board[1]["submission_id"]}
        duel = eve.post(f"{API}/duels", json=asked).json()["id"]
        organiser.post(f"{EVENTS}/{event}/organisers", json={"name": "Eve"})
        banned = organiser.post(f"{API}/users/{user_id(database, 'Eve')}/ban", json={"reason": "She shared her code."})
        assert banned.json()["ban_reason"] == "She shared her code."
        # Her session is over.
        assert eve.get(f"{API}/games").status_code == 200
        assert eve.post(f"{API}/submissions", json=code).status_code in {401, 403}
        refused = eve.post(f"{API}/sign-in", json={"name": "Eve", "password": NOBODYS})
        assert (refused.status_code, "She shared her code." in refused.text) == (403, True)
        by_token = eve.post(f"{API}/submissions", json=code, headers={"Authorization": f"Bearer {token}"})
        assert (by_token.status_code, "She shared her code." in by_token.text) == (403, True)
        with database.transaction() as session:
            states = dict(session.execute(select(Submission.id, Submission.state)).all())
        assert states[submitted["id"]] == SubmissionState.DISABLED
        assert states[waits] == SubmissionState.FAILED
        assert organiser.get(f"{API}/duels/{duel}").json()["state"] == "cancelled"
        assert organiser.get(f"{EVENTS}/{event}").json()["organisers"] == []
        (entry,) = organiser.get(f"{EVENTS}/{event}").json()["entries"]
        assert (entry["state"], entry["reason"]) == ("out", "She shared her code.")
        for _ in range(2):
            assert organiser.post(f"{API}/users/{user_id(database, 'Eve')}/unban").json()["banned_at"] is None
        assert eve.post(f"{API}/sign-in", json={"name": "Eve", "password": NOBODYS}).status_code == 200
        assert eve.post(f"{API}/submissions/{submitted['id']}/restore").status_code == 200
    assert actions(organiser)[:3] == ["unban", "ban", "disqualify"]


def test_a_banned_guest_may_look_and_do_nothing_else(organiser: TestClient, settings: Settings) -> None:
    code = {"game": "yavalath", "bot": "Evil guest", "language": "python", "source": "print()"}
    with new_visitor(settings) as guest:
        assert guest.post(f"{API}/submissions", json=code).status_code == 201
        me = guest.get(f"{API}/me").json()["id"]
        assert organiser.post(f"{API}/users/{me}/ban", json={"reason": "It floods."}).status_code == 200
        for method, path, body in (
            ("POST", "submissions", {**code, "source": "print(1)"}),
            ("POST", "matches", {"game": "yavalath", "language": "python", "source": "print()", "opponent": 1}),
            ("PATCH", "me", {"name": "Somebody else"}),
        ):
            refused = guest.request(method, f"{API}/{path}", json=body)
            assert (refused.status_code, "It floods." in refused.text) == (403, True), path
        assert guest.get(f"{API}/games").status_code == 200
        assert organiser.post(f"{API}/users/{me}/unban").status_code == 200
        assert guest.patch(f"{API}/me", json={"name": "Somebody else"}).status_code == 200


def go_live(database: Database, submission_id: int) -> None:
    from hexarena.backend.submissions import life as submissions

    with database.transaction() as session:
        matches.void_queued_with(session, [submission_id], "Not needed here.")
        submissions.go_live(session, submission_id)


def test_neither_organisers_nor_house_bots_are_banned(organiser: TestClient, database: Database) -> None:
    own = organiser.post(f"{API}/users/{user_id(database, 'Ada')}/ban", json={"reason": "x"})
    assert (own.status_code, own.json()["got"]) == (409, "an organiser")
    with database.transaction() as session:
        house = session.scalars(select(User.id).where(User.kind == "house")).one()
    assert organiser.post(f"{API}/users/{house}/ban", json={"reason": "x"}).status_code == 404
    assert organiser.post(f"{API}/users/{10**9}/unban").status_code == 404


# --- Annulled matches, and the log ------------------------------------------------------------------------------------


@pytest.mark.long
def test_an_annulled_match_of_a_final_is_played_again(organiser: TestClient, database: Database) -> None:
    event_id = begin(organiser, database)
    advance(database)
    for claimed in claim_all(database):
        finish(database, claimed, 0)
    with database.transaction() as session:
        done = select(Match.id).where(Match.kind == MatchKind.EVENT, Match.state == MatchState.DONE)
        match_id = session.scalars(done.order_by(Match.id).limit(1)).one()
    shown = organiser.post(f"{API}/matches/{match_id}/annul", json={"reason": "The wrong map."}).json()
    assert (shown["state"], shown["void_reason"]) == ("void", "The wrong map.")
    again = organiser.post(f"{API}/matches/{match_id}/annul", json={"reason": "The wrong map."})
    assert again.status_code == 409
    play(database, event_id)
    with database.transaction() as session:
        assert session.get_one(Event, event_id).state == "done"
        pairing = session.scalars(select(Match.pairing_id).where(Match.id == match_id)).one()
        games = select(Match.pairing_game, func.count()).where(Match.pairing_id == pairing, Match.state == "done")
        assert set(dict(session.execute(games.group_by(Match.pairing_game)).all()).values()) == {1}
    assert "annul match" in actions(organiser)


def test_invitations_and_who_becomes_an_organiser_by_one_are_in_the_log(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    wanted = {"role": "organiser", "uses": 2, "days": 3, "note": "for Bob"}
    invitation = organiser.post(f"{API}/invites", json=wanted).json()
    with new_visitor(settings) as visitor:
        sign_up(visitor, "Bob", invite=invitation["code"])
    plain = organiser.post(f"{API}/invites", json={}).json()
    with new_visitor(settings) as visitor:
        sign_up(visitor, "Eve", invite=plain["code"])
    organiser.delete(f"{API}/invites/{invitation['id']}")
    noted = [(one["by"], one["action"], one["detail"]) for one in organiser.get(f"{API}/audit").json()["items"]]
    bob = {"person": "Bob", "person_id": user_id(database, "Bob")}
    assert noted == [
        ("Ada", "revoke invitation", {"invitation": invitation["id"]}),
        ("Ada", "make invitation", {"invitation": plain["id"], "role": "user", "uses": 1, "days": 14, "note": ""}),
        ("Bob", "become organiser by invitation", bob),
        ("Ada", "make invitation", {"invitation": invitation["id"], **wanted}),
    ]


def test_changed_roles_are_in_the_log(organiser: TestClient, database: Database, settings: Settings) -> None:
    with new_visitor(settings) as visitor:
        sign_up(visitor, "Bob")
    bob = user_id(database, "Bob")
    organiser.patch(f"{API}/users/{bob}", json={"role": "organiser"})
    (noted,) = organiser.get(f"{API}/audit").json()["items"]
    assert (noted["action"], noted["by"]) == ("change role", "Ada")
    assert noted["detail"] == {"person": "Bob", "person_id": bob, "role": "organiser"}
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(AuditEntry)) == 1


# --- Reruns -----------------------------------------------------------------------------------------------------------


def test_a_rerun_is_shown_on_both_pages_and_in_the_log(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    first = finished(database, newcomers(database, 2))
    address, why = f"{API}/matches/{first}/rerun", {"reason": " The machine stood still. "}
    assert organiser.get(f"{API}/matches/{first}").json()["can_rerun"]
    with new_visitor(settings) as visitor:
        assert visitor.post(address, json=why).status_code == 401
        sign_up(visitor, "Grace")
        assert visitor.post(address, json=why).status_code == 403
        assert visitor.post(f"{API}/matches/999999/rerun", json=why).status_code == 403
        for body in ({}, {"reason": " "}, {"reason": "x" * 401}, {**why, "seed": "7"}):
            assert organiser.post(address, json=body).status_code == 422
        made = organiser.post(address, json=why)
        assert made.status_code == 201, made.text
        again = made.json()
        said = {"match": first, "reason": "The machine stood still."}
        assert (again["rerun_of"], again["rerun"], again["state"]) == (said, None, "queued")
        assert (again["can_rerun"], visitor.get(f"{API}/matches/{first}").json()["can_rerun"]) == (False, False)
        seen = visitor.get(f"{API}/matches/{first}").json()
        assert (seen["state"], seen["rerun"]) == ("void", {**said, "match": again["id"]})
        assert (seen["seed"], seen["rerun_of"]) == (again["seed"], None)
        assert [one["submission_id"] for one in seen["seats"]] == [one["submission_id"] for one in again["seats"]]
        listed = {one["id"]: one for one in visitor.get(f"{API}/matches").json()["items"]}
        assert listed[first]["rerun"] == seen["rerun"]
    refused = organiser.post(address, json=why)
    assert (refused.status_code, refused.json()["got"]) == (409, f"match {again['id']}")
    assert organiser.post(f"{API}/matches/999999/rerun", json=why).status_code == 404
    assert actions(organiser) == ["rerun match"]


@pytest.mark.long
def test_an_event_s_own_organiser_reruns_its_matches_and_no_others(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    mine, other = begin(organiser, database), begin(organiser, database)
    for event_id in (mine, other):
        play(database, event_id)
    why = {"reason": "The hall was dark."}
    with new_visitor(settings) as grace:
        sign_up(grace, "Grace")
        assert organiser.post(f"{EVENTS}/{mine}/organisers", json={"name": "Grace"}).status_code == 200
        assert grace.post(f"{API}/matches/{last_match(database, other)}/rerun", json=why).status_code == 403
        made = grace.post(f"{API}/matches/{last_match(database, mine)}/rerun", json=why)
        assert made.status_code == 201, made.text
        assert grace.get(f"{EVENTS}/{mine}").json()["phase"] == "playing"
        play(database, mine)
        assert grace.get(f"{EVENTS}/{mine}").json()["phase"] == "done"
        (newest, *_) = grace.get(f"{API}/audit", params={"event": mine}).json()["items"]
        assert (newest["action"], newest["by"]) == ("rerun match", "Grace")


def last_match(database: Database, event_id: int) -> int:
    """The last one that counts."""
    with database.transaction() as session:
        of_event = select(func.max(Match.id)).join(EventPairing, EventPairing.id == Match.pairing_id)
        done = of_event.where(EventPairing.event_id == event_id, Match.state == MatchState.DONE)
        return session.scalar(done) or 0
