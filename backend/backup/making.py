"""Makes a backup of an arena, which may be running."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import psycopg
from psycopg import IsolationLevel, sql
from sqlalchemy import Table

from hexarena.backend.backup import manifest
from hexarena.backend.backup.files import Writer
from hexarena.backend.backup.manifest import Manifest, ReplaysPart, Report, Sequence, TablePart
from hexarena.backend.errors import Conflict
from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.matches.store import checked_store, identity
from hexarena.backend.models import Base, ChangeRow, MatchSlot, Part, Worker
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import COMPUTES_MS, Database, psycopg_url
from hexarena.backend.runtime.disk import Disk
from hexarena.backend.runtime.settings import SECRET_KEY, Settings

LEFT_OUT = {ChangeRow.__tablename__, MatchSlot.__tablename__, Part.__tablename__, Worker.__tablename__}
"""Events have a place among this server's transactions, which no other server has; heartbeats are of the moment; what
only one match may be is written by a trigger when the matches are restored."""
COPIED = [table for table in Base.metadata.sorted_tables if table.name not in LEFT_OUT]
"""In the order of the foreign keys."""
EXACT = (
    "-c client_encoding=UTF8 -c extra_float_digits=1 -c bytea_output=hex -c datestyle=ISO -c intervalstyle=postgres "
    f"-c timezone=UTC -c statement_timeout=0 -c idle_in_transaction_session_timeout={COMPUTES_MS}"
)
"""Whatever the server is set to: texts mean the same everywhere, and numbers keep their last bit."""
REPLAYS = """
    COPY (
        SELECT replay_key, CASE WHEN replay_key LIKE '%.zip' THEN 0
            ELSE (SELECT count(*) FROM match_seat WHERE match_seat.match_id = result.match_id) END
        FROM result ORDER BY match_id
    ) TO STDOUT
"""
A_PART, A_PART_BYTES = 4096, 64 << 20
"""The most objects in a tar, and the size from which on there is another one."""
READERS = 8
"""Objects that are read at once: a store far away takes long for each."""


def make(settings: Settings, database: Database, path: Path, *, replays: bool, report: Report) -> Manifest:
    """Writes a backup. Returns its manifest.

    Raises: Conflict, WrongStore, StoreError, OSError, psycopg.Error, OperationalError.
    """
    _refuse_other_schema(database)
    key = _key_of(settings)
    blobs = checked_store(settings, database) if replays else None
    with database.transaction() as session:
        arena = identity(session)
    with Writer(path, _reserve_of(settings, path)) as writer, TemporaryFile(dir=path.parent) as keys:
        with writer.open(manifest.KEY) as part:
            part.write(f"{key}\n".encode())
        tables, sequences = _write_tables(writer, database, keys, report)
        copier = None if blobs is None else _Copier(writer, blobs, keys, sum(_rows(tables, "result")), report)
        found = Manifest(
            format=manifest.FORMAT,
            version=version("hexarena"),
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            revision=migrate.newest_revision(),
            arena=arena,
            tables=tables,
            sequences=sequences,
            replays=None if copier is None else copier.write_all(),
            missing=0 if copier is None else copier.missing,
            key=part.part(manifest.KEY),
        )
        writer.finish(found)
    return found


def _rows(tables: list[TablePart], name: str) -> Iterator[int]:
    return (one.rows for one in tables if one.table == name)


def _refuse_other_schema(database: Database) -> None:
    with database.transaction() as session:
        current = migrate.current_revision(session)
    if current != migrate.newest_revision():
        raise Conflict(
            "The database has another schema than this version of Hexarena: back it up with the version that runs the "
            "arena, or upgrade it first (`hexarena db upgrade`).",
            expected=f"revision {migrate.newest_revision()}",
            got=current or "an empty database",
        )


def _key_of(settings: Settings) -> str:
    """The arena's key, which is not made here: another one would be worth nothing."""
    key = settings.given_key() or settings.made_key()
    if not key:
        expected = (
            f"{settings.data_folder / SECRET_KEY}, HEXARENA_SECRET_KEY or HEXARENA_SECRET_KEY_FILE, as the API has"
        )
        raise Conflict("The key that signs the arena's cookies is not here.", expected=expected)
    return key


