"""The store of replays that belongs to a database: found, marked, refused where it is another's."""

from __future__ import annotations

from pathlib import Path

import pytest

from hexarena.backend.matches.blobs import StoreError
from hexarena.backend.matches.store import MARKER, WrongStore, adopt, checked_store, identity
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests.api.played import played_match
from tests.conftest import Servers, new_arena


def elsewhere(settings: Settings, folder: Path) -> Settings:
    """The same database, as a host sees it that has a data folder of its own."""
    return settings.model_copy(update={"data_folder": folder})


def test_the_first_look_marks_an_empty_store(settings: Settings, database: Database) -> None:
    for _ in range(2):
        blobs = checked_store(settings, database)
        with database.transaction() as session:
            assert blobs.read_note(MARKER) == identity(session)


def test_a_host_with_a_folder_of_its_own_is_refused(settings: Settings, database: Database, tmp_path: Path) -> None:
    played_match(database, checked_store(settings, database))
    with pytest.raises(WrongStore, match=r"has no replay of this database.*HEXARENA_STORE") as refused:
        checked_store(elsewhere(settings, tmp_path / "other"), database)
    assert str(tmp_path / "other") in str(refused.value)
    assert not (tmp_path / "other" / "blobs" / MARKER).exists(), "it is not marked by a look"
    checked_store(settings, database)


def test_an_arena_from_before_there_were_markers_goes_on(settings: Settings, database: Database) -> None:
    blobs = checked_store(settings, database)
    played_match(database, blobs)
    (settings.data_folder / "blobs" / MARKER).unlink()
    checked_store(settings, database)
    assert blobs.read_note(MARKER) is not None


def test_two_databases_do_not_share_a_store(
    settings: Settings, database: Database, servers: Servers, template: str, tmp_path: Path
) -> None:
    checked_store(settings, database)
    with new_arena(servers, template, tmp_path / "second") as second:
        other = Database.of(second)
        theirs = elsewhere(second, settings.data_folder)
        with pytest.raises(WrongStore, match="belongs to another database"):
            checked_store(theirs, other)
        checked_store(settings, database)
        adopt(theirs, other)
        checked_store(theirs, other)
        other.close()
    with pytest.raises(WrongStore, match="hexarena store adopt"):
        checked_store(settings, database)


def test_a_store_that_cannot_be_read_is_not_taken_for_an_empty_one(settings: Settings, database: Database) -> None:
    settings.data_folder.mkdir(parents=True)
    (settings.data_folder / "blobs").write_text("a file")
    with pytest.raises(StoreError):
        checked_store(settings, database)
