"""Restores a backup into an empty arena."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import psycopg
from psycopg import sql
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import Connection, NullPool, create_engine, inspect, text, update

from hexarena.backend.backup.files import Backup
from hexarena.backend.backup.making import EXACT, READERS
from hexarena.backend.backup.manifest import DamagedBackup, Manifest, NewerBackup, Report, Sequence, TablePart, counted
from hexarena.backend.errors import Conflict
from hexarena.backend.matches import live
from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.matches.store import MARKER, blobs_of
from hexarena.backend.models import Job, WebhookDelivery
from hexarena.backend.runtime import migrate, partitions
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.locks import AdvisoryLock
from hexarena.backend.runtime.settings import SECRET_KEY, Settings

VERSIONS = "alembic_version"
COUNTED = {"user": "users", "match": "matches"}
"""The tables that a refusal counts."""
RESTORING = "restoring"
"""A note in the store while a restore writes there: a killed one may begin again."""
SKIPPED, SKIPPED_A_SECOND = 1_000_000, 10
"""Ids of each table that are not given out after a restore: at once, and for each second since the backup."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back. `other_key`: the settings name another key than the backup has."""

    manifest: Manifest
    replays: bool
    other_key: bool


def restore(
    settings: Settings, database: Database, path: Path, *, replays: bool, same_store: bool, report: Report
) -> Restored:
    """Fills an empty database and store. `same_store`: the store may have the arena's replays already.

    Raises: Conflict, DamagedBackup, NewerBackup, StoreError, OSError, OperationalError, psycopg.Error.
    """
    with Backup(path) as backup:
        found = backup.manifest
        _refuse_newer(found)
        with database.lock(AdvisoryLock.RESTORING) as mine:
            if not mine:
                raise Conflict("Another restore into this database is running.")
            with database.engine.connect() as connection:
                _refuse_full(connection)
            other_key = _refuse_other_key(settings, backup.key())
            backup.check(report)
            blobs = blobs_of(settings)
            _claim(blobs, found.arena, same_store=same_store)
            if replays:
                _store_replays(backup, blobs, report)
            if not settings.given_key():
                settings.keep_key(backup.key())
            _load(backup, database, report)
            blobs.remove_note(RESTORING)
        return Restored(found, replays and found.replays is not None, other_key)


def forget_lines(settings: Settings) -> bool:
    """Forgets the lines of matches in the broker: their numbers will be others'. False: the broker is away."""
    try:
        with Redis.from_url(settings.redis_url) as redis:
            for key in redis.scan_iter(live.stream_key(settings.namespace, 0, 0).replace("0:0", "*"), count=1000):
                redis.unlink(key)
    except RedisError:
        return False
    return True


# --- What must be empty ---


def _refuse_newer(found: Manifest) -> None:
    if not migrate.is_known(found.revision):
        expected, got = (
            f"at most revision {migrate.newest_revision()}",
            f"{found.revision}, of Hexarena {found.version}",
        )
        raise NewerBackup(
            "The backup is of a newer version of Hexarena: update this one first.", expected=expected, got=got
        )


def _refuse_full(connection: Connection) -> list[str]:
    """The names of our tables, if there are any, all empty. Raises: Conflict."""
    names = sorted(name for name in inspect(connection).get_table_names() if not partitions.is_partition(name))
    if names and VERSIONS not in names:
        got = f"tables of another program: {', '.join(names[:3])}"
        raise Conflict("The database is not empty.", expected="an empty database", got=got)
    ours = [name for name in names if name != VERSIONS]
    filled = [name for name in ours if connection.scalar(text(f"SELECT EXISTS (SELECT FROM {_quoted(name)})"))]  # noqa: S608 - of the catalog
    if filled:
        counts = [
            counted(_count(connection, name), name, several) for name, several in COUNTED.items() if name in filled
        ]
        raise Conflict(
            "There is an arena in this database already.",
            expected="an empty database: another DATABASE_URL, or for `hexarena up` another HEXARENA_DATA_FOLDER",
            got=", ".join(counts) or f"rows in {', '.join(filled[:3])}",
        )
    return ours


def _count(connection: Connection, table: str) -> int:
    return int(connection.scalar(text(f"SELECT count(*) FROM {_quoted(table)}")) or 0)  # noqa: S608 - of the catalog


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _refuse_other_key(settings: Settings, key: str) -> bool:
    """Whether the settings name another key, which then counts. Raises: Conflict, if the data folder has another."""
    if not key:
        raise DamagedBackup("The backup has no key.")
    if given := settings.given_key():
        return given != key
    if settings.made_key() not in {"", key}:
        path = settings.data_folder / SECRET_KEY
        raise Conflict(f"{path} is the key of another arena.", expected="a data folder without a key")
    return False