def _reserve_of(settings: Settings, path: Path) -> Callable[[], None]:
    """Raises OSError when the backup would take the room that the running arena needs."""
    folder = settings.data_folder
    if not folder.exists() or folder.stat().st_dev != path.parent.stat().st_dev:
        return lambda: None
    disk = Disk(folder, settings.disk_reserve_bytes)

    def look() -> None:
        if disk.is_full:
            free, least = disk.room().free_bytes // 1_000_000, settings.disk_reserve_bytes // 1_000_000
            raise OSError(
                f"The disk of {folder} has {free:,} MB left, and the arena stops below {least:,} MB: write the backup "
                "onto another disk."
            )

    return look


# --- Tables ---


def _write_tables(
    writer: Writer, database: Database, keys: IO[bytes], report: Report
) -> tuple[list[TablePart], list[Sequence]]:
    """All tables as of one moment. `keys`: gets the keys of the replays of that moment, and how many logs they have."""
    with closing(psycopg.connect(psycopg_url(database.url), options=EXACT, connect_timeout=10)) as connection:
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        # Before the moment that the first query chooses: an upgrade in between would leave other columns, or no rows.
        names = sql.SQL(", ").join(sql.Identifier(table.name) for table in COPIED)
        connection.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(names))
        tables = []
        for number, table in enumerate(COPIED):
            report(f"Table {table.name}", number, len(COPIED))
            tables.append(_write_table(writer, connection, table))
        with connection.cursor().copy(REPLAYS) as rows:
            for chunk in rows:
                keys.write(chunk)
        sequences = [found for table in COPIED for found in _sequences(connection, table)]
    keys.seek(0)
    return tables, sequences


def _write_table(writer: Writer, connection: psycopg.Connection, table: Table) -> TablePart:
    columns = [column.name for column in table.columns]
    # Of a table in partitions only a query can be copied.
    statement = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(
        sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(table.name)
    )
    name, cursor = f"tables/{table.name}.txt", connection.cursor()
    with writer.open(name) as part, cursor.copy(statement) as rows:
        for chunk in rows:
            part.write(chunk)
    said = part.part(name)
    return TablePart(**said.model_dump(), table=table.name, columns=columns, rows=cursor.rowcount)


def _sequences(connection: psycopg.Connection, table: Table) -> Iterator[Sequence]:
    for column in (one.name for one in [table.autoincrement_column] if one is not None):
        found = connection.execute(
            "SELECT pg_get_serial_sequence(quote_ident(%s), %s)", [table.name, column]
        ).fetchone()
        if found is not None:
            row = connection.execute(
                sql.SQL("SELECT last_value, is_called FROM {}").format(sql.SQL(found[0]))
            ).fetchone()
            if row is not None:
                yield Sequence(table=table.name, column=column, last=row[0], called=row[1])


# --- Replays ---


class _Copier:
    """Copies replays from the store into tars. `missing`: results whose replay is not there."""

    def __init__(self, writer: Writer, blobs: Blobs, keys: IO[bytes], total: int, report: Report) -> None:
        self._writer = writer
        self._blobs = blobs
        self._keys = keys
        self._total = total
        self._report = report
        self._done = 0
        self.missing = 0

    def write_all(self) -> list[ReplaysPart]:
        """Returns the parts. Raises: StoreError."""
        parts: list[ReplaysPart] = []
        with ThreadPoolExecutor(READERS) as readers:
            objects = self._objects(readers)
            for first in objects:
                parts.append(self._write_part(len(parts), chain([first], objects)))
        return parts

    def _objects(self, readers: ThreadPoolExecutor) -> Iterator[tuple[str, bytes]]:
        while lines := list(islice(self._keys, 16 * READERS)):
            self._report("Replays", self._done, self._total)
            for found in readers.map(self._read, lines):
                self.missing += not found
                yield from found
            self._done += len(lines)

    def _read(self, line: bytes) -> list[tuple[str, bytes]]:
        key, seats = line.decode().split("\t")
        return self._blobs.objects(key, int(seats))

    def _write_part(self, number: int, objects: Iterator[tuple[str, bytes]]) -> ReplaysPart:
        name, count = f"replays/{number:06}.tar", 0
        with (
            self._writer.open(name, packed=False) as part,
            tarfile.open(fileobj=part, mode="w|", format=tarfile.USTAR_FORMAT) as tar,
        ):
            for key, stored in islice(objects, A_PART):
                count += 1
                member = tarfile.TarInfo(key)
                member.size = len(stored)
                tar.addfile(member, io.BytesIO(stored))
                if part.size >= A_PART_BYTES:
                    break
        return ReplaysPart(**part.part(name).model_dump(), objects=count)
