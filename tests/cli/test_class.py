"""`hexarena class`: 200 students by CSV, their codes, and their marks."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import typer
from sqlalchemy import func, select, update

from hexarena.backend.classes import assignments, life, marking, similarity
from hexarena.backend.models import Assignment, Class, ClassMember, User
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.cli.classes import _save
from tests import forking
from tests.backend.classes.test_classes import GAME, new_class, organiser, upload

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(settings: Settings) -> Run:
    """`hexarena class …` in this test's arena."""

    def hexarena(*arguments: object) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "DATABASE_URL": settings.database_url or "", "COLUMNS": "200"}
        return forking.run("hexarena.cli.app", "class", *map(str, arguments), env=environment)

    return hexarena


@pytest.fixture
def class_id(database: Database) -> int:
    with database.transaction() as session:
        return life.create(session, organiser(session), game=GAME.id, name="Bots 101").id


@pytest.mark.long
def test_two_hundred_students_in_and_their_marks_out(
    run: Run, class_id: int, database: Database, tmp_path: Path
) -> None:
    roster, out = tmp_path / "roster.csv", tmp_path / "codes.csv"
    roster.write_text("name;id\n" + "".join(f"=Student {n};{n}\n" for n in range(200)), encoding="utf-16")
    dry = run("import", roster, "--class", class_id, "--dry-run")
    assert (dry.returncode, dry.stdout) == (0, "")
    assert "Read as UTF-16, separated by semicolons: 200 new, 0 changed, 0 as before" in dry.stderr
    assert run("import", roster, "--class", class_id, "--out", out).returncode == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    codes = list(csv.DictReader(io.StringIO(out.read_text("utf-8"))))
    assert len({one["code"] for one in codes}) == 200
    assert codes[0]["name"] == "'=Student 0", "no formula for a spreadsheet"
    again = run("import", roster, "--class", class_id)
    assert (again.returncode, again.stdout) == (0, "")
    assert "0 new, 0 changed, 200 as before" in again.stderr
    with database.transaction() as session:
        assert life.sign_in_by_code(session, codes[7]["code"], "correct horse").name == codes[7]["signs in as"]
        user = session.get_one(User, session.get_one(Class, class_id).organiser_id)
        later = session.execute(select(func.now() + timedelta(days=1))).scalar_one()
        row = assignments.create(session, user, class_id, name="Week 1", deadline=later, bots=[])
        people = session.scalars(select(User).join(ClassMember).order_by(ClassMember.id).limit(2)).all()
        names = [upload(session, one, f"bot {number}").id for number, one in enumerate(people)]
        session.execute(update(Assignment).values(deadline=func.clock_timestamp()))
    assert marking.mark(database, row.id) == 200
    shown = run("marks", "--class", class_id, "--assignment", row.id)
    lines = list(csv.DictReader(io.StringIO(shown.stdout)))
    assert len(lines) == 200
    assert {one["submission"] for one in lines if one["submission"]} == {str(one) for one in names}
    assert {one["problem"] for one in lines} == {"", marking.NO_BOT}


@pytest.mark.long
def test_codes_are_neither_lost_nor_overwritten(run: Run, class_id: int, database: Database, tmp_path: Path) -> None:
    roster, out = tmp_path / "roster.csv", tmp_path / "codes.csv"
    roster.write_text("name,id\nAda,1\n")
    nowhere = run("import", roster, "--class", class_id, "--out", tmp_path / "no" / "codes.csv")
    assert (nowhere.returncode, "No account was made" in nowhere.stderr) == (2, True)
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(ClassMember)) == 0
    assert run("import", roster, "--class", class_id, "--out", out).returncode == 0
    before = out.read_text()
    roster.write_text("name,id\nAda,1\nGrace,2\n")
    again = run("import", roster, "--class", class_id, "--out", out)
    assert (again.returncode, "exists already, perhaps with codes" in again.stderr) == (2, True)
    assert out.read_text() == before
    later = tmp_path / "later.csv"
    assert run("import", roster, "--class", class_id, "--out", later).returncode == 0
    assert [one["name"] for one in csv.DictReader(io.StringIO(later.read_text()))] == ["Grace"]
    nobody = tmp_path / "nobody.csv"
    assert run("import", roster, "--class", class_id, "--out", nobody).returncode == 0
    assert not nobody.exists()


@pytest.mark.long
def test_what_is_wrong_is_said(run: Run, class_id: int, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    assert run("import", roster, "--class", class_id).returncode == 2
    roster.write_text("name,id\nAda,1\nBob,1\n")
    wrong = run("import", roster, "--class", class_id)
    assert wrong.returncode == 2
    assert "line 3: This student is there twice." in wrong.stderr
    assert "Nothing was imported: 1 lines cannot be used." in wrong.stderr
    roster.write_text("who\nAda\n")
    assert "The column for the name is missing." in run("import", roster, "--class", class_id).stderr
    assert "There is no class 999" in run("marks", "--class", 999, "--assignment", 1).stderr
    assert "There is no assignment 999" in run("marks", "--class", class_id, "--assignment", 999).stderr


def test_marks_that_cannot_be_written_are_said_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended:
        _save("name,mark\n", tmp_path / "no" / "marks.csv")
    assert ended.value.exit_code == 2
    said = "".join(capsys.readouterr().err.split())
    assert "marks.csvcannotbewritten:Nosuchfileordirectory." in said


@pytest.mark.long
def test_the_newest_similarity_report_is_printed(run: Run, database: Database) -> None:
    _, class_id, _ = new_class(database)
    assert "has no similarity report" in run("similar", class_id).stderr
    with database.transaction() as session:
        found = session.get_one(Class, class_id)
        user = session.get_one(User, found.organiser_id)
        members = life.members(session, class_id)[:2]
        versions = [upload(session, row.user, f"Bot {row.id}").id for row in members]
        names = [row.name for row in members]
        groups = [row.team_id or row.user_id for row in members]
        report = similarity.request(session, user, class_id, assignment_id=None, earlier=[]).id
    assert "The newest is queued." in run("similar", class_id).stderr
    with database.transaction() as session:
        work = similarity.claim(session, report, seconds=60)
        assert work is not None
        assert [(code.submission_id, code.group) for code in work.codes] == list(zip(versions, groups, strict=True))
        shared = {"language": "python", "tokens": 50, "own": 40, "problem": None}
        rows = [{"submission": one, "group": group, **shared} for one, group in zip(versions, groups, strict=True)]
        pair = {"one": versions[0], "other": versions[1], "shares": [0.75, 0.75], "similarity": 0.75, "common": 30,
                "longest": 30, "tiles": [[1, 2, 1, 2, 30]]}  # fmt: skip
        assert similarity.finish(session, work, rows, [pair])
    (line,) = csv.DictReader(io.StringIO(run("similar", class_id).stdout))
    assert (line["name"], line["other name"], line["share"]) == (names[0], names[1], "0.75")
    (shown,) = json.loads(run("similar", class_id, "--json").stdout)["pairs"]
    assert (shown["one"]["names"], shown["longest"]) == ([names[0]], 30)
    assert "There is no class 999" in run("similar", 999).stderr
