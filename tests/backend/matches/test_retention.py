"""Old replays and logs go by kind and age; rows stay; the default keeps all."""

from __future__ import annotations

import threading
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from hexarena.backend.matches import life as matches
from hexarena.backend.matches.blobs import Blobs, StoreError
from hexarena.backend.matches.life import annul
from hexarena.backend.matches.retention import days_kept, delete_some, rules_of
from hexarena.backend.matches.store import checked_store
from hexarena.backend.models import Erasure, Job, Match, MatchKind, Result, RetentionPassed
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions.deletion import erase_some
from hexarena.worker.upkeep import Upkeep
from tests.api.played import house_bots, played_match
from tests.conftest import new_visitor

LADDER, PRACTICE = MatchKind.LADDER, MatchKind.PRACTICE


def age(database: Database, match_id: int, days: float) -> None:
    with database.transaction() as session:
        session.execute(update(Match).where(Match.id == match_id).values(finished_at=func.now() - timedelta(days=days)))


def kept(database: Database, blobs: Blobs, match_id: int) -> tuple[bool, bool]:
    """Whether its replay, and whether a seat log is there."""
    with database.transaction() as session:
        key = session.scalars(select(Result.replay_key).where(Result.match_id == match_id)).one()
    return blobs.text(key) is not None, blobs.text(key, 1) is not None


def with_days(settings: Settings, **days: int) -> Settings:
    return settings.model_copy(update={f"keep_{name}_days": value for name, value in days.items()})


def test_the_default_keeps_everything(settings: Settings, database: Database) -> None:
    blobs = checked_store(settings, database)
    old = played_match(database, blobs)
    age(database, old, 4000)
    assert rules_of(settings) == []
    assert delete_some(database, blobs, rules_of(settings)) == 0
    assert kept(database, blobs, old) == (True, True)


def test_each_kind_goes_by_its_own_rule(settings: Settings, database: Database) -> None:
    blobs = checked_store(settings, database)
    ages = {(kind, days): played_match(database, blobs, kind) for days in (40, 10, 1) for kind in (LADDER, PRACTICE)}
    for (_, days), match_id in ages.items():
        age(database, match_id, days)
    rules = rules_of(with_days(settings, replays=30, practice=5, logs=7))
    assert delete_some(database, blobs, rules) == 2 + 4 + 4
    found = {one: kept(database, blobs, match_id) for one, match_id in ages.items()}
    assert found == {
        (LADDER, 40): (False, False),
        (LADDER, 10): (True, False),
        (LADDER, 1): (True, True),
        (PRACTICE, 40): (False, False),
        (PRACTICE, 10): (False, False),
        (PRACTICE, 1): (True, True),
    }
    assert delete_some(database, blobs, rules) == 0, "each match is looked at once"
    age(database, ages[LADDER, 1], 8)
    assert delete_some(database, blobs, rules) == 2, "by the rules of practice matches and of logs"
    assert kept(database, blobs, ages[LADDER, 1]) == (True, False)


def test_logs_of_finals_are_kept_for_the_files_that_are_published_of_them(settings: Settings) -> None:
    rules = rules_of(with_days(settings, replays=30, practice=5, logs=7))
    assert not any(MatchKind.EVENT in rule.kinds for rule in rules)
    short = with_days(settings, logs=7)
    kept_days = [days_kept(short, kind, log=True) for kind in (MatchKind.EVENT, MatchKind.EVENT_LADDER)]
    assert kept_days == [None, 7]


def test_matches_are_taken_in_their_order_and_none_is_skipped(settings: Settings, database: Database) -> None:
    blobs = checked_store(settings, database)
    first, long, last = (played_match(database, blobs) for _ in range(3))
    for match_id, days in ((first, 40), (long, 2), (last, 40)):
        age(database, match_id, days)
    rules = rules_of(with_days(settings, replays=30))
    assert delete_some(database, blobs, rules) == 1
    assert [kept(database, blobs, one)[0] for one in (first, long, last)] == [False, True, True]
    age(database, long, 31)
    assert delete_some(database, blobs, rules) == 2
    assert [kept(database, blobs, one)[0] for one in (first, long, last)] == [False] * 3


def queued_match(database: Database, days: float) -> int:
    """A match that waits since then, and does not begin."""
    bots = house_bots(database)
    with database.transaction() as session:
        ids = [submission for _, submission in bots.values()][:2]
        made = matches.schedule(session, game="yavalath", kind=LADDER, submission_ids=ids, seed=1, league=1)
        session.flush()
        made.created_at = func.now() - timedelta(days=days)
        later = func.now() + timedelta(days=1)
        session.execute(update(Job).where(Job.match_id == made.id).values(not_before=later))
        return made.id


