"""The figures of an arena, each from something that happened in its database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import delete, func, select, text, update

from hexarena.backend.hosts import life as hosts
from hexarena.backend.matches import backlog, causes, life as matches, live, parts, queue, workers
from hexarena.backend.models import (
    ChangeRow,
    Job,
    Ladder,
    Match,
    MatchKind,
    PendingResult,
    User,
    UserKind,
    VoidAttempt,
    Worker,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.status import figures
from hexarena.backend.status.arena import NO_DISPATCHER, NO_ROOM, NO_SLOTS, NO_STORE, NO_WORKER, look, what_is_missing
from hexarena.backend.status.figures import Figures
from hexarena.backend.submissions import life as submissions
from hexarena.games.catalogue import find_game
from hexarena.games.referee import Fault
from tests.api.played import house_bots, play


def read(database: Database) -> Figures:
    with database.transaction() as session:
        return figures.read(session)


def queued(database: Database, kind: MatchKind = MatchKind.LADDER, *, ago_s: float = 0) -> int:
    """A match that waits, since so long."""
    bots = house_bots(database)
    pair = [bots[name][1] for name in sorted(bots)[:2]]
    with database.transaction() as session:
        match_id = matches.schedule(
            session, game="yavalath", kind=kind, submission_ids=pair, seed=1, league=1, priority=0
        ).id
        created = func.now() - timedelta(seconds=ago_s)
        session.execute(update(Match).where(Match.id == match_id).values(created_at=created))
        return match_id


def claimed(database: Database) -> matches.ClaimedMatch:
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=9, seconds=60, max_attempts=9)
        found = queue.claim(session, lease.match_id, lease.token, seconds=60)
        assert found is not None
        return found


def hand_back(database: Database, why: str, *, pause_s: float = 0, most: int = 9) -> None:
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Job)) == 1
        session.execute(update(Job).values(not_before=None))
    one = claimed(database)
    with database.transaction() as session:
        queue.hand_back(session, one, why, max_attempts=most, pause_s=pause_s)


def test_an_arena_in_which_nothing_happens(database: Database) -> None:
    found = read(database)
    assert (found.queue, found.submissions, found.workers, found.event_lag_s) == ([], {}, [], 0)
    assert (found.recent.per_minute, found.recent.void_rate, found.recent.games) == (0, None, [])
    assert found.recent.window_s == 3600


def test_what_waits_what_is_played_and_since_when(database: Database) -> None:
    queued(database, MatchKind.CHECK, ago_s=100)
    claimed(database)
    queued(database, ago_s=50)
    queued(database, ago_s=20)
    by_kind = {one.kind: one for one in read(database).queue}
    check, ladder = by_kind[MatchKind.CHECK], by_kind[MatchKind.LADDER]
    assert (check.waiting, check.playing, check.paused, check.oldest_s) == (0, 1, 0, None)
    assert (ladder.waiting, ladder.playing, ladder.paused) == (2, 0, 0)
    assert ladder.oldest_s is not None
    assert ladder.oldest_s >= 50


def test_a_match_that_is_tried_again_waits_since_its_pause_and_not_since_it_was_made(database: Database) -> None:
    queued(database, ago_s=5000)
    hand_back(database, "x", pause_s=900)
    (paused,) = read(database).queue
    assert (paused.waiting, paused.playing, paused.paused, paused.oldest_s) == (0, 0, 1, None)
    with database.transaction() as session:
        session.execute(update(Job).values(not_before=func.now() - timedelta(seconds=30)))
    (ready,) = read(database).queue
    assert (ready.waiting, ready.paused) == (1, 0)
    assert ready.oldest_s is not None
    assert 30 <= ready.oldest_s < 5000


def test_a_match_whose_worker_died_waits_since_its_lease_ended(database: Database) -> None:
    queued(database, ago_s=5000)
    claimed(database)
    with database.transaction() as session:
        session.execute(update(Job).values(lease_until=func.now() - timedelta(seconds=40)))
    (found,) = read(database).queue
    assert (found.waiting, found.playing) == (1, 0)
    assert found.oldest_s is not None
    assert 40 <= found.oldest_s < 5000


def test_a_match_that_waits_for_a_person_does_not_wait_for_a_worker(database: Database) -> None:
    queued(database, MatchKind.PRACTICE, ago_s=500)
    with database.transaction() as session:
        in_a_day = func.now() + timedelta(days=1)
        session.execute(update(Job).values(asleep=True, attempts=1, paused_attempt=1, not_before=in_a_day))
        session.execute(update(Match).values(started_at=func.now() - timedelta(seconds=300)))
    (found,) = read(database).queue
    assert (found.waiting, found.playing, found.paused, found.oldest_s) == (0, 0, 1, None)
    with database.transaction() as session:
        assert backlog.count(session)[0] == 0
        session.execute(update(Job).values(not_before=None))  # the reply has come
    (found,) = read(database).queue
    assert (found.waiting, found.playing, found.paused) == (1, 0, 0)
    assert found.oldest_s is not None
    assert found.oldest_s >= 300
    with database.transaction() as session:
        assert backlog.count(session)[0] == 1


def test_submissions_before_their_verdict_are_counted_by_state(database: Database) -> None:
    with database.transaction() as session:
        user = User(kind=UserKind.GUEST, name="somebody")
        session.add(user)
        session.flush()
        game = find_game("yavalath")
        submissions.submit(session, user, game=game, name="fresh", language="python", source=b"print(1)")
    assert read(database).submissions == {"queued": 1}


def test_how_matches_ended_lately(database: Database) -> None:
    bots = house_bots(database)
    one, other = sorted(bots)[:2]
    crash = Fault(0, 1, "crash", "it fell")
    warning = Fault(1, 1, "warning", "careful")
    for number in range(3):
        play(database, bots, one, other, seed=number, faults=(crash, warning) if number else ())
    for why in (causes.OUR_BUG, "The duel was cancelled."):
        queued(database)
        mine = claimed(database)
        with database.transaction() as session:
            matches.void(session, mine, why)
    recent = read(database).recent
    (game,) = recent.games
    assert (game.game, game.done, game.void, game.withdrawn) == ("yavalath", 3, 1, 1)
    assert recent.void_rate == 0.25
    assert recent.causes == {"bug": 1, "withdrawn": 1}
    assert recent.per_minute == 3 / 5
    assert recent.faults == {"crash": 2}
    assert sum(minute.done for minute in recent.minutes) == 3
    assert sum(minute.void for minute in recent.minutes) == 1


def test_what_ended_more_than_an_hour_ago_does_not_count(database: Database) -> None:
    bots = house_bots(database)
    one, other = sorted(bots)[:2]
    match_id = play(database, bots, one, other, faults=(Fault(0, 1, "crash", "it fell"),))
    with database.transaction() as session:
        session.execute(update(Match).where(Match.id == match_id).values(finished_at=func.now() - timedelta(hours=2)))
        session.add(VoidAttempt(match_id=match_id, attempt=1, reason="x", ended_at=func.now() - timedelta(hours=2)))
    recent = read(database).recent
    assert (recent.games, recent.faults, recent.void_attempts, recent.per_minute) == ([], {}, {}, 0)


def test_where_more_was_played_than_is_looked_at_the_window_is_shorter(
    database: Database,
) -> None:
    bots = house_bots(database)
    one, other = sorted(bots)[:2]
    first = play(database, bots, one, other)
    with database.transaction() as session:
        session.execute(text("ALTER SEQUENCE match_id_seq RESTART WITH 100000"))
    play(database, bots, one, other, seed=2)
    recent = read(database).recent
    assert recent.window_s < 3600
    assert [game.done for game in recent.games] == [1]
    assert first < 100_000 - figures.NEWEST


@pytest.mark.parametrize(
    ("why", "cause"),
    [
        (f"{causes.OVERLOADED}: seat 1 waited.", "overload"),
        (causes.NO_SANDBOX, "sandbox"),
        (causes.SILENT, "silence"),
        (f"{causes.NOT_REPEATED}: turn 3.", "bug"),
        ("It made room for the first match of a duel that somebody waits for.", "withdrawn"),
    ],
)
def test_causes_of_void_attempts(database: Database, why: str, cause: str) -> None:
    queued(database)
    hand_back(database, why)
    assert read(database).recent.void_attempts == {cause: 1}
    hand_back(database, why, most=2)
    recent = read(database).recent
    assert recent.void_attempts == {cause: 2}
    assert recent.causes == {cause: 1}


def test_a_match_that_was_started_too_often_is_our_failure(database: Database) -> None:
    queued(database)
    claimed(database)
    with database.transaction() as session:
        session.execute(update(Job).values(lease_until=func.now() - timedelta(seconds=1)))
        assert queue.lease(session, limit=9, seconds=60, max_attempts=1) == []
    assert read(database).recent.causes == {"silence": 1}


def test_workers_by_host_and_whether_they_are_up(database: Database) -> None:
    with database.transaction() as session:
        for name in ("a:1", "b:2"):
            load = workers.Load(0.2, 0.5)
            workers.record_heartbeat(session, name, slots=3, spare=1, sandbox="x", languages=["c", "go"], load=load)
        session.execute(update(Worker).where(Worker.name == "b:2").values(seen_at=func.now() - timedelta(seconds=90)))
    up, down = read(database).workers
    assert (up.host, up.process, up.up, up.slots, up.spare, up.languages) == ("a", "1", True, 3, 1, 2)
    assert (up.late_s, up.cpu_wait) == (0.2, 0.5)
    assert (down.host, down.up) == ("b", False)
    assert down.seen_s >= 90


def test_the_room_that_workers_have_and_which_are_full(database: Database) -> None:
    with database.transaction() as session:
        for name, slots, free in (("a:1", 2, 5_000), ("b:1", 0, 10), ("c:1", 0, 20), ("d:1", 1, None)):
            workers.record_heartbeat(
                session,
                name,
                slots=slots,
                sandbox="x",
                languages=[],
                load=workers.Load(),
                disk_free_bytes=free,
            )
        session.execute(update(Worker).where(Worker.name == "c:1").values(seen_at=func.now() - timedelta(seconds=90)))
    found = [(one.host, one.disk_free_bytes, one.disk_full) for one in read(database).workers]
    assert found == [("a", 5_000, False), ("b", 10, True), ("c", 20, False), ("d", None, False)], "c is down"


def test_languages_that_workers_have_in_several_versions_and_clocks_that_are_wrong(database: Database) -> None:
    own = {"cpp": "g++ 12", "python": "Python 3.11"}
    with database.transaction() as session:
        host, _ = hosts.add(session, "lab-7")
        for name, toolchains, off_s in (("a:1", own, 0.2), ("lab-7:1", own | {"cpp": "g++ 14"}, -61.0)):
            workers.record_heartbeat(
                session,
                name,
                slots=1,
                sandbox="x",
                languages=list(toolchains),
                load=workers.Load(),
                host_id=host.id if name.startswith("lab") else None,
                toolchains=toolchains,
                clock_off_s=off_s,
            )
    found = read(database)
    (differing,) = found.differing
    assert (differing.language, differing.versions) == ("cpp", {"g++ 12": ["a:1"], "g++ 14": ["lab-7:1"]})
    assert [(one.host, one.joined, one.clock_wrong) for one in found.workers] == [
        ("a", False, False),
        ("lab-7", True, True),
    ]


def test_ladders(database: Database) -> None:
    bots = house_bots(database)
    one, other = sorted(bots)[:2]
    play(database, bots, one, other)
    with database.transaction() as session:
        session.execute(update(Ladder).values(refitted_at=func.now() - timedelta(seconds=70), refit_s=1.5))
        assert session.scalar(select(func.count()).select_from(PendingResult)) == 1
    found = {ladder.game: ladder for ladder in read(database).ladders}
    ladder = found["yavalath"]
    assert (ladder.competitors, ladder.pending, ladder.refit_s) == (len(bots), 1, 1.5)
    assert 0 < ladder.placing <= ladder.competitors
    assert ladder.refitted_s is not None
    assert ladder.refitted_s >= 70
    assert found["ants"].pending == 0


def test_events_that_a_long_transaction_holds_back_are_late(database: Database) -> None:
    with database.transaction() as holder:
        live.publish(holder, "ants", "match", 2)
        with database.transaction() as session:
            live.publish(session, "ants", "match", 1)
            session.flush()
            session.execute(update(ChangeRow).values(at=func.now() - timedelta(seconds=20)))
        assert read(database).event_lag_s >= 20
    assert read(database).event_lag_s == 0


def test_events_that_the_reader_has_not_read_are_late(database: Database) -> None:
    with database.transaction() as session:
        begin = live.now(session)
    with database.transaction() as session:
        live.publish(session, "ants", "match", 1)
        session.flush()
        session.execute(update(ChangeRow).values(at=func.now() - timedelta(seconds=20)))
    with database.transaction() as session:
        assert figures.read(session, begin).event_lag_s >= 20
        (change,) = live.changes_since(session, begin, game=None)
        assert figures.read(session, change.cursor).event_lag_s == 0


def test_what_is_missing_is_said(database: Database, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("data") / "not" / "there"
    with database.transaction() as session:
        assert what_is_missing(session) == [NO_WORKER, NO_DISPATCHER]
        workers.record_heartbeat(session, "a:1", slots=0, sandbox="x", languages=[], load=workers.Load())
        assert what_is_missing(session) == [NO_SLOTS, NO_DISPATCHER]
        workers.record_heartbeat(session, "a:1", slots=1, sandbox="x", languages=[], load=workers.Load())
        assert what_is_missing(session) == [NO_DISPATCHER]
    parts.Heartbeat(database, "dispatcher").beat()
    with database.transaction() as session:
        assert what_is_missing(session) == []
    assert look(database, folder, broker=True).ready
    assert look(database, folder, broker=False).missing == ["The broker does not answer."]
    assert look(database, folder, broker=True, store=False).missing == [NO_STORE]
    full = look(database, folder, broker=True, reserve_bytes=10**18)
    assert (full.ready, full.missing) == (False, [NO_ROOM])
    with database.transaction() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    old = look(database, folder, broker=True)
    assert (old.ready, old.figures) == (False, None)
    assert "has revision 0001" in old.missing[0]
    assert "hexarena db upgrade" in old.missing[0]
    with database.transaction() as session:
        session.execute(text("DROP TABLE alembic_version"))
    assert "is empty" in look(database, folder, broker=True).missing[0]


def test_a_database_that_is_away_is_missing(tmp_path_factory: pytest.TempPathFactory) -> None:
    nowhere = Database("postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    found = look(nowhere, tmp_path_factory.mktemp("data"), broker=True)
    assert (found.ready, found.missing, found.figures) == (False, ["The database does not answer."], None)
    assert found.disk_free_bytes > 0
    nowhere.close()


def test_what_is_gone_is_no_longer_counted(database: Database) -> None:
    queued(database)
    with database.transaction() as session:
        session.execute(delete(Match))
    assert read(database).queue == []
