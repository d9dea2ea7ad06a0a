"""Files that are no backups, are damaged, or mean harm."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import text

from hexarena.backend.backup.files import Backup
from hexarena.backend.backup.making import make
from hexarena.backend.backup.manifest import NAME, DamagedBackup, NewerBackup
from hexarena.backend.backup.restoring import restore
from hexarena.backend.matches.store import checked_store
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests.api.played import played_match
from tests.backend.backup.files import Change, rewrite
from tests.conftest import Servers, new_empty_database

TAR = "replays/000000.tar"
MEMORY = 1 << 20


def quiet(*_: object) -> None:
    """Reports nothing."""


@pytest.fixture
def path(settings: Settings, database: Database, tmp_path: Path) -> Path:
    """A backup with a replay."""
    played_match(database, checked_store(settings, database))
    make(settings, database, tmp_path / "arena.zip", replays=True, report=quiet)
    return tmp_path / "arena.zip"


@pytest.fixture
def empty(servers: Servers) -> Iterator[Database]:
    with new_empty_database(servers) as url:
        database = Database.of(Settings(DATABASE_URL=url))
        yield database
        database.close()


def refusal(path: Path, empty: Database) -> str:
    """Why a file is refused, by the check and by a restore, which changes nothing."""
    folder = path.with_name("elsewhere")
    there = Settings(DATABASE_URL=empty.url, data_folder=folder)
    with pytest.raises(DamagedBackup) as checked, Backup(path) as found:
        found.check(quiet)
    with pytest.raises(DamagedBackup) as restored:
        restore(there, empty, path, replays=True, same_store=False, report=quiet)
    assert str(restored.value) == str(checked.value)
    assert not folder.exists()
    with empty.engine.connect() as connection:
        assert connection.scalar(text("SELECT to_regclass('match')")) is None
    return str(checked.value)


def test_a_file_that_is_no_backup(path: Path, empty: Database) -> None:
    for content in (b"", b"\0" * 4096, b"PK\x05\x06" + b"\0" * 18, b"-- PostgreSQL database dump\n" * 99):
        path.write_bytes(content)
        assert "is no backup, or its end is missing" in refusal(path, empty)


def test_a_file_whose_end_is_missing(path: Path, empty: Database) -> None:
    whole = path.read_bytes()
    for share in (0.1, 0.5, 0.9, 0.999):
        path.write_bytes(whole[: int(share * len(whole))])
        assert "its end is missing" in refusal(path, empty)


@pytest.mark.long
def test_any_changed_byte_is_noticed_or_means_nothing(path: Path) -> None:
    """Only the zip's own headers have bytes that change nothing: dates, attributes."""
    whole, noticed, random = path.read_bytes(), 0, Random(1)
    with Backup(path) as found:
        before = found.manifest
    for place in random.sample(range(len(whole)), 150):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << random.randrange(8))]) + whole[place + 1 :])
        try:
            with Backup(path) as found:
                found.check(quiet)
                assert found.manifest == before
        except DamagedBackup:
            noticed += 1
    assert noticed > 75


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_by_another_method_is_none(path: Path, empty: Database, method: int) -> None:
    with zipfile.ZipFile(path, "w", method) as container:
        container.writestr("manifest.json", b"{}")
    assert "is no backup" in refusal(path, empty)


@pytest.mark.parametrize("name", ["tables/user.txt", TAR, "secret_key"])
def test_a_part_that_was_changed_is_named(path: Path, empty: Database, name: str) -> None:
    def change(_: dict[str, Any], parts: dict[str, bytes]) -> None:
        parts[name] = parts[name][:-1] + b"x"

    rewrite(path, change)
    assert refusal(path, empty) == f"{name} is damaged."


def test_parts_that_are_missing_or_were_added_are_named(path: Path, empty: Database) -> None:
    def take(_: dict[str, Any], parts: dict[str, bytes]) -> None:
        del parts["tables/user.txt"]

    def add(_: dict[str, Any], parts: dict[str, bytes]) -> None:
        parts["../../etc/cron.d/x"] = b"* * * * * root sh"

    for change in (add, take):
        rewrite(path, change)
        assert "has not the parts that its manifest lists" in refusal(path, empty)


def test_a_member_that_is_there_twice_is_refused(path: Path, empty: Database) -> None:
    with zipfile.ZipFile(path, "a") as again, pytest.warns(UserWarning, match="Duplicate name"):
        again.writestr("secret_key", "other")
    assert "has not the parts" in refusal(path, empty)


def tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for info, content in members:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return file.getvalue()


