"""The slots of one worker: how many of its matches compute at once, and how a match whose bot sleeps lends out its own.

Theory of operation. The pool has more processes than the worker has slots. A process takes a slot before it claims a
match; one that gets none in a moment returns the match to the queue, since another worker may have a slot. When a bot
falls asleep in its turn, its match gives the slot back, so that another match can be played meanwhile; when that turn
is over, the match waits for a slot before it continues. Between turns no clock runs, so no bot is judged by that wait.

A slot is a lock on one byte of a file that has no name. The kernel releases it when the process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
import weakref
from contextlib import suppress

LOOK_S = 0.02
WAKING_LOOK_S = 0.005
"""A match that continues looks more often, so that it usually comes before a new one."""


class LeaseLost(Exception):
    """Another worker holds the lease by now: further work on this match is wasted."""


class MatchSlots:
    """Made before the pool forks; all of its processes share it."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._file = os.memfd_create("match slots")
        weakref.finalize(self, os.close, self._file)

    def fileno(self) -> int:
        """The descriptor of the file with the locks."""
        return self._file

    def take(self, patience_s: float) -> Slot | None:
        """A slot; None if none is free for so long."""
        end = time.monotonic() + patience_s
        while (number := self.try_lock()) is None:
            if time.monotonic() >= end:
                return None
            time.sleep(LOOK_S)
        return Slot(self, number)

    def try_lock(self) -> int | None:
        """Locks a slot for this process. A process has one at most: its locks do not exclude each other."""
        for number in range(self._count):
            with suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
                return number
        return None

    def unlock(self, number: int) -> None:
        """Lets another process have it."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)


class Slot:
    """The slot of one match: it is notified by `Naps` of the match's bots.

    changed: set when `is_asleep` has changed. abandoned: set when the match need not continue.
    """

    def __init__(self, slots: MatchSlots, number: int) -> None:
        self._slots = slots
        self._number: int | None = number
        self.is_asleep = False
        self.changed = threading.Event()
        self.abandoned = threading.Event()

    def asleep(self) -> None:
        """Lends out the slot."""
        self.give_back()
        self.is_asleep = True
        self.changed.set()

    def awake(self) -> None:
        """Waits for a slot, unless the match is abandoned."""
        self.is_asleep = False
        self.changed.set()
        while not self.abandoned.is_set() and (number := self._slots.try_lock()) is None:
            time.sleep(WAKING_LOOK_S)
        self._number = None if self.abandoned.is_set() else number

    def give_back(self) -> None:
        """Ends the use of the slot. May be called more than once."""
        if self._number is not None:
            self._slots.unlock(self._number)
            self._number = None
