"""Bytes that live outside the database: replays and seat logs, written once, gzipped, never changed."""

from __future__ import annotations

import gzip
from pathlib import Path

from obstore.exceptions import NotFoundError
from obstore.store import LocalStore


class Blobs:
    """A store of named bytes. `obstore` offers the same calls for S3 and others."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._store = LocalStore(folder)

    def put_text(self, key: str, text: str) -> None:
        """Stores a text, gzipped. A name is only ever written by one attempt at one match."""
        self._store.put(key, packed(text))

    def forget(self, match_id: int, attempt: int) -> None:
        """Removes what an attempt that does not count stored, and what it was killed in the midst of storing."""
        replay = self._folder / replay_key(match_id, attempt)
        for path in replay.parent.glob(f"{match_id}-{attempt}.*"):
            path.unlink(missing_ok=True)

    def get_gzip(self, key: str) -> bytes | None:
        """The gzipped bytes, or None where there are none."""
        try:
            return bytes(self._store.get(key).bytes())
        except (NotFoundError, FileNotFoundError):
            return None

    def get_text(self, key: str) -> str | None:
        """The text, or None where there is none."""
        packed = self.get_gzip(key)
        return None if packed is None else gzip.decompress(packed).decode()


def packed(text: str) -> bytes:
    """A text as it is stored."""
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def replay_key(match_id: int, attempt: int) -> str:
    """Where the replay of one attempt lies; 256 folders keep each of them small."""
    return f"replays/{match_id % 256:02x}/{match_id}-{attempt}.jsonl.gz"


def seat_log_key(replay: str, seat: int) -> str:
    """Where a seat's private lines lie, beside the replay."""
    return replay.removesuffix(".jsonl.gz") + f".seat{seat}.jsonl.gz"
