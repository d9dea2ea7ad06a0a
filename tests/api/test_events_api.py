"""Events over HTTP: who may do what, what visitors see, and what is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient
from pypdf import PdfReader
from sqlalchemy import func, select, update

from hexarena.backend.errors import NotFound
from hexarena.backend.events import published
from hexarena.backend.models import (
    Bot,
    EntryState,
    Event,
    EventEntry,
    EventPairing,
    EventState,
    Match,
    MatchKind,
    MatchSeat,
    Submission,
    SubmissionState,
    User,
    UserRole,
)
from hexarena.backend.practice import forks
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import export, life as submissions
from hexarena.games.catalogue import find_game
from tests.api.played import house_bots
from tests.backend.events.test_events import advance, bot, pass_deadline, play, user
from tests.backend.events.test_heat_rows import play as play_heats
from tests.backend.events.test_own_ladder import play as play_ladder
from tests.conftest import new_visitor

EVENTS = "/api/v1/events"
CUP = [{"form": "groups", "groups": 2, "seeds": 1, "advance": 1}, {"form": "knockout", "best_of": 2}]


def new_event(**changes: Any) -> dict[str, Any]:
    deadline = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    return {"game": "yavalath", "name": "Cup", "deadline": deadline, "stages": CUP} | changes


@pytest.fixture
def organiser(client: TestClient, database: Database) -> TestClient:
    """Who is signed in and may organise."""
    client.post("/api/v1/sign-up", json={"name": "Ada", "password": "correct horse battery"})
    with database.transaction() as session:
        session.execute(update(User).where(User.name == "Ada").values(role=UserRole.ORGANISER))
    return client


def begin(organiser: TestClient, database: Database, *, house: int = 0, **changes: Any) -> int:
    """An event of four bots whose deadline is over, so many of them the house's, the first ones: its id."""
    event_id = organiser.post(EVENTS, json=new_event(**changes)).json()["event"]["id"]
    bots = [house_bots(database)[name][0] for name in sorted(house_bots(database))[:house]]
    with database.transaction() as session:
        bots += [bot(session, user(session)) for _ in range(4 - house)]
    for one in bots:
        entered = organiser.post(f"{EVENTS}/{event_id}/entries", json={"bot": one})
        assert entered.status_code == 200, entered.text
    with database.transaction() as session:
        hour = {"opens_at": func.now() - timedelta(hours=1), "deadline": func.now()}
        session.execute(update(Event).where(Event.id == event_id).values(**hour))
    return int(event_id)


def test_an_organiser_makes_an_event_that_everybody_sees(organiser: TestClient, settings: Settings) -> None:
    made = organiser.post(EVENTS, json=new_event(invited=True)).json()
    assert len(made["code"]) == len("abcd-efgh-jkmn")
    with new_visitor(settings) as visitor:
        (listed,) = visitor.get(EVENTS).json()["items"]
        seen = visitor.get(f"{EVENTS}/{listed['id']}").json()
        assert (seen["phase"], seen["invited"], seen["secret"], seen["organised"]) == ("open", True, None, False)
        assert len(seen["commitment"]) == 64
        assert made["code"] not in str(seen)
        assert visitor.get(EVENTS, params={"game": "ants"}).json()["items"] == []
        for what, address in (
            ("cancel", f"{EVENTS}/{seen['id']}/cancel"),
            ("release", f"{EVENTS}/{seen['id']}/release"),
            ("create", EVENTS),
        ):
            refused = visitor.post(address, json={"reason": "x"} if what == "cancel" else new_event())
            assert refused.status_code == 401, what
        assert visitor.get("/api/v1/audit").status_code == 401


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({"deadline": "2020-01-01T00:00:00Z"}, 422, "The deadline is over."),
        ({"stages": [{"form": "swiss"}]}, 422, "A Swiss stage has rounds."),
        ({"stages": [{"form": "knockout"}, {"form": "knockout"}]}, 422, "lets some advance"),
        ({"game": "chess"}, 404, "chess"),
        ({"name": "   "}, 422, "a line of 1 to 80 characters"),
        ({"name": "x" * 81}, 422, "a line of 1 to 80 characters"),
        ({"name": "\u200d"}, 422, "a line of 1 to 80 characters"),
        ({"name": "Cup \u202e2026"}, 422, "without control characters"),
        ({"deadline": "2030-01-01T00:00:00"}, 422, "a time with its zone, such as"),
        ({"stages": []}, 422, "stages"),
        ({"languages": ["rust", "C++"]}, 422, "one of python, c, cpp"),
    ],
)
def test_events_that_make_no_sense_are_refused(
    organiser: TestClient, changes: dict[str, Any], status: int, said: str
) -> None:
    refused = organiser.post(EVENTS, json=new_event(**changes))
    assert refused.status_code == status
    assert said in refused.text
    assert organiser.get(EVENTS).json()["items"] == []


def test_a_preview_says_what_a_final_costs(organiser: TestClient) -> None:
    asked = {"game": "yavalath", "entrants": 16, "stages": CUP}
    assert organiser.post(f"{EVENTS}/preview", json=asked).json()["games"] == [2 * 28 * 2, 2]
    too_much = {**asked, "entrants": 1024, "stages": [{"form": "round robin"}]}
    refused = organiser.post(f"{EVENTS}/preview", json=too_much)
    assert (refused.status_code, "40,000 pairings" in refused.json()["expected"]) == (422, True)


