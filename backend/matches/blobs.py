"""Bytes that live outside the database: replays and seat logs, written once, gzipped, never changed."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from obstore.exceptions import NotFoundError
from obstore.store import LocalStore


class Blobs:
    """A store of named bytes. `obstore` has the same calls for S3 and others."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._store = LocalStore(folder)

    def put_text(self, key: str, text: str) -> None:
        """Stores a text, gzipped. A name is only ever written by one attempt at one match."""
        self._store.put(key, packed(text))

    def forget(self, match_id: int, attempt: int) -> None:
        """Removes everything that a void attempt stored, unfinished writes included."""
        folder = replay_key(match_id, attempt).rpartition("/")[0]
        begin = f"{folder}/{match_id}-{attempt}."
        listed = (blob["path"] for chunk in self._store.list(folder, offset=begin) for blob in chunk)
        found = [path for path in listed if path.startswith(begin)]
        if found:
            self._store.delete(found)
        # A local folder's files are written beside their place and renamed; the store neither lists nor deletes those
        # that a killed process left there.
        for path in self._folder.glob(f"{begin}*#*"):
            path.unlink(missing_ok=True)

    def delete(self, keys: Sequence[str]) -> None:
        """Removes these, where they are."""
        for key in keys:
            with suppress(NotFoundError, FileNotFoundError):
                self._store.delete(key)

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
    """The key of one attempt's replay; 256 folders keep each of them small."""
    return f"replays/{match_id % 256:02x}/{match_id}-{attempt}.jsonl.gz"


def seat_log_key(replay: str, seat: int) -> str:
    """The key of a seat log, beside the replay."""
    return replay.removesuffix(".jsonl.gz") + f".seat{seat}.jsonl.gz"
