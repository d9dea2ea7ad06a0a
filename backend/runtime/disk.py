"""How much room the data folder's disk has, so that the arena stops in time and not in the middle of a write."""

from __future__ import annotations

import errno
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg
import structlog

log = structlog.get_logger()
LOOK_S = 1.0
ENOUGH = 1.1
"""A disk that was full is so until it has this much of the reserve: no flicker at the border."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a look found. `free_bytes`: for ordinary users. `is_full`: less than the reserve."""

    free_bytes: int
    is_full: bool


def is_disk_full(error: BaseException) -> bool:
    """Whether it, or what caused it, says that no room was left: ours, the store's, or the database's."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in {errno.ENOSPC, errno.EDQUOT}:
            return True
        if isinstance(getattr(seen, "orig", None), psycopg.errors.DiskFull) or "os error 28" in str(seen):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


class Disk:
    """The disk of a folder, looked at once a second at most. `reserve_bytes`: room that stays free; 0: none."""

    def __init__(self, folder: Path, reserve_bytes: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._reserve = reserve_bytes
        self._looked_at = float("-inf")
        self._room: Room | None = None
        self._is_away = False

    def room(self) -> Room:
        """How it is now, or was when it could last be looked at. Raises: OSError, if it never could."""
        now = time.monotonic()
        if self._room is None or now - self._looked_at >= LOOK_S:
            self._looked_at = now
            self._room = self._look(self._room)
        return self._room

    def _look(self, before: Room | None) -> Room:
        try:
            free = shutil.disk_usage(self._folder).free
        except OSError as error:  # a folder that is mounted may be away for a moment
            if before is None:
                raise
            if not self._is_away:
                log.warning("the disk cannot be looked at", folder=str(self._folder), error=str(error))
            self._is_away = True
            return before
        self._is_away = False
        needed = self._reserve * (ENOUGH if before is not None and before.is_full else 1)
        return Room(free, is_full=free < needed)

    @property
    def is_full(self) -> bool:
        """Whether nothing new should begin."""
        return self.room().is_full