def test_the_list_of_events_comes_in_pages(organiser: TestClient, database: Database) -> None:
    """Open ones by deadline, then those that are over, newest first; two have the same deadline."""
    made = [organiser.post(EVENTS, json=new_event(name=f"Cup {one}")).json()["event"]["id"] for one in range(6)]
    with database.transaction() as session:
        for event_id, hours in zip(made, (3, 1, 2, -3, -1, -1), strict=True):
            over = {"state": EventState.CANCELLED, "finished_at": func.now()} if hours < 0 else {}
            times = {"opens_at": func.now() - timedelta(hours=9), "deadline": func.now() + timedelta(hours=hours)}
            session.execute(update(Event).where(Event.id == event_id).values(**times, **over))
    for limit in (1, 2, 4):
        seen: list[int] = []
        page = organiser.get(EVENTS, params={"limit": limit}).json()
        seen += [one["id"] for one in page["items"]]
        while page["next"] is not None:
            page = organiser.get(EVENTS, params={"limit": limit, "after": page["next"]}).json()
            seen += [one["id"] for one in page["items"]]
        assert seen == [made[1], made[2], made[0], made[4], made[5], made[3]]
    assert organiser.get(EVENTS, params={"limit": 6}).json()["next"] is None
    assert organiser.get(EVENTS, params={"after": 10**6}).status_code == 404


@pytest.mark.long
def test_results_that_are_held_back_are_nowhere(organiser: TestClient, database: Database, settings: Settings) -> None:
    event_id = begin(organiser, database, held=True)
    play(database, event_id)
    with database.transaction() as session:
        match_id = session.scalars(select(Match.id).where(Match.kind == MatchKind.EVENT)).first()
    addresses = [f"/api/v1/matches/{match_id}", f"/api/v1/matches/{match_id}/replay", f"{EVENTS}/{event_id}/file"]
    pairing = organiser.get(f"{EVENTS}/{event_id}/stages/1").json()["pairings"][0]["id"]
    addresses.append(f"{EVENTS}/{event_id}/pairings/{pairing}")
    with new_visitor(settings) as visitor:
        for address in addresses:
            assert visitor.get(address).status_code == 404, address
        assert visitor.get(f"/api/v1/matches/{match_id}/live").status_code == 404
        seen = visitor.get(f"{EVENTS}/{event_id}").json()
        assert (seen["hidden"], seen["winners"], seen["secret"]) == (True, [], None)
        assert {one["place"] for one in seen["entries"]} == {None}
        assert visitor.get(f"{EVENTS}/{event_id}/stages/1").json()["entrants"] == []
        groups = visitor.get(f"{EVENTS}/{event_id}/stages/0").json()
        assert [row["played"] for group in groups["groups"] for row in group["rows"]] == [0] * 4
        assert visitor.get("/api/v1/matches", params={"kind": "event"}).json()["items"] == []
        endings = "/api/v1/games/yavalath/endings"
        assert visitor.get(endings).json()["items"] == []
        assert {one.split(",")[0] for one in _csv(visitor, event_id)} == {""}
        assert organiser.get(addresses[0]).status_code == 200
        assert organiser.get(addresses[3]).status_code == 200
        organiser.post(f"{EVENTS}/{event_id}/release")
        assert visitor.get(f"{EVENTS}/{event_id}").json()["winners"][0]["place"] == 1
        assert visitor.get(addresses[0]).status_code == 200
        assert visitor.get(endings).json()["items"]


