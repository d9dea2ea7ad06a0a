"""The build cache: builds under one folder, each added atomically.

Theory of operation: a build is a folder, named by its key, with the program's files and a seal, the hash over them. It
is written in the sandbox's own scratch folder and moved into place by one rename, so a killed worker leaves nothing
half done. What a power cut or a person has damaged does not match its seal, and is built again. A sandbox holds shared
locks (flock) on the builds that it used last, and removing a build needs an exclusive lock: so no build disappears
between the moment when a worker finds it and the start of the bot. Whoever plays with a build for longer holds it. When
the cache is too large, the least recently used builds are removed first. One that nobody has used for a day is removed
in any case: its code may have been deleted.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from hexarena.worker.sandbox.errors import SandboxFailed
from hexarena.worker.sandbox.limits import MIB

KEPT_BYTES = 2048 * MIB
"""The cache's size, roughly: a worker checks it when it starts, and each time it has added an eighth of this."""
KEPT_S = 24 * 3600.0
"""How long a build is kept that nobody uses."""
SWEEP_S = 3600.0
"""How often a sandbox that finds builds looks for those."""
LOCKED_BUILDS = 64
"""How many recently used builds a sandbox keeps locked: no match has more seats."""
FILE_MODE = 0o755
FILES, SEAL = "files", "seal"
"""Names in a build's folder."""
PLACE_S = 5.0
"""How long to wait while a damaged build in the place of a new one is being removed."""
LOOK_S = 0.01

log = logging.getLogger(__name__)


