"""Tables that grow: their partitions hold what the tables held, and are there before they are needed."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, func, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.orm import Session

from hexarena.backend.matches import life as matches
from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.models import (
    Base,
    Match,
    MatchKind,
    MatchSeat,
    MatchSlot,
    MatchState,
    Result,
    SeatResult,
    SlotPurpose,
    StandingHistory,
)
from hexarena.backend.runtime import migrate, partitions
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.partitions import PARTITIONED, WIDTH
from hexarena.backend.runtime.settings import Settings
from hexarena.worker.upkeep import Upkeep
from tests.api.played import house_bots, play
from tests.backend.backup.test_backup import new_place, rows, write_backup
from tests.backend.runtime.test_migrations import differences, downgrade
from tests.conftest import Servers

GROWING = (MatchSeat, Result, SeatResult, StandingHistory)


def hand_out(database: Database, table: str, last: int) -> None:
    """As if all ids up to that one were in use."""
    with database.transaction() as session:
        session.execute(
            text("SELECT setval(pg_get_serial_sequence(:table, 'id'), :last)"), {"table": table, "last": last}
        )


def make_room(database: Database) -> list[str]:
    with database.engine.begin() as connection:
        return partitions.make_room(connection)


def parts(session: Session, table: str) -> dict[str, int]:
    """Partition -> how many rows it has."""
    found = session.execute(text(f"SELECT CAST(tableoid AS regclass)::text FROM {table}"))  # noqa: S608
    return Counter(found.scalars())


def play_some(database: Database, count: int) -> list[int]:
    bots = house_bots(database)
    one, other, *_ = sorted(bots)
    return [play(database, bots, one, other, seed=seed) for seed in range(count)]


def stored(session: Session, table: Table) -> list[dict[str, Any]]:
    """With the columns that there are: later ones come and go with the steps."""
    keys = ", ".join(column.name for column in table.primary_key)
    found = session.execute(text(f"SELECT * FROM {table.name} ORDER BY {keys}"))  # noqa: S608
    return [dict(row) for row in found.mappings()]


def test_what_an_arena_has_is_in_the_first_partition(database: Database) -> None:
    before = play_some(database, 3)
    hand_out(database, "standing_history", WIDTH + 5)
    downgrade(database, "0045")
    with database.transaction() as session:
        assert session.scalar(text("SELECT count(*) FROM pg_partitioned_table")) == 0
        tables = [Base.metadata.tables[model.__tablename__] for model in (Match, *GROWING)]
        whole = {table.name: stored(session, table) for table in tables}
    assert whole["match"], "the step back loses nothing"
    migrate.upgrade(database)
    assert differences(database) == []
    with database.transaction() as session:
        for table in tables:
            kept = zip(stored(session, table), whole[table.name], strict=True)
            assert all(was.items() <= now.items() for now, was in kept)
            assert set(parts(session, table.name)) == {f"{table.name}_from_0"}
    assert play_some(database, 1) == [before[-1] + 1]
    assert make_room(database) == [], "its last one reaches as far beyond what it has as any other"
    with database.transaction() as session:
        inserted = text(
            "INSERT INTO standing_history (submission_id, game, rating, deviation, games, wins, draws, losses, league, "
            "live) SELECT submission_id, game, 1, 1, 1, 1, 0, 0, 1, true FROM standing LIMIT 1 RETURNING id"
        )
        assert session.scalar(inserted) == WIDTH + 6


@pytest.mark.long
def test_the_next_partition_is_there_before_it_is_needed(database: Database) -> None:
    assert make_room(database) == []
    hand_out(database, "match", WIDTH // 2)
    assert make_room(database) == []
    hand_out(database, "match", WIDTH // 2 + 1)
    made = make_room(database)
    assert sorted(made) == sorted(f"{table}_from_{WIDTH}" for table, ids in PARTITIONED.items() if ids == "match")
    assert make_room(database) == []
    assert differences(database) == []
    hand_out(database, "match", WIDTH - 3)
    played = play_some(database, 5)
    assert played == list(range(WIDTH - 2, WIDTH + 3))
    with database.transaction() as session:
        for table, seats in (("match", 1), ("match_seat", 2), ("result", 1), ("seat_result", 2)):
            assert parts(session, table) == {f"{table}_from_0": 2 * seats, f"{table}_from_{WIDTH}": 3 * seats}
        assert session.scalars(select(Match.id).order_by(Match.id.desc()).limit(4)).all() == played[:0:-1]
        matches.annul(session, played[-1], "It was our fault.")
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Result)) == 4
        assert session.scalar(select(func.count()).select_from(SeatResult)) == 8


def test_without_a_partition_nothing_is_half_stored(database: Database) -> None:
    hand_out(database, "match", WIDTH - 1)
    with pytest.raises(DBAPIError, match="no partition of relation"):
        play_some(database, 1)
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Match)) == 0
    make_room(database)
    assert play_some(database, 1) == [WIDTH + 1]


def test_the_upkeep_makes_room(settings: Settings, database: Database) -> None:
    hand_out(database, "standing_history", WIDTH - 1)
    hand_out(database, "match", 2 * WIDTH - 1)
    upkeep = Upkeep(settings, database, Blobs(settings.data_folder / "store"), threading.Event())
    while upkeep.step():
        pass
    with database.transaction() as session:
        for name in (f"standing_history_from_{WIDTH}", f"match_from_{WIDTH}", f"seat_result_from_{2 * WIDTH}"):
            assert session.scalar(text(f"SELECT to_regclass('{name}')")) is not None


def test_the_upkeep_waits_for_nobody_who_holds_a_table(settings: Settings, database: Database) -> None:
    hand_out(database, "match", WIDTH - 1)
    upkeep = Upkeep(settings, database, Blobs(settings.data_folder / "store"), threading.Event())
    with database.transaction() as session:
        session.execute(text("SELECT count(*) FROM match"))
        with pytest.raises(DBAPIError, match="lock timeout"):
            upkeep.step()
    assert set(make_room(database)) > {f"match_from_{WIDTH}"}


@pytest.mark.long
def test_the_planner_knows_tables_whose_partitions_grew(database: Database) -> None:
    with database.engine.begin() as connection:
        # On a busy machine the server's own would come first.
        connection.execute(text("ALTER TABLE match_seat_from_0 SET (autovacuum_enabled = false)"))
    play_some(database, 60)
    with database.engine.begin() as connection:
        partitions.analyze(connection)
        connection.execute(text("ANALYZE match_seat_from_0"))
        assert partitions.analyze(connection) == ["match_seat"]
        assert partitions.analyze(connection) == []
        known = connection.scalar(
            text("SELECT n_distinct FROM pg_stats WHERE tablename = 'match_seat' AND attname = 'seat'")
        )
        assert known == 2


@pytest.mark.long
def test_a_backup_comes_back_into_as_many_partitions(
    settings: Settings, database: Database, servers: Servers, tmp_path: Path
) -> None:
    hand_out(database, "match", 2 * WIDTH + 3)
    make_room(database)
    (match_id,) = play_some(database, 1)
    write_backup(settings, database, tmp_path / "arena.zip", replays=False)
    with new_place(servers, tmp_path / "elsewhere") as place:
        place.restore(tmp_path / "arena.zip", replays=False)
        assert rows(place.database) == rows(database)
        assert differences(place.database) == []
        with place.database.transaction() as session:
            assert parts(session, "result") == {f"result_from_{2 * WIDTH}": 1}
        (again,) = play_some(place.database, 1)
        assert match_id < again < 3 * WIDTH, "there is room for the ids that are skipped, too"


def test_room_for_ids_without_end_is_made_of_few_partitions(database: Database) -> None:
    with database.engine.begin() as connection:
        made = partitions.make_room(connection, {"match": 2**63 - 1})
        assert 4 * 10 < len(made) <= 4 * (partitions.MOST + 1)


# --- What only one match may be ---


def slots(session: Session) -> set[tuple[SlotPurpose, int, int]]:
    rows = session.execute(select(MatchSlot.purpose, MatchSlot.subject_id, MatchSlot.match_id))
    return {(purpose, subject_id, match_id) for purpose, subject_id, match_id in rows}


def rerun_of(session: Session, match_id: int, pair: list[int]) -> int:
    return matches.schedule(
        session,
        game="yavalath",
        kind=MatchKind.LADDER,
        submission_ids=pair,
        seed=1,
        league=1,
        rerun_of=match_id,
        rerun_reason="A fault of ours.",
    ).id


def test_a_match_has_one_rerun_even_if_that_is_void(database: Database) -> None:
    (first,) = play_some(database, 1)
    with database.transaction() as session:
        pair = list(session.scalars(select(MatchSeat.submission_id).where(MatchSeat.match_id == first)))
        again = rerun_of(session, first, pair)
        assert slots(session) == {(SlotPurpose.RERUN, first, again)}
        matches.void_queued_matches(session, [again], "It was our fault.")
        assert session.scalar(select(Match.state).where(Match.id == again)) == MatchState.VOID
    with pytest.raises(IntegrityError, match="pk_match_slot"), database.transaction() as session:
        rerun_of(session, first, pair)
    downgrade(database, "0045")
    with pytest.raises(IntegrityError, match="uq_match_rerun_of"), database.transaction() as session:
        rerun_of(session, first, pair)
    migrate.upgrade(database)
    with database.transaction() as session:
        assert slots(session) == {(SlotPurpose.RERUN, first, again)}
