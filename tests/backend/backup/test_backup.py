"""A backup of an arena, restored into another database and another folder."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import func, select, text, update

from hexarena.backend.accounts import life as accounts
from hexarena.backend.backup.files import Backup
from hexarena.backend.backup.making import COPIED, make
from hexarena.backend.backup.manifest import Manifest, Report
from hexarena.backend.backup.restoring import RESTORING, Restored, restore
from hexarena.backend.errors import Conflict
from hexarena.backend.ladder import refits
from hexarena.backend.matches import life as matches, live, queue
from hexarena.backend.matches.blobs import Blobs, packed
from hexarena.backend.matches.store import MARKER, WrongStore, checked_store
from hexarena.backend.models import Base, ChangeRow, Job, Match, MatchKind, Result, Standing, User, UserKind
from hexarena.backend.runtime import migrate, partitions
from hexarena.backend.runtime.db import Database, psycopg_url
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import deletion, seeding
from hexarena.games.catalogue import find_game
from tests.api.played import Bots, house_bots, play
from tests.backend.backup.files import rewrite
from tests.conftest import Servers, new_empty_database

SECRET = "for tests only"


def quiet(*_: object) -> None:
    """Reports nothing."""


def write_backup(
    settings: Settings, database: Database, path: Path, *, replays: bool = True, report: Report = quiet
) -> Manifest:
    return make(settings, database, path, replays=replays, report=report)


def at(step: str, act: Callable[[], object]) -> Report:
    """Acts once, when that step begins."""
    waiting = [act]

    def report(what: str, *_: object) -> None:
        if what == step and waiting:
            waiting.pop()()

    return report


@dataclass
class Place:
    """Where nothing is yet: an empty database and a folder."""

    settings: Settings
    database: Database

    def restore(self, path: Path, *, replays: bool = True, same_store: bool = False) -> Restored:
        return restore(self.settings, self.database, path, replays=replays, same_store=same_store, report=quiet)

    def is_empty(self) -> bool:
        with self.database.engine.connect() as connection:
            return connection.scalar(text("SELECT to_regclass('match')")) is None


@contextmanager
def new_place(servers: Servers, folder: Path) -> Iterator[Place]:
    with new_empty_database(servers) as url:
        settings = Settings(DATABASE_URL=url, data_folder=folder, disk_reserve_bytes=0)
        database = Database.of(settings)
        yield Place(settings, database)
        database.close()


@pytest.fixture
def elsewhere(servers: Servers, tmp_path: Path) -> Iterator[Place]:
    with new_place(servers, tmp_path / "elsewhere") as place:
        yield place


@pytest.fixture
def season(settings: Settings, database: Database) -> Bots:
    """Yavalath's house bots have played, and were rated."""
    bots, blobs = house_bots(database), checked_store(settings, database)
    names = sorted(bots)
    for seed in range(12):
        one, other = names[seed % 3], names[3 + seed % 2]
        play(database, bots, one, other, ranks=(seed % 2, 1 - seed % 2), seed=seed, blobs=blobs)
    with database.transaction() as session:
        # Each match is another one, or refits would count it once.
        session.execute(update(Result).values(digest=func.concat("d", Result.match_id)))
        refits.refit(session, find_game("yavalath"))
    return bots


def rows(database: Database) -> dict[str, list[tuple[object, ...]]]:
    """All that a backup has, down to the last bit."""
    with closing(psycopg.connect(psycopg_url(database.url))) as connection:
        return {
            table.name: sorted(
                connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table.name))).fetchall(), key=repr
            )
            for table in COPIED
        }


def texts_in(blobs: Blobs, database: Database) -> dict[str, list[str | None]]:
    with database.transaction() as session:
        keys = session.scalars(select(Result.replay_key)).all()
    return {key: [blobs.text(key), blobs.text(key, 0), blobs.text(key, 1)] for key in keys}


