"""The file of a backup: written under a temporary name, and read with suspicion."""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Self

from hexarena.backend.backup import manifest
from hexarena.backend.backup.manifest import DamagedBackup, Manifest, Part, ReplaysPart, Report, TablePart
from hexarena.backend.errors import Conflict
from hexarena.backend.matches.blobs import is_object_key
from hexarena.backend.runtime import zips

CHUNK_BYTES = 1 << 20
UNREADABLE = (tarfile.TarError, *zips.UNREADABLE)
"""What the standard library says about a zip or tar that is not as it should be."""


class PartWriter(io.RawIOBase):
    """Writes a member of the zip. `size` and `digest`: of what was written so far."""

    def __init__(self, member: IO[bytes], look: Callable[[], None]) -> None:
        self._member = member
        self._look = look
        self._sha256 = hashlib.sha256()
        self.size = 0

    def write(self, chunk: bytes | bytearray | memoryview) -> int:  # type: ignore[override]
        """All of it."""
        self._look()
        self._member.write(chunk)
        self._sha256.update(chunk)
        self.size += len(chunk)
        return len(chunk)

    def part(self, name: str) -> Part:
        """What the manifest says about it."""
        return Part(name=name, bytes=self.size, sha256=self._sha256.hexdigest())


class Writer:
    """A backup that is being written: a context manager. The file has its name after `finish`, and not before.

    `look`: called with each write; it raises where that should stop. Raises: Conflict, OSError.
    """

    def __init__(self, path: Path, look: Callable[[], None]) -> None:
        self._path = path
        self._draft = path.with_name(path.name + ".part")
        self._look = look
        self._file = _locked(self._draft)
        self._refuse_existing()
        self._zip = zipfile.ZipFile(self._file, "w")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if not self._file.closed:
            self._draft.unlink(missing_ok=True)
            with suppress(OSError, ValueError):  # it would write its index, as if all were there
                self._zip.close()
            self._file.close()

    @contextmanager
    def open(self, name: str, *, packed: bool = True) -> Iterator[PartWriter]:
        """A member to write into. `packed`: it is compressed."""
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        info.external_attr = 0o600 << 16
        with self._zip.open(info, "w", force_zip64=True) as member:
            yield PartWriter(member, self._look)

    def finish(self, found: Manifest) -> None:
        """Writes the manifest, and gives the file its name once the disk has all of it."""
        with self.open(manifest.NAME) as part:
            part.write(manifest.written(found))
        self._zip.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._refuse_existing()
        self._draft.rename(self._path)
        self._file.close()
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _refuse_existing(self) -> None:
        if self._path.exists():
            self._draft.unlink(missing_ok=True)
            self._file.close()
            raise Conflict(f"{self._path} is there already.", expected="a name that no file has")


