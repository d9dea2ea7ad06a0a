"""How long the machine kept processes from running that wanted to.

Theory of operation: the kernel counts for each thread how long it waited in the queue for a CPU. A bot that sleeps or
waits for something is not in that queue, and one that computes uses up its CPU time; so only a machine with too much
to do makes these figures grow. The kernel adds a wait only when it is over: one that still lasts is seen by a thread
that can run, but has not been on a CPU since an earlier sample. Of several threads the one that waited longest counts:
their sum would grow by mere number.

Where nobody counts the CPU time of processes that have ended, a bot could keep itself waiting by short-lived children
that cost it nothing. There, waits count only if the processes were the same in every sample.

Source: Documentation/scheduler/sched-stats.rst of Linux, "/proc/<pid>/schedstat". Where the kernel does not count,
nothing is found.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Thread:
    """The kernel's figures for a thread: seconds on a CPU and in the run queue, how often it got onto a CPU."""

    ran_s: float
    queued_s: float
    turns: int
    can_run: bool


class Lag:
    """The lag of one bot, over all samples of its processes."""

    def __init__(self, *, counts_ended: bool) -> None:
        """`counts_ended`: whether the bot is charged for processes that have ended, too."""
        self._believed = True
        self._counts_ended = counts_ended
        self._seen: set[int] | None = None
        self._begun: dict[str, Thread] = {}
        self._unmoved: dict[str, tuple[float, Thread]] = {}
        """Thread -> the first sample since which it has not been on a CPU although it can run."""
        self._waited_s: dict[str, float] = {}

    def look(self, pids: set[int], now: float) -> None:
        """Samples all threads of these processes. `now`: seconds of a monotonic clock."""
        if not self._counts_ended and self._seen not in (None, pids):
            self._believed = False
        self._seen = pids
        for name, thread in threads(pids):
            begun = self._begun.setdefault(name, thread)
            since, earlier = self._unmoved.get(name, (now, thread))
            if not (thread.can_run and earlier.can_run and thread.turns == earlier.turns):
                since, earlier = now, thread
            self._unmoved[name] = since, earlier
            pending_s = max(0.0, now - since - (thread.ran_s - earlier.ran_s))
            self._waited_s[name] = thread.queued_s - begun.queued_s + pending_s

    def longest_s(self) -> float:
        """The longest time that any thread waited for a CPU between the first and the last sample."""
        return max(self._waited_s.values(), default=0.0) if self._believed else 0.0


def threads(pids: Iterable[int]) -> Iterable[tuple[str, Thread]]:
    """(number, figures) of all threads that exist."""
    for pid in pids:
        with suppress(OSError):
            for folder in Path(f"/proc/{pid}/task").iterdir():
                with suppress(OSError):
                    ran, queued, turns = map(int, (folder / "schedstat").read_bytes().split())
                    state = (folder / "stat").read_bytes().rpartition(b")")[2].split()[0]
                    yield folder.name, Thread(ran / 1e9, queued / 1e9, turns, state == b"R")
