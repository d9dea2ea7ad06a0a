"""Whether the store of replays answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from hexarena.backend.matches.blobs import Blobs, StoreError
from hexarena.backend.matches.store import MARKER
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


def test_a_folder_that_has_lost_its_marker_is_not_the_store_any_more(tmp_path: Path) -> None:
    folder, away = tmp_path / "store", tmp_path / "away"
    store = Store(folder)
    store.write_note(MARKER, "arena-1")
    store.watch.ask()
    folder.rename(away)
    store.watch.ask()
    assert not store.watch.answers
    with pytest.raises(StoreError, match="expected arena arena-1, got a folder without marker"):
        store.watch.check()
    assert not folder.exists(), "nothing is written where a mount is gone"
    away.rename(folder)
    store.watch.ask()
    assert store.watch.answers
    store.write_note(MARKER, "arena-2")
    store.watch.ask()
    assert not store.watch.answers


def test_a_store_that_never_had_a_marker_is_taken_as_it_is(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.watch.ask()
    store.watch.ask()
    store.watch.check()
    assert store.watch.answers


def test_it_is_asked_in_a_thread(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.away = True
    store.watch.start(first_s=60)
    assert not store.watch.answers
    store.watch.stop()