def _locked(draft: Path) -> IO[bytes]:
    """The temporary file, empty, for its owner only; what a killed predecessor left there is written over."""
    file = os.fdopen(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        same = draft.exists() and os.path.samestat(os.fstat(file.fileno()), draft.stat())
    except BlockingIOError:
        same = False
    if not same:
        file.close()
        raise Conflict(f"Another process is writing {draft}.", expected="one backup at a time into a file")
    file.truncate()
    return file


class PartReader(io.RawIOBase):
    """Reads a member, never more than the manifest says."""

    def __init__(self, member: IO[bytes], part: Part) -> None:
        self._member = member
        self._part = part
        self._sha256 = hashlib.sha256()
        self._left = part.bytes

    def read(self, size: int = -1) -> bytes:
        """At most so many bytes, a megabyte if unsaid. Raises: DamagedBackup."""
        wanted = CHUNK_BYTES if size < 0 else size
        with _damages(self._part.name):
            # A byte more than there may be: a longer member is found out, and not read.
            chunk = self._member.read(min(wanted, self._left + 1))
        self._left -= len(chunk)
        if self._left < 0:
            raise DamagedBackup(f"{self._part.name} is longer than it was when the backup was made.")
        self._sha256.update(chunk)
        return chunk

    def finish(self) -> None:
        """Reads the rest, and compares all with the manifest. Raises: DamagedBackup."""
        while self.read():
            pass
        if self._left or self._sha256.hexdigest() != self._part.sha256:
            expected, got = f"SHA-256 {self._part.sha256}", self._sha256.hexdigest()
            raise DamagedBackup(f"{self._part.name} is damaged.", expected=expected, got=got)


class Backup:
    """A backup that is read: a context manager. Raises: DamagedBackup, NewerBackup, OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._zip = zips.opened(path)
        except UNREADABLE:
            raise _no_backup(path) from None
        try:
            self.manifest = self._read_manifest()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def _read_manifest(self) -> Manifest:
        names = self._zip.namelist()
        if names.count(manifest.NAME) != 1:
            raise _no_backup(self.path)
        with _damages(manifest.NAME), self._zip.open(manifest.NAME) as member:
            text = member.read(manifest.MOST_BYTES + 1)
        if len(text) > manifest.MOST_BYTES:
            raise DamagedBackup(f"The backup's {manifest.NAME} is too long.", expected=f"{manifest.MOST_BYTES:,} bytes")
        found = manifest.read(text)
        expected = {manifest.NAME, *(part.name for part in found.parts())}
        if sorted(names) != sorted(expected):
            odd = sorted(expected.symmetric_difference(names)) or ["a part is there twice"]
            raise DamagedBackup(f"{self.path} has not the parts that its manifest lists.", got=ascii(odd[0]))
        return found

    @contextmanager
    def open(self, part: Part) -> Iterator[PartReader]:
        """A part to read; at the end of the block it is compared with the manifest. Raises: DamagedBackup."""
        with _damages(part.name), self._zip.open(part.name) as member:
            reader = PartReader(member, part)
            yield reader
            reader.finish()

    def key(self) -> str:
        """The key that signs cookies."""
        with self.open(self.manifest.key) as part:
            return part.read(1000).decode(errors="replace").strip()

    def objects(self, part: ReplaysPart) -> Iterator[tuple[str, bytes]]:
        """What the store had, by its keys. Raises: DamagedBackup."""
        with self.open(part) as reader, tarfile.open(fileobj=reader, mode="r|") as tar:
            for member in tar:
                if not (member.isreg() and is_object_key(member.name)):
                    raise DamagedBackup(
                        f"{part.name} has something that is not a replay.", got=ascii(member.name)[:100]
                    )
                content = tar.extractfile(member)
                yield member.name, b"" if content is None else content.read()

    def check(self, report: Report) -> None:
        """Reads all of it. Raises: DamagedBackup."""
        total, done = self.manifest.bytes(), 0
        for part in self.manifest.parts():
            report("Checking", done, total)
            match part:
                case TablePart():
                    self._check_rows(part)
                case ReplaysPart():
                    self._compare(part, sum(1 for _ in self.objects(part)), part.objects)
                case _:
                    self.key()
            done += part.bytes
        report("Checking", total, total)

    def _check_rows(self, part: TablePart) -> None:
        with self.open(part) as reader:
            lines = sum(chunk.count(b"\n") for chunk in iter(reader.read, b""))
        self._compare(part, lines, part.rows)

    @staticmethod
    def _compare(part: Part, got: int, expected: int) -> None:
        if got != expected:
            raise DamagedBackup(f"{part.name} is not what it was.", expected=f"{expected:,}", got=f"{got:,}")


def _no_backup(path: Path) -> DamagedBackup:
    expected = "a file that `hexarena backup` has written"
    return DamagedBackup(f"{path} is no backup, or its end is missing.", expected=expected)


@contextmanager
def _damages(name: str) -> Iterator[None]:
    try:
        yield
    except UNREADABLE as error:
        raise DamagedBackup(f"{name} is damaged: {error}.") from None
