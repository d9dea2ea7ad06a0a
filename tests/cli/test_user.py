"""`hexarena user …`: run as an organiser would, against a real database."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import select

from hexarena.backend import audit
from hexarena.backend.accounts import life as accounts
from hexarena.backend.errors import SignInFailed
from hexarena.backend.models import User, UserKind, UserRole
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests import forking


def hexarena(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DATABASE_URL": settings.database_url, "COLUMNS": "200"}
    return forking.run("hexarena.cli.app", "user", *arguments, env=environment)


def names(database: Database) -> dict[str, UserRole]:
    with database.transaction() as session:
        found = select(User).where(User.kind == UserKind.ACCOUNT).order_by(User.id)
        return {user.name: user.role for user in session.scalars(found)}


def roles_in_log(database: Database) -> list[tuple[str, str]]:
    with database.transaction() as session:
        found = [entry for entry, _ in reversed(audit.entries(session))]
        assert {(one.action, one.user_id, one.detail["by"]) for one in found} <= {
            ("change role", None, "the command line")
        }
        assert all(accounts.named(session, one.detail["person"]).id == one.detail["person_id"] for one in found)
        return [(one.detail["person"], one.detail["role"]) for one in found]


@pytest.mark.long
def test_the_first_organiser_is_made_at_the_command_line(settings: Settings, database: Database) -> None:
    made = hexarena(settings, "add", "Ada Lovelace", "--role", "organiser")
    assert made.returncode == 0, made.stderr
    password = made.stdout.split()[-1]
    assert names(database) == {"Ada Lovelace": UserRole.ORGANISER}
    with database.transaction() as session:
        accounts.sign_in(session, name="Ada Lovelace", password=password)
    listed = hexarena(settings, "list")
    assert "Ada Lovelace" in listed.stdout
    new = hexarena(settings, "password", "ada lovelace").stdout.split()[-1]
    with database.transaction() as session:
        accounts.sign_in(session, name="Ada Lovelace", password=new)
        with pytest.raises(SignInFailed):
            accounts.sign_in(session, name="Ada Lovelace", password=password)
    last = hexarena(settings, "role", "Ada Lovelace", "user")
    assert (last.returncode, "only organiser" in last.stderr) == (2, True)
    assert hexarena(settings, "add", "Grace").returncode == 0
    for role in ("organiser", "user"):
        assert hexarena(settings, "role", "Grace", role).returncode == 0
    expected = [("Ada Lovelace", "organiser"), ("Grace", "organiser"), ("Grace", "user")]
    assert roles_in_log(database) == expected
    assert "-" in hexarena(settings, "invite", "--uses", "3").stdout.split()[0]


def test_what_people_wrote_is_no_markup_in_the_list(settings: Settings, database: Database) -> None:
    for name, email in (("Ada", "[/a]@x.org"), ("Grace", "[red]@x.org")):
        with database.transaction() as session:
            accounts.sign_up(session, None, name=name, password="a long password", email=email)
    listed = hexarena(settings, "list")
    assert listed.returncode == 0, listed.stderr
    assert "[/a]@x.org" in listed.stdout
    assert "[red]@x.org" in listed.stdout


@pytest.mark.long
@pytest.mark.parametrize("table", ["name;role\nÅda;organiser\nGrace;\n", "\ufeffname,role\nÅda,organiser\n\nGrace,\n"])
def test_a_class_is_imported_from_a_spreadsheet(
    settings: Settings, database: Database, tmp_path: Path, table: str
) -> None:
    (tmp_path / "class.csv").write_text(table, encoding="utf-8")
    out = tmp_path / "passwords.csv"
    done = hexarena(settings, "import", str(tmp_path / "class.csv"), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert names(database) == {"Åda": UserRole.ORGANISER, "Grace": UserRole.USER}
    assert roles_in_log(database) == [("Åda", "organiser")]
    heading, *rows = out.read_text().splitlines()
    assert heading == "name,password"
    assert out.stat().st_mode & 0o077 == 0
    name, password = rows[1].split(",")
    with database.transaction() as session:
        assert accounts.sign_in(session, name=name, password=password).name == "Grace"


@pytest.mark.long
def test_an_import_says_on_a_terminal_how_far_it_is(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "class.csv").write_text("name\nAda\nGrace\n")
    piped = hexarena(settings, "import", str(tmp_path / "class.csv"))
    assert (piped.returncode, piped.stderr) == (0, "")
    monkeypatch.setenv("FORCE_COLOR", "1")  # Rich takes what it writes to for a terminal
    (tmp_path / "class.csv").write_text("name\nEmmy\nMary\n")
    shown = hexarena(settings, "import", str(tmp_path / "class.csv"))
    assert shown.returncode == 0
    assert "Making accounts" in shown.stderr
    assert "2/2" in shown.stderr
    assert "Making accounts" not in shown.stdout


@pytest.mark.long
@pytest.mark.parametrize(
    ("table", "said"),
    [
        (b"name\nAda\nAda\nH\xc3\xa9x\xd0\xb0rena\n", "line 3"),
        (b"name\nAda\nadmin\n", "This name is taken"),
        (b"name,role\nAda,boss\n", "user or organiser"),
        (b"name,password\nAda,short\n", "8 to 200 characters"),
        (b"who\nAda\n", "expected a first line"),
        (b"name\nAd\xe4\n", "not UTF-8"),
        (b"name\n\n", "has no rows"),
        (b'name\n"Ada\nGrace\n', "quotation mark"),
        (b'"name\nAda\n', "quotation mark"),
        (b"name,role\nAda,user\nGrace,user,secret\n", "line 3: expected 2 cells, as in line 1; got 3."),
    ],
)
def test_a_bad_import_makes_nobody(
    settings: Settings, database: Database, tmp_path: Path, table: bytes, said: str
) -> None:
    (tmp_path / "class.csv").write_bytes(table)
    done = hexarena(settings, "import", str(tmp_path / "class.csv"))
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert names(database) == {}


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "said"), [("nowhere/passwords.csv", "cannot be written"), ("kept.csv", "exists already")]
)
def test_an_import_whose_passwords_cannot_be_written_makes_nobody(
    settings: Settings, database: Database, tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "class.csv").write_text("name\nAda\n")
    (tmp_path / "kept.csv").write_text("of the last import")
    done = hexarena(settings, "import", str(tmp_path / "class.csv"), "--out", str(tmp_path / name))
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ")
    assert names(database) == {}
    assert (tmp_path / "kept.csv").read_text() == "of the last import"
