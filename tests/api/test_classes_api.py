"""Classes over HTTP: 200 students by CSV, marks exported, and who sees whose name."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, text, update

from hexarena.backend.api.schemas.classes import ClassMarks
from hexarena.backend.api.views.classes import table
from hexarena.backend.ladder import standings
from hexarena.backend.models import Assignment, AssignmentRung, ClassMember, Submission, SubmissionState, User, UserRole
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from tests.api.played import house_bots
from tests.backend.classes.test_classes import upload
from tests.backend.classes.test_marking import beat, play_all
from tests.backend.ladder.ladders import refit
from tests.conftest import is_anybody_waiting, new_visitor, wait_until

API = "/api/v1"
CLASSES = f"{API}/classes"
UPLOADED = 30
"""So many students of a large class submit a bot: each match of theirs takes a while."""
NAMES = ("Zoë Ångström", "Bartholomew Quux", "Wilhelmina Frobnitz")


@pytest.fixture
def organiser(client: TestClient, database: Database) -> TestClient:
    """Who is signed in and may organise."""
    client.post(f"{API}/sign-up", json={"name": "Ada", "password": "correct horse battery"})
    with database.transaction() as session:
        session.execute(update(User).where(User.name == "Ada").values(role=UserRole.ORGANISER))
    return client


def roster(students: int, group_of: int = 0) -> bytes:
    """A file as a spreadsheet in Europe writes it."""
    lines = ["Name;E-Mail;Gruppe"]
    for number in range(students):
        name = NAMES[number] if number < len(NAMES) else f"Student {number}"
        group = f"G{number // group_of}" if group_of else ""
        lines.append(f"{name};s{number}@uni.example;{group}")
    return "\r\n".join(lines).encode("cp1252")


def send(organiser: TestClient, class_id: int, body: bytes, **options: Any) -> dict[str, Any]:
    file = {"file": ("roster.csv", body, "text/csv")}
    answer = organiser.post(f"{CLASSES}/{class_id}/roster", files=file, data=options)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def new_class(organiser: TestClient, students: int = 3, **options: Any) -> tuple[int, list[dict[str, Any]]]:
    """Its id, and the codes of its students in the order of the file."""
    class_id = organiser.post(CLASSES, json={"game": "yavalath", "name": "Bots 101"}).json()["id"]
    return class_id, send(organiser, class_id, roster(students, options.pop("group_of", 0)), **options)["codes"]


@contextmanager
def signed_in(settings: Settings, code: dict[str, Any]) -> Iterator[TestClient]:
    """A student's browser."""
    with new_visitor(settings) as visitor:
        body = {"code": code["code"], "password": "correct horse"}
        answer = visitor.post(f"{API}/sign-in/code", json=body)
        assert answer.status_code == 200, answer.text
        assert answer.json()["name"] == code["sign_in_name"]
        yield visitor


def assign(organiser: TestClient, class_id: int) -> int:
    deadline = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    made = organiser.post(f"{CLASSES}/{class_id}/assignments", json={"name": "Week 1", "deadline": deadline})
    assert made.status_code == 201, made.text
    return int(made.json()["assignments"][0]["id"])


def pass_deadline(database: Database, assignment_id: int) -> None:
    with database.transaction() as session:
        over = {"deadline": func.clock_timestamp(), "next_at": func.clock_timestamp()}
        session.execute(update(Assignment).where(Assignment.id == assignment_id).values(**over))


