"""Which worker owns what, so that a successor can clear up after one that was killed.

Theory of operation: a sandbox takes a number by locking `locks/<number>` in its folder; the kernel gives the lock
back when the process ends, however it ends. Control groups carry the folder's token and the number in their
names. Whatever carries a number that nobody has locked is left over. Within a sandbox, each running box has a slot,
the lowest that is free: its group, and the user that a root worker's bot becomes.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from contextlib import suppress
from pathlib import Path

from worker.sandbox import cgroup
from worker.sandbox.cgroup import Group, Hierarchies
from worker.sandbox.errors import SandboxFailed
from worker.sandbox.tree import ProcessTree, Tree

MOST_SANDBOXES = 256
"""On one folder."""
SLOTS_EACH = 16
"""So many numbers of users does a sandbox own; it runs two to four bots at once."""


class Slots:
    """The slots of one sandbox."""

    def __init__(self, folder: Path, *, groups: bool) -> None:
        """`groups`: use control groups where they can be made."""
        self._locks = folder / "locks"
        self._locks.mkdir(parents=True, exist_ok=True)
        self._token = f"hexarena-{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:10]}"
        self._number, self._lock = self._take_number()
        self._prefix = f"{self._token}-{self._number}-"
        self.hierarchies: Hierarchies | None = cgroup.find_hierarchies(f"{self._prefix}try") if groups else None
        self._groups: dict[int, Group] = {}
        self._sweep_number(self._number)
        self._free = list(range(SLOTS_EACH))

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
            self._groups[slot] = Group(self.hierarchies, f"{self._prefix}{slot}")
        group = self._groups[slot]
        group.limit(memory_bytes=memory_bytes, processes=processes)
        return group

    def user(self, slot: int) -> int:
        """The slot's number among those of all sandboxes on this folder."""
        return self._number * SLOTS_EACH + slot

    def sweep(self) -> int:
        """Kills and removes the groups of sandboxes on this folder that are no more. Returns how many."""
        found = 0
        for number in range(MOST_SANDBOXES):
            if number == self._number or not (self._locks / str(number)).exists():
                continue
            lock = self._try_lock(number)
            if lock is not None:
                found += self._sweep_number(number)
                os.close(lock)
        return found

    def close(self) -> None:
        """Removes the groups and gives the number back."""
        for group in self._groups.values():
            group.close()
        self._groups = {}
        with suppress(OSError):
            os.close(self._lock)

    def _sweep_number(self, number: int) -> int:
        return cgroup.sweep(self.hierarchies, f"{self._token}-{number}-") if self.hierarchies else 0

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