def _claim(blobs: Blobs, arena: str, *, same_store: bool) -> None:
    """Marks the store as the arena's. Raises: Conflict, if it has replays that the restored arena could change."""
    marker, interrupted = blobs.read_note(MARKER), blobs.read_note(RESTORING) == arena
    if marker not in {None, arena}:
        expected = f"an empty store, or arena {arena}"
        raise Conflict(
            f"The store of replays at {blobs.place} belongs to another arena.", expected=expected, got=marker
        )
    if marker == arena and not (same_store or interrupted):
        raise Conflict(
            f"The store of replays at {blobs.place} has this arena's replays, and two arenas must not write there. If "
            "the one that did is gone for good, add --same-store.",
            expected="an empty store",
        )
    blobs.write_note(RESTORING, arena)
    blobs.write_note(MARKER, arena)


# --- Filling it ---


def _store_replays(backup: Backup, blobs: Blobs, report: Report) -> None:
    total, done = backup.manifest.objects(), 0
    with ThreadPoolExecutor(READERS) as writers:
        for part in backup.manifest.replays or []:
            objects = backup.objects(part)
            while some := list(islice(objects, 16 * READERS)):
                report("Replays", done, total)
                list(writers.map(lambda one: blobs.put_object(*one), some))
                done += len(some)


def _load(backup: Backup, database: Database, report: Report) -> None:
    """All tables, in one transaction."""
    options = {"options": EXACT, "connect_timeout": 10}
    engine = create_engine(database.url, poolclass=NullPool, connect_args=options)
    with engine.connect() as connection, connection.begin():
        _make_empty(connection)
        migrate.upgrade_on(connection, backup.manifest.revision)
        last_ids = _last_ids(backup.manifest)
        partitions.make_room(connection, {one.table: last_ids[one] for one in backup.manifest.sequences})
        for number, part in enumerate(backup.manifest.tables):
            report(f"Table {part.table}", number, len(backup.manifest.tables))
            _load_table(connection, backup, part)
        report("Finishing", 0, None)
        _continue_ids(connection, last_ids)
        migrate.upgrade_on(connection)
        _forget_moment(connection)
        connection.execute(text("ANALYZE"))


def _make_empty(connection: Connection) -> None:
    """Nobody else changes the database from here to the end of the transaction."""
    migrate.lock(connection)
    if ours := _refuse_full(connection):
        connection.execute(text(f"LOCK TABLE {', '.join(map(_quoted, ours))} IN ACCESS EXCLUSIVE MODE"))
        _refuse_full(connection)
        migrate.empty(connection)


def _load_table(connection: Connection, backup: Backup, part: TablePart) -> None:
    """Raises: DamagedBackup, where the rows do not fit the table."""
    columns = (
        {one["name"] for one in inspect(connection).get_columns(part.table)} if _is_table(connection, part) else set()
    )
    if not part.columns or not columns.issuperset(part.columns):
        raise DamagedBackup(f"{part.name} does not fit the schema of revision {backup.manifest.revision}.")
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(part.table), sql.SQL(", ").join(map(sql.Identifier, part.columns))
    )
    cursor = _driver(connection).cursor()
    try:
        with backup.open(part) as reader, cursor.copy(statement) as copy:
            for chunk in iter(reader.read, b""):
                copy.write(chunk)
    except (psycopg.DataError, psycopg.IntegrityError) as error:
        raise DamagedBackup(f"{part.name} does not fit: {str(error).splitlines()[0]}.") from error
    if cursor.rowcount != part.rows:
        expected, got = f"{part.rows:,} rows", f"{cursor.rowcount:,}"
        raise DamagedBackup(f"{part.name} is not what it was.", expected=expected, got=got)


def _is_table(connection: Connection, part: TablePart) -> bool:
    return part.table != VERSIONS and inspect(connection).has_table(part.table)


def _driver(connection: Connection) -> psycopg.Connection:
    driver = connection.connection.driver_connection
    if not isinstance(driver, psycopg.Connection):
        raise TypeError(f"expected a connection of psycopg, got {driver!r}")
    return driver


def _last_ids(found: Manifest) -> dict[Sequence, int]:
    """Below which no ids are given out, so that none is that was given out before.

    After the backup, the arena went on. A guest's cookie is a signed id, and browsers keep replays by the match's. A
    restore of the same file later on skips more, for what the arena of the first one gave out.
    """
    age_s = (datetime.now(UTC) - datetime.fromisoformat(found.made_at)).total_seconds()
    skipped = SKIPPED + SKIPPED_A_SECOND * max(0, round(age_s))
    return {one: min(one.last + skipped, partitions.LAST_ID_OF_ALL - 1) for one in found.sequences}


def _continue_ids(connection: Connection, last_ids: Mapping[Sequence, int]) -> None:
    for one, last in last_ids.items():
        values = {"table": _quoted(one.table), "column": one.column, "last": last}
        connection.execute(text("SELECT setval(pg_get_serial_sequence(:table, :column), :last)"), values)


def _forget_moment(connection: Connection) -> None:
    """What was true of the old machine only: who plays what right now, and the place of pages in its events."""
    held = update(Job).where(Job.token.is_not(None))
    connection.execute(held.values(token=None, lease_until=None, asleep=False, slot_wanted=False))
    connection.execute(update(WebhookDelivery).where(WebhookDelivery.sending).values(sending=False))
    live.begin_anew(connection)
