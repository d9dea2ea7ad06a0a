"""Bytes that live outside the database: what a match stored, written once and never changed but for deletions.

A match is one object: a zip of gzipped texts, the replay and each seat's log. Small files fill a block of the disk
each, and a store in the cloud asks a price for each; the zip's index finds a text without a row for it. Its members are
stored as they are, so that a reader gets the gzipped bytes that HTTP can pass on.

Until version 0.3 each text was an object of its own (`….jsonl.gz`, `….seat0.jsonl.gz`). These are read as before.
"""

from __future__ import annotations

import gzip
import io
import math
import re
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import LocalStore, from_url

from hexarena.backend.runtime import zips

if TYPE_CHECKING:
    from obstore.store import ClientConfig, ObjectStore, RetryConfig

log = structlog.get_logger()
REPLAY = "replay.jsonl.gz"
DAMAGED = "This replay is damaged in the store: nobody can read it any more."
SEATS = 16
"""The most seats that a match has."""
OBJECT_KEY = re.compile(r"replays/[0-9a-f]{2,16}/[0-9]{1,19}-[0-9]{1,9}(\.zip|\.jsonl\.gz|\.seat[0-9]{1,2}\.jsonl\.gz)")
A_FOLDER = 4096
"""Matches that share a folder. The newest share few folders, and the oldest leave whole ones empty."""
CLIENT: ClientConfig = {"timeout": "10s", "connect_timeout": "3s", "allow_http": True}
RETRY: RetryConfig = {"max_retries": 2, "retry_timeout": timedelta(seconds=10)}
PLACE_S = 1.0
"""How long a reader waits for a place."""
SLOW_S = 3.0
"""A store that has not answered somebody for so long is not asked by others."""
REST_S = 5.0
"""Nor one that has failed, for so long."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of all members: equal texts make equal bytes."""


class StoreError(Exception):
    """The store did not answer, refused, or has no room. Nothing that it has is lost."""


class Damaged(StoreError):
    """The store has an object that nobody can read any more, as after a power cut."""


