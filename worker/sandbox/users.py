"""Which users the bots of a root worker run as: a range for each sandbox, which no other sandbox of this machine has.

Theory of operation: ranges are claimed by locking (flock) a file with the range's number, in a folder that only root
can write to. The kernel gives the lock back when its holder ends, however it ends, so a dead arena's range is free
again. A range in which processes still run, because their worker was killed or is older, is passed over.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Set
from contextlib import suppress
from pathlib import Path

from hexarena.worker.sandbox.errors import SandboxFailed

FIRST_USER = 61_000
"""The first of the unprivileged users that bots run as; none of them is in passwd."""
RANGES, USERS_EACH = 64, 64
"""No game has more seats than a range has users."""
FOLDER = "hexarena.users"
PLACES = (Path("/run"), Path("/var/lib"))
"""Where the folder is made, in this order; if not there, then with the temporary files."""


def claim(places: Iterable[Path] = PLACES, busy: Callable[[], Set[int]] | None = None) -> tuple[int, int]:
    """(the first user of a free range, the descriptor that holds it). Only for root.

    busy: all users that have a process now; this machine's if left out.
    Raises: SandboxFailed when all are taken, or there is no folder for the locks.
    """
    folder, taken = _folder(places), (busy or busy_users)()
    for number in range(RANGES):
        first = FIRST_USER + number * USERS_EACH
        if taken.isdisjoint(range(first, first + USERS_EACH)):
            descriptor = os.open(folder / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                continue
            return first, descriptor
    raise SandboxFailed(f"expected at most {RANGES} sandboxes of root's on this machine; {folder} has their locks")


def is_sandboxed(user: int) -> bool:
    """Whether bots of this machine's workers may run as this user: one of the ranges; without root, whoever asks."""
    if os.geteuid() != 0:
        return user == os.geteuid()
    return FIRST_USER <= user < FIRST_USER + RANGES * USERS_EACH


def _folder(places: Iterable[Path]) -> Path:
    for place in (*places, Path(tempfile.gettempdir())):
        folder = place / FOLDER
        with suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and os.access(folder, os.W_OK):
                return folder
    raise SandboxFailed(f"expected a folder of root's for locks in one of {', '.join(map(str, places))}")


def busy_users() -> set[int]:
    """All users that have a process now."""
    found = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                found.add(folder.stat().st_uid)
    return found