def test_nothing_waits_behind_a_match_that_is_not_over(settings: Settings, database: Database) -> None:
    blobs = checked_store(settings, database)
    first = played_match(database, blobs)
    held, played = queued_match(database, 40), played_match(database, blobs)
    with database.transaction() as session:
        session.execute(update(Match).where(Match.id == first).values(created_at=func.now() - timedelta(days=50)))
    age(database, first, 31 - 2)  # it ended late
    age(database, played, 40)
    rules = rules_of(with_days(settings, replays=30))
    assert delete_some(database, blobs, rules) == 3
    assert [kept(database, blobs, one)[0] for one in (first, played)] == [True, False]
    assert delete_some(database, blobs, rules) == 0
    age(database, first, 31)
    assert delete_some(database, blobs, rules) == 1, "it returns to what it passed"
    assert kept(database, blobs, first) == (False, False)
    assert passed(database) == [held]


def test_a_match_that_is_not_over_is_waited_for_first(settings: Settings, database: Database) -> None:
    blobs = checked_store(settings, database)
    queued_match(database, 30.5)
    played = played_match(database, blobs)
    age(database, played, 40)
    assert delete_some(database, blobs, rules_of(with_days(settings, replays=30))) == 0
    assert passed(database) == []


def passed(database: Database) -> list[int]:
    with database.transaction() as session:
        return list(session.scalars(select(RetentionPassed.match_id)))


class Refusing(Blobs):
    """Refuses to delete some objects, or does not answer."""

    refused: Collection[str] = ()
    is_away = False

    def erase(self, key: str, seat: int | None = None) -> None:
        if self.is_away or key in self.refused:
            raise StoreError("refused")
        super().erase(key, seat)

    def read_note(self, name: str) -> str | None:
        if self.is_away:
            raise StoreError("it does not answer")
        return super().read_note(name)


@pytest.fixture
def refusing(settings: Settings, database: Database) -> Refusing:
    return Refusing(Path(checked_store(settings, database).place))


def key_of(database: Database, match_id: int) -> str:
    with database.transaction() as session:
        return session.scalars(select(Result.replay_key).where(Result.match_id == match_id)).one()


def test_an_object_that_cannot_be_deleted_keeps_no_others(
    settings: Settings, database: Database, refusing: Refusing
) -> None:
    stuck, other = played_match(database, refusing), played_match(database, refusing)
    for match_id in (stuck, other):
        age(database, match_id, 40)
    refusing.refused = [key_of(database, stuck)]
    rules = rules_of(with_days(settings, replays=30))
    assert delete_some(database, refusing, rules) == 2
    assert delete_some(database, refusing, rules) == 0
    assert [kept(database, refusing, one)[0] for one in (stuck, other)] == [True, False]
    refusing.refused = []
    assert delete_some(database, refusing, rules) == 1
    assert not kept(database, refusing, stuck)[0]


