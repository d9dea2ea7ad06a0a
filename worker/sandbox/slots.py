"""Which sandbox owns which groups, users, processes and folders.

Theory of operation: a sandbox takes a number by locking `locks/<number>` in its folder; the kernel gives the lock
back when the process ends, however it ends. Everything that a sandbox makes carries its mark, that is the folder's
token and the number: control groups and folders in their names, processes in their environment. The holder of a
number's lock knows that everything with its mark was left by a killed predecessor: a sandbox removes that when it takes
its own number, and a sweep does so for each number that it can lock. A sandbox that starts while a sweep holds a
number takes another one.

Each running bot or build has a slot, the lowest that is free: its group, and the user that a root worker's bot runs as
(`users`: two arenas on one machine have different ones).
A sandbox that was not closed releases its number and groups when it is garbage collected.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from hexarena.worker.sandbox import cgroup, marks, users
from hexarena.worker.sandbox.cgroup import Group, Hierarchies
from hexarena.worker.sandbox.errors import SandboxFailed
from hexarena.worker.sandbox.tree import ProcessTree, Tree

PREFIX = "hexarena."
"""The prefix of all marks."""
MOST_SANDBOXES = 64
"""Sandboxes on one folder. A worker has no more processes: `MOST_PROCESSES` of the settings."""
SLOTS_EACH = users.USERS_EACH
"""How many bots a sandbox may run at once: it owns as many users."""


class Slots:
    """The slots of one sandbox."""

    def __init__(self, folder: Path, *, groups: bool) -> None:
        """`groups`: use control groups where they can be made."""
        self._folder = folder
        self._locks = folder / "locks"
        self._locks.mkdir(parents=True, exist_ok=True)
        self._token = f"{PREFIX}{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:10]}"
        self._number, self._lock = self._take_number()
        self.mark = self._mark_of(self._number)
        """Carried by everything of this sandbox."""
        self.scratch = self._scratch_of(self._number)
        """A folder for temporary files. Nothing in it outlives this sandbox."""
        self._clear([self._number])
        self.scratch.mkdir(parents=True)
        self._record_places()
        self.hierarchies: Hierarchies | None = cgroup.find_hierarchies(f"{self.mark}try") if groups else None
        self._groups: dict[int, Group] = {}
        self._free = list(range(SLOTS_EACH))
        self._first_user = 0
        self._locks_held = [self._lock]
        owned = (self.mark, self._groups, self.scratch, self._locks_held)
        self._end = weakref.finalize(self, _release_all, *owned, os.getpid())

    def acquire(self) -> int:
        """Takes a free slot."""
        if not self._free:
            raise SandboxFailed(f"expected at most {SLOTS_EACH} bots at once; close one first")
        self._free.sort()
        return self._free.pop(0)

    def release(self, slot: int) -> None:
        """Frees a slot in which nothing runs any more."""
        self._free.append(slot)

    def tree(self, slot: int, *, memory_bytes: int, processes: int, single: bool = False) -> Tree:
        """The tree for the next bot in this slot, with its limits set where there are control groups.

        single: it cannot have processes besides its first one.
        Raises: SandboxFailed when there were groups, but the kernel no longer lets us make or limit them.
        """
        if self.hierarchies is None:
            return ProcessTree(single=single)
        try:
            if slot not in self._groups:
                self._groups[slot] = Group(self.hierarchies, f"{self.mark}{slot}")
            group = self._groups[slot]
            group.limit(memory_bytes=memory_bytes, processes=processes)
        except OSError as error:
            raise SandboxFailed(f"expected a control group for a bot; got {error}") from error
        return group

    @property
    def number(self) -> int:
        """This sandbox among all on its folder."""
        return self._number

    def user(self, slot: int) -> int:
        """The user that a bot in this slot runs as if this is root's sandbox; for others, only a number.

        Raises: SandboxFailed when this machine has none left.
        """
        if self._first_user == 0 and os.geteuid() == 0:
            self._first_user, lock = users.claim()
            self._locks_held.append(lock)
        return self._first_user + slot

    def sweep(self) -> None:
        """Removes what dead sandboxes left behind: everything of those on this folder, the control groups of others."""
        locked = {number: self._try_lock(number) for number in self._numbers() if number != self._number}
        dead = [number for number, lock in locked.items() if lock is not None]
        try:
            self._clear(dead)
        finally:
            for lock in locked.values():
                if lock is not None:
                    os.close(lock)
        cgroup.sweep(self._places(self._numbers()), PREFIX)

    def close(self) -> None:
        """Kills all processes, removes the groups and releases the number."""
        self._end()

    # --- Numbers and their locks -----------------------------------------------------------------------------------

    def _take_number(self) -> tuple[int, int]:
        for number in range(MOST_SANDBOXES):
            lock = self._try_lock(number)
            if lock is not None:
                return number, lock
        raise SandboxFailed(f"expected at most {MOST_SANDBOXES} workers on one folder")

    def _try_lock(self, number: int) -> int | None:
        descriptor = os.open(self._locks / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return None
        return descriptor

    def _numbers(self) -> list[int]:
        """All that were ever taken."""
        return sorted(int(lock.name) for lock in self._locks.iterdir() if lock.name.isdigit())

    def _mark_of(self, number: int) -> str:
        return f"{self._token}.{number}."

    def _scratch_of(self, number: int) -> Path:
        return self._folder / "scratch" / str(number)

    # --- What is left of killed ones -------------------------------------------------------------------------------

    def _clear(self, numbers: Sequence[int]) -> None:
        """Removes everything with these numbers, locked by the caller. Processes first: they might still write."""
        marked = [self._mark_of(number) for number in numbers]
        marks.kill(marked)
        for number, mark in zip(numbers, marked, strict=True):
            cgroup.sweep(self._places([number]), mark)
            shutil.rmtree(self._scratch_of(number), ignore_errors=True)
            _remove_public(mark)

    def _record_places(self) -> None:
        """For the next owner of this number, which may live in other groups than this process."""
        places = "".join(f"{place}\n" for place in cgroup.places())
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, places.encode(), 0)

    def _places(self, numbers: Iterable[int]) -> list[Path]:
        """Where groups with these numbers may be: this process's places, and the recorded ones."""
        found = dict.fromkeys(cgroup.places())
        for number in numbers:
            with suppress(FileNotFoundError):
                found.update(dict.fromkeys(map(Path, (self._locks / str(number)).read_text().splitlines())))
        return list(found)


def remove_abandoned(prefix: str) -> None:
    """Removes the temporary folders of single sandboxes that were killed, with everything that carries their marks.

    `prefix`: begins the names of such folders.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(FileNotFoundError):
            if folder.lstat().st_uid == os.geteuid() and (folder / "locks" / "0").exists():
                slots = Slots(folder, groups=False)
                slots.close()
                if slots.number == 0:
                    shutil.rmtree(folder, ignore_errors=True)


def _remove_public(mark: str) -> None:
    """Folders with the mark in the system's folder for temporary files, where others might make some as well."""
    for path in Path(tempfile.gettempdir()).glob(f"{mark}*"):
        with suppress(FileNotFoundError):
            if path.lstat().st_uid == os.geteuid():
                shutil.rmtree(path, ignore_errors=True)


def _release_all(mark: str, groups: dict[int, Group], scratch: Path, locks: list[int], owner: int) -> None:
    """Does nothing in a forked process: it has copies of the descriptors, but owns nothing."""
    if os.getpid() == owner:
        marks.kill([mark])
        for group in groups.values():
            group.close()
        shutil.rmtree(scratch, ignore_errors=True)
        for lock in locks:
            fcntl.flock(lock, fcntl.LOCK_UN)
            os.close(lock)