@pytest.mark.long
def test_everything_comes_back_to_the_last_bit(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    said = write_backup(settings, database, tmp_path / "arena.zip")
    assert (said.rows("result"), said.objects(), said.missing) == (12, 12, 0)
    elsewhere.restore(tmp_path / "arena.zip")
    before, after = rows(database), rows(elsewhere.database)
    assert after == before
    assert sum(map(len, after.values())) > 100
    blobs = checked_store(elsewhere.settings, elsewhere.database)
    assert texts_in(blobs, database) == texts_in(checked_store(settings, database), database)
    assert blobs.read_note(RESTORING) is None
    assert elsewhere.settings.signing_key() == SECRET
    with elsewhere.database.transaction() as session:
        rated = select(Standing.submission_id, Standing.rating, Standing.deviation).order_by(Standing.submission_id)
        found = session.execute(rated).all()
        refits.recompute(session, find_game("yavalath"))
        session.flush()
        assert session.execute(rated).all() == found, "the results alone give these ratings"
    assert seeding.prepare(elsewhere.database) == 0, "it is a whole arena: no house bot is new"


def test_every_table_is_copied_or_left_out_on_purpose(settings: Settings, database: Database, tmp_path: Path) -> None:
    said = write_backup(settings, database, tmp_path / "arena.zip")
    left_out = {"change", "match_slot", "part", "worker"}
    assert {part.table for part in said.tables} == set(Base.metadata.tables) - left_out


# --- While the arena runs ---


@pytest.mark.long
def test_a_match_that_ends_during_the_backup_is_in_all_of_its_tables_or_in_none(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    before, (one, other, *_) = rows(database), sorted(season)
    report = at("Table match_seat", lambda: play(database, season, one, other, seed=99))
    write_backup(settings, database, tmp_path / "arena.zip", report=report)
    assert len(rows(database)["match"]) == len(before["match"]) + 1, "it did end meanwhile"
    elsewhere.restore(tmp_path / "arena.zip")
    assert rows(elsewhere.database) == before


@pytest.mark.long
def test_a_person_who_is_deleted_during_the_backup_is_in_it_as_before(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    with database.transaction() as session:
        ada = accounts.sign_up(session, None, name="Ada", password="a long password")

    def delete() -> None:
        with database.transaction() as session:
            deletion.delete_account(session, session.get_one(User, ada.id))

    before = rows(database)
    write_backup(settings, database, tmp_path / "arena.zip", report=at("Table bot", delete))
    assert rows(database)["user"] != before["user"]
    elsewhere.restore(tmp_path / "arena.zip")
    assert rows(elsewhere.database) == before


@pytest.mark.long
def test_replays_that_are_deleted_during_the_backup_are_counted(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    blobs = checked_store(settings, database)
    with database.transaction() as session:
        gone, *_, without_logs = session.scalars(select(Result.replay_key).order_by(Result.match_id)).all()

    def delete() -> None:
        blobs.erase(gone)
        blobs.erase_logs(without_logs)

    said = write_backup(settings, database, tmp_path / "arena.zip", report=at("Replays", delete))
    assert (said.objects(), said.missing) == (11, 1)
    elsewhere.restore(tmp_path / "arena.zip")
    there = texts_in(checked_store(elsewhere.settings, elsewhere.database), database)
    assert there[gone] == [None, None, None]
    assert there[without_logs] == [blobs.text(without_logs), None, None]
    assert sum(None not in texts for texts in there.values()) == 10


@pytest.mark.long
def test_replays_of_earlier_versions_are_copied_with_their_logs(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    store = settings.data_folder / "blobs"
    with database.transaction() as session:
        match_id = session.scalar(select(func.max(Result.match_id)))
        former = f"replays/07/{match_id}-1.jsonl.gz"
        session.execute(update(Result).where(Result.match_id == match_id).values(replay_key=former))
    (store / "replays/07").mkdir()
    (store / former).write_bytes(packed("replay"))
    (store / former.replace(".jsonl", ".seat1.jsonl")).write_bytes(packed("log"))
    write_backup(settings, database, tmp_path / "arena.zip")
    elsewhere.restore(tmp_path / "arena.zip")
    blobs = checked_store(elsewhere.settings, elsewhere.database)
    assert [blobs.text(former), blobs.text(former, 0), blobs.text(former, 1)] == ["replay", None, "log"]


# --- What goes on elsewhere ---


@pytest.mark.long
def test_what_was_being_played_is_played_again_at_once(
    settings: Settings, database: Database, elsewhere: Place, tmp_path: Path
) -> None:
    checked_store(settings, database)
    pair = [submission for _, submission in house_bots(database).values()][:2]
    with database.transaction() as session:
        for seed in range(2):
            matches.schedule(session, game="yavalath", kind=MatchKind.LADDER, submission_ids=pair, seed=seed, league=1)
        leases = queue.lease(session, limit=1, seconds=3600, max_attempts=3)
        assert queue.claim(session, leases[0].match_id, leases[0].token, seconds=3600) is not None
    write_backup(settings, database, tmp_path / "arena.zip")
    elsewhere.restore(tmp_path / "arena.zip")
    with elsewhere.database.transaction() as session:
        assert session.scalar(select(func.count()).where(Job.token.is_not(None))) == 0
        again = queue.lease(session, limit=9, seconds=60, max_attempts=3)
        assert {one.match_id: one.attempt for one in again} == {leases[0].match_id: 2, leases[0].match_id + 1: 1}
        held = {one.match_id: one for one in again}[leases[0].match_id]
        assert queue.claim(session, held.match_id, leases[0].token, seconds=60) is None, (
            "the old worker's lease is over"
        )
        assert queue.claim(session, held.match_id, held.token, seconds=60) is not None


def new_guest(database: Database) -> int:
    with database.transaction() as session:
        guest = User(kind=UserKind.GUEST, name="guest")
        session.add(guest)
        session.flush()
        return guest.id


@pytest.mark.long
def test_ids_that_were_given_away_before_or_after_the_backup_are_not_given_away_again(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    with database.transaction() as session:
        last = session.scalar(select(func.max(Match.id))) or 0
        session.execute(text("DELETE FROM pending_result"))
        session.execute(text("DELETE FROM match WHERE id = :last"), {"last": last})
    write_backup(settings, database, tmp_path / "arena.zip")
    lost = new_guest(database)
    elsewhere.restore(tmp_path / "arena.zip")
    guest = new_guest(elsewhere.database)
    one, other, *_ = sorted(season)
    played = play(elsewhere.database, season, one, other)
    for given, new in ((lost, guest), (last, played)):
        assert given + 1_000_000 <= new < given + 1_100_000


@pytest.mark.long
def test_a_later_restore_skips_the_ids_that_the_first_one_gave_out(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    def a_week_ago(found: dict[str, Any], _: dict[str, bytes]) -> None:
        found["made_at"] = (datetime.now(UTC) - timedelta(days=7)).isoformat(timespec="seconds")

    write_backup(settings, database, tmp_path / "arena.zip")
    rewrite(tmp_path / "arena.zip", a_week_ago)
    elsewhere.restore(tmp_path / "arena.zip")
    one, other, *_ = sorted(season)
    with elsewhere.database.transaction() as session:
        newest = session.scalar(select(func.max(Match.id))) or 0
    assert play(elsewhere.database, season, one, other) > newest + 7_000_000
    with elsewhere.database.engine.connect() as connection:
        ends = dict(connection.execute(partitions.ENDS).all())
    assert all(end - newest > 7_000_000 + partitions.WIDTH // 2 for end in ends.values()), "there is room for months"


@pytest.mark.long
def test_pages_of_the_old_machine_load_anew(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    """Whatever the old machine comes to after the backup."""
    with database.transaction() as session:
        old = live.now(session)
        assert not live.is_pruned(session, old)
    write_backup(settings, database, tmp_path / "arena.zip")
    elsewhere.restore(tmp_path / "arena.zip")
    with elsewhere.database.transaction() as session:
        assert live.is_pruned(session, old)
        assert live.is_pruned(session, live.Cursor(old.id + 1_000_000))
        assert not live.is_pruned(session, live.now(session))
        assert session.scalar(select(func.count()).select_from(ChangeRow)) == 1
    one, other, *_ = sorted(season)
    place = play(elsewhere.database, season, one, other)
    with elsewhere.database.transaction() as session:
        live.prune(session)
        assert live.is_pruned(session, old)
        assert place in {change.subject_id for change in live.changes_since(session, old, game="yavalath")}


def without_columns(found: dict[str, Any], parts: dict[str, bytes], table: str, names: set[str]) -> None:
    """As if the table had never had these columns."""
    for part in (one for one in found["tables"] if one["table"] == table):
        kept = [index for index, name in enumerate(part["columns"]) if name not in names]
        part["columns"] = [part["columns"][index] for index in kept]
        lines = [line.split(b"\t") for line in parts[part["name"]].splitlines()]
        body = b"".join(b"\t".join(line[index] for index in kept) + b"\n" for line in lines)
        parts[part["name"]] = body
        part["bytes"], part["sha256"] = len(body), hashlib.sha256(body).hexdigest()


def test_a_backup_of_an_older_schema_is_brought_to_the_newest(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    write_backup(settings, database, tmp_path / "arena.zip")

    def older(found: dict[str, Any], parts: dict[str, bytes]) -> None:
        """Without what later revisions added: tables, and columns at the end of others."""
        found["revision"] = "0023"
        new = {"arena_identity", "retention", "event", "event_entry", "event_pairing", "audit_entry", "announcement"}
        new |= {
            "retention_passed",
            "class",
            "class_team",
            "class_member",
            "class_organiser",
            "assignment",
            "assignment_rung",
            "extension",
            "mark",
            "event_organiser",
            "similarity_report",
            "season",
            "season_standing",
            "place_count",
            "event_heat_entry",
            "event_standing",
            "host",
            "daily_board",
        }
        for part in [one for one in found["tables"] if one["table"] in new]:
            found["tables"].remove(part)
            del parts[part["name"]]
        found["sequences"] = [one for one in found["sequences"] if one["table"] not in new]
        of_events = {"pairing_id", "pairing_game", "mark_id", "held", "event_id"}
        without_columns(found, parts, "match", of_events | {"rerun_of", "rerun_reason"})
        without_columns(found, parts, "user", {"banned_at", "ban_reason"})
        without_columns(found, parts, "submission", {"check_match_id"})
        without_columns(found, parts, "job", {"slot_wanted"})
        without_columns(found, parts, "batch", {"opponents"})
        without_columns(found, parts, "standing", {"settled", "code_sha256"})
        without_columns(found, parts, "ladder", {"frozen_at", "frozen_reason", "level"})
        without_columns(found, parts, "duel", {"field", "paused_until"})
        without_columns(found, parts, "result", {"toolchains", "record_digest"})
        without_columns(found, parts, "seat_result", {"submission_id"})
        without_columns(found, parts, "notice", {"assignment_id", "event_id", "reason"})

    rewrite(tmp_path / "arena.zip", older)
    elsewhere.restore(tmp_path / "arena.zip", replays=False)
    with elsewhere.database.transaction() as session:
        assert migrate.current_revision(session) == migrate.newest_revision()
    assert rows(elsewhere.database)["result"] == rows(database)["result"]


# --- What is refused ---


@pytest.mark.long
def test_an_arena_that_is_there_is_not_written_over(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    write_backup(settings, database, tmp_path / "arena.zip")
    before = rows(database)
    with pytest.raises(Conflict) as refused:
        restore(settings, database, tmp_path / "arena.zip", replays=True, same_store=True, report=quiet)
    assert refused.value.got is not None
    assert "12 matches" in refused.value.got
    assert rows(database) == before
    elsewhere.restore(tmp_path / "arena.zip")
    with pytest.raises(Conflict, match="an arena in this database"):
        elsewhere.restore(tmp_path / "arena.zip")


@pytest.mark.long
def test_an_empty_schema_is_no_arena_yet(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    write_backup(settings, database, tmp_path / "arena.zip")
    migrate.upgrade(elsewhere.database)
    elsewhere.restore(tmp_path / "arena.zip")
    assert rows(elsewhere.database) == rows(database)


def test_a_database_of_another_program_is_left_alone(
    settings: Settings, database: Database, elsewhere: Place, tmp_path: Path
) -> None:
    write_backup(settings, database, tmp_path / "arena.zip")
    with elsewhere.database.transaction() as session:
        session.execute(text("CREATE TABLE invoices (id int)"))
    with pytest.raises(Conflict) as refused:
        elsewhere.restore(tmp_path / "arena.zip")
    assert refused.value.got == "tables of another program: invoices"
    assert not (elsewhere.settings.data_folder / "blobs").exists()


@pytest.mark.long
def test_two_restores_at_once_are_one(
    settings: Settings, database: Database, season: Bots, elsewhere: Place, tmp_path: Path
) -> None:
    write_backup(settings, database, tmp_path / "arena.zip")
    refused: list[str] = []

    def second() -> None:
        with pytest.raises(Conflict) as error:
            elsewhere.restore(tmp_path / "arena.zip")
        refused.append(str(error.value))

    args = {"replays": True, "same_store": False, "report": at("Table match", second)}
    restore(elsewhere.settings, elsewhere.database, tmp_path / "arena.zip", **args)  # type: ignore[arg-type]
    assert refused == ["Another restore into this database is running."]
    assert rows(elsewhere.database) == rows(database)


@pytest.mark.long
def test_a_store_that_has_replays_is_only_taken_when_that_is_said(
    settings: Settings, database: Database, season: Bots, servers: Servers, tmp_path: Path
) -> None:
    """A copy of an arena must not write among the replays of the one that goes on."""
    write_backup(settings, database, tmp_path / "arena.zip")
    with new_place(servers, settings.data_folder) as copy:
        with pytest.raises(Conflict, match="--same-store"):
            copy.restore(tmp_path / "arena.zip")
        assert copy.is_empty()
        copy.restore(tmp_path / "arena.zip", same_store=True, replays=False)
        texts = texts_in(checked_store(copy.settings, copy.database), copy.database)
    assert len(texts) == 12
    assert all(None not in one for one in texts.values())


def test_the_store_of_another_arena_is_never_taken(
    settings: Settings, database: Database, elsewhere: Place, tmp_path: Path
) -> None:
    write_backup(settings, database, tmp_path / "arena.zip")
    Blobs(elsewhere.settings.data_folder / "blobs").write_note(MARKER, "another")
    for same_store in (False, True):
        with pytest.raises(Conflict, match="belongs to another arena"):
            elsewhere.restore(tmp_path / "arena.zip", same_store=same_store)
    assert elsewhere.is_empty()


@pytest.mark.long
def test_the_key_of_another_arena_is_not_written_over(
    settings: Settings, database: Database, elsewhere: Place, tmp_path: Path
) -> None:
    write_backup(settings, database, tmp_path / "arena.zip")
    elsewhere.settings.keep_key("another key")
    with pytest.raises(Conflict, match="the key of another arena"):
        elsewhere.restore(tmp_path / "arena.zip")
    given = replace(elsewhere, settings=elsewhere.settings.model_copy(update={"secret_key": "given"}))
    assert given.restore(tmp_path / "arena.zip").other_key, "whoever sets a key is told that it is another one"


def test_a_backup_needs_the_arenas_own_key_store_and_schema(
    settings: Settings, database: Database, season: Bots, tmp_path: Path
) -> None:
    """From another host, such as one with the address of the database only."""
    there = settings.model_copy(update={"data_folder": tmp_path / "other"})
    with pytest.raises(WrongStore):
        write_backup(there, database, tmp_path / "arena.zip")
    with pytest.raises(Conflict, match="The key that signs"):
        write_backup(there.model_copy(update={"secret_key": ""}), database, tmp_path / "arena.zip", replays=False)
    with database.transaction() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0023'"))
    with pytest.raises(Conflict, match="another schema"):
        write_backup(settings, database, tmp_path / "arena.zip")
    assert list(tmp_path.glob("arena.zip*")) == []


def test_a_file_that_is_there_is_not_written_over(settings: Settings, database: Database, tmp_path: Path) -> None:
    (tmp_path / "arena.zip").write_text("precious")
    with pytest.raises(Conflict, match="is there already"):
        write_backup(settings, database, tmp_path / "arena.zip")
    assert (tmp_path / "arena.zip").read_text() == "precious"
    assert not (tmp_path / "arena.zip.part").exists()


@pytest.mark.long
def test_two_backups_into_one_file_are_one(settings: Settings, database: Database, tmp_path: Path) -> None:
    path, refused = tmp_path / "arena.zip", []

    def second() -> None:
        with pytest.raises(Conflict) as error:
            write_backup(settings, database, path)
        refused.append(str(error.value))

    write_backup(settings, database, path, report=at("Table match", second))
    assert refused == [f"Another process is writing {path}.part."]
    with Backup(path) as found:
        found.check(quiet)


def test_only_its_owner_can_read_a_backup(settings: Settings, database: Database, tmp_path: Path) -> None:
    write_backup(settings, database, tmp_path / "arena.zip")
    assert stat.S_IMODE((tmp_path / "arena.zip").stat().st_mode) == 0o600


def test_a_backup_leaves_the_room_that_the_arena_needs(settings: Settings, database: Database, tmp_path: Path) -> None:
    checked_store(settings, database)
    needy = settings.model_copy(update={"disk_reserve_bytes": 1 << 60})
    with pytest.raises(OSError, match="onto another disk"):
        write_backup(needy, database, tmp_path / "arena.zip")
    assert list(tmp_path.glob("arena.zip*")) == []