def test_many_objects_in_a_row_that_cannot_be_deleted_keep_no_others(
    settings: Settings, database: Database, refusing: Refusing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a bucket holds a time's objects fast."""
    monkeypatch.setattr("hexarena.backend.matches.retention.MOST_REFUSED", 2)
    monkeypatch.setattr("hexarena.backend.matches.retention.AT_ONCE", 2)
    old = [played_match(database, refusing) for _ in range(7)]
    for match_id in old:
        age(database, match_id, 40)
    refusing.refused = [key_of(database, one) for one in old[:4]]
    rules = rules_of(with_days(settings, replays=30))
    while delete_some(database, refusing, rules):
        pass
    assert [kept(database, refusing, one)[0] for one in old] == [True] * 4 + [False] * 3
    refusing.refused.pop()
    for _ in range(200):  # which two of those four a round tries is drawn by lot
        delete_some(database, refusing, rules)
    assert passed(database) == old[:3], "the last of them is not behind those that stay"


def test_a_store_that_is_away_or_deletes_nothing_moves_no_rule(
    settings: Settings, database: Database, refusing: Refusing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hexarena.backend.matches.retention.MOST_REFUSED", 2)
    monkeypatch.setattr("hexarena.backend.matches.retention.MOST_PASSED", 0)
    old = [played_match(database, refusing) for _ in range(2)]
    for match_id in old:
        age(database, match_id, 40)
    rules = rules_of(with_days(settings, replays=30))
    refusing.is_away = True
    with pytest.raises(StoreError, match="it does not answer"):
        delete_some(database, refusing, rules)
    refusing.is_away, refusing.refused = False, [key_of(database, one) for one in old]
    with pytest.raises(StoreError, match="nothing can be deleted"):
        delete_some(database, refusing, rules)
    assert passed(database) == []


def test_what_is_in_a_folder_whose_mount_is_gone_is_not_taken_for_deleted(
    settings: Settings, database: Database
) -> None:
    blobs = checked_store(settings, database)
    folder = Path(blobs.place)
    old = played_match(database, blobs)
    upkeep = Upkeep(with_days(settings, replays=30), database, blobs, threading.Event())
    while upkeep.step():
        pass
    age(database, old, 40)
    folder.rename(folder.with_name("away"))
    with pytest.raises(StoreError, match="another store now"):
        upkeep.step()
    folder.with_name("away").rename(folder)
    assert kept(database, blobs, old)[0]
    while upkeep.step():
        pass
    assert not kept(database, blobs, old)[0]


def test_a_text_that_cannot_be_deleted_is_tried_after_all_others(
    settings: Settings, database: Database, refusing: Refusing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hexarena.backend.submissions.deletion.AT_ONCE", 1)
    stuck, other, old = (played_match(database, refusing) for _ in range(3))
    refusing.refused = [key_of(database, stuck)]
    for match_id in (stuck, other):
        with database.transaction() as session:
            annul(session, match_id, "It was our fault.")
    for match_id in (stuck, other, old):
        age(database, match_id, 40)
    chosen = with_days(settings, replays=30)
    upkeep = Upkeep(chosen, database, refusing, threading.Event())
    while upkeep.step():
        pass
    assert not kept(database, refusing, old)[0], "nothing else waits"
    upkeep.step()
    with database.transaction() as session:
        assert session.scalars(select(Erasure.replay_key)).all() == refusing.refused


def test_an_object_that_nobody_can_read_goes_and_does_not_keep_others(settings: Settings, database: Database) -> None:
    blobs = checked_store(settings, database)
    damaged, other = played_match(database, blobs), played_match(database, blobs)
    with database.transaction() as session:
        key = session.scalars(select(Result.replay_key).where(Result.match_id == damaged)).one()
        session.add(Erasure(replay_key=key, seat=1))
    blobs.put_object(key, blobs.objects(key, 2)[0][1][:50])
    for match_id in (damaged, other):
        age(database, match_id, 40)
    assert erase_some(database, blobs) == 1
    assert delete_some(database, blobs, rules_of(with_days(settings, logs=30))) == 2
    assert blobs.objects(key, 2) == []
    assert kept(database, blobs, other) == (True, False)


def test_a_log_is_kept_no_longer_than_its_replay(settings: Settings) -> None:
    rules = with_days(settings, replays=30, practice=5, logs=7)
    assert [days_kept(rules, LADDER), days_kept(rules, PRACTICE)] == [30, 5]
    assert [days_kept(rules, LADDER, log=True), days_kept(rules, PRACTICE, log=True)] == [7, 5]
    assert days_kept(settings, LADDER) is None


@pytest.mark.long
def test_a_match_whose_replay_is_gone_says_so(settings: Settings, database: Database) -> None:
    chosen = with_days(settings, replays=30)
    blobs = checked_store(settings, database)
    match_id = played_match(database, blobs)
    with new_visitor(chosen) as visitor:
        assert visitor.get("/api/v1/retention").json() == {
            "replays": 30,
            "practice_replays": None,
            "seat_logs": 30,
        }
        assert visitor.get(f"/api/v1/matches/{match_id}/replay").status_code == 200
        age(database, match_id, 31)
        assert delete_some(database, blobs, rules_of(chosen)) == 1
        gone = visitor.get(f"/api/v1/matches/{match_id}/replay")
        assert (gone.status_code, gone.json()["detail"]) == (
            404,
            "This replay is no longer stored: this arena keeps it for 30 days.",
        )
        assert visitor.get(f"/api/v1/matches/{match_id}").json()["state"] == "done"


def test_the_api_says_nothing_of_days_where_all_is_kept(client: TestClient) -> None:
    assert set(client.get("/api/v1/retention").json().values()) == {None}


def test_what_an_annulled_match_stored_goes_since_nothing_leads_to_it(settings: Settings, database: Database) -> None:
    blobs = checked_store(settings, database)
    annulled, other = played_match(database, blobs), played_match(database, blobs)
    with database.transaction() as session:
        key = session.scalars(select(Result.replay_key).where(Result.match_id == annulled)).one()
        annul(session, annulled, "It was our fault.")
    assert erase_some(database, blobs) == 1
    assert (blobs.gzipped(key), blobs.gzipped(key, 1)) == (None, None)
    assert kept(database, blobs, other) == (True, True)