def named(name: str, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/passwd" if kind in {tarfile.SYMTYPE, tarfile.LNKTYPE} else ""
    return info


@pytest.mark.long
@pytest.mark.parametrize(
    "member",
    [
        named("../outside.zip"),
        named("/tmp/outside.zip"),
        named("replays/000000/../../../1-1.zip"),
        named("replays/000000/1-1.zip\n"),
        named("arena-id"),
        named("replays/000000/1-1.zip", tarfile.SYMTYPE),
        named("replays/000000/1-1.zip", tarfile.LNKTYPE),
        named("replays/000000/1-1.zip", tarfile.FIFOTYPE),
        named("replays/000000/1-1.zip", tarfile.CHRTYPE),
    ],
    ids=lambda info: f"{info.name!a}-{info.type.decode()}",
)
def test_replays_that_would_lead_elsewhere_are_refused(path: Path, empty: Database, member: tarfile.TarInfo) -> None:
    def change(_: dict[str, Any], parts: dict[str, bytes]) -> None:
        parts[TAR] = tar_of((member, b""))

    rewrite(path, change, honest=True)
    assert "something that is not a replay" in refusal(path, empty)


@pytest.mark.long
def test_a_part_that_grows_when_it_is_unpacked_is_not_unpacked(path: Path, empty: Database) -> None:
    """A bomb: a gigabyte of zeros in a megabyte. Only as much is read as the manifest says."""

    def change(_: dict[str, Any], parts: dict[str, bytes]) -> None:
        parts["tables/user.txt"] = b"\0" * (1 << 30)

    rewrite(path, change)
    assert refusal(path, empty) == "tables/user.txt is longer than it was when the backup was made."


@pytest.mark.long
def test_a_manifest_that_is_a_bomb_is_not_read(path: Path, empty: Database) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        new.writestr(NAME, b" " * (1 << 28))
    assert "is too long" in refusal(path, empty)


def broken(what: str, value: object) -> Change:
    def change(found: dict[str, Any], _: dict[str, bytes]) -> None:
        at: Any = found
        *way, last = what.split(".")
        for step in way:
            at = at[int(step)] if isinstance(at, list) else at[step]
        at[int(last) if isinstance(at, list) else last] = value

    return change


@pytest.mark.long
@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("format", "1"),
        ("format", None),
        ("revision", "0024'; DROP TABLE match; --"),
        ("arena", "../../etc"),
        ("made_at", "yesterday"),
        ("made_at", "2026-01-01T00:00:00"),
        ("made_at", "2026-01-01\x1b[2J"),
        ("version", "\x1b[2J"),
        ("tables", {}),
        ("tables.0.bytes", -1),
        ("tables.0.bytes", 1 << 70),
        ("tables.0.table", 'user"; --'),
        ("tables.0.columns", ["id; --"]),
        ("tables.0.rows", "many"),
        ("tables.0.name", "tables/../x"),
        ("replays.0.bytes", 1 << 40),
        ("replays.0.objects", 1e9),
        ("sequences.0.last", -5),
        ("key.name", "tables/user.txt"),
        ("unknown", 1),
    ],
)
def test_a_manifest_that_is_not_as_we_write_it_is_refused(
    path: Path, empty: Database, what: str, value: object
) -> None:
    rewrite(path, broken(what, value))
    assert "manifest.json is damaged" in refusal(path, empty)


@pytest.mark.long
@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"{", b"\xff\xfe", b"[" * 100_000, b"1e999"])
def test_a_manifest_that_is_no_object_is_refused(path: Path, empty: Database, content: bytes) -> None:
    with zipfile.ZipFile(path, "w") as new:
        new.writestr(NAME, content)
    assert "manifest.json is damaged" in refusal(path, empty)


@pytest.mark.long
def test_rows_that_do_not_fit_leave_nothing_behind(path: Path, empty: Database) -> None:
    """Whoever makes all digests fit, too, still cannot store what the tables forbid."""

    def change(_: dict[str, Any], parts: dict[str, bytes]) -> None:
        parts["tables/match.txt"] = parts["tables/match.txt"].replace(b"\tdone\t", b"\twon\t")

    rewrite(path, change, honest=True)
    there = Settings(DATABASE_URL=empty.url, data_folder=path.with_name("elsewhere"))
    with pytest.raises(DamagedBackup, match=r"tables/match.txt does not fit: .*ck_match_"):
        restore(there, empty, path, replays=True, same_store=False, report=quiet)
    with empty.engine.connect() as connection:
        assert connection.scalar(text("SELECT to_regclass('match')")) is None


@pytest.mark.parametrize(("what", "value"), [("format", 2), ("revision", "9999")])
def test_a_backup_of_a_newer_version_says_so(path: Path, empty: Database, what: str, value: object) -> None:
    rewrite(path, broken(what, value))
    there = Settings(DATABASE_URL=empty.url, data_folder=path.with_name("elsewhere"))
    with pytest.raises(NewerBackup) as refused:
        restore(there, empty, path, replays=True, same_store=False, report=quiet)
    assert "newer version" in str(refused.value)
    assert str(value) in str(refused.value.got)
    assert refused.value.expected
    with zipfile.ZipFile(path) as found:
        assert json.loads(found.read(NAME))["version"] in str(refused.value.got)
