"""Measures lists of matches in an arena of a million: `python scripts/many_matches.py DATABASE_URL`.

Fills an empty database (it must exist, and is left filled) with house bots and made-up matches, then prints for each
set of filters how long the slowest of some pages took. Nothing is played.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from datetime import date
from itertools import product
from typing import Any

from sqlalchemy import func, select, text

from hexarena.backend.matches import history
from hexarena.backend.models import Match, MatchKind, Submission
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import seeding

MATCHES = 1_000_000
PAGES = 3
MOST_FILTERS = 3
FILL = """
INSERT INTO match (game, kind, state, seed, league, created_at, started_at, finished_at)
SELECT 'yavalath', CASE WHEN n % 50 = 0 THEN 'placement' WHEN n % 5000 = 1 THEN 'check' ELSE 'ladder' END, 'done',
       CAST(n AS bigint) * 7919, 1, now() - (:matches - n) * interval '40 s', now(), now()
FROM generate_series(1, :matches) n;
INSERT INTO match_seat (match_id, seat, submission_id, game)
SELECT m.id, seat, bots.ids[CAST(1 + (m.id * 31 + seat * (1 + m.id / 7 % (:bots - 1))) % :bots AS int)], 'yavalath'
FROM match m CROSS JOIN generate_series(0, 1) seat
CROSS JOIN (SELECT array_agg(id ORDER BY id) ids FROM submission WHERE game = 'yavalath') bots;
INSERT INTO result (match_id, reason, turns, faults, attempt, worker, cpu_ms, replay_key, rules_version)
SELECT id, CASE WHEN id % 3 = 0 THEN 'seat 0 made a line of 4' WHEN id % 99991 = 1 THEN 'seat 1 stopped without a reply'
                ELSE 'seat 1 made a line of 4' END, 30, '[]', 1, 'made up', 1, 'none', '1'
FROM match WHERE state = 'done';
INSERT INTO seat_result (match_id, seat, rank, score, fault)
SELECT id, seat, CASE WHEN id % 3 = 0 THEN seat ELSE 1 - seat END, 0,
       CASE WHEN id % 99991 = 1 AND seat = 0 THEN 'crash' WHEN id % 1009 = 1 AND seat = 1 THEN 'timeout' END
FROM match CROSS JOIN generate_series(0, 1) seat WHERE state = 'done'
"""


def fill(database: Database) -> None:
    """House bots, and the matches in one transaction for each table."""
    seeding.prepare(database)
    for statement in FILL.split(";\n"):
        with database.transaction() as session:
            session.execute(text("SET LOCAL statement_timeout = 0"))
            bots = session.scalar(select(func.count()).where(Submission.game == "yavalath"))
            named = {"matches": MATCHES, "bots": bots}
            session.execute(text(statement), {name: named[name] for name in named if f":{name}" in statement})
    with database.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("VACUUM ANALYZE"))


def choices(database: Database) -> Mapping[str, list[Any]]:
    """Filter -> its values that are tried: none, a frequent one, a rare one."""
    with database.transaction() as session:
        bot, other = session.scalars(
            select(Submission.bot_id).where(Submission.game == "yavalath").order_by(Submission.id).limit(2)
        )
        oldest = session.scalars(select(func.min(Match.created_at))).one()
    return {
        "game": [None, "yavalath", "ants"],
        "kind": [None, MatchKind.LADDER, MatchKind.CHECK],
        "bot_id": [None, bot],
        "opponent_id": [None, other],
        "result": [None, "win", "draw"],
        "reason": [None, "made a line of 4", "stopped without a reply", "nothing of the kind"],
        "fault": [None, "any", "crash"],
        "seat": [None, 1],
        "version": [None, 1],
        "seed": [None, 7919],
        "since": [None, date(oldest.year + 1, 1, 1)],
        "until": [None, date(oldest.year, 12, 31)],
    }


def combinations_of(values: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """Every combination of up to three filters besides the bot that makes sense."""
    found = []
    for chosen in product(*values.values()):
        named = {name: value for name, value in zip(values, chosen, strict=True) if value is not None}
        about_a_side = named.keys() & {"opponent_id", "result", "seat", "version"}
        if len(named.keys() - {"bot_id"}) <= MOST_FILTERS and ("bot_id" in named or not about_a_side):
            found.append(named)
    return found


def slowest_page(database: Database, filters: history.Filters) -> tuple[float, int]:
    """(milliseconds of the slowest of the first pages, matches on the first)."""
    worst, below, first = 0.0, None, None
    for _ in range(PAGES):
        began = time.perf_counter()
        with database.transaction() as session:
            found = history.find(session, filters, viewer_id=0, limit=30, below=below)
        worst = max(worst, 1000 * (time.perf_counter() - began))
        first, below = len(found.ids) if first is None else first, found.next_id
        if below is None:
            break
    return worst, first or 0


def main() -> int:
    """Prints the slowest twenty of all combinations, and the median."""
    database = Database(sys.argv[1].replace("postgresql://", "postgresql+psycopg://"))
    with database.engine.connect() as connection:
        empty = connection.scalar(text("SELECT to_regclass('match')")) is None
    if empty:
        fill(database)
    values = choices(database)
    rows = [(*slowest_page(database, history.Filters(**named)), named) for named in combinations_of(values)]
    rows.sort(key=lambda row: -row[0])
    print(f"{len(rows)} combinations; median {rows[len(rows) // 2][0]:.1f} ms")
    for slowest_ms, first, filters_shown in rows[:20]:
        print(f"{slowest_ms:8.1f} ms {first:3} {', '.join(f'{name} {value}' for name, value in filters_shown.items())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
