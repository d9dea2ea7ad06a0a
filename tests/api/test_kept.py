"""A value that is kept for some seconds for all who ask."""

from __future__ import annotations

import threading

import pytest

from hexarena.backend.api.kept import Kept


def test_it_is_made_once_and_again_when_it_is_too_old() -> None:
    clock = [100.0]
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    kept: Kept[int] = Kept(2.0, lambda: clock[0])
    assert [kept.get(make), kept.get(make)] == [0, 0]
    clock[0] = 101.9
    assert kept.get(make) == 0
    clock[0] = 102.0
    assert [kept.get(make), kept.get(make)] == [1, 1]


def test_a_failure_is_not_kept() -> None:
    kept: Kept[int] = Kept(2.0, lambda: 0.0)

    def fail() -> int:
        raise RuntimeError("no database")

    with pytest.raises(RuntimeError):
        kept.get(fail)
    assert kept.get(lambda: 7) == 7


def test_many_who_ask_at_once_wait_for_one() -> None:
    made: list[int] = []
    started, go_on = threading.Event(), threading.Event()

    def make() -> int:
        made.append(1)
        started.set()
        go_on.wait()
        return 7

    kept: Kept[int] = Kept(1e9)
    got: list[int] = []
    threads = [threading.Thread(target=lambda: got.append(kept.get(make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    started.wait()
    go_on.set()
    for thread in threads:
        thread.join()
    assert (made, got) == ([1], [7] * 8)
