"""A bot's processes as one unit: how much CPU time they used, and stopping them between turns.

There are two kinds: `cgroup.Group`, where this machine lets the worker make control groups, and `ProcessTree` here,
which walks /proc instead. A walk is weaker: a process that ended and was never waited for takes its CPU time with
it, and memory is limited for each process only. That is why bots have no processes besides the first one there
(`rules.SINGLE_BOTS`): the clock of one process is exact, with all of its threads. The cap on wall time holds in both.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
MOST_ROUNDS = 50
"""Of looking for processes that appeared, or were woken up, while others were being stopped."""
STOPPED_LOOK_S = 0.0001


class Tree(Protocol):
    """The processes of one bot.

    counts_ended: whether CPU time is counted of those that nobody waited for. counts_kills: whether the kernel shows
    how many it killed for their memory.
    """

    counts_ended: bool
    counts_kills: bool

    def admit(self, pid: int) -> None:
        """Adds the bot's first process, before it runs any of the bot's code."""
        ...

    def cpu_s(self) -> float:
        """CPU seconds of all of them so far, ended ones included."""
        ...

    def freeze(self) -> None:
        """Stops them all until `thaw`."""
        ...

    def thaw(self) -> None:
        """Lets them run on."""
        ...

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed one of them because all together used more memory than they may."""
        ...

    def was_sacrificed(self) -> bool:
        """Whether the kernel killed one of them although they used no more than that: others had no memory left."""
        ...

    def pids(self) -> set[int]:
        """Its processes, as this process numbers them."""
        ...

    def kill(self) -> None:
        """Kills what is left of them."""
        ...


class ProcessTree:
    """The descendants of one process, found through /proc. `single`: it cannot have any."""

    counts_kills = False

    def __init__(self, *, single: bool = False) -> None:
        self.counts_ended = self._single = single
        self._root = 0
        self._used_s = 0.0
        self._stopped: set[int] = set()

    def admit(self, pid: int) -> None:
        """See Tree."""
        self._root = pid

    def cpu_s(self) -> float:
        """See Tree. Children that ended and were waited for count in steps of the kernel's tick, mostly 10 ms."""
        total = sum(_process_cpu_s(pid) + _waited_children_cpu_s(pid) for pid in self.pids())
        self._used_s = max(self._used_s, total)
        return self._used_s

    def freeze(self) -> None:
        """See Tree."""
        self._stopped = keep_stopped(self.pids)

    def thaw(self) -> None:
        """See Tree."""
        send_all(self._stopped, signal.SIGCONT)
        self._stopped = set()

    def ran_out_of_memory(self) -> bool:
        """Nobody counts it here: an allocation past the limit fails, and the bot's own runtime says so."""
        return False

    def was_sacrificed(self) -> bool:
        """Nobody counts that either."""
        return False

    def kill(self) -> None:
        """See Tree."""
        send_all(stop_all({self._root}, self.pids), signal.SIGKILL)

    def pids(self) -> set[int]:
        """See Tree."""
        found: set[int] = set()
        waiting = [self._root]
        while waiting:
            pid = waiting.pop()
            if pid not in found and Path(f"/proc/{pid}").exists():
                found.add(pid)
                waiting.extend(() if self._single else _children(pid))
        return found


def stop_all(first: set[int], listing: Callable[[], set[int]]) -> set[int]:
    """Stops `first`, then whatever `listing` still finds, until it finds nothing new. Returns all that it stopped."""
    stopped: set[int] = set()
    found = first
    for _ in range(MOST_ROUNDS):
        new = found - stopped
        if not new:
            break
        send_all(new, signal.SIGSTOP)
        stopped |= new
        found = listing()
    return stopped


def keep_stopped(listing: Callable[[], set[int]]) -> set[int]:
    """Stops all that `listing` finds, as often as one of them wakes the others up. Returns all that it stopped.

    Whoever is alone is stopped once: that is every turn of most bots.
    """
    stopped = stop_all(listing(), listing)
    for _ in range(MOST_ROUNDS if len(stopped) > 1 else 0):
        if all(map(_is_stopped, stopped)):
            break
        time.sleep(STOPPED_LOOK_S)  # a signal takes a moment
        stopped |= stop_all(listing(), listing)
    return stopped


def _is_stopped(pid: int) -> bool:
    """Whether it is, will be as soon as the kernel lets it (D), or has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in {b"T", b"t", b"D", b"Z", b"X"}
    return True


def send_all(pids: set[int], number: signal.Signals) -> None:
    """Signals each process that still exists."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _children(pid: int) -> list[int]:
    pids: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                pids += map(int, (thread / "children").read_bytes().split())
    return pids


def _process_cpu_s(pid: int) -> float:
    """The process's own CPU clock, all threads. The number is the kernel's for "the scheduler's clock of pid"."""
    with suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)
    return 0.0


def _waited_children_cpu_s(pid: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[13]) + int(fields[14])) / TICKS_PER_S
    return 0.0