class Readers:
    """Who reads a store in threads that others need as well: at most `at_once`, and while it does not answer, nobody
    joins those who wait for it.
    """

    def __init__(self, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._places = threading.BoundedSemaphore(at_once)
        self._clock = clock
        self._lock = threading.Lock()
        self._began: dict[object, float] = {}
        self._failed_at = -math.inf

    @contextmanager
    def place(self, name: str) -> Iterator[None]:
        """For one read. `name`: of the store. Raises: StoreError, where it would probably wait for nothing."""
        if self._is_stuck():
            raise StoreError(f"{name}: it does not answer others either")
        if not self._places.acquire(timeout=PLACE_S):
            raise StoreError(f"{name}: too many wait for it")
        one = object()
        with self._lock:
            self._began[one] = self._clock()
        try:
            yield
        except StoreError:
            self._failed_at = self._clock()
            raise
        finally:
            with self._lock:
                del self._began[one]
            self._places.release()

    def _is_stuck(self) -> bool:
        now = self._clock()
        with self._lock:
            oldest = min(self._began.values(), default=now)
        return now - oldest > SLOW_S or now - self._failed_at < REST_S


class Blobs:
    """A store of what matches leave: a folder, or an address such as `s3://bucket/arena`.

    Methods raise StoreError, except for what is not there.
    """

    def __init__(self, place: Path | str, readers: Readers | None = None) -> None:
        """`readers`: where threads are few. Raises: StoreError, for an address that cannot be read, or a folder that
        cannot be made.
        """
        self.place = str(place)
        self._readers = readers
        self._folder = place if isinstance(place, Path) else None
        self._store: ObjectStore
        with _store_errors(self.place):
            if isinstance(place, Path):
                place.mkdir(parents=True, exist_ok=True)
                self._store = LocalStore(place)
            else:
                self._store = from_url(place, client_options=CLIENT, retry_config=RETRY)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of this machine, or mounted here."""
        return self._folder is not None

    # --- What a match stored ---

    def put_match(self, key: str, replay: str, seat_logs: Sequence[str] = ()) -> None:
        """Stores a match's texts, all or none. A key is only ever written by one attempt at one match."""
        members = {REPLAY: packed(replay)}
        members |= {_log_name(seat): packed(text) for seat, text in enumerate(seat_logs)}
        self._put(key, _container(members))

    def gzipped(self, key: str, seat: int | None = None) -> bytes | None:
        """The replay, or the log of a seat, gzipped; None where there is none."""
        if not key.endswith(".zip"):
            return self._get(key if seat is None else _former_log_key(key, seat))
        stored = self._get(key)
        return None if stored is None else _members(stored).get(REPLAY if seat is None else _log_name(seat))

    def text(self, key: str, seat: int | None = None) -> str | None:
        """The same as text."""
        found = self.gzipped(key, seat)
        return None if found is None else gzip.decompress(found).decode()

    def erase(self, key: str, seat: int | None = None) -> None:
        """Deletes a match's texts, or a seat's log only, where they are."""
        if not key.endswith(".zip"):
            seats = range(SEATS) if seat is None else [seat]
            self._delete([*([key] if seat is None else []), *(_former_log_key(key, one) for one in seats)])
        elif seat is None:
            self._delete([key])
        else:
            self._keep(key, lambda name: name != _log_name(seat))

    def erase_logs(self, key: str) -> None:
        """Deletes the logs of all seats. The replay stays."""
        if not key.endswith(".zip"):
            self._delete([_former_log_key(key, seat) for seat in range(SEATS)])
        else:
            self._keep(key, lambda name: name == REPLAY)

    def _keep(self, key: str, stays: Callable[[str], bool]) -> None:
        """Writes a container anew, with these of its texts. A damaged one is deleted: what must go may be in it."""
        if (stored := self._get(key)) is None:
            return
        try:
            members = _members(stored)
        except Damaged as error:
            log.error("a damaged object was deleted", key=key, error=str(error))
            self._delete([key])
            return
        kept = {name: text for name, text in members.items() if stays(name)}
        if len(kept) < len(members):
            self._put(key, _container(kept))

    def forget(self, match_id: int, attempt: int) -> None:
        """Removes everything that a void attempt stored, unfinished writes included."""
        key = replay_key(match_id, attempt)
        self.erase(key)
        if self._folder is not None:
            self.erase(_former_key(match_id, attempt))
            # A folder's files are written beside their place and renamed; the store neither lists nor deletes those
            # that a killed process left there.
            for stem in (key.removesuffix(".zip"), _former_key(match_id, attempt).removesuffix(".jsonl.gz")):
                for path in self._folder.glob(f"{stem}.*#*"):
                    path.unlink(missing_ok=True)

    # --- Copies of objects, for backups ---

    def objects(self, key: str, seats: int) -> list[tuple[str, bytes]]:
        """What a match stored and was not deleted, as it is stored, by the keys of the objects."""
        keys = [key] if key.endswith(".zip") else [key, *(_former_log_key(key, seat) for seat in range(seats))]
        found = [(one, self._get(one)) for one in keys if is_object_key(one)]
        return [(one, stored) for one, stored in found if stored is not None]

    def put_object(self, key: str, stored: bytes) -> None:
        """Stores a copy. Raises: ValueError, for a key that no match has."""
        if not is_object_key(key):
            raise ValueError(f"not a key of an object: {key!r}")
        self._put(key, stored)

    # --- The marker ---

    def read_note(self, name: str) -> str | None:
        """A short text of the arena's own, None where there is none."""
        found = self._get(name)
        return None if found is None else found.decode(errors="replace")

    def write_note(self, name: str, text: str) -> None:
        """Stores a short text of the arena's own."""
        self._put(name, text.encode())

    def remove_note(self, name: str) -> None:
        """Removes it, if it is there."""
        self._delete([name])

    # --- The store ---

    def _get(self, key: str) -> bytes | None:
        if self._readers is None:
            return self._read(key)
        with self._readers.place(self.place):
            return self._read(key)

    def _read(self, key: str) -> bytes | None:
        with _store_errors(self.place):
            try:
                return bytes(self._store.get(key).bytes())
            except (NotFoundError, FileNotFoundError):
                return None

    def _put(self, key: str, stored: bytes) -> None:
        with _store_errors(self.place):
            self._store.put(key, stored)

    def _delete(self, keys: Sequence[str]) -> None:
        with _store_errors(self.place):
            for key in keys:
                with suppress(NotFoundError, FileNotFoundError):
                    self._store.delete(key)


@contextmanager
def _store_errors(place: str) -> Iterator[None]:
    try:
        yield
    except (BaseError, OSError, ValueError) as error:
        raise StoreError(f"{place}: {str(error).splitlines()[0]}") from error


def _container(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as container:
        for name, stored in members.items():
            container.writestr(zipfile.ZipInfo(name, EPOCH), stored)
    return file.getvalue()


def _members(stored: bytes) -> dict[str, bytes]:
    """Raises: Damaged, for bytes that are no container."""
    try:
        with zips.opened(io.BytesIO(stored)) as container:
            return {name: container.read(name) for name in container.namelist()}
    except zips.UNREADABLE as error:
        raise Damaged(f"an object of the store is damaged: {error}") from error


def packed(text: str) -> bytes:
    """A text as it is stored."""
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def is_object_key(key: str) -> bool:
    """Whether a match may have stored an object under it: such keys lead nowhere else."""
    return OBJECT_KEY.fullmatch(key) is not None


def replay_key(match_id: int, attempt: int) -> str:
    """The key of what one attempt at a match stored."""
    return f"replays/{match_id // A_FOLDER:06x}/{match_id}-{attempt}.zip"


def _log_name(seat: int) -> str:
    return f"seat{seat}.jsonl.gz"


def _former_key(match_id: int, attempt: int) -> str:
    return f"replays/{match_id % 256:02x}/{match_id}-{attempt}.jsonl.gz"


def _former_log_key(replay: str, seat: int) -> str:
    return replay.removesuffix(".jsonl.gz") + f".seat{seat}.jsonl.gz"
