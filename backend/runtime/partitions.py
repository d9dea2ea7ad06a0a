"""The tables that grow with the matches, in partitions by ranges of ids: no index and no VACUUM grows with them.

Theory of operation. A range has WIDTH ids. Ids are handed out in order and lists are read from the newest, so queries
and VACUUM touch the newest partitions. The next partition is made when half of the last one is used up
(`worker.upkeep`): an arena plays for months in the other half. PostgreSQL analyses partitions by itself, but not the
tables that consist of them, whose figures the planner needs for joins: that is done here, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlalchemy import Connection, ForeignKeyConstraint, text
from sqlalchemy.schema import SchemaItem

PARTITIONED: Mapping[str, str] = {
    "match": "match",
    "match_seat": "match",
    "result": "match",
    "seat_result": "match",
    "standing_history": "standing_history",
}
"""Table -> the table whose ids its ranges are of."""
WIDTH = 10_000_000
"""Ids of a partition, which has 3 to 4 GB then, indexes included."""
MOST = 50
"""Partitions of a table that are made at once: where more are needed, they are wider."""
LAST_ID_OF_ALL = 2**63 - 1
LOCK_TIMEOUT = "500ms"
"""Making a partition locks its table for a moment. Where others hold it for longer, it is tried again later: those who
come meanwhile wait, too, and after a second PostgreSQL looks for two who wait for each other, and ends one of them."""
NAME = re.compile(rf"^({'|'.join(PARTITIONED)})_from_\d+$")
ENDS = text("""
    SELECT parent.relname,
        max((regexp_match(pg_get_expr(part.relpartbound, part.oid), 'TO \\(''(\\d+)''\\)'))[1]::bigint)
    FROM pg_inherits
    JOIN pg_class part ON part.oid = pg_inherits.inhrelid
    JOIN pg_class parent ON parent.oid = pg_inherits.inhparent
    WHERE parent.relkind = 'p' AND pg_table_is_visible(parent.oid)
    GROUP BY parent.relname
""")
LAST_ID = text("SELECT COALESCE(pg_sequence_last_value(pg_get_serial_sequence(:table, 'id')::regclass), 0)")
OUTDATED = text("""
    SELECT parent.relname
    FROM pg_inherits
    JOIN pg_class part ON part.oid = pg_inherits.inhrelid
    JOIN pg_class parent ON parent.oid = pg_inherits.inhparent
    WHERE parent.relkind = 'p' AND pg_table_is_visible(parent.oid)
    GROUP BY parent.relname, parent.reltuples
    HAVING sum(GREATEST(part.reltuples, 0)) > 1.1 * GREATEST(parent.reltuples, 0) + 50
""")
"""As PostgreSQL does for other tables: a tenth of the rows is new."""


def is_partition(table: str) -> bool:
    """Whether this is the name of a part of another table."""
    return NAME.match(table) is not None


def include_object(item: SchemaItem, name: str | None, kind: str, *_: object) -> bool:
    """For Alembic, which compares the schema with the models: these know neither partitions nor references to them."""
    if isinstance(item, ForeignKeyConstraint):
        return not is_partition(item.elements[0].target_fullname.rpartition(".")[0])
    return kind != "table" or name is None or not is_partition(name)


def make_room(
    connection: Connection, last_ids: Mapping[str, int] | None = None, *, most: int | None = None
) -> list[str]:
    """Makes the partitions that are needed until at least half of the last one is left. Returns their names.

    `last_ids`: of tables with ids of their own; by default those that were handed out last. `most`: of partitions; who
    makes one in a transaction locks few tables at once. Raises: DBAPIError, where others hold a lock for long.
    """
    ends: dict[str, int] = dict(connection.execute(ENDS).all())
    connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'"))
    made: list[str] = []
    for table, numbered in PARTITIONED.items():
        if table not in ends:
            continue
        end, last = ends[table], _last_id(connection, numbered) if last_ids is None else last_ids.get(numbered, 0)
        width = max(WIDTH, (last - end) // MOST)
        while end - last < width // 2 and end < LAST_ID_OF_ALL and len(made) != most:
            name, begin, end = f"{table}_from_{end}", end, min(end + width, LAST_ID_OF_ALL)
            connection.execute(text(f"CREATE TABLE {name} PARTITION OF {table} FOR VALUES FROM ({begin}) TO ({end})"))
            made.append(name)
    connection.execute(text("SET LOCAL lock_timeout TO DEFAULT"))
    return made


def analyze(connection: Connection) -> list[str]:
    """Renews the planner's figures of the tables whose partitions have changed much. Returns their names."""
    outdated = [table for (table,) in connection.execute(OUTDATED) if table in PARTITIONED]
    for table in outdated:
        connection.execute(text(f"ANALYZE {table}"))
    return outdated


def _last_id(connection: Connection, table: str) -> int:
    return int(connection.scalar(LAST_ID, {"table": table}) or 0)
