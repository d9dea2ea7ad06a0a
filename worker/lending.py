"""The slots of one worker: how many of its matches compute at once, and how a match lends out its own.

Theory of operation. The pool has more processes than the worker has slots. A process takes a slot before it claims a
match; one that gets none in a moment returns the match to the queue, since another worker may have a slot. When a bot
falls asleep in its turn, its match gives the slot back, so that another match can be played meanwhile; when that turn
is over, the match waits for a slot before it continues. Between turns no clock runs, so no bot is judged by that wait.
A match that computes lends its slot out, too, where it is wanted for somebody who holds none (`backend.matches.lending`
decides that): between two turns, or while its bots are built. That slot is kept for a new match for a moment: else two
matches that both lend theirs would hand one slot to each other.

A match that nobody waits for yields: it lends its slot at the end of its turn as soon as a new match that somebody
waits for finds none. That one does not wait for the end of the turn: it begins without a slot, beside the others, and
takes the one that is lent to it when its own turn is over. One match at a time begins so.

A slot is a lock on one byte of a file that has no name. The kernel releases it when the process ends, however it ends.
The file's content says of each slot until when it is kept for a new match, and whether its match yields; and until when
one is wanted of those that yield.
"""

from __future__ import annotations

import fcntl
import math
import os
import struct
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress

LEND_AFTER_S = 0.5
"""A match that computes keeps its slot for at least so long, so that however many wait, it gets on."""
TAKEN_S = 1.0
"""So long a slot that was lent out as it was wanted is kept for a new match. Then any match may take it."""
LOOK_S = 0.02
WANTED_S = 5.0
"""So long a match that began without a slot is taken to need one, should its process have been killed."""
WAKING_LOOK_S = 0.005
"""A match that continues looks more often, so that it usually comes before a new one, but for slots that are kept."""
_UNTIL = struct.Struct("d")


class LeaseLost(Exception):
    """Another worker holds the lease by now: further work on this match is wasted."""


class MatchSlots:
    """Made before the pool forks; all of its processes share it."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._file = os.memfd_create("match slots")
        os.truncate(self._file, (2 * count + 1) * _UNTIL.size)
        weakref.finalize(self, os.close, self._file)

    def fileno(self) -> int:
        """The descriptor of the file with the locks."""
        return self._file

    def take(self, patience_s: float, *, awaited: bool = False) -> Slot | None:
        """A slot for a new match; None if none is free for so long. `awaited`: somebody waits for the match, so it gets
        one that it has to find where another match yields.
        """
        end = time.monotonic() + patience_s
        while (number := self.try_lock()) is None:
            if awaited and self.want():
                return Slot(self, None)
            if time.monotonic() >= end:
                return None
            time.sleep(LOOK_S)
        self.begin(number)
        return Slot(self, number)

    def begin(self, number: int, *, yields: bool = False) -> None:
        """After a slot was locked: it is kept for nobody. `yields`: of the match that has it."""
        self._write(number, 0.0)
        self.mark(number, yields=yields)

    def mark(self, number: int, *, yields: bool) -> None:
        """Says whether the match that has this slot yields."""
        self._write(self._count + 1 + number, math.inf if yields else 0.0)

    def try_lock(self, *, has_begun: bool = False) -> int | None:
        """Locks a slot for this process. A process has one at most: its locks do not exclude each other.

        `has_begun`: for a match that continues, so that a slot that is kept for a new one does not count as free.
        """
        for number in range(self._count):
            if has_begun and self._is_ahead(number):
                continue
            with suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
                return number
        return None

    def unlock(self, number: int) -> None:
        """Lets another process have it."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)

    def keep(self, number: int) -> None:
        """Keeps it for a new match, from when it is unlocked until one takes it, or for `TAKEN_S`."""
        self._write(number, time.monotonic() + TAKEN_S)

    def claim_want(self) -> bool:
        """Whether a match that began without a slot wants one. One of several callers gets True."""
        return self._is_ahead(self._count) and self._change_want(0.0, was_wanted=True)

    def end_want(self) -> None:
        """No slot is wanted any more."""
        self._write(self._count, 0.0)

    def want(self) -> bool:
        """Wants a slot of a match that yields. False: there is none, or another match wants one."""
        if not any(self._is_ahead(self._count + 1 + number) for number in range(self._count)):
            return False
        return self._change_want(time.monotonic() + WANTED_S, was_wanted=False)

    def _change_want(self, end_s: float, *, was_wanted: bool) -> bool:
        """Whether this process, and no other, changed it from what it was."""
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, self._count)
        except OSError:
            return False
        try:
            if self._is_ahead(self._count) != was_wanted:
                return False
            self._write(self._count, end_s)
            return True
        finally:
            self.unlock(self._count)

    def _write(self, place: int, end_s: float) -> None:
        """Places: of each slot, until when it is kept; until when one is wanted; of each slot, whether it yields."""
        os.pwrite(self._file, _UNTIL.pack(end_s), place * _UNTIL.size)

    def _is_ahead(self, place: int) -> bool:
        (end_s,) = _UNTIL.unpack(os.pread(self._file, _UNTIL.size, place * _UNTIL.size))
        return bool(time.monotonic() < end_s)


