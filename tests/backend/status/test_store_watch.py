"""Whether the store of replays answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from hexarena.backend.matches.blobs import Blobs, StoreError
from hexarena.backend.matches.store import MARKER, checked_store
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.status.store_watch import PATIENCE_S, StoreWatch


class Store(Blobs):
    """A store that is away, or slow, as it is told. `seen`: what was said of it while it was asked."""

    away = False
    takes_s = 0.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.now = 100.0
        self.watch = StoreWatch(self, clock=lambda: self.now)
        self.seen: list[bool] = []

    def read_note(self, name: str) -> str | None:
        self.now += self.takes_s
        self.seen.append(self.watch.answers)
        if self.away:
            raise StoreError("it is away")
        return super().read_note(name)


def test_a_store_that_is_away_is_so_until_it_answers(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.watch.answers, "nobody knows yet"
    store.watch.ask()
    assert store.watch.answers
    store.away = True
    store.watch.ask()
    assert not store.watch.answers
    store.away = False
    store.watch.ask()
    assert store.watch.answers
    assert store.seen == [True, True, False]


def test_a_store_that_has_not_answered_for_seconds_does_not_answer(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.takes_s = PATIENCE_S - 1
    store.watch.ask()
    store.takes_s = PATIENCE_S + 1
    store.watch.ask()
    assert store.seen == [True, False]
    assert store.watch.answers, "it did, in the end"


def test_a_folder_that_has_lost_its_marker_is_not_the_store_any_more(settings: Settings, database: Database) -> None:
    store = checked_store(settings, database)
    folder, away = Path(store.place), settings.data_folder / "away"
    watch = StoreWatch(store, database)
    folder.rename(away)  # before the first question: who is asked later knows no other store either
    watch.ask()
    assert not watch.answers
    with pytest.raises(StoreError, match="got a folder without marker"):
        watch.check()
    assert not folder.exists(), "nothing is written where a mount is gone"
    away.rename(folder)
    watch.ask()
    assert watch.answers
    store.write_note(MARKER, "another")
    watch.ask()
    assert not watch.answers


def test_a_folder_of_a_database_without_an_id_is_taken_as_it_is(tmp_path: Path, database: Database) -> None:
    watch = StoreWatch(Blobs(tmp_path), database)
    watch.ask()
    watch.check()
    assert watch.answers


def test_it_is_asked_in_a_thread(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.away = True
    store.watch.start(first_s=60)
    assert not store.watch.answers
    store.watch.stop()
