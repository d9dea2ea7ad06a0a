"""Stores a made-up arena by COPY, in one transaction, in a database that the product's own migrations made.

Secondary indexes and foreign keys of the filled tables are dropped before and made again after, by their own
definitions: that is several times as quick, and foreign keys are checked all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import numpy as np
import psycopg
from psycopg import sql
from sqlalchemy import select, text

from hexarena.backend.ladder import past_boards
from hexarena.backend.models import Bot, Match, Standing, Submission, User, UserKind
from hexarena.backend.runtime import partitions
from hexarena.backend.runtime.db import Database, psycopg_url
from hexarena.backend.submissions import seeding
from hexarena.bench.web.arena import House, Seeded, arena_of
from hexarena.bench.web.rows import Rows, tables
from hexarena.bench.web.world import Plan
from hexarena.games.catalogue import all_games
from hexarena.games.house import STARTER_BOT

CHUNK = 20_000
FILLED = (
    "user",
    "source",
    "bot",
    "submission",
    "duel",
    "event",
    "event_entry",
    "event_pairing",
    "match",
    "match_seat",
    "job",
    "result",
    "seat_result",
    "match_count",
    "pair_tally",
    "standing",
    "standing_history",
)
NUMBERED = ("user", "bot", "submission", "duel", "event", "event_entry", "event_pairing", "match")
CLEARED = ("match", "standing_history", "standing", "pending_result", "match_count")
"""What seeding leaves there, and is made up anew."""
FOREIGN_KEYS = """
SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I', conrelid::regclass, conname),
       format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s', conrelid::regclass, conname, pg_get_constraintdef(oid))
FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND conrelid = ANY(%s::regclass[]) ORDER BY oid
"""
INDEXES = """
SELECT format('DROP INDEX %%s', indexrelid::regclass), replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
FROM pg_index WHERE indrelid = ANY(%s::regclass[]) AND NOT indisunique ORDER BY indexrelid
"""
HISTORY_OF_A_MATCH = 4
"""At most so many lines of it."""
COUNT_ON = "SELECT setval(pg_get_serial_sequence(%s, 'id'), (SELECT max(id) FROM {}))"
IS_COUNTED = """
UPDATE ladder SET stale = false, refitted_at = clock_timestamp(), results = (
  SELECT count(*) FROM match
  WHERE match.game = ladder.game AND state = 'done' AND kind IN ('ladder', 'placement', 'promotion'))
"""


CHECKED = """
UPDATE submission SET check_match_id = newest.match_id FROM (
  SELECT match_seat.submission_id, max(match.id) AS match_id
  FROM match JOIN match_seat ON match_seat.match_id = match.id AND match_seat.seat = 0
  WHERE match.kind = 'check' GROUP BY match_seat.submission_id
) newest WHERE newest.submission_id = submission.id
"""


class NotEmpty(Exception):
    """The database has matches or people already."""


def is_loaded(database: Database) -> bool:
    """Whether this is a database with matches."""
    with database.transaction() as session:
        there = session.scalar(text("SELECT to_regclass('match')")) is not None
        return there and session.scalar(select(Match.id).limit(1)) is not None


def load(database: Database, plan: Plan, progress: Callable[[str], None] = lambda _: None) -> None:
    """Migrates, seeds and fills a database. Raises: NotEmpty."""
    if is_loaded(database):
        raise NotEmpty("expected a database without matches")
    seeding.prepare(database)
    arena = arena_of(plan, _seeded(database), datetime.now(UTC))
    with database.engine.begin() as connection:
        partitions.make_room(connection, {"match": plan.matches, "standing_history": HISTORY_OF_A_MATCH * plan.matches})
    with psycopg.connect(psycopg_url(database.url)) as connection:
        for setting in ("synchronous_commit = off", "timezone = 'UTC'", "maintenance_work_mem = '256MB'"):
            connection.execute(f"SET LOCAL {setting}".encode())
        for table in CLEARED:
            connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
        with _without_checks(connection, progress):
            for rows in tables(arena):
                progress(f"{rows.table}: {len(rows):,} rows")
                _copy(connection, rows)
        for table in (*NUMBERED, "standing_history"):
            connection.execute(sql.SQL(COUNT_ON).format(sql.Identifier(table)), [f'"{table}"'])
        connection.execute(IS_COUNTED)
        connection.execute(CHECKED)
    with psycopg.connect(psycopg_url(database.url), autocommit=True) as connection:
        progress("VACUUM ANALYZE")
        connection.execute("VACUUM ANALYZE")
    progress("boards of each day")
    while past_boards.keep_some(database):
        pass


def _seeded(database: Database) -> Seeded:
    games = tuple(all_games().values())
    with database.transaction() as session:
        query = (
            select(Bot.game, Bot.name, Bot.id, Submission.id, Standing.league)
            .join(Submission, Submission.bot_id == Bot.id)
            .join(Standing, Standing.submission_id == Submission.id)
            .order_by(Bot.name != STARTER_BOT, Bot.id)
        )
        bots = session.execute(query).all()
        house_id = session.scalars(select(User.id).where(User.kind == UserKind.HOUSE)).one()
        next_ids = {
            table: 1 + (session.scalar(text(f'SELECT max(id) FROM "{table}"')) or 0)  # noqa: S608 - names of our own
            for table in NUMBERED
        }
    house = tuple(tuple(House(*row[2:]) for row in bots if row.game == game.id) for game in games)
    return Seeded(games, house, house_id, next_ids)


@contextmanager
def _without_checks(connection: psycopg.Connection, progress: Callable[[str], None]) -> Iterator[None]:
    filled = [f'"{table}"' for table in FILLED]
    again = []
    for query in (FOREIGN_KEYS, INDEXES):
        for drop, make in connection.execute(query, [filled]).fetchall():
            connection.execute(drop)
            again.append(make)
    yield
    progress("indexes and foreign keys")
    for statement in reversed(again):
        connection.execute(statement)


def _copy(connection: psycopg.Connection, rows: Rows) -> None:
    """In chunks of text. Python's None stands for NULL: no text of ours is just that."""
    columns = sql.SQL(", ").join(map(sql.Identifier, rows.values))
    statement = sql.SQL("COPY {} ({}) FROM STDIN WITH (NULL 'None')").format(sql.Identifier(rows.table), columns)
    pattern = "\t".join(["%s"] * len(rows.values)) + "\n"
    with connection.cursor().copy(statement) as copy:
        for begin in range(0, len(rows), CHUNK):
            size = min(CHUNK, len(rows) - begin)
            chunk = [_written(one, begin, size) for one in rows.values.values()]
            copy.write("".join([pattern % row for row in zip(*chunk, strict=True)]))


def _written(values: Any, begin: int, size: int) -> list[Any]:
    if not isinstance(values, np.ndarray):
        return [values] * size
    some = values[begin : begin + size]
    if some.dtype.kind == "M":
        return list(np.datetime_as_string(some, unit="ms"))
    return list(some.tolist())