@pytest.mark.long
def test_a_class_of_200_by_csv_gets_marks_as_csv_and_json(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    class_id = organiser.post(CLASSES, json={"game": "yavalath", "name": "Bots 101"}).json()["id"]
    dry = send(organiser, class_id, roster(200, 4), dry_run=True, teams=True)
    assert (dry["applied"], len(dry["made"]), len(dry["teams"]), dry["codes"]) == (False, 200, 50, [])
    assert organiser.get(f"{CLASSES}/{class_id}/members").json()["items"] == []
    done = send(organiser, class_id, roster(200, 4))
    assert (done["applied"], done["encoding"], done["separator"]) == (True, "Windows-1252 (Latin-1)", "semicolon")
    assert len({one["code"] for one in done["codes"]}) == 200
    assert send(organiser, class_id, roster(200, 4))["kept"] == 200
    assignment_id = assign(organiser, class_id)
    rungs = organiser.get(f"{CLASSES}/{class_id}").json()["assignments"][0]["rungs"]
    with database.transaction() as session:
        people = session.scalars(select(User).join(ClassMember).order_by(ClassMember.id)).all()
        versions = [upload(session, one, f"bot {number}").id for number, one in enumerate(people[:UPLOADED])]
    beat(database, versions[0], rungs[0]["submission_id"], 10)
    beat(database, rungs[0]["submission_id"], versions[1], 10)
    refit(database)
    pass_deadline(database, assignment_id)
    address = f"{CLASSES}/{class_id}/assignments/{assignment_id}"
    made = organiser.post(f"{address}/marks").json()
    assert len(made["items"]) == 200
    queued = organiser.post(f"{address}/games", json={"games": 2}).json()["matches"]
    assert queued == UPLOADED * len(rungs) * 2
    best = versions[0]
    play_all(database, lambda seats: tuple(0 if seat == best else 1 for seat in seats) if best in seats else (0, 0))
    shown = organiser.post(f"{address}/marks").json()
    assert shown["playing"] == 0
    assert shown["items"][0]["names"] == ["Zoë Ångström"]
    assert shown["items"][0]["extra_games"] == 2 * len(rungs)
    lines = list(csv.reader(io.StringIO(organiser.get(f"{address}/marks", params={"format": "csv"}).text)))
    assert len(lines) == 201
    assert {len(line) for line in lines} == {len(lines[0])}
    header, first = lines[0], lines[1]
    assert len(set(header)) == len(header), "a script finds each column by its heading"
    assert first[header.index("name")] == "Zoë Ångström"
    assert first[header.index("key")] == "s0@uni.example"
    assert first[header.index("group")] == "G0"
    assert float(first[header.index(f"P(stronger than {rungs[0]['name']})")]) > 0.95
    assert sum(line[header.index("problem")] == "No bot of this game." for line in lines) == 200 - UPLOADED
    with signed_in(settings, done["codes"][0]) as zoe:
        mine = zoe.get(f"{CLASSES}/{class_id}").json()["assignments"][0]["mark"]
        assert mine["rungs"] == shown["items"][0]["rungs"]
        assert zoe.get(f"{address}/marks").status_code == 404


def test_who_left_a_team_sees_the_mark_that_was_made_with_it(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    class_id, codes = new_class(organiser, 2, group_of=2, teams="true")
    assignment_id = assign(organiser, class_id)
    pass_deadline(database, assignment_id)
    organiser.post(f"{CLASSES}/{class_id}/assignments/{assignment_id}/marks")
    with signed_in(settings, codes[0]) as zoe:
        before = zoe.get(f"{CLASSES}/{class_id}").json()["assignments"][0]["mark"]
        assert zoe.post(f"{API}/me/team/leave").status_code == 204
        after = zoe.get(f"{CLASSES}/{class_id}").json()
        assert after["you"]["team"] is None
        assert after["assignments"][0]["mark"] == before
        assert (before["is_team"], before["names"]) == (True, [NAMES[0]])


def test_two_rungs_of_one_name_have_columns_of_their_own() -> None:
    shown = ClassMarks(marked_at=None, next_at=None, playing=0, items=[])
    rungs = [AssignmentRung(position=number, name=name) for number, name in enumerate(("Ant", "Bee", "Ant"), start=1)]
    (header,) = table(shown, rungs)
    assert len(set(header)) == len(header)
    assert {"games against Ant (rung 1)", "games against Bee", "Elo above Ant (rung 3), to"} < set(header)


def test_no_cache_keeps_names_codes_or_marks(organiser: TestClient) -> None:
    class_id, codes = new_class(organiser)
    address, assignment_id = f"{CLASSES}/{class_id}", assign(organiser, class_id)
    marks = f"{address}/assignments/{assignment_id}/marks"
    file = {"file": ("roster.csv", roster(5), "text/csv")}
    answers = {
        "a roster that is only tried": organiser.post(f"{address}/roster", files=file, data={"dry_run": True}),
        "a roster": organiser.post(f"{address}/roster", files=file),
        "the members": organiser.get(f"{address}/members"),
        "new codes": organiser.post(f"{address}/codes", json={"members": [codes[0]["member_id"]]}),
        "marks": organiser.get(marks),
        "marks as CSV": organiser.get(marks, params={"format": "csv"}),
    }
    reported = {what: (answer.status_code, answer.headers.get("Cache-Control")) for what, answer in answers.items()}
    assert reported == dict.fromkeys(answers, (200, "private, no-store"))


@pytest.mark.long
def test_nobody_but_the_student_and_the_organiser_sees_a_name(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    class_id, codes = new_class(organiser, group_of=2, teams=True)
    with database.transaction() as session:
        people = session.scalars(select(User).join(ClassMember).order_by(ClassMember.id)).all()
        versions = [upload(session, people[number], f"bot {number}").id for number in (0, 2)]
    beat(database, versions[0], versions[1], 3)
    refit(database)
    with database.transaction() as session:
        bots = session.scalars(select(Submission.bot_id).where(Submission.id.in_(versions))).all()
        owners = session.scalars(select(Submission.user_id).where(Submission.id.in_(versions))).all()
    addresses = [
        f"{API}/games/yavalath/leaderboard", f"{API}/games/yavalath/leaderboard?format=csv", f"{API}/matches",
        f"{API}/bots?game=yavalath", *(f"{API}/bots/{one}" for one in bots),
        *(f"{API}/people/{one}" for one in owners), f"{API}/games/yavalath",
    ]  # fmt: skip
    known = [one.split()[-1] for one in NAMES]

    def reported(client: TestClient, address: str) -> set[str]:
        said = client.get(address)
        assert said.status_code == 200, address
        shown = json.dumps(said.json(), ensure_ascii=False) if "json" in said.headers["content-type"] else said.text
        return {one for one in known if one in shown}

    with new_visitor(settings) as visitor, signed_in(settings, codes[1]) as bart, signed_in(settings, codes[2]) as will:
        for address in addresses:
            for client in (visitor, bart, will):
                assert reported(client, address) == set(), address
        assert reported(organiser, f"{CLASSES}/{class_id}") == set(known)
        assert reported(bart, f"{CLASSES}/{class_id}") == {"Quux"}
        assert reported(will, f"{CLASSES}/{class_id}") == {"Frobnitz"}
        board = {row["owner"]: row["mine"] for row in bart.get(f"{CLASSES}/{class_id}").json()["board"]}
        assert sorted(board.values()) == [False, True]
        organiser.patch(f"{CLASSES}/{class_id}", json={"named": 1})
        assert reported(will, f"{CLASSES}/{class_id}") == set(known), "the first is the team of the other two"
        assert reported(will, addresses[0]) == set(), "on the class's board alone"
        assert visitor.get(f"{CLASSES}/{class_id}").status_code == 404
        assert visitor.get(CLASSES).json()["items"] == []
        assert bart.get(f"{CLASSES}/{class_id}/members").status_code == 404


def test_another_organiser_does_not_see_a_class(organiser: TestClient, database: Database, settings: Settings) -> None:
    class_id, _ = new_class(organiser)
    assignment_id = assign(organiser, class_id)
    with new_visitor(settings) as other:
        other.post(f"{API}/sign-up", json={"name": "Grace", "password": "correct horse battery"})
        with database.transaction() as session:
            session.execute(update(User).where(User.name == "Grace").values(role=UserRole.ORGANISER))
        for address in (
            "",
            "/members",
            f"/assignments/{assignment_id}/marks",
            f"/assignments/{assignment_id}/extensions",
        ):
            assert other.get(f"{CLASSES}/{class_id}{address}").status_code == 404, address
        for address, body in (
            ("/codes", {}),
            ("/teams", {"members": [1]}),
            (f"/assignments/{assignment_id}/marks", {}),
            (f"/assignments/{assignment_id}/games", {"games": 1}),
        ):
            assert other.post(f"{CLASSES}/{class_id}{address}", json=body).status_code == 404, address
        assert other.delete(f"{CLASSES}/{class_id}").status_code == 404


def requests(class_id: int, assignment_id: int) -> list[tuple[str, str, dict[str, Any] | None]]:
    """(method, address, body) of all that an organiser can ask of a class, but to delete it or hand it over."""
    deadline = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    address, assignment = f"{CLASSES}/{class_id}", f"{CLASSES}/{class_id}/assignments/{assignment_id}"
    return [
        ("GET", address, None),
        ("PATCH", address, {"name": "Bots 102"}),
        ("GET", f"{address}/members", None),
        ("POST", f"{address}/codes", {}),
        ("POST", f"{address}/teams", {"members": [999_999]}),
        ("PATCH", f"{address}/members/999999", {"team": None}),
        ("DELETE", f"{address}/members/999999", None),
        ("POST", f"{address}/assignments", {"name": "Week 2", "deadline": deadline}),
        ("PATCH", assignment, {"deadline": deadline}),
        ("POST", f"{assignment}/extensions", {"owner_id": 999999, "hours": 24, "reason": "Ill."}),
        ("GET", f"{assignment}/extensions", None),
        ("GET", f"{assignment}/marks", None),
        ("POST", f"{assignment}/marks", {}),
        ("POST", f"{assignment}/games", {"games": 2}),
        ("POST", f"{address}/similarity", {"assignment": None, "earlier": []}),
        ("GET", f"{address}/similarity", None),
        ("POST", f"{address}/organisers", {"name": "Alan"}),
        ("DELETE", f"{address}/organisers/999999", None),
    ]


def account(client: TestClient, name: str) -> int:
    """Signs up: the account's id."""
    made = client.post(f"{API}/sign-up", json={"name": name, "password": "correct horse battery"})
    return int(made.json()["id"])


@pytest.mark.long
def test_a_second_organiser_may_what_the_first_may_until_he_is_removed(
    organiser: TestClient, settings: Settings
) -> None:
    class_id, _ = new_class(organiser)
    assignment_id = assign(organiser, class_id)
    named = f"{CLASSES}/{class_id}/organisers"
    with new_visitor(settings) as grace, new_visitor(settings) as alan:
        grace_id = account(grace, "Grace")
        account(alan, "Alan")
        assert organiser.post(named, json={"name": "Nobody at all"}).status_code == 404
        for _ in range(2):
            made = organiser.post(named, json={"name": "  grace "})
            assert made.status_code == 200, made.text
            assert made.json()["organisers"] == [{"id": grace_id, "name": "Grace"}]
        (listed,) = grace.get(CLASSES).json()["items"]
        assert (listed["organiser"], listed["organised"]) == ("Ada", True)
        seen = grace.get(f"{CLASSES}/{class_id}").json()
        assert (seen["owned"], seen["organised"]) == (False, True)
        assert {one["name"] for one in grace.get(f"{CLASSES}/{class_id}/members").json()["items"]} == set(NAMES)
        for method, address, body in requests(class_id, assignment_id):
            theirs, own = (one.request(method, address, json=body) for one in (grace, organiser))
            assert theirs.status_code not in {401, 403}, (method, address, theirs.text)
            assert (theirs.status_code < 400) == (own.status_code < 400) or own.status_code == 409, (method, address)
        assert [one["name"] for one in grace.get(f"{CLASSES}/{class_id}").json()["organisers"]] == ["Alan", "Grace"]
        assert grace.post(CLASSES, json={"game": "yavalath", "name": "Mine"}).status_code == 403
        assert grace.delete(f"{CLASSES}/{class_id}").status_code == 403
        assert grace.patch(f"{CLASSES}/{class_id}", json={"organiser": grace_id}).status_code == 403
        assert organiser.delete(f"{named}/{grace_id}").status_code == 204
        for method, address, body in requests(class_id, assignment_id):
            assert grace.request(method, address, json=body).status_code == 404, (method, address)
        assert alan.get(f"{CLASSES}/{class_id}").status_code == 200
        assert alan.delete(f"{named}/{alan.get(f'{API}/me').json()['id']}").status_code == 204
        assert alan.get(CLASSES).json()["items"] == []
    log = [one for one in organiser.get(f"{API}/audit").json()["items"] if "organiser of a class" in one["action"]]
    assert [(one["action"], one["by"], one["detail"]["who"]) for one in log] == [
        ("remove organiser of a class", "Alan", "Alan"),
        ("remove organiser of a class", "Ada", "Grace"),
        ("name organiser of a class", "Grace", "Alan"),
        ("name organiser of a class", "Ada", "Grace"),
    ]


def test_a_foreign_class_answers_as_one_that_is_not_there(organiser: TestClient, settings: Settings) -> None:
    class_id, codes = new_class(organiser)
    assignment_id = assign(organiser, class_id)
    same = {"X-Request-Id": "of-both-of-them"}
    with new_visitor(settings) as grace, signed_in(settings, codes[0]) as zoe:
        account(grace, "Grace")
        for stranger in (grace, zoe):
            theirs, nobodys = requests(class_id, assignment_id), requests(999_999, assignment_id)
            for (method, address, body), (_, unknown, _) in zip(theirs, nobodys, strict=True):
                if stranger is zoe and (method, address) == ("GET", f"{CLASSES}/{class_id}"):
                    continue
                answers = [stranger.request(method, one, json=body, headers=same) for one in (address, unknown)]
                assert [one.status_code for one in answers] == [404, 404], (method, address)
                reported = [re.sub(r"class(es/|e?s? )[0-9]+", "class N", one.text) for one in answers]
                assert reported[0] == reported[1], (method, address)
        student = {"name": codes[0]["sign_in_name"]}
        assert organiser.post(f"{CLASSES}/{class_id}/organisers", json=student).status_code == 409
        assert organiser.get(f"{CLASSES}/{class_id}").json()["organisers"] == []


def test_a_team_mate_sees_source_and_logs_and_others_do_not(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    _, codes = new_class(organiser, group_of=2, teams=True)
    with (
        signed_in(settings, codes[0]) as zoe,
        signed_in(settings, codes[1]) as bart,
        signed_in(settings, codes[2]) as w,
    ):
        bot = {"game": "yavalath", "bot": "ours", "language": "python", "source": "print('4 4')"}
        made = zoe.post(f"{API}/submissions", json=bot).json()
        with database.transaction() as session:
            session.execute(text("DELETE FROM match"))
            submissions.go_live(session, made["id"])
        assert bart.get(f"{API}/submissions/{made['id']}/source").text == "print('4 4')"
        assert w.get(f"{API}/submissions/{made['id']}/source").status_code == 403
        assert [one["mine"] for one in bart.get(f"{API}/bots", params={"mine": True}).json()["items"]] == [True]
        assert w.get(f"{API}/bots", params={"mine": True}).json()["items"] == []
        boards = [
            {row["bot"]: row["mine"] for row in client.get(f"{API}/games/yavalath/leaderboard").json()["items"]}["ours"]
            for client in (zoe, bart, w)
        ]
        assert boards == [True, True, False]
        assert bart.post(f"{API}/submissions", json=bot | {"source": "print('5 5')"}).json()["version"] == 2
        assert w.post(f"{API}/submissions", json=bot).status_code == 403
        assert bart.get(f"{API}/me").json()["bots"] == 1
        with database.transaction() as session:
            states = session.scalars(select(Submission.state).where(Submission.bot_id == made["bot_id"])).all()
            assert sorted(states) == [SubmissionState.LIVE, SubmissionState.QUEUED]
        assert bart.post(f"{API}/me/team/leave").status_code == 204
        assert bart.get(f"{API}/submissions/{made['id']}/source").status_code == 403


def test_bad_rosters_are_refused_and_change_nothing(organiser: TestClient) -> None:
    class_id = organiser.post(CLASSES, json={"game": "yavalath", "name": "Bots 101"}).json()["id"]
    address = f"{CLASSES}/{class_id}/roster"
    for body, said in (
        (b"", "empty"),
        (b"name,group\nAda,1\n", "mail address or id is missing"),
        (b"name,id\nAda,1\nBob,1\n", "Line 3: This student is there twice."),
        ("name,id\nZoë,1\n".encode() + b"\xff", "encoding"),
    ):
        refused = organiser.post(address, files={"file": ("r.csv", body)})
        assert refused.status_code == 422
        assert said in refused.json()["detail"]
        assert refused.json()["expected"]
    dry = send(organiser, class_id, b"name,id\nAda,1\nBob,1\n", dry_run=True)
    assert [one["line"] for one in dry["problems"]] == [3]
    assert organiser.get(f"{CLASSES}/{class_id}/members").json()["items"] == []
    assert organiser.post(CLASSES, json={"game": "chess", "name": "x"}).status_code == 404


def test_a_guest_who_uses_a_code_takes_his_bots_along(organiser: TestClient, settings: Settings) -> None:
    _, codes = new_class(organiser)
    with new_visitor(settings) as guest:
        bot = {"game": "yavalath", "bot": "early bird", "language": "python", "source": "print('4 4')"}
        assert guest.post(f"{API}/submissions", json=bot).status_code == 201
        body = {"code": codes[0]["code"], "password": "correct horse"}
        assert guest.post(f"{API}/sign-in/code", json=body).json()["bots"] == 1
        assert guest.post(f"{API}/sign-in/code", json=body).status_code == 403
        with zipfile.ZipFile(io.BytesIO(guest.get(f"{API}/me/export").content)) as archive:
            kept = json.loads(archive.read("account.json"))["class"]
        assert (kept["your_name"], kept["mail_or_id"]) == (NAMES[0], "s0@uni.example")
    with new_visitor(settings) as again:
        body = {"name": codes[0]["sign_in_name"], "password": "correct horse"}
        assert again.post(f"{API}/sign-in", json=body).json()["bots"] == 1


def test_who_brings_bots_along_with_a_code_waits_for_the_ladder_before_he_is_locked(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    """A ban has the ladder when it locks the user: the other way round, each waits for the other."""
    _, codes = new_class(organiser)
    with new_visitor(settings) as guest, ThreadPoolExecutor(1) as pool:
        bot = {"game": "yavalath", "bot": "early bird", "language": "python", "source": "print('4 4')"}
        assert guest.post(f"{API}/submissions", json=bot).status_code == 201
        body = {"code": codes[0]["code"], "password": "correct horse"}
        with database.transaction() as session:
            standings.lock_ladder(session, "yavalath")
            done = pool.submit(guest.post, f"{API}/sign-in/code", json=body)
            wait_until(lambda: is_anybody_waiting(database) or done.done(), "it waits for the ladder")
            assert not done.done()
            here = select(ClassMember.id).join(User, User.id == ClassMember.user_id)
            assert len(session.scalars(here.with_for_update(nowait=True)).all()) == 3
        assert done.result().json()["bots"] == 1


def test_who_gives_a_bot_to_his_team_waits_for_the_ladder_before_he_is_locked(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    _, codes = new_class(organiser)
    with signed_in(settings, codes[0]) as zoe, ThreadPoolExecutor(1) as pool:
        bot = {"game": "yavalath", "bot": "early bird", "language": "python", "source": "print('4 4')"}
        mine = zoe.post(f"{API}/submissions", json=bot).json()["bot_id"]
        with database.transaction() as session:
            standings.lock_ladder(session, "yavalath")
            done = pool.submit(zoe.post, f"{API}/me/team/bots", json={"bot": mine})
            wait_until(lambda: is_anybody_waiting(database) or done.done(), "it waits for the ladder")
            assert not done.done()
            session.scalars(select(ClassMember.id).with_for_update(nowait=True)).all()
        assert done.result().status_code == 409, "he has no team"


def test_the_bots_of_a_team_are_in_the_archive_of_each_member(
    organiser: TestClient, database: Database, settings: Settings
) -> None:
    _, codes = new_class(organiser, group_of=2, teams=True)
    with (
        signed_in(settings, codes[0]) as zoe,
        signed_in(settings, codes[1]) as bart,
        signed_in(settings, codes[2]) as w,
    ):
        bot = {"game": "yavalath", "bot": "ours", "language": "python", "source": "print('4 4')"}
        made = zoe.post(f"{API}/submissions", json=bot).json()
        with database.transaction() as session:
            team = session.get_one(User, session.get_one(Submission, made["id"]).user_id).name
        for mate in (zoe, bart):
            with zipfile.ZipFile(io.BytesIO(mate.get(f"{API}/me/export").content)) as archive:
                (version,) = json.loads(archive.read("versions.json"))
                assert (version["submission"], version["bot"], version["team"]) == (made["id"], "ours", team)
                assert archive.read(f"{version['folder']}/bot.py") == b"print('4 4')"
                assert f",{made['id']}," in archive.read("matches.csv").decode()
        with zipfile.ZipFile(io.BytesIO(w.get(f"{API}/me/export").content)) as archive:
            assert json.loads(archive.read("versions.json")) == []
        assert bart.post(f"{API}/me/team/leave").status_code == 204
        with zipfile.ZipFile(io.BytesIO(bart.get(f"{API}/me/export").content)) as archive:
            assert json.loads(archive.read("versions.json")) == []


def test_rungs_may_be_staff_bots(organiser: TestClient, database: Database) -> None:
    class_id, _ = new_class(organiser)
    bots = [bot for bot, _ in house_bots(database).values()][:2]
    deadline = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    new = {"name": "Week 1", "deadline": deadline, "bots": bots}
    rungs = organiser.post(f"{CLASSES}/{class_id}/assignments", json=new).json()["assignments"][0]["rungs"]
    assert [one["bot_id"] for one in rungs] == bots
    late = {"name": "x", "deadline": "2020-01-01T00:00:00Z"}
    assert organiser.post(f"{CLASSES}/{class_id}/assignments", json=late).status_code == 422
    unknown = new | {"bots": [10**9]}
    assert organiser.post(f"{CLASSES}/{class_id}/assignments", json=unknown).status_code == 404


def test_a_token_of_who_is_named_for_a_class_manages_that_one_while_he_is_named(
    organiser: TestClient, settings: Settings
) -> None:
    mine, other = (
        organiser.post(CLASSES, json={"game": "yavalath", "name": name}).json()["id"] for name in ("Mine", "Other")
    )
    with new_visitor(settings) as grace, new_visitor(settings) as script:
        grace.post(f"{API}/sign-up", json={"name": "Grace", "password": "correct horse battery"})
        grace_id = grace.get(f"{API}/me").json()["id"]
        organiser.post(f"{CLASSES}/{mine}/organisers", json={"name": "Grace"})
        made = grace.post(f"{API}/me/tokens", json={"name": "script", "scopes": ["organise"]})
        assert made.status_code == 201, made.text
        script.headers["Authorization"] = f"Bearer {made.json()['token']}"
        assert script.get(f"{CLASSES}/{mine}/members").status_code == 200
        assert script.get(f"{CLASSES}/{other}/members").status_code == 404
        assert script.post(CLASSES, json={"game": "yavalath", "name": "New"}).status_code == 403
        assert script.delete(f"{CLASSES}/{mine}").status_code == 403, "nor may she"
        assert script.get(f"{CLASSES}/{mine}").status_code == 200
        playing = grace.post(f"{API}/me/tokens", json={"name": "player", "scopes": ["play"]}).json()["token"]
        with new_visitor(settings) as player:
            player.headers["Authorization"] = f"Bearer {playing}"
            assert player.get(f"{CLASSES}/{mine}").status_code == 404, "it has the names of students"
            assert player.get(CLASSES).json()["items"] == []
        organiser.delete(f"{CLASSES}/{mine}/organisers/{grace_id}")
        assert script.get(f"{CLASSES}/{mine}/members").status_code == 404