class BuildCache:
    """Builds under one folder: `<key>/files/<artefact>` and what goes with it."""

    def __init__(self, folder: Path, scratch: Path, *, kept_bytes: int = KEPT_BYTES) -> None:
        """`scratch`: the owner's folder for unfinished builds, on the same file system."""
        self._folder, self._scratch, self._kept_bytes = folder, scratch, kept_bytes
        self._new_bytes = 0
        self._swept_s = time.monotonic()
        self._locked: dict[str, int] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self._end = weakref.finalize(self, _close_all, self._locked)

    def find(self, key: str) -> Path | None:
        """The folder with a cached build's files. It is not removed while it is among those used last."""
        home = self._folder / key
        descriptor = self._locked.pop(key, None)
        if descriptor is not None and not _is_at(descriptor, home):
            os.close(descriptor)
            descriptor = None
        if descriptor is None:
            descriptor = self._lock_whole(home)
        if descriptor is None:
            return None
        self._remember(key, descriptor)
        os.utime(descriptor)
        if time.monotonic() - self._swept_s >= SWEEP_S:
            self.sweep()
        return home / FILES

    def store(self, key: str, files: Mapping[str, bytes]) -> Path:
        """Writes a build: relative path -> content. Two workers that store the same build at once both succeed.

        Returns the folder with its files. Raises: SandboxFailed when the disk refuses it.
        """
        home = self._folder / key
        with self.scratch() as scratch:
            draft = scratch / key
            for name, content in files.items():
                file = draft / FILES / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                file.chmod(FILE_MODE)
            (draft / SEAL).write_text(_seal_of(draft))
            self._put(draft, home)
        self._new_bytes += sum(map(len, files.values()))
        if self._new_bytes > self._kept_bytes // 8:
            self.sweep()
        return home / FILES

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A temporary folder for one build. Raises: SandboxFailed for any error of the disk in the block."""
        try:
            with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
                yield Path(folder)
        except OSError as error:
            raise SandboxFailed(f"expected to write a build in {self._folder.parent}; got {error}") from error

    def hold(self, files: Path) -> Callable[[], None]:
        """Keeps a build that was found until the returned function is called, even when this cache is closed.

        `files`: what `find` returned. A folder that is no build needs no lock. Raises: SandboxFailed when it is gone.
        """
        home = files.parent
        if home.parent != self._folder:
            return lambda: None
        descriptor = _open_locked(home, fcntl.LOCK_SH)
        if descriptor is None:
            raise SandboxFailed(f"expected the build {home}; it was removed")
        return partial(os.close, descriptor)

    def sweep(self) -> None:
        """Removes what nobody has used for long and the oldest builds beyond the cache's size; none that is in use."""
        self._new_bytes, self._swept_s = 0, time.monotonic()
        oldest = time.time() - KEPT_S
        for key in [key for key, descriptor in self._locked.items() if os.fstat(descriptor).st_mtime < oldest]:
            os.close(self._locked.pop(key))
        builds = sorted(_sizes(self._folder))
        room = self._kept_bytes - sum(size for _, size, _ in builds)
        for used_at, size, home in builds:
            if room >= 0 and used_at >= oldest:
                return
            room += size if self._remove_unused(home) else 0

    def close(self) -> None:
        """Unlocks all builds."""
        self._end()

    # --- Locks -----------------------------------------------------------------------------------------------------

    def _put(self, draft: Path, home: Path) -> None:
        """Locks the build, then moves it into place, so that nobody can remove it. Another worker may be first."""
        descriptor = _open_locked(draft, fcntl.LOCK_SH)
        deadline = time.monotonic() + PLACE_S
        while descriptor is not None:
            try:
                draft.rename(home)
            except OSError:
                if self.find(home.name) is not None:
                    os.close(descriptor)
                    return
                if time.monotonic() > deadline:
                    os.close(descriptor)
                    raise
                time.sleep(LOOK_S)
            else:
                self._remember(home.name, descriptor)
                return

    def _remember(self, key: str, descriptor: int) -> None:
        self._locked[key] = descriptor
        if len(self._locked) > LOCKED_BUILDS:
            os.close(self._locked.pop(next(iter(self._locked))))

    def _lock_whole(self, home: Path) -> int | None:
        """A descriptor with a shared lock. None where there is no build, or a damaged one, which is removed.

        A build without a seal is from a version that had none: no reason to warn.
        """
        descriptor = _open_locked(home, fcntl.LOCK_SH)
        if descriptor is None:
            return None
        with suppress(OSError):
            if (home / SEAL).read_text() == _seal_of(home):
                return descriptor
        if (home / SEAL).exists():
            log.warning("the build %s is damaged and is built again", home)
        else:
            log.info("the build %s has no seal and is built again", home)
        self._remove(home)
        os.close(descriptor)
        return None

    def _remove_unused(self, home: Path) -> bool:
        """Returns whether it could be removed."""
        descriptor = _open_locked(home, fcntl.LOCK_EX)
        if descriptor is None:
            return False
        self._remove(home)
        os.close(descriptor)
        return True

    def _remove(self, home: Path) -> None:
        """Moves it away by one rename, so that nobody ever finds half of it."""
        with suppress(OSError), tempfile.TemporaryDirectory(dir=self._scratch) as grave:
            home.rename(Path(grave) / home.name)


def _open_locked(home: Path, kind: int) -> int | None:
    """A descriptor of a build's folder with a lock on it; None where it does not exist, or is locked by others."""
    try:
        descriptor = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        if _is_at(descriptor, home):
            return descriptor
    os.close(descriptor)
    return None


def _is_at(descriptor: int, home: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), home.stat())
    return False


def _seal_of(home: Path) -> str:
    """Over the names, modes and contents of all files."""
    seal = hashlib.sha256()
    for path in sorted(path for path in (home / FILES).rglob("*") if path.is_file()):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
            mode = os.fstat(file.fileno()).st_mode & 0o777
        seal.update(f"{path.relative_to(home)}\0{mode:o}\0{content}\0".encode())
    return seal.hexdigest()


def _sizes(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """(time of last use, bytes, folder) of each build."""
    for home in folder.iterdir():
        with suppress(FileNotFoundError):
            sizes = [path.stat().st_size for path in home.rglob("*") if path.is_file()]
            yield home.stat().st_mtime, sum(sizes), home


def _close_all(locked: dict[str, int]) -> None:
    while locked:
        os.close(locked.popitem()[1])
