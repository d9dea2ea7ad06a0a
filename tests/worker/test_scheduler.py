"""The scheduler as a process, and its memory beside what it would read anew."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta
from itertools import count
from random import Random

import pytest
from sqlalchemy import delete, func, select, text, update
from sqlalchemy.exc import DBAPIError

from hexarena.backend.events.ladder_fit import FIRST_MATCHES
from hexarena.backend.events.ladder_memory import MOST_WAITING
from hexarena.backend.ladder import memory, refits, scheduling
from hexarena.backend.ladder.memory import LadderMemory
from hexarena.backend.ladder.roster import AT_ONCE
from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import (
    Job,
    Ladder,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Standing,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.moderation import freezing
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.locks import AdvisoryLock
from hexarena.backend.runtime.settings import Settings
from hexarena.games.catalogue import all_games, find_game
from hexarena.worker import scheduler as process
from hexarena.worker.scheduler import MOST_AT_ONCE, Scheduler
from tests.backend import scheduled
from tests.backend.events.test_own_ladder import announce, play as play_event
from tests.backend.ladder.ladders import newcomers, play, refit, user
from tests.conftest import Processes, wait_until

GAME = find_game("yavalath")


def queued(database: Database) -> int:
    with database.transaction() as session:
        return session.scalar(select(func.count()).select_from(Job)) or 0


def look(database: Database, ladder: LadderMemory) -> bool:
    with database.transaction() as session:
        return ladder.read(session, memory.tokens(session)[GAME.id])


def assert_as_if_new(database: Database, ladder: LadderMemory) -> None:
    """What it remembers is what a scheduler that begins now would read."""
    look(database, ladder)
    known = ladder.roster()
    with database.transaction() as session:
        fresh = scheduled.roster(session, GAME)
    assert known.entrants == fresh.entrants
    assert known.rungs == fresh.rungs
    assert known.busy == fresh.busy
    size = range(len(known.entrants))
    for one in size:
        assert known.meetings[one].tolist() == fresh.meetings[one].tolist()
        for other in size:
            assert known.meetings.between(one, other) == fresh.meetings.between(one, other)
            assert known.meetings.between(one, other) == known.meetings[one][other]
            assert known.meetings.lead(one, other) == fresh.meetings.lead(one, other)
            assert known.exhausted(one, other) == fresh.exhausted(one, other)
    assert known.meetings.exhausted == fresh.meetings.exhausted


@pytest.mark.long
def test_what_is_remembered_is_what_would_be_read_anew(database: Database) -> None:
    ladder, random, digests = LadderMemory(GAME), Random(5), count()
    bots = newcomers(database, 4)
    assert_as_if_new(database, ladder)
    for step in range(12):
        for _ in range(3):
            pair = random.sample(bots, 2)
            play(database, pair, random.choice([(0, 1), (1, 0)]), digest=random.choice(["a", "b", str(next(digests))]))
        if step % 3 == 1:
            refit(database)
        if step == 4:
            bots += newcomers(database, 1)
        if step == 7:
            with database.transaction() as session:
                leaving = update(Submission).where(Submission.id == bots.pop(0))
                session.execute(leaving.values(state=SubmissionState.SUPERSEDED))
        if step % 4 == 2:
            with database.transaction() as session:
                scheduled.schedule_needed(session, GAME, random, house=False)
        assert_as_if_new(database, ladder)


def test_what_was_planned_before_a_ladder_was_frozen_is_not_queued(database: Database) -> None:
    ladder = LadderMemory(GAME)
    newcomers(database, 2)
    look(database, ladder)
    planned = scheduling.plan_ladder(ladder.roster(), Random(1))
    assert planned is not None
    with database.transaction() as session:
        freezing.freeze_ladder(session, user(session), GAME.id, "The finals begin.")
    with database.transaction() as session:
        assert memory.queue(session, GAME, [planned]) == 0
    assert queued(database) == 0


def test_a_result_that_is_annulled_is_forgotten(database: Database) -> None:
    ladder = LadderMemory(GAME)
    one, other = newcomers(database, 2)
    match_id = play(database, (one, other))
    refit(database)
    look(database, ladder)
    with database.transaction() as session:
        matches.annul(session, match_id, "for a test")
    refit(database)
    assert_as_if_new(database, ladder)
    assert not any(ladder.roster().meetings[place].any() for place in range(len(ladder.roster().entrants)))


def test_only_what_has_changed_is_read(database: Database) -> None:
    ladder = LadderMemory(GAME)
    one, other = newcomers(database, 2)
    play(database, (one, other))
    refit(database)
    assert look(database, ladder)
    assert not look(database, ladder), "nothing has changed"
    before = ladder.roster()
    with database.transaction() as session:
        scheduled.schedule_needed(session, GAME, Random(1), house=False)
    assert look(database, ladder)
    assert ladder.roster() is before, "the queue alone"
    with database.transaction() as session:
        # A row that no refit has touched is not read again, so that this lie stays unnoticed.
        session.execute(text("UPDATE pair_tally SET games = 77 WHERE games = 1"))
    play(database, (other, one))
    refit(database)
    assert look(database, ladder)
    index = {entrant.submission_id: place for place, entrant in enumerate(ladder.roster().entrants)}
    assert ladder.roster() is not before
    assert ladder.roster().meetings[index[one]][index[other]] == 2 + queued_between(database, one, other)


def queued_between(database: Database, one: int, other: int) -> int:
    with database.transaction() as session:
        pairs = Counter(frozenset(pair) for pair in scheduled_pairs(session))
    return pairs[frozenset((one, other))]


def scheduled_pairs(session: object) -> list[tuple[int, ...]]:
    seats = select(func.array_agg(MatchSeat.submission_id)).join(Job, Job.match_id == MatchSeat.match_id)
    return [tuple(one) for one in session.scalars(seats.group_by(MatchSeat.match_id))]  # type: ignore[attr-defined]


@pytest.mark.long
def test_a_round_has_a_limit_and_whoever_has_least_comes_first(database: Database) -> None:
    settled, *new = newcomers(database, 30)
    with database.transaction() as session:
        session.execute(update(Standing).where(Standing.submission_id == settled).values(games=5, wins=5))
    with database.transaction() as session:
        everybody = scheduled.roster(session, GAME)
        planned = scheduling.plan_needed(everybody, Random(1), most=29, house=False)
        assert len(planned) == 29
        assert len({one for match in planned for one in match.submission_ids} & set(new)) == 29
    scheduled_at_once = Scheduler(Settings(fill_in_s=0), database, Random(1)).tick(0.0)
    assert scheduled_at_once == MOST_AT_ONCE
    wanted = Scheduler(Settings(fill_in_s=0), database, Random(1))
    while wanted.tick(0.0):
        assert queued(database) <= 30 * AT_ONCE
    assert min(busy for one, busy in zip(*of_people(database), strict=True)) >= AT_ONCE


def of_people(database: Database) -> tuple[list[int], list[int]]:
    with database.transaction() as session:
        everybody = scheduled.roster(session, GAME)
    people = [place for place, one in enumerate(everybody.entrants) if not one.house]
    return people, [everybody.busy[one] for one in people]


def test_a_bot_that_left_in_the_meantime_gets_no_match(database: Database) -> None:
    one, _ = newcomers(database, 2)
    with database.transaction() as session:
        planned = scheduling.plan_needed(scheduled.roster(session, GAME), Random(1), most=100, house=False)
        session.execute(update(Submission).where(Submission.id == one).values(state=SubmissionState.SUPERSEDED))
        with_it = sum(one in match.submission_ids for match in planned)
        assert memory.queue(session, GAME, planned) == len(planned) - with_it
    assert 0 < with_it < len(planned)


def test_what_could_not_be_queued_is_planned_again(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    newcomers(database, 2)
    scheduler = Scheduler(Settings(fill_in_s=0), database, Random(1))

    def fail(*_: object, **__: object) -> int:
        scheduler.stopping.set()
        raise DBAPIError("no more", None, Exception("the server closed the connection"))

    with monkeypatch.context() as broken:
        broken.setattr(process.memory, "queue", fail)
        scheduler.run()
    assert queued(database) == 0
    assert scheduler.tick(0.0) > 0, "though nothing has changed since"


@pytest.mark.long
def test_one_schedules_at_a_time_and_the_next_takes_over(processes: Processes, database: Database) -> None:
    first = processes.start("hexarena.worker.scheduler")
    newcomers(database, 1)
    wait_until(lambda: queued(database) == AT_ONCE, "the newcomer has matches")
    processes.start("hexarena.worker.scheduler")
    wait_until(lambda: candidates(database) == 2, "the second one is there")
    with database.transaction() as session:
        held = select(func.count()).select_from(text("pg_locks")).where(text("locktype = 'advisory' AND objid = :lock"))
        assert session.scalar(held.where(text("granted")).params(lock=int(AdvisoryLock.SCHEDULING))) == 1
    processes.kill(first)
    newcomers(database, 1)
    wait_until(lambda: queued(database) >= 2 * AT_ONCE - 2, "the second one has taken over")


def candidates(database: Database) -> int:
    """Connections whose last statement asked for the lock."""
    asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE :asked"
    with database.transaction() as session:
        return session.scalar(text(asked), {"asked": "SELECT pg_try_advisory_lock%"}) or 0


def test_a_refit_is_numbered(database: Database) -> None:
    one, other = newcomers(database, 2)
    for _ in range(2):
        play(database, (one, other))
        refit(database)
    with database.transaction() as session:
        terms = session.get_one(Ladder, GAME.id)
        assert (terms.refits, terms.recount) == (2, 1), "the first one of an arena counts all"
        refits.recompute(session, GAME)
        assert (terms.refits, terms.recount) == (3, 3)


def test_ladder_matches_are_queued_one_at_a_time(database: Database, settings: Settings) -> None:
    with database.transaction() as session:
        session.execute(update(Standing).values(placing=False, games=100, wins=100, trial=TrialState.STAYS))
    scheduler = Scheduler(settings.model_copy(update={"fill_in_s": 2.0}), database, Random(1))
    assert [scheduler.tick(now_s) for now_s in (10.0, 11.0, 12.5)] == [1, 0, 0], "somebody waits after the first"
    with database.transaction() as session:
        assert session.scalars(select(Match.kind)).all() == [MatchKind.LADDER]


def test_the_ladders_of_other_games_go_on_while_one_is_busy(database: Database, settings: Settings) -> None:
    newcomers(database, 1)
    with database.transaction() as session:
        house = select(Submission.id).join(User).where(User.kind == UserKind.HOUSE)
        settled = update(Standing).where(Standing.submission_id.in_(house))
        session.execute(settled.values(placing=False, games=100, wins=100, trial=TrialState.STAYS))
    scheduler = Scheduler(settings.model_copy(update={"fill_in_s": 1.0}), database, Random(1))
    scheduler.tick(10.0)
    with database.transaction() as session:
        queued = session.execute(select(Match.game, Match.kind)).all()
        assert {game for game, kind in queued if kind == MatchKind.PLACEMENT} == {GAME.id}
        further = Counter(game for game, kind in queued if kind == MatchKind.LADDER)
        assert further == Counter(set(all_games())), "one of each, for placed bots of the busy game must play, too"
    assert [scheduler.tick(now_s) for now_s in (10.5, 11.0, 12.0, 99.0)] == [0, 0, 0, 0], "they do not pile up"
    with database.transaction() as session:
        session.execute(delete(Job).where(Job.match_id.in_(select(Match.id).where(Match.game == "ants"))))
    assert scheduler.tick(100.0) == 1


def test_the_ladders_of_open_events_are_scheduled_as_well(database: Database, settings: Settings) -> None:
    event_id = announce(database, 4)
    with database.transaction() as session:
        session.execute(update(Standing).values(placing=False, games=100, wins=100, trial=TrialState.STAYS))
    scheduler = Scheduler(settings.model_copy(update={"fill_in_s": 0.0}), database, Random(1))
    assert scheduler.tick(1e6) == MOST_WAITING
    assert scheduler.tick(2e6) == 0, "as many wait as may"
    with database.transaction() as session:
        found = session.scalars(select(Match)).all()
        assert {(one.kind, one.event_id) for one in found} == {(MatchKind.EVENT_LADDER, event_id)}
        assert set(session.scalars(select(Job.share))) == {f"e:{event_id}"}


@pytest.mark.long
def test_events_and_games_take_turns_where_workers_are_idle(database: Database, settings: Settings) -> None:
    announce(database, 2)
    play_event(database, FIRST_MATCHES // MOST_WAITING)
    with database.transaction() as session:
        session.execute(update(Standing).values(placing=False, games=100, wins=100, trial=TrialState.STAYS))
    scheduler = Scheduler(settings.model_copy(update={"fill_in_s": 1.0}), database, Random(1))
    kinds = Counter[MatchKind]()
    for second in range(1, 25):
        assert scheduler.tick(1e6 * second) == 1
        with database.transaction() as session:
            kinds.update(session.scalars(select(Match.kind).join(Job, Job.match_id == Match.id)).all())
            session.execute(delete(Job))
            session.execute(
                update(Match)
                .where(Match.state == MatchState.QUEUED)
                .values(state=MatchState.VOID, void_reason="test", finished_at=func.now())
            )
    assert set(kinds) == {MatchKind.EVENT_LADDER, MatchKind.LADDER}
    assert kinds[MatchKind.LADDER] > kinds[MatchKind.EVENT_LADDER], "an event is as one more game"


def test_what_no_entrant_of_an_event_needs_does_not_take_the_place_of_a_batch(database: Database) -> None:
    """Both are asked for, and the batch holds a slot already; the fair choice is for what somebody needs."""
    announce(database, 4)
    play_event(database, 2)
    with database.transaction() as session:
        pair = session.scalars(select(Submission.id).where(Submission.game == GAME.id).limit(2)).all()
        waits = update(Job).values(priority=matches.PRIORITY[MatchKind.LADDER])
        session.execute(waits.values(not_before=func.now() + timedelta(hours=1)))
        for seed in range(4):
            matches.schedule(session, game=GAME.id, kind=MatchKind.PRACTICE, submission_ids=pair, seed=seed, league=1,
                             priority=matches.PRIORITY[MatchKind.EVENT_LADDER], share="u:0")  # fmt: skip
        assert len(queue.lease(session, limit=1, seconds=9, max_attempts=9)) == 1
        session.execute(update(Job).values(not_before=None))
        random.seed(1)
        kinds = [
            session.get_one(Match, queue.lease(session, limit=1, seconds=9, max_attempts=9)[0].match_id).kind
            for _ in range(3)
        ]
    assert kinds.count(MatchKind.PRACTICE) >= 2, kinds


@pytest.mark.long
def test_a_flood_of_an_event_leaves_others_their_turn(database: Database) -> None:
    """Its ladder is a share: somebody's batch goes first once the event has used more of the workers' time."""
    event_id = announce(database, 4)
    play_event(database, 2)
    with database.transaction() as session:
        one, other = session.scalars(select(Submission.id).order_by(Submission.id.desc()).limit(2)).all()
        later = matches.schedule(
            session,
            game=GAME.id,
            kind=MatchKind.PRACTICE,
            submission_ids=(one, other),
            seed=1,
            league=1,
            priority=matches.PRIORITY[MatchKind.EVENT_LADDER],
            share="u:0",
        )
    with database.transaction() as session:
        assert session.scalar(select(func.count()).where(Job.share == f"e:{event_id}")) == MOST_WAITING
        assert [lease.match_id for lease in queue.lease(session, limit=1, seconds=9, max_attempts=9)] == [later.id]
