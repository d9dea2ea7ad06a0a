"""A value that is kept for some seconds for all who ask."""

from __future__ import annotations

import threading

import pytest

from hexarena.backend.api.kept import Kept
from tests.conftest import wait_until


class Made:
    """Numbers from 0, each when it is let go."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def make(self) -> int:
        self.may_go_on.wait()
        self.numbers.append(len(self.numbers))
        return self.numbers[-1]


def test_it_is_made_once_and_again_when_it_is_much_too_old() -> None:
    clock, made = [100.0], Made()
    kept: Kept[int] = Kept(2.0, lambda: clock[0])
    assert [kept.get(made.make), kept.get(made.make)] == [0, 0]
    clock[0] = 101.9
    assert kept.get(made.make) == 0
    clock[0] = 104.0
    assert [kept.get(made.make), kept.get(made.make)] == [1, 1]


def test_nobody_waits_while_it_is_made_anew_in_time() -> None:
    clock, made = [100.0], Made()
    kept: Kept[int] = Kept(2.0, lambda: clock[0])
    assert kept.get(made.make) == 0
    made.may_go_on.clear()
    clock[0] = 102.0
    assert [kept.get(made.make) for _ in range(9)] == [0] * 9, "the old one, as the new one is not made yet"
    made.may_go_on.set()
    wait_until(lambda: kept.get(made.make) == 1, "the new one is there")
    assert made.numbers == [0, 1], "made once"


def test_what_cannot_be_made_anew_is_tried_again_and_then_said() -> None:
    clock = [100.0]
    kept: Kept[int] = Kept(2.0, lambda: clock[0])
    assert kept.get(lambda: 7) == 7
    tried: list[int] = []

    def fail() -> int:
        tried.append(1)
        raise RuntimeError("no database")

    clock[0] = 102.0
    wait_until(lambda: kept.get(fail) == 7 and len(tried) >= 2, "it was tried again, with the old one meanwhile")
    clock[0] = 104.0
    with pytest.raises(RuntimeError):
        kept.get(fail)


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
