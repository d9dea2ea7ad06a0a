"""What a refit costs on the made-up arena of `bench.web`: CPU time and peak memory of the process that makes it.

Each refit is made by a new process, or by one that made one before, as the ratings process does.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from sqlalchemy import text

from hexarena.backend.ladder import refits
from hexarena.backend.runtime.db import Database
from hexarena.games.catalogue import find_game

ANEW = -1
"""In place of new results: the refit is to count everything anew."""
MB = 1024
"""In the kernel's unit, KiB."""
NEW_MATCHES = """
WITH old AS (
  SELECT match.id, row_number() OVER (ORDER BY match.id DESC) AS number
  FROM match WHERE game = :game AND state = 'done' AND kind = 'ladder' ORDER BY id DESC LIMIT :many
), made AS (
  INSERT INTO match (game, kind, state, seed, league, created_at, started_at, finished_at)
  SELECT match.game, match.kind, match.state, match.seed, match.league, now(), now(), now()
  FROM old JOIN match ON match.id = old.id ORDER BY old.number RETURNING id
), same AS (
  SELECT old.id AS old_id, made.id AS new_id
  FROM old JOIN (SELECT id, row_number() OVER (ORDER BY id) AS number FROM made) made ON made.number = old.number
)
SELECT old_id, new_id FROM same
"""
COPIES = (
    """
INSERT INTO match_seat (match_id, seat, submission_id, game)
SELECT CAST(:new AS int), seat, submission_id, game FROM match_seat WHERE match_id = :old
""",
    """
INSERT INTO result (match_id, reason, turns, faults, attempt, worker, cpu_ms, replay_key, rules_version, digest)
SELECT CAST(:new AS int), reason, turns, faults, attempt, worker, cpu_ms, replay_key, rules_version,
       'new ' || CAST(:new AS text)
FROM result WHERE match_id = :old
""",
    """
INSERT INTO seat_result (match_id, seat, rank, score, fault)
SELECT CAST(:new AS int), seat, rank, score, fault FROM seat_result WHERE match_id = :old
""",
    "INSERT INTO pending_result (match_id, game) SELECT CAST(:new AS int), game FROM match WHERE id = :new",
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one refit. `cpu_s`: of the process, without the database's; `memory_mb`: its peak, all that it is included.

    `counted`, `results`, `competitors`: see refits.Refit.
    """

    cpu_s: float
    wall_s: float
    memory_mb: float
    counted: int
    results: int
    competitors: int


def add_results(database: Database, game: str, many: int) -> None:
    """New results that no refit has counted: the newest ones once more, with moves that nobody has seen."""
    with database.transaction() as session:
        pairs = session.execute(text(NEW_MATCHES), {"game": game, "many": many}).all()
        for statement in COPIES if pairs else ():
            session.execute(text(statement), [{"old": old, "new": new} for old, new in pairs])


def make_stale(database: Database, game: str) -> None:
    """The next refit counts everything anew."""
    with database.transaction() as session:
        session.execute(text("UPDATE ladder SET stale = true WHERE game = :game"), {"game": game})


def costs(url: str, game: str, new: Sequence[int]) -> list[Cost]:
    """Of refits one after the other in one new process. `new`: before each, so many results are added, or ANEW."""
    with get_context("spawn").Pool(1) as pool:
        return list(pool.apply(_costs, (url, game, tuple(new))))


def _costs(url: str, game_id: str, new: Sequence[int]) -> list[Cost]:
    database, game, memory = Database(url, pool_size=1), find_game(game_id), refits.Memory()
    found = []
    for many in new:
        if many == ANEW:
            make_stale(database, game_id)
        else:
            add_results(database, game_id, many)
        began, cpu_began = time.perf_counter(), time.process_time()
        with database.transaction() as session:
            done = refits.refit(session, game, memory)
        cpu_s, wall_s = time.process_time() - cpu_began, time.perf_counter() - began
        if done is None:
            raise RuntimeError("another process refits this ladder")
        found.append(Cost(cpu_s, wall_s, _peak_mb(), done.counted, done.results, done.competitors))
    database.close()
    return found


def _peak_mb() -> float:
    """Of this process since it began. Not `ru_maxrss`, which a process inherits."""
    status = Path("/proc/self/status").read_text()
    (peak,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(peak.split()[1]) / MB
