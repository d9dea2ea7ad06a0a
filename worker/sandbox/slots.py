"""Which sandbox owns which groups and users.

Theory of operation: a sandbox takes a number by locking `locks/<number>` in its folder; the kernel gives the lock
back when the process ends, however it ends. Control groups carry the folder's token and the number in their names.
Within a sandbox, each running box has a slot, the lowest that is free: its group, and the user that a root worker's
bot becomes. A sandbox that nobody closed gives its number and its groups back when it is forgotten.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import weakref
from pathlib import Path

from worker.sandbox import cgroup
from worker.sandbox.cgroup import Group, Hierarchies
from worker.sandbox.errors import SandboxFailed
from worker.sandbox.tree import ProcessTree, Tree

PREFIX = "hexarena."
"""Of the names of all groups."""
MOST_SANDBOXES = 64
"""On one folder."""
SLOTS_EACH = 64
"""So many numbers of users does a sandbox own, and so many bots may it run at once: no game has more seats."""


class Slots:
    """The slots of one sandbox."""

    def __init__(self, folder: Path, *, groups: bool) -> None:
        """`groups`: use control groups where they can be made."""
        self._locks = folder / "locks"
        self._locks.mkdir(parents=True, exist_ok=True)
        token = f"{PREFIX}{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:10]}"
        self._number, self._lock = self._take_number()
        self.prefix = f"{token}.{self._number}."
        self.hierarchies: Hierarchies | None = cgroup.find_hierarchies(f"{self.prefix}try") if groups else None
        self._groups: dict[int, Group] = {}
        self._free = list(range(SLOTS_EACH))
        self._end = weakref.finalize(self, _give_all_back, self._groups, self._lock, os.getpid())

    def take(self) -> int:
        """A free slot."""
        if not self._free:
            raise SandboxFailed(f"expected at most {SLOTS_EACH} bots at once; close one first")
        self._free.sort()
        return self._free.pop(0)

    def give_back(self, slot: int) -> None:
        """The slot is free again: nothing runs in it."""
        self._free.append(slot)

    def tree(self, slot: int, *, memory_bytes: int, processes: int) -> Tree:
        """The tree for the next bot in this slot, with its limits set where there are control groups."""
        if self.hierarchies is None:
            return ProcessTree()
        if slot not in self._groups:
            self._groups[slot] = Group(self.hierarchies, f"{self.prefix}{slot}")
        group = self._groups[slot]
        group.limit(memory_bytes=memory_bytes, processes=processes)
        return group

    def user(self, slot: int) -> int:
        """The slot's number among those of all sandboxes on this folder."""
        return self._number * SLOTS_EACH + slot

    def sweep(self) -> int:
        """Kills and removes the groups of sandboxes that are no more, on any folder. Returns how many folders."""
        return cgroup.sweep(self.hierarchies, PREFIX) if self.hierarchies else 0

    def close(self) -> None:
        """Removes the groups and gives the number back."""
        self._end()

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


def _give_all_back(groups: dict[int, Group], lock: int, owner: int) -> None:
    """A process that was forked off has copies of the descriptors, but owns nothing."""
    if os.getpid() == owner:
        for group in groups.values():
            group.close()
        os.close(lock)