class Slot:
    """The slot of one match: it is notified by `Naps` of the match's bots.

    changed: set when `is_asleep` has changed. abandoned: set when the match need not continue. is_lent: it is asleep
    since its slot was wanted.
    """

    def __init__(self, slots: MatchSlots, number: int | None) -> None:
        """`number`: None where the match begins without a slot, and one is wanted for it."""
        self._slots = slots
        self._number = number
        self._wants = number is None
        self._yields = False
        self._since_s = time.monotonic()
        self._wanted = False
        self._is_building = False
        self._building_lock = threading.Lock()
        self.is_asleep = False
        self.is_lent = False
        self.changed = threading.Event()
        self.abandoned = threading.Event()

    def yield_to_others(self) -> None:
        """Nobody waits for the match: it lends its slot out as soon as somebody waits for another one."""
        self._yields = True
        if self._number is not None:
            self._slots.mark(self._number, yields=True)

    def asleep(self) -> None:
        """Lends out the slot."""
        self._wanted = False
        self.give_back()
        self.is_asleep = True
        self.changed.set()

    def awake(self) -> None:
        """Waits for a slot, unless the match is abandoned. Until then its own counts as lent out."""
        number = None
        while not self.abandoned.is_set() and (number := self._slots.try_lock(has_begun=True)) is None:
            time.sleep(WAKING_LOOK_S)
        self._own(number)  # also where it is abandoned by now: one that is locked is given back
        self.is_asleep = self.is_lent = False
        self.changed.set()

    def may_be_wanted(self) -> bool:
        """Whether the match has had its slot for long enough to lend it out."""
        return self._number is not None and time.monotonic() - self._since_s >= LEND_AFTER_S

    def want(self) -> None:
        """Asks the match, from another thread, to lend its slot out: at once if it builds, or when its turn is over."""
        with self._building_lock:
            if self._is_building:
                self._lend_to_new()
            else:
                self._wanted = True

    @contextmanager
    def building(self) -> Iterator[None]:
        """While the block runs, the slot may be lent out at any time: no bot has a clock yet."""
        self._is_building = True
        try:
            yield
        finally:
            with self._building_lock:
                self._is_building = False
        if self.is_asleep:
            self.awake()

    def between_turns(self) -> None:
        """Lends the slot out if it is wanted, until one is free again, or if nobody takes it. Or takes the one that it
        began without.
        """
        if self._wants:
            if (number := self._slots.try_lock()) is not None:
                self._own(number)
            else:
                self._slots.want()  # again, since the one that was lent was not taken in time
        elif self._number is not None and (self._wanted or (self._yields and self._slots.claim_want())):
            self._lend_to_new()
            self.awake()

    def _own(self, number: int | None) -> None:
        self._number, self._since_s = number, time.monotonic()
        if number is not None:
            self._slots.begin(number, yields=self._yields)
        self._end_want()

    def _end_want(self) -> None:
        if self._wants:
            self._wants = False
            self._slots.end_want()

    def _lend_to_new(self) -> None:
        if self._number is not None:
            self._slots.keep(self._number)
        self.is_lent = True
        self.asleep()

    def give_back(self) -> None:
        """Ends the use of the slot. May be called more than once."""
        self._end_want()
        if self._number is not None:
            self._slots.unlock(self._number)
            self._number = None
