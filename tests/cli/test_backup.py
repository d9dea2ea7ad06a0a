"""`hexarena backup` and `restore`: run as an organiser would, with real servers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from hexarena.backend.matches.store import checked_store
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.local import FolderLock, LocalServers
from hexarena.backend.runtime.settings import Settings
from tests import forking
from tests.api.played import played_match
from tests.conftest import Servers, new_empty_database


def hexarena(
    settings: Settings, *arguments: str | Path, fails: bool = False, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {
        "DATABASE_URL": settings.database_url,
        "HEXARENA_DATA_FOLDER": str(settings.data_folder),
        "HEXARENA_SECRET_KEY": settings.secret_key,
        "HEXARENA_STORE": settings.store,
        "HEXARENA_DISK_RESERVE_BYTES": "0",
        "COLUMNS": "200",
        **variables,
    }
    done = forking.run("hexarena.cli.app", *map(str, arguments), env={**os.environ, **environment})
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def played(settings: Settings, database: Database) -> Settings:
    """An arena with two matches."""
    blobs = checked_store(settings, database)
    for _ in range(2):
        played_match(database, blobs)
    return settings


@pytest.mark.long
def test_an_arena_moves_into_a_new_data_folder(played: Settings, tmp_path: Path) -> None:
    path, new = tmp_path / "arena.zip", Settings(data_folder=tmp_path / "new")
    made = hexarena(played, "backup", path).stdout
    assert made.startswith(f"Wrote {path}, ")
    assert "2 matches, 0 of them not over, 2 replays." in made
    assert hexarena(new, "backup", "--check", path).stdout.startswith(f"{path} is whole.\nArena ")
    restored = hexarena(new, "restore", path).stdout
    assert restored.startswith(f"Restored {path}.\nArena ")
    assert restored.splitlines()[1:] == made.splitlines()[1:]
    assert (new.data_folder / "secret_key").read_text() == "for tests only"
    # The arena does not run: the backup starts its database for as long as it takes.
    again = hexarena(new, "backup", tmp_path / "again.zip").stdout
    assert "2 matches, 0 of them not over, 2 replays." in again
    refused = hexarena(new, "restore", path, fails=True).stderr
    assert "There is an arena in this database already. Expected an empty database" in refused
    assert "2 matches" in refused
    with LocalServers(new.data_folder.resolve()) as servers:
        there = new.model_copy(update={"database_url": servers.database_url})
        ladders = hexarena(there, "ladder", "recompute", "yavalath").stdout
        assert "2 results" in ladders
        assert hexarena(there, "store", "check").stdout.endswith("has the replays of this database.\n")


@pytest.mark.long
def test_an_arena_moves_into_another_database_and_a_bucket(
    played: Settings, servers: Servers, tmp_path: Path, s3: ThreadedMotoServer
) -> None:
    path = tmp_path / "arena.zip"
    hexarena(played, "backup", path)
    with new_empty_database(servers) as url:
        new = Settings(DATABASE_URL=url, data_folder=tmp_path / "new", store="s3://arena/replays", secret_key="other")
        restored = hexarena(new, "restore", path, REDIS_URL=played.redis_url).stdout
        assert "HEXARENA_SECRET_KEY is not the backup's key" in restored
        database = Database.of(new)
        assert "2 replays" in hexarena(new, "backup", tmp_path / "again.zip").stdout
        checked_store(new, database)
        database.close()
        assert not (new.data_folder / "blobs").exists()


@pytest.mark.long
def test_replays_can_be_left_out(played: Settings, servers: Servers, tmp_path: Path) -> None:
    assert "without replays" in hexarena(played, "backup", "--without-replays", tmp_path / "small.zip").stdout
    hexarena(played, "backup", tmp_path / "large.zip")
    for number, (name, *options) in enumerate((("small.zip",), ("large.zip", "--without-replays"))):
        with new_empty_database(servers) as url:
            new = Settings(DATABASE_URL=url, data_folder=tmp_path / f"new{number}")
            assert "The replays were not restored" in hexarena(new, "restore", tmp_path / name, *options).stdout
            database = Database.of(new)
            assert not list((new.data_folder / "blobs").rglob("*.zip"))
            checked_store(new, database)  # an arena that starts is not stopped by what it was told is gone
            database.close()


@pytest.mark.long
def test_what_is_wrong_is_reported_in_a_line(played: Settings, tmp_path: Path) -> None:
    path = tmp_path / "arena.zip"
    hexarena(played, "backup", path)
    nowhere = Settings(data_folder=tmp_path / "nowhere")
    assert "is there already" in hexarena(played, "backup", path, fails=True).stderr
    assert "No such file" in hexarena(played, "backup", tmp_path / "no" / "x.zip", fails=True).stderr
    assert "No such file" in hexarena(played, "backup", "--check", tmp_path / "x.zip", fails=True).stderr
    assert "No arena runs in" in hexarena(nowhere, "backup", tmp_path / "x.zip", fails=True).stderr
    refused = hexarena(Settings(DATABASE_URL="postgresql://127.0.0.1:1/x"), "backup", tmp_path / "x", fails=True)
    assert "The database refused" in refused.stderr
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    for command in (("backup", "--check"), ("restore",)):
        assert "or its end is missing. Expected a file that" in hexarena(nowhere, *command, path, fails=True).stderr
    assert not (nowhere.data_folder / "blobs").exists()


@pytest.mark.long
def test_a_folder_in_which_an_arena_runs_is_not_restored_into(played: Settings, tmp_path: Path) -> None:
    hexarena(played, "backup", tmp_path / "arena.zip")
    new = Settings(data_folder=tmp_path / "new")
    with FolderLock(new.data_folder), LocalServers(new.data_folder.resolve()):
        refused = hexarena(new, "restore", tmp_path / "arena.zip", fails=True).stderr
        assert "Another Hexarena" in refused
        assert "choose another folder" in refused
