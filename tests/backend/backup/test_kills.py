"""Backups and restores that are killed, or find the disk full: nothing half made is taken for whole."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import pytest
from sqlalchemy import text

from hexarena.backend.backup.files import Backup
from hexarena.backend.backup.making import make
from hexarena.backend.backup.restoring import RESTORING, restore
from hexarena.backend.matches.blobs import StoreError
from hexarena.backend.matches.store import WrongStore, blobs_of, checked_store
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import seeding
from tests.api.played import played_match
from tests.conftest import Servers, new_empty_database, wait_until
from tests.small_disk import run_on_small_disk

STEPS = ("Table invite", "Table match_seat", "Table seat_result", "Replays")
HANGS_AT = """
    import signal
    import sys
    from pathlib import Path

    from hexarena.backend.backup.{module} import {name}
    from hexarena.backend.runtime.db import Database
    from hexarena.backend.runtime.settings import Settings

    url, folder, path, step = sys.argv[1:]
    settings = Settings(DATABASE_URL=url, data_folder=Path(folder), secret_key="{key}", disk_reserve_bytes=0)


    def report(what, *_):
        if what == step:
            print("here", flush=True)
            signal.pause()


    {name}(settings, Database.of(settings), Path(path), replays=True, report=report{more})
"""


def quiet(*_: object) -> None:
    """Reports nothing."""


@contextmanager
def killed_at(step: str, call: str, settings: Settings, path: Path) -> Iterator[None]:
    """A process that makes or restores a backup and is killed at a step."""
    module, name, key, more = {
        "make": ("making", "make", "for tests only", ""),
        "restore": ("restoring", "restore", "", ", same_store=False"),
    }[call]
    script = dedent(HANGS_AT.format(module=module, name=name, key=key, more=more))
    arguments = [settings.database_url, str(settings.data_folder), str(path), step]
    with subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        try:
            yield
        finally:
            process.kill()


@pytest.fixture
def empty(servers: Servers, tmp_path: Path) -> Iterator[Settings]:
    with new_empty_database(servers) as url:
        yield Settings(DATABASE_URL=url, data_folder=tmp_path / "elsewhere", disk_reserve_bytes=0)


def has_no_tables(settings: Settings) -> bool:
    database = Database.of(settings)
    try:
        with database.engine.connect() as connection:
            return connection.scalar(text("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")) == 0
    finally:
        database.close()


@pytest.mark.long
@pytest.mark.parametrize("step", STEPS)
def test_a_killed_backup_leaves_no_file_that_looks_whole(
    settings: Settings, database: Database, tmp_path: Path, step: str
) -> None:
    played_match(database, checked_store(settings, database))
    path = tmp_path / "arena.zip"
    with killed_at(step, "make", settings, path):
        pass
    assert [found.name for found in tmp_path.glob("arena.zip*")] == ["arena.zip.part"]
    said = make(settings, database, path, replays=True, report=quiet)
    assert said.objects() == 1
    assert [found.name for found in tmp_path.glob("arena.zip*")] == ["arena.zip"]
    with Backup(path) as found:
        found.check(quiet)


@pytest.mark.long
@pytest.mark.parametrize("step", ["Checking", "Replays", "Table invite", "Table seat_result", "Finishing"])
def test_a_killed_restore_leaves_an_empty_database_and_begins_again(
    settings: Settings, database: Database, empty: Settings, tmp_path: Path, step: str
) -> None:
    played_match(database, checked_store(settings, database))
    make(settings, database, tmp_path / "arena.zip", replays=True, report=quiet)
    with killed_at(step, "restore", empty, tmp_path / "arena.zip"):
        assert has_no_tables(empty)
    other = Database.of(empty)
    restore(empty, other, tmp_path / "arena.zip", replays=True, same_store=False, report=quiet)
    assert checked_store(empty, other).read_note(RESTORING) is None
    with other.engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM seat_result")) == 2
    other.close()


@pytest.mark.long
def test_a_new_arena_does_not_begin_among_the_replays_of_a_killed_restore(
    settings: Settings, database: Database, empty: Settings, tmp_path: Path
) -> None:
    played_match(database, checked_store(settings, database))
    make(settings, database, tmp_path / "arena.zip", replays=True, report=quiet)
    with killed_at("Table match", "restore", empty, tmp_path / "arena.zip"):
        pass
    other = Database.of(empty)
    wait_until(lambda: seeding.prepare(other), "the server has noticed that the restore is gone")
    with pytest.raises(WrongStore, match="belongs to another database"):
        checked_store(empty, other)
    other.close()


@pytest.mark.long
def test_a_server_that_ends_the_transaction_leaves_an_empty_database(
    settings: Settings, database: Database, empty: Settings, tmp_path: Path
) -> None:
    make(settings, database, tmp_path / "arena.zip", replays=False, report=quiet)
    own = Database.of(empty)

    def end(what: str, *_: object) -> None:
        if what == "Table match":
            with own.transaction() as session:
                session.execute(
                    text(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )
                )

    with pytest.raises(Exception, match=r"terminat|closed"):
        restore(empty, own, tmp_path / "arena.zip", replays=True, same_store=False, report=end)
    assert has_no_tables(empty)
    restore(empty, own, tmp_path / "arena.zip", replays=True, same_store=False, report=quiet)
    own.close()


def test_a_full_disk_leaves_no_backup(tmp_path: Path) -> None:
    script = dedent(
        """
        import os, sys
        from pathlib import Path
        from hexarena.backend.backup.files import Writer

        folder = Path(sys.argv[1])
        try:
            with Writer(folder / "arena.zip", lambda: None) as writer, writer.open("x", packed=False) as part:
                while True:
                    part.write(os.urandom(1 << 20))
        except OSError as error:
            print(error.strerror)
        print(*os.listdir(folder), "left")
        """
    )
    assert run_on_small_disk(tmp_path, script) == ["No space left on device", "left"]


@pytest.mark.long
def test_a_store_that_cannot_be_written_ends_a_restore_before_the_database_is_touched(
    settings: Settings, database: Database, empty: Settings, tmp_path: Path
) -> None:
    blobs = checked_store(settings, database)
    for _ in range(3):
        played_match(database, blobs)
    make(settings, database, tmp_path / "arena.zip", replays=True, report=quiet)
    # A file in place of a folder.
    (empty.data_folder / "blobs").mkdir(parents=True)
    (empty.data_folder / "blobs" / "replays").write_text("")
    own = Database.of(empty)
    with pytest.raises(StoreError):
        restore(empty, own, tmp_path / "arena.zip", replays=True, same_store=False, report=quiet)
    assert has_no_tables(empty)
    (empty.data_folder / "blobs" / "replays").unlink()
    restore(empty, own, tmp_path / "arena.zip", replays=True, same_store=False, report=quiet)
    assert blobs_of(empty).read_note(RESTORING) is None
    own.close()
