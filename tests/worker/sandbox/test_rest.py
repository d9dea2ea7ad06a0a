"""How long a bot may sleep in a match, and that nobody sleeps whom the machine keeps waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from hexarena.backend.submissions.languages import PYTHON
from hexarena.games.contract import TimedOut
from hexarena.worker.sandbox import BotProcess, Sandbox
from hexarena.worker.sandbox.rest import Rest

DOZES = """
import time

while True:
    input()
    time.sleep(0.2)
    print("x")
"""
SLEEPS = "import time; print(input(), flush=True); input(); time.sleep(200); print('x')"


def rest(*, waited_s: float = 0.0, own_s: float | None = 0.0) -> Rest:
    """Of a bot with a limit of 20 s, of which a thread waited for a CPU for `waited_s`, and the worker for `own_s`."""
    figures = iter([own_s and 0.0])
    return Rest(20.0, lambda: {"1": waited_s, "2": 0.0}, lambda: next(figures, own_s))


def test_idle_time_adds_up_over_the_turns() -> None:
    one = rest()
    for _ in range(20):
        one.add(1.0)
    assert one.too_long_s() is None
    one.add(0.5)
    assert one.too_long_s() == 20.5


def test_the_turn_that_is_not_over_counts() -> None:
    one = rest()
    one.add(19.0)
    assert one.too_long_s(0.9) is None
    assert one.too_long_s(1.5) == 20.5


def test_a_turn_on_several_cpus_gives_no_credit() -> None:
    one = rest()
    one.add(-50.0)
    assert one.too_long_s(21.0) == 21.0


@pytest.mark.parametrize("figures", [{"waited_s": 10.0}, {"own_s": 10.0}])
def test_waiting_for_a_cpu_is_no_sleep(figures: dict[str, float]) -> None:
    one = rest(**figures)
    one.add(39.0)
    assert one.too_long_s() is None
    one.add(2.0)
    assert one.too_long_s() == 21.0


def test_the_wait_of_a_turn_that_is_not_over_is_no_sleep() -> None:
    assert rest().too_long_s(30.0, lag_s=5.0) is None
    assert rest().too_long_s(31.0, lag_s=5.0) == 21.0


def test_where_the_kernel_does_not_count_nobody_sleeps_too_long() -> None:
    one = rest(own_s=None)
    one.add(1000.0)
    assert one.too_long_s() is None


class Recorder:
    """Naps that are only written down."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def asleep(self) -> None:
        self.events.append("asleep")

    def awake(self) -> None:
        self.events.append("awake")


@contextmanager
def running(sandbox: Sandbox, source: str, naps: Recorder) -> Iterator[BotProcess]:
    """A bot that may sleep for a second in a match; its turns have no cap that it could reach."""
    patient = replace(sandbox.limits, sleep_match_s=1.0, wall_first_s=150.0, wall_turn_s=150.0)
    lenient = replace(sandbox, limits=patient)
    with lenient.start(lenient.build(PYTHON, source.encode()), reply_bytes=100, naps=naps) as bot:
        yield bot


def test_a_bot_that_sleeps_a_little_in_each_turn_is_stopped(sandbox: Sandbox) -> None:
    with running(sandbox, DOZES, Recorder()) as bot:

        def play() -> None:
            for _ in range(1000):
                bot.ask("go\n", 2.0)

        with pytest.raises(TimedOut, match="expected at most 1 s of sleep in a match; it slept or waited for"):
            play()


def test_a_bot_that_sleeps_in_one_turn_is_stopped_and_its_match_lends_out_its_place(sandbox: Sandbox) -> None:
    naps = Recorder()
    with running(sandbox, SLEEPS, naps) as bot:
        bot.ask("go\n", 1.0)
        naps.events.clear()  # its runtime may have waited for the disk
        with pytest.raises(TimedOut, match="of sleep in a match"):
            bot.ask("go\n", 1.0)
    assert naps.events == ["asleep", "awake"]
