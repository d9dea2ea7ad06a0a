"""The file of a pool: JSON lines that are only ever appended, and the lock of the one pool that may run in a folder."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hexarena.games.contract import Json

FILE, LOCK = "pool.jsonl", "pool.lock"
FORMAT = 1
SHOWN_CHARACTERS = 60


class PoolError(Exception):
    """The folder holds no pool that can be used. The message says what was expected and what was got."""


class PoolLog:
    """Reads and appends the lines of a pool's file. Each instance reads every line once."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / FILE
        self._offset = self._lines = 0
        if not self.path.is_file():
            raise PoolError(
                f"expected a pool in {folder}; there is no {FILE}. Make one: hexarena pool init {folder} GAME"
            )

    @classmethod
    def create(cls, folder: Path, game: str, league: int, options: Mapping[str, int | str]) -> PoolLog:
        """A new pool. Raises: PoolError when there is one."""
        folder.mkdir(parents=True, exist_ok=True)
        header = {"pool": FORMAT, "game": game, "league": league, "options": dict(options)}
        try:
            with (folder / FILE).open("x") as file:
                file.write(json.dumps(header) + "\n")
        except FileExistsError:
            raise PoolError(f"expected a folder without a pool; {folder} has one") from None
        return cls(folder)

    def new_lines(self) -> Iterator[dict[str, Json]]:
        """Lines that were appended since the last call. One that has no end yet is not read.

        Raises: PoolError for a line that is no JSON object.
        """
        with self.path.open("rb") as file:
            file.seek(self._offset)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            self._lines += 1
            yield self._parsed(line)

    def _parsed(self, line: bytes) -> dict[str, Json]:
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            got = repr(line[:SHOWN_CHARACTERS])[1:]
            raise PoolError(f"{self.path}, line {self._lines}: expected a JSON object; got {got}")
        return value

    def append(self, line: Mapping[str, Json]) -> None:
        """Adds a line. What a killed process left of its last one is removed first.

        Raises: PoolError for a name that is not UTF-8.
        """
        try:
            text = json.dumps(line, ensure_ascii=False).encode() + b"\n"
        except UnicodeEncodeError:
            raise PoolError(f"expected names that are UTF-8; got {dict(line)!a}") from None
        with self.path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            _cut_torn_line(file.fileno())
            file.seek(0, os.SEEK_END)
            file.write(text)


def _cut_torn_line(descriptor: int) -> None:
    end = os.fstat(descriptor).st_size
    kept = end
    while kept and os.pread(descriptor, 1, kept - 1) != b"\n":
        kept -= 1
    if kept != end:
        os.ftruncate(descriptor, kept)


@contextmanager
def only_pool(folder: Path) -> Iterator[None]:
    """Holds the folder as long as it is entered; the kernel gives it back, however this process ends.

    The lock is not inherited by processes that are forked, so that it is free as soon as this one is killed.
    Raises: PoolError when another pool runs there.
    """
    with (folder / LOCK).open("a+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            raise PoolError(
                f"expected no other pool in {folder}; one runs there, process {file.read().strip()}"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
