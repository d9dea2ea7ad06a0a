"""How long a bot slept in a match: the time of its turns in which it neither computed nor waited for the machine.

Theory of operation. What is left of a turn's wall time without its CPU time is idle. The machine may be why, so that
the kernel's figures for waiting in the queue for a CPU (`lag`) are subtracted: those of the bot's thread that waited
longest, or those of this thread, which reads the reply, whichever is more; both since the match began. They count
double, since one thread of a bot may wait for another one that waits for a CPU. They are read only now and then, and
when the idle time alone would be too much. Where the kernel does not count, nobody sleeps too long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from hexarena.worker.sandbox.lag import threads

LAG_WEIGHT = 2.0
SAMPLE_S = 1.0
"""How much idle time passes between two samples: threads that ended in between are missed."""
OWN = Path("/proc/thread-self/schedstat")


class Naps(Protocol):
    """Is notified when a bot falls asleep in its turn, and when that turn is over."""

    def asleep(self) -> None:
        """Somebody else can use the CPU."""
        ...

    def awake(self) -> None:
        """The match wants to continue. It does when this returns."""
        ...


class NoNaps:
    """For matches that have a place of their own."""

    def asleep(self) -> None:
        """See Naps."""

    def awake(self) -> None:
        """See Naps."""


class Rest:
    """The sleep of one bot in one match."""

    def __init__(
        self,
        limit_s: float,
        queued: Callable[[], Mapping[str, float]],
        own_queued: Callable[[], float | None] | None = None,
    ) -> None:
        """`queued`: each thread of the bot -> how long it has waited for a CPU so far. `own_queued`: of this thread."""
        self.limit_s = limit_s
        self._queued = queued
        self._own_queued = own_queued or own_queued_s
        self._idle_s = 0.0
        self._queued_s: dict[str, float] = {}
        self._own_before_s = self._own_queued()
        self._sample_at_s = SAMPLE_S
        self._look_at_s = limit_s

    def add(self, idle_s: float) -> None:
        """Counts the idle time of a turn that is over."""
        self._idle_s += max(0.0, idle_s)
        if self._idle_s >= self._sample_at_s:
            self._sample_at_s = self._idle_s + SAMPLE_S
            self._sample()

    def too_long_s(self, idle_s: float = 0.0, lag_s: float = 0.0) -> float | None:
        """How long it slept, if that is longer than allowed. `idle_s`, `lag_s`: of the turn that is not over."""
        total_s = self._idle_s + max(0.0, idle_s)
        if total_s <= self._look_at_s:
            return None
        self._sample()
        own_s = self._own_queued()
        if own_s is None or self._own_before_s is None:
            return None
        lag_s += max(own_s - self._own_before_s, max(self._queued_s.values(), default=0.0))
        slept_s = total_s - LAG_WEIGHT * lag_s
        if slept_s > self.limit_s:
            return slept_s
        self._look_at_s = max(self._look_at_s, total_s + (self.limit_s - slept_s) / 2)
        return None

    def _sample(self) -> None:
        for name, queued_s in self._queued().items():
            self._queued_s[name] = max(queued_s, self._queued_s.get(name, 0.0))


def queued_s(pids: set[int]) -> dict[str, float]:
    """Each thread of these processes -> how long it has waited for a CPU so far."""
    return {name: thread.queued_s for name, thread in threads(pids)}


def own_queued_s() -> float | None:
    """How long this thread has waited for a CPU so far; None where the kernel does not count."""
    with suppress(OSError, ValueError, IndexError):
        return int(OWN.read_bytes().split()[1]) / 1e9
    return None