def test_the_published_file_is_written_once_for_all_who_ask(
    organiser: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    event_id = begin(organiser, database)
    play(database, event_id)
    written: list[Path] = []

    def write(file: Path, *given: Any) -> None:
        written.append(file)
        published_write(file, *given)

    published_write = published.write
    monkeypatch.setattr(published, "write", write)
    with ThreadPoolExecutor(4) as pool:
        files = [pool.submit(organiser.get, f"{EVENTS}/{event_id}/file") for _ in range(4)]
        assert {one.result().status_code for one in files} == {200}
        assert len({one.result().content for one in files}) == 1
    assert len(written) == 1


@pytest.mark.long
def test_owners_neither_play_held_matches_on_nor_find_them_in_their_archive(
    organiser: TestClient, database: Database
) -> None:
    event_id = begin(organiser, database, held=True)
    play(database, event_id)
    with database.transaction() as session:
        match_id = session.scalars(select(Match.id).where(Match.kind == MatchKind.EVENT)).first() or 0
        seat = select(Submission.user_id).join(MatchSeat).where(MatchSeat.match_id == match_id)
        owner_id = session.scalars(seat).first()

    def archived() -> bool:
        with database.transaction() as session:
            written = export.matches_of(session, session.get_one(User, owner_id))
        return f"\n{match_id}," in written

    def forked() -> Match:
        with database.transaction() as session:
            owner, game = session.get_one(User, owner_id), find_game("yavalath")
            return forks.start(
                session, owner, game=game, match_id=match_id, turn=0, language="python", source=b"print('4 4')"
            )

    with pytest.raises(NotFound, match="had no seat"):
        forked()
    assert not archived()
    assert organiser.get(f"/api/v1/matches/{match_id}").status_code == 200
    organiser.post(f"{EVENTS}/{event_id}/release")
    assert archived()
    assert forked().fork_of == match_id


def _csv(visitor: TestClient, event_id: int) -> list[str]:
    return visitor.get(f"{EVENTS}/{event_id}/table", params={"format": "csv"}).text.splitlines()[1:]


def test_organisers_change_disqualify_and_read_the_log(organiser: TestClient, database: Database) -> None:
    event_id = begin(organiser, database, invited=True)
    later = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    changed = organiser.patch(f"{EVENTS}/{event_id}", json={"deadline": later, "name": "Spring cup"}).json()
    assert (changed["name"], changed["phase"]) == ("Spring cup", "open")
    entry = changed["entries"][0]["id"]
    out = organiser.post(f"{EVENTS}/{event_id}/entries/{entry}/disqualify", json={"reason": "It copied."}).json()
    assert ("out", "It copied.") in {(one["state"], one["reason"]) for one in out["entries"]}
    again = organiser.post(f"{EVENTS}/{event_id}/entries", json={"bot": changed["entries"][0]["bot_id"]})
    assert (again.status_code, again.json()["got"]) == (409, "It copied.")
    assert organiser.post(f"{EVENTS}/{event_id}/code").json()["code"]
    everybody = organiser.post(EVENTS, json=new_event()).json()["event"]["id"]
    assert organiser.post(f"{EVENTS}/{everybody}/code").status_code == 409
    organiser.post(f"{EVENTS}/{event_id}/cancel", json={"reason": "Fire alarm."})
    noted = organiser.get("/api/v1/audit", params={"event": event_id}).json()["items"]
    actions = [one["action"] for one in noted if one["action"] != "enter bot"]
    assert actions == ["cancel event", "renew code", "disqualify", "change event", "create event"]
    assert {one["by"] for one in noted} == {"Ada"}
    (moved,) = (one["detail"] for one in noted if one["action"] == "change event")
    assert moved == {"changed": ["deadline", "name"], "deadline": later}


@pytest.mark.long
def test_entrants_of_an_event_that_is_over_have_certificates(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    event_id = begin(organiser, database, name="Cup & <Saucer>", held=True)
    entries = organiser.get(f"{EVENTS}/{event_id}").json()["entries"]
    addresses = [f"{EVENTS}/{event_id}/entries/{one['id']}/certificate" for one in entries]
    assert organiser.get(addresses[0]).status_code == 404
    play(database, event_id)
    other = organiser.post(EVENTS, json=new_event()).json()["event"]["id"]
    assert organiser.get(f"{EVENTS}/{other}/entries/{entries[0]['id']}/certificate").status_code == 404
    with new_visitor(settings) as visitor:
        assert visitor.get(addresses[0]).status_code == 404
        organiser.post(f"{EVENTS}/{event_id}/release")
        pictures = [visitor.get(address) for address in addresses]
    assert {one.headers["content-type"].partition(";")[0] for one in pictures} == {"image/svg+xml"}
    texts = [["".join(line.itertext()) for line in ElementTree.fromstring(one.text)] for one in pictures]  # noqa: S314
    assert sorted(line for text in texts for line in text if line.endswith(" place")) == [
        "1st place",
        "2nd place",
        "3rd place",
        "4th place",
    ]
    for text, entry in zip(texts, entries, strict=True):
        assert {"Cup & <Saucer>", "Yavalath", "of 4 bots", entry["bot"]} <= set(text)
        assert f"http://testserver/events/{event_id}" in text


@pytest.mark.long
def test_certificates_are_pdfs_too_and_all_of_them_one_for_organisers(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    event_id = begin(organiser, database, held=True)
    entry = organiser.get(f"{EVENTS}/{event_id}").json()["entries"][0]["id"]
    one, everything = f"{EVENTS}/{event_id}/entries/{entry}/certificate", f"{EVENTS}/{event_id}/certificates"
    as_pdf = {"format": "pdf"}
    assert [organiser.get(one, params=as_pdf).status_code, organiser.get(everything).status_code] == [404, 404]
    play(database, event_id)
    with new_visitor(settings) as visitor, new_visitor(settings) as grace:
        assert visitor.get(one, params=as_pdf).status_code == 404
        assert visitor.get(everything).status_code == 401
        sign_up(grace, "Grace Hopper")
        assert grace.get(everything).status_code == 403
        organiser.post(f"{EVENTS}/{event_id}/organisers", json={"name": "Grace Hopper"})
        made = grace.get(everything)
        assert (made.status_code, made.headers["content-type"]) == (200, "application/pdf")
        places = [page.extract_text().splitlines()[2] for page in PdfReader(BytesIO(made.content)).pages]
        assert places == ["1st place", "2nd place", "3rd place", "4th place"]
        organiser.post(f"{EVENTS}/{event_id}/release")
        assert grace.get(f"{EVENTS}/999999/certificates").status_code == 404
        assert visitor.get(everything).status_code == 401
        single = visitor.get(one, params=as_pdf)
        assert single.headers["content-type"] == "application/pdf"
        assert len(PdfReader(BytesIO(single.content)).pages) == 1
        assert visitor.get(one, params={"format": "docx"}).status_code == 422


@pytest.mark.long
def test_who_is_disqualified_is_no_winner_and_has_no_certificate(organiser: TestClient, database: Database) -> None:
    event_id = begin(organiser, database, stages=[{"form": "round robin", "seeds": 1}])
    address = f"{EVENTS}/{event_id}"
    advance(database)
    out = {one["id"] for one in organiser.get(address).json()["entries"][:2]}
    for one in out:
        organiser.post(f"{address}/entries/{one}/disqualify", json={"reason": "It copied."})
    play(database, event_id)
    seen = organiser.get(address).json()
    assert [(one["place"], one["prize_place"]) for one in seen["entries"]] == [(1, 1), (2, 2), (3, None), (4, None)]
    assert {one["id"] for one in seen["entries"][2:]} == out
    assert [one["place"] for one in seen["winners"]] == [1, 2]
    pages = PdfReader(BytesIO(organiser.get(f"{address}/certificates").content)).pages
    assert ["of 2 bots" in page.extract_text() for page in pages] == [True] * 2
    assert {organiser.get(f"{address}/entries/{one}/certificate").status_code for one in out} == {404}


@pytest.mark.long
def test_house_bots_have_no_certificate_and_are_left_out_of_the_places_of_others(
    organiser: TestClient, database: Database
) -> None:
    event_id = begin(organiser, database, house=2, stages=[{"form": "round robin", "seeds": 1}])
    play(database, event_id)
    entries = organiser.get(f"{EVENTS}/{event_id}").json()["entries"]
    assert [(one["place"], one["prize_place"]) for one in entries] == [(1, None), (2, None), (3, 1), (4, 2)]
    answers = [organiser.get(f"{EVENTS}/{event_id}/entries/{one['id']}/certificate") for one in entries]
    assert [one.status_code for one in answers] == [404, 404, 200, 200]
    assert answers[0].json()["expected"].startswith("an entrant with a place, no house bot and not out,")
    texts = [["".join(line.itertext()) for line in ElementTree.fromstring(one.text)] for one in answers[2:]]  # noqa: S314
    for text, place in zip(texts, ("1st place", "2nd place"), strict=True):
        assert {place, "of 2 bots, house bots left out"} <= set(text)
    pages = PdfReader(BytesIO(organiser.get(f"{EVENTS}/{event_id}/certificates").content)).pages
    assert [page.extract_text().splitlines()[2] for page in pages] == ["1st place", "2nd place"]
    header, *rows = organiser.get(f"{EVENTS}/{event_id}/table", params={"format": "csv"}).text.splitlines()
    assert header.endswith(",prize_place,outside_prizes,low,high")
    assert [row.rsplit(",", 4)[1] for row in rows] == ["", "", "1", "2"]
    assert [one["place"] for one in organiser.get(f"{EVENTS}/{event_id}").json()["winners"]] == [1, 2]


def test_organisers_enter_house_bots_and_take_them_out_again(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    event_id = organiser.post(EVENTS, json=new_event()).json()["event"]["id"]
    address, (name, *_) = f"{EVENTS}/{event_id}/entries", sorted(house_bots(database))
    with database.transaction() as session:
        somebody_s = bot(session, user(session))
    with new_visitor(settings) as grace:
        sign_up(grace, "Grace")
        new = {"bot": house_bots(database)[name][0]}
        assert grace.post(address, json=new).status_code == 403
        organiser.post(f"{EVENTS}/{event_id}/organisers", json={"name": "Grace"})
        (entry,) = grace.post(address, json=new).json()["entries"]
        assert (entry["bot"], entry["state"], entry["outside_prizes"]) == (name, "entered", True)
        assert grace.delete(f"{address}/{entry['id']}").json()["entries"] == []
        noted = grace.get("/api/v1/audit", params={"event": event_id}).json()["items"][:2]
        assert [(one["action"], one["by"], one["detail"]["bot"]) for one in noted] == [
            ("withdraw bot", "Grace", name),
            ("enter bot", "Grace", name),
        ]
        (other,) = organiser.post(address, json={"bot": somebody_s}).json()["entries"]
        refused = grace.delete(f"{address}/{other['id']}")
        assert (refused.status_code, "organisers may withdraw house bots" in refused.text) == (403, True)


def test_a_token_of_an_organiser_organises_only_if_that_is_its_scope(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    held = organiser.post(EVENTS, json=new_event(held=True, listed=["Ada"])).json()["event"]["id"]
    address, (house, *_) = f"{EVENTS}/{held}", sorted(house_bots(database).items())
    for scopes, may in ((["submit"], False), (["submit", "organise"], True)):
        made = organiser.post("/api/v1/me/tokens", json={"name": " ".join(scopes), "scopes": scopes}).json()
        with new_visitor(settings) as script:
            script.headers["Authorization"] = f"Bearer {made['token']}"
            assert script.get(address).json()["listed"] == (["Ada"] if may else None)
            entered = script.post(f"{address}/entries", json={"bot": house[1][0]})
            assert entered.status_code == (200 if may else 403), entered.text


def sign_up(client: TestClient, name: str) -> None:
    signed = client.post("/api/v1/sign-up", json={"name": name, "password": "correct horse battery"})
    assert signed.status_code < 300, signed.text


@pytest.mark.long
def test_who_is_named_for_an_event_organises_that_one_and_nothing_else(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    held, other = begin(organiser, database, held=True), begin(organiser, database)
    play(database, held)
    with database.transaction() as session:
        of_held = select(EventPairing.id).where(EventPairing.event_id == held)
        match_id = session.scalars(select(Match.id).where(Match.pairing_id.in_(of_held))).first()
    with new_visitor(settings) as grace:
        sign_up(grace, "Grace Hopper")
        assert grace.get(f"{EVENTS}/{held}").json()["hidden"]
        assert organiser.post(f"{EVENTS}/{held}/organisers", json={"name": "nobody"}).status_code == 404
        assert grace.post(f"{EVENTS}/{held}/organisers", json={"name": "Grace Hopper"}).status_code == 403
        named = organiser.post(f"{EVENTS}/{held}/organisers", json={"name": "grace hopper"}).json()
        assert [one["name"] for one in named["organisers"]] == ["Grace Hopper"]

        seen = grace.get(f"{EVENTS}/{held}").json()
        assert (seen["organised"], seen["hidden"]) == (True, False)
        assert [one["hidden"] for one in grace.get(EVENTS).json()["items"] if one["id"] == held] == [False]
        assert grace.get(f"/api/v1/matches/{match_id}").status_code == 200
        said = {"message": "Pizza at six.", "event": held}
        announced = grace.post("/api/v1/announcements", json=said)
        assert announced.status_code == 201, announced.text
        assert grace.delete(f"/api/v1/announcements/{announced.json()['id']}").status_code == 204
        assert grace.get("/api/v1/audit", params={"event": held}).json()["items"][0]["by"] == "Grace Hopper"
        annulled = grace.post(f"/api/v1/matches/{match_id}/annul", json={"reason": "The hall was dark."})
        assert annulled.status_code == 409, "he may, but its final is over"
        assert grace.post(f"{EVENTS}/{held}/release").json()["held"] is False

        why = {"reason": "Mine now."}
        elsewhere = grace.post("/api/v1/announcements", json={"message": "x", "event": other})
        for refused in (
            elsewhere,
            grace.post("/api/v1/announcements", json={"message": "To everybody."}),
            grace.get("/api/v1/audit"),
            grace.get("/api/v1/audit", params={"event": other}),
            grace.post(f"{EVENTS}/{other}/cancel", json=why),
            grace.post(f"{EVENTS}/{other}/pause", json=why),
            grace.patch(f"{EVENTS}/{other}", json={"name": "Mine"}),
            grace.post(EVENTS, json=new_event()),
            grace.post("/api/v1/games/yavalath/ladder/freeze", json=why),
        ):
            assert refused.status_code == 403, refused.text
        user_id = seen["organisers"][0]["id"]
        assert organiser.delete(f"{EVENTS}/{held}/organisers/{user_id}").json()["organisers"] == []
        assert grace.post(f"{EVENTS}/{held}/cancel", json=why).status_code == 403


def organising_token(visitor: TestClient) -> str:
    made = visitor.post("/api/v1/me/tokens", json={"name": "script", "scopes": ["organise"]})
    assert made.status_code == 201, made.text
    return str(made.json()["token"])


@pytest.mark.long
def test_a_token_of_who_is_named_for_an_event_manages_that_one_while_he_is_named(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    named_for, other = begin(organiser, database, invited=True), begin(organiser, database, invited=True)
    with new_visitor(settings) as grace, new_visitor(settings) as script:
        sign_up(grace, "Grace Hopper")
        wanted = {"name": "script", "scopes": ["organise"]}
        assert grace.post("/api/v1/me/tokens", json=wanted).status_code == 422
        assert grace.get("/api/v1/me").json()["organises"] is False
        named = organiser.post(f"{EVENTS}/{named_for}/organisers", json={"name": "Grace Hopper"}).json()
        assert grace.get("/api/v1/me").json()["organises"] is True
        script.headers["Authorization"] = f"Bearer {organising_token(grace)}"
        assert script.post(f"{EVENTS}/{named_for}/code").json()["code"]
        for refused in (
            script.post(f"{EVENTS}/{other}/code"),
            script.post(EVENTS, json=new_event()),
            script.get("/api/v1/users"),
            script.get("/api/v1/audit"),
            script.delete("/api/v1/me"),
        ):
            assert refused.status_code == 403, refused.text
        organiser.delete(f"{EVENTS}/{named_for}/organisers/{named['organisers'][0]['id']}")
        assert script.post(f"{EVENTS}/{named_for}/code").status_code == 403, "the token is there, the right is not"
        assert grace.get("/api/v1/me").json()["organises"] is False


@pytest.mark.long
def test_a_guest_who_has_entered_a_bot_signs_in_and_the_entries_of_one_person_stay_few(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    event_id = organiser.post(EVENTS, json=new_event(bots_each=2)).json()["event"]["id"]
    account = {"name": "Grace", "password": "correct horse"}

    def enter(client: TestClient, name: str) -> int:
        code = {"game": "yavalath", "bot": name, "language": "python", "source": f"print('{name}')"}
        sent = client.post("/api/v1/submissions", json=code).json()
        with database.transaction() as session:
            submissions.go_live(session, sent["id"])
            bot_id = session.get_one(Submission, sent["id"]).bot_id
        entered = client.post(f"{EVENTS}/{event_id}/entries", json={"bot": bot_id})
        assert entered.status_code == 200, entered.text
        return int(bot_id or 0)

    with new_visitor(settings) as elsewhere:
        assert elsewhere.post("/api/v1/sign-up", json=account).status_code == 201
        first = enter(elsewhere, "first")
    with new_visitor(settings) as guest:
        second, third = enter(guest, "second"), enter(guest, "third")
        assert guest.post("/api/v1/sign-in", json=account).status_code == 200
        me = guest.get("/api/v1/me").json()
        with database.transaction() as session:
            rows = session.execute(select(EventEntry.bot_id, EventEntry.user_id, EventEntry.state)).all()
        assert sorted(rows) == [
            (first, me["id"], EntryState.ENTERED),
            (second, me["id"], EntryState.ENTERED),
            (third, me["id"], EntryState.WITHDRAWN),
        ]


def test_a_list_says_who_may_enter_and_only_organisers_read_it(organiser: TestClient, settings: Settings) -> None:
    body = new_event(listed=["Grace Hopper", "  ", "Nobody yet"])
    assert organiser.post(EVENTS, json=body).status_code == 422
    made = organiser.post(EVENTS, json=new_event(listed=["Grace Hopper", "Nobody yet"])).json()["event"]
    assert (made["by_list"], made["invited"], made["listed"]) == (True, False, ["Grace Hopper", "Nobody yet"])
    address = f"{EVENTS}/{made['id']}"
    with new_visitor(settings) as visitor:
        seen = visitor.get(address).json()
        assert (seen["by_list"], seen["listed"], seen["may_enter"]) == (True, None, False)
        sign_up(visitor, "Grace Hopper")
        assert visitor.get(address).json()["may_enter"] is True
    changed = organiser.patch(address, json={"listed": ["Edsger"]}).json()
    assert changed["listed"] == ["Edsger"]
    assert organiser.patch(address, json={"name": "Cup of cups"}).json()["listed"] == ["Edsger"]
    assert organiser.patch(address, json={"listed": None}).json()["by_list"] is False


@pytest.mark.long
def test_a_ladder_is_played_on_and_shown_with_what_is_sure(organiser: TestClient, database: Database) -> None:
    event_id = begin(organiser, database, stages=[{"form": "ladder", "rounds": 3, "seeds": 1}], prizes=1)
    play(database, event_id)
    stage = organiser.get(f"{EVENTS}/{event_id}/stages/0").json()
    assert stage["over"]
    (group,) = stage["groups"]
    assert [row["place"] for row in group["rows"]] == [1, 2, 3, 4]
    ratings = [row["rating"] for row in group["rows"]]
    assert ratings == sorted(ratings, reverse=True)
    assert [row["sure"] is None for row in group["rows"]] == [False, False, False, True]
    assert sum(row["played"] for row in group["rows"]) > 0
    preview = {"game": "yavalath", "stages": stage["stage"] | {"form": "ladder"}, "entrants": 8, "prizes": 2}
    preview["stages"] = [preview["stages"]]
    assert organiser.post(f"{EVENTS}/preview", json=preview).json()["games"] == [3 * 2 * 2]


def newest_done(client: TestClient) -> dict[str, Any]:
    """Of the matches of events' ladders, some of which are still to be played."""
    items = client.get("/api/v1/matches", params={"kind": "event ladder"}).json()["items"]
    return next(one for one in items if one["state"] == "done")


@pytest.mark.long
def test_everybody_sees_the_ladder_of_an_open_event(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    event_id = organiser.post(EVENTS, json=new_event(stages=[{"form": "ladder", "rounds": 1}])).json()["event"]["id"]
    for name in sorted(house_bots(database))[:3]:
        organiser.post(f"{EVENTS}/{event_id}/entries", json={"bot": house_bots(database)[name][0]})
    play_ladder(database, 2)
    with new_visitor(settings) as visitor:
        detail = visitor.get(f"{EVENTS}/{event_id}").json()
        found = visitor.get(f"{EVENTS}/{event_id}/ladder").json()
        assert (detail["ladder"], found["over"]) == (True, False)
        assert [row["place"] for row in found["items"]] == [1, 2, 3]
        assert sorted(row["entry"] for row in found["items"]) == sorted(row["id"] for row in detail["entries"])
        best = found["items"][0]
        assert best["low"] < best["rating"] < best["high"]
        assert best["games"] == best["wins"] + best["draws"] + best["losses"]
        match = newest_done(visitor)
        assert match["event"] == {"id": event_id, "name": "Cup", "pairing": None, "game": None}
        assert visitor.post(f"/api/v1/matches/{match['id']}/annul", json={"reason": "x"}).status_code == 401
        assert visitor.post(f"/api/v1/matches/{match['id']}/rerun", json={"reason": "x"}).status_code == 401
        assert match["can_rerun"], "nobody else has the button"
    entry = {row["entry"]: row for row in found["items"]}
    with database.transaction() as session:
        pass_deadline(session, event_id)
    advance(database)
    entries = organiser.get(f"{EVENTS}/{event_id}").json()["entries"]
    known = ("rating", "low", "high")
    of_final = {one["id"]: [one[name] for name in known] for one in entries}
    assert of_final == {one: [row[name] for name in known] for one, row in entry.items()}
    assert organiser.get(f"{EVENTS}/{event_id}/ladder").json()["over"]
    late = organiser.get(f"/api/v1/matches/{match['id']}").json()
    assert (late["state"], late["can_rerun"]) == ("done", False)


def test_a_match_of_an_event_s_ladder_is_rerun(organiser: TestClient, database: Database, settings: Settings) -> None:
    event_id = organiser.post(EVENTS, json=new_event()).json()["event"]["id"]
    for name in sorted(house_bots(database))[:2]:
        organiser.post(f"{EVENTS}/{event_id}/entries", json={"bot": house_bots(database)[name][0]})
    play_ladder(database, 1)
    first = newest_done(organiser)
    address, why = f"/api/v1/matches/{first['id']}/rerun", {"reason": "The hall was dark."}
    with new_visitor(settings) as grace:
        sign_up(grace, "Grace")
        assert grace.post(address, json=why).status_code == 403
        assert organiser.post(f"{EVENTS}/{event_id}/organisers", json={"name": "Grace"}).status_code == 200
        made = grace.post(address, json=why)
        assert made.status_code == 201, made.text
        again = made.json()
        assert (again["kind"], again["event"]) == ("event ladder", first["event"])
        assert again["rerun_of"] == {"match": first["id"], "reason": "The hall was dark."}
        (newest, *_) = grace.get("/api/v1/audit", params={"event": event_id}).json()["items"]
        assert (newest["action"], newest["by"]) == ("rerun match", "Grace")


def test_a_ladder_of_an_event_s_own_is_an_option(organiser: TestClient) -> None:
    event_id = organiser.post(EVENTS, json=new_event(ladder=False)).json()["event"]["id"]
    address = f"{EVENTS}/{event_id}"
    refused = organiser.get(f"{address}/ladder")
    assert (refused.status_code, refused.json()["got"]) == (404, "Cup")
    assert organiser.patch(address, json={"ladder": True}).json()["ladder"] is True
    assert organiser.get(f"{address}/ladder").json() == {"items": [], "over": False, "waiting": 0, "running": 0}
    assert organiser.patch(address, json={"ladder": None}).json()["ladder"] is True, "null is what is left out"
    assert organiser.get(f"{EVENTS}/99/ladder").status_code == 404


def test_quotas_of_an_event_are_shown_and_refuse_what_exceeds_them(organiser: TestClient, settings: Settings) -> None:
    made = organiser.post(EVENTS, json=new_event(versions_a_day=1, source_bytes=30)).json()["event"]
    assert (made["versions_a_day"], made["source_bytes"]) == (1, 30)
    code = {"game": "yavalath", "language": "python", "bot": "Eager"}
    with new_visitor(settings) as visitor:
        sign_up(visitor, "Grace Hopper")
        first = visitor.post("/api/v1/submissions", json={**code, "source": "print(1)"}).json()
        assert visitor.post(f"{EVENTS}/{made['id']}/entries", json={"bot": first["bot_id"]}).status_code == 200
        large = visitor.post("/api/v1/submissions", json={**code, "source": "print(1)".ljust(31)})
        assert (large.status_code, large.json()["got"]) == (413, "31 bytes")
        assert large.json()["expected"] == "at most 30 bytes while this bot takes part"
    address = f"{EVENTS}/{made['id']}"
    changed = organiser.patch(address, json={"source_bytes": None}).json()
    assert (changed["versions_a_day"], changed["source_bytes"]) == (1, None)
    assert organiser.patch(address, json={"name": "Cup of cups"}).json()["versions_a_day"] == 1
    for wrong in ({"versions_a_day": 0}, {"source_bytes": -1}, {"source_bytes": 10**9}, {"versions_a_day": "many"}):
        assert organiser.post(EVENTS, json=new_event(**wrong)).status_code == 422, wrong
        assert organiser.patch(address, json=wrong).status_code == 422, wrong


def test_a_name_is_one_line(organiser: TestClient) -> None:
    names = {" Spring \n\t cup ": "Spring cup", "👩\u200d💻 می\u200cخواهم": "👩\u200d💻 می\u200cخواهم"}
    made = [organiser.post(EVENTS, json=new_event(name=name)).json()["event"]["name"] for name in names]
    assert made == list(names.values())


@pytest.mark.parametrize("limit", [{"languages": ["rust"]}, {"source_bytes": 1}])
def test_an_entrant_that_may_not_play_is_shown_without_a_version(
    organiser: TestClient, database: Database, limit: dict[str, Any]
) -> None:
    made = organiser.post(EVENTS, json=new_event(**limit)).json()["event"]
    address = f"{EVENTS}/{made['id']}"
    with database.transaction() as session:
        one = bot(session, user(session))
    (entry,) = organiser.post(f"{address}/entries", json={"bot": one}).json()["entries"]
    assert (entry["state"], entry["version"], entry["language"]) == ("entered", None, None)
    assert [line["version"] for line in organiser.get(f"{address}/ladder").json()["items"]] == [None]
    (entry,) = organiser.patch(address, json=dict.fromkeys(limit)).json()["entries"]
    assert (entry["version"], entry["language"]) == (1, "python")
    unknown = organiser.patch(address, json={"languages": ["Rust"]})
    assert (unknown.status_code, unknown.json()["got"]) == (422, "Rust")


def test_one_version_too_many_for_an_event_says_when_it_may_be_sent(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    made = organiser.post(EVENTS, json=new_event(versions_a_day=1)).json()["event"]
    code = {"game": "yavalath", "language": "python", "bot": "Eager"}
    with new_visitor(settings) as visitor:
        sign_up(visitor, "Grace Hopper")
        first = visitor.post("/api/v1/submissions", json={**code, "source": "print(1)"}).json()
        assert visitor.post(f"{EVENTS}/{made['id']}/entries", json={"bot": first["bot_id"]}).status_code == 200
        with database.transaction() as session:
            submissions.go_live(session, first["id"])
        refused = visitor.post("/api/v1/submissions", json={**code, "source": "print(2)"})
        assert (refused.status_code, refused.json()["got"]) == (429, "2"), refused.text
        assert refused.json()["expected"] == "at most 1 version in 24 hours while this bot takes part"
        assert 23 * 3600 < int(refused.headers["retry-after"]) <= 24 * 3600


HEATS = [{"form": "heats", "rounds": 2, "games": 2, "advance": 3}, {"form": "heats", "rounds": 1, "games": 3}]


def tron_bots(database: Database) -> list[int]:
    with database.transaction() as session:
        query = select(Bot.id).join(Submission, Submission.bot_id == Bot.id).where(Bot.game == "tron")
        return list(session.scalars(query.where(Submission.state == SubmissionState.LIVE).order_by(Bot.id)))


def begin_heats(organiser: TestClient, database: Database, **changes: Any) -> int:
    """An event of five house bots of Tron whose deadline is over: its id."""
    made = organiser.post(EVENTS, json=new_event(game="tron", stages=HEATS, **changes))
    assert made.status_code == 201, made.text
    event_id = int(made.json()["event"]["id"])
    for one in tron_bots(database)[:5]:
        assert organiser.post(f"{EVENTS}/{event_id}/entries", json={"bot": one}).status_code == 200
    with database.transaction() as session:
        pass_deadline(session, event_id)
    return event_id


@pytest.mark.long
def test_heats_are_shown_with_places_in_each_round_and_game(organiser: TestClient, database: Database) -> None:
    event_id = begin_heats(organiser, database)
    play_heats(database, event_id)
    event = organiser.get(f"{EVENTS}/{event_id}").json()
    assert (event["phase"], sorted(one["place"] for one in event["entries"])) == ("done", [1, 2, 3, 4, 5])
    stage = organiser.get(f"{EVENTS}/{event_id}/stages/0").json()
    assert (stage["over"], stage["advance"], stage["groups"], stage["pairings"]) == (True, 3, [], [])
    assert [sorted(len(one["entrants"]) for one in stage["heats"] if one["round"] == r) for r in (1, 2)] == [[2, 3]] * 2
    assert [row["place"] for row in stage["table"]] == [1, 2, 3, 4, 5]
    assert {row["played"] for row in stage["table"]} == {4}
    assert sum(row["points"] for row in stage["table"]) == pytest.approx(5 * 4 / 2)
    assert stage["tie_breaks"] == ["points", "points of those met", "games won", "play-off", "seeding"]
    heat = organiser.get(f"{EVENTS}/{event_id}/heats/{stage['heats'][0]['id']}").json()
    assert (heat["planned"], [one["number"] for one in heat["games"]]) == (2, [1, 2])
    assert [sorted(game["places"]) for game in heat["games"]] == [[1, 2, 3]] * 2
    assert heat["games"][0]["seats"] != heat["games"][1]["seats"]
    assert [one["place"] for one in sorted(heat["entrants"], key=lambda one: -one["points"])] == [1, 2, 3]
    match = organiser.get(f"/api/v1/matches/{heat['games'][0]['match_id']}").json()
    assert match["event"] == {"id": event_id, "name": "Cup", "pairing": heat["id"], "game": 1}
    games = sum(len(one["entrants"]) > 1 for one in stage["heats"]) * 2 + 3
    assert event["games"] == games == event["most_games"]
    assert organiser.get(f"{EVENTS}/{event_id}/pairings/{heat['id']}").status_code == 404
    assert organiser.post(f"{EVENTS}/{event_id}/heats/{heat['id']}/resume").status_code == 409
    assert organiser.get(f"{EVENTS}/{event_id}/heats/{heat['id'] + 99}").status_code == 404


@pytest.mark.long
def test_held_results_of_heats_are_nowhere(organiser: TestClient, database: Database, settings: Settings) -> None:
    event_id = begin_heats(organiser, database, held=True)
    play_heats(database, event_id)
    heat = organiser.get(f"{EVENTS}/{event_id}/stages/0").json()["heats"][0]["id"]
    with new_visitor(settings) as visitor:
        shown = visitor.get(f"{EVENTS}/{event_id}/stages/0").json()
        assert (shown["heats"], {row["points"] for row in shown["table"]}) == ([], {0})
        assert visitor.get(f"{EVENTS}/{event_id}/heats/{heat}").status_code == 404
        assert visitor.post(f"{EVENTS}/{event_id}/heats/{heat}/resume").status_code in {401, 403}


@pytest.mark.parametrize(
    ("game", "stages", "said"),
    [
        ("yavalath", [{"form": "heats", "rounds": 2}], "There are no heats in this game."),
        ("tron", [{"form": "heats"}], "A stage of heats has rounds."),
        ("tron", [{"form": "heats", "rounds": 1, "games": 0}], "games"),
        ("tron", [{"form": "heats", "rounds": 1}, {"form": "knockout"}], "lets some advance"),
        ("tron", [{"form": "heats", "rounds": 1, "mixed": True}], "There are no mixed teams here."),
        ("battlegrounds", [{"form": "knockout", "mixed": True}], "mixed only in heats of a game with teams"),
    ],
)
def test_heats_that_make_no_sense_are_refused(
    organiser: TestClient, game: str, stages: list[dict[str, Any]], said: str
) -> None:
    asked = {"game": game, "entrants": 6, "stages": stages}
    for refused in (
        organiser.post(EVENTS, json=new_event(game=game, stages=stages)),
        organiser.post(f"{EVENTS}/preview", json=asked),
    ):
        assert refused.status_code == 422, refused.text
        assert said in refused.text


def test_a_preview_counts_heats_as_matches(organiser: TestClient) -> None:
    asked = {"game": "tron", "entrants": 6, "stages": [HEATS[0] | {"advance": 4}, HEATS[1]]}
    assert organiser.post(f"{EVENTS}/preview", json=asked).json()["games"] == [2 * 2 * 2, 3]
    wanted = [HEATS[1] | {"advance": 17}, HEATS[1] | {"mixed": True}]
    asked = {"game": "battlegrounds", "entrants": 17, "stages": wanted}
    assert organiser.post(f"{EVENTS}/preview", json=asked).json()["games"] == [5 * 3, 2 * 3]


@pytest.mark.long
def test_an_event_with_heats_of_a_game_that_is_gone_can_still_be_read(
    organiser: TestClient, database: Database
) -> None:
    event_id = begin_heats(organiser, database)
    play_heats(database, event_id)
    before = organiser.get(f"{EVENTS}/{event_id}/stages/1").json()
    with database.transaction() as session:
        session.execute(update(Event).where(Event.id == event_id).values(game="gone"))
    assert organiser.get(f"{EVENTS}/{event_id}/stages/1").json() == before
    heat = before["heats"][0]["id"]
    assert organiser.get(f"{EVENTS}/{event_id}/heats/{heat}").status_code == 200


@pytest.mark.long
def test_an_event_of_a_game_that_is_gone_can_still_be_read(organiser: TestClient, database: Database) -> None:
    event_id = begin(organiser, database)
    play(database, event_id)
    with database.transaction() as session:
        session.execute(update(Event).where(Event.id == event_id).values(game="gone"))
    stage = organiser.get(f"{EVENTS}/{event_id}/stages/1")
    assert stage.status_code == 200, stage.text
    pairing = stage.json()["pairings"][0]["id"]
    for path in ("", "/stages/0", f"/pairings/{pairing}", "/table"):
        answer = organiser.get(f"{EVENTS}/{event_id}{path}")
        assert answer.status_code == 200, answer.text
    assert event_id in {one["id"] for one in organiser.get(EVENTS).json()["items"]}
