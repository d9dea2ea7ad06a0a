"""What an operator mistypes, or forgot to start, is said in a sentence."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests import forking
from tests.conftest import free_port

AWAY = "postgresql://hexarena@127.0.0.1:1/hexarena"


def hexarena(folder: Path, *words: str, **given: str) -> subprocess.CompletedProcess[str]:
    own = {"HEXARENA_DATA_FOLDER": str(folder / "data"), "HEXARENA_PORT": str(free_port()), "COLUMNS": "300"}
    return forking.run("hexarena.cli.app", *words, env={**os.environ, **own, **given}, cwd=folder)


def assert_refused(done: subprocess.CompletedProcess[str], *said: str) -> None:
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    for words in said:
        assert words in done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        ["up"],
        ["db", "upgrade"],
        ["db", "downgrade"],
        ["store", "check"],
        ["store", "adopt"],
        ["user", "list"],
    ],
)
def test_a_database_that_is_not_there(words: list[str], tmp_path: Path) -> None:
    done = hexarena(tmp_path, *words, DATABASE_URL=AWAY, REDIS_URL="redis://127.0.0.1:1/0")
    assert_refused(done, "The database refused: ", "port 1", "Expected one that answers where DATABASE_URL says")


@pytest.mark.parametrize("words", [["up"], ["db", "upgrade"], ["store", "check"]])
def test_an_address_that_is_none_is_not_repeated_since_it_may_have_a_password(words: list[str], tmp_path: Path) -> None:
    done = hexarena(tmp_path, *words, DATABASE_URL="secret@nowhere", REDIS_URL="redis://127.0.0.1:1/0")
    assert_refused(done, "DATABASE_URL is no address of a database. Expected such as postgresql://")
    assert "secret" not in done.stderr


@pytest.mark.parametrize("what", ["DATABASE_PASSWORD", "SECRET_KEY", "METRICS_TOKEN"])
def test_a_secret_that_cannot_be_read(what: str, settings: Settings, tmp_path: Path) -> None:
    variable, addresses = f"HEXARENA_{what}_FILE", {"DATABASE_URL": settings.database_url, "REDIS_URL": "redis://a/0"}
    done = hexarena(tmp_path, "api", **addresses, **{variable: "nowhere"})
    assert_refused(done, f"{variable}: expected a file that can be read; got nowhere: No such file or directory")


@pytest.mark.parametrize("words", [["db", "upgrade"], ["db", "downgrade"]])
def test_no_arena_whose_schema_could_be_changed(words: list[str], tmp_path: Path) -> None:
    assert_refused(hexarena(tmp_path, *words, DATABASE_URL=""), "No arena runs in ")


def test_the_schema_is_changed_without_a_broker(settings: Settings, database: Database, tmp_path: Path) -> None:
    given = {"DATABASE_URL": settings.database_url, "REDIS_URL": ""}
    assert_refused(
        hexarena(tmp_path, "db", "downgrade", "nonsense", **given), "The schema stays as it is: ", "nonsense"
    )
    assert hexarena(tmp_path, "db", "downgrade", **given).returncode == 0
    with database.transaction() as session:
        assert migrate.current_revision(session) != migrate.newest_revision()
    done = hexarena(tmp_path, "db", "upgrade", **given)
    assert (done.returncode, done.stdout) == (0, "The schema is up to date; 0 house bots are new.\n"), done.stderr
