"""When the dispatcher works, and when it rests: on a real PostgreSQL."""

from __future__ import annotations

import base64
import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import psycopg
import pytest
from redis import Redis
from sqlalchemy import delete, event, func, select, text, update
from sqlalchemy.orm import Session

from hexarena.backend.matches import broker, life as matches, workers
from hexarena.backend.models import (
    Assignment,
    Class,
    Duel,
    DuelState,
    Event,
    EventState,
    Job,
    Ladder,
    Match,
    MatchKind,
    PendingResult,
    SimilarityReport,
    Submission,
    User,
    UserKind,
)
from hexarena.backend.runtime.db import Database, notify
from hexarena.backend.runtime.settings import Settings
from hexarena.worker import loops
from hexarena.worker.dispatcher import CROWDED_S, LONGEST_REST_S, PRUNE_S, SWEEP_S, Dispatcher, Survey
from tests.conftest import wait_until

GAME = "yavalath"


@pytest.fixture
def listener(database: Database) -> Iterator[psycopg.Connection]:
    with database.listen("hexarena_jobs") as connection:
        yield connection


@pytest.fixture
def resting(settings: Settings, database: Database, listener: psycopg.Connection) -> Dispatcher:
    """A dispatcher that has done its first rounds, in an arena in which nothing is under way."""
    with database.transaction() as session:
        session.execute(update(Ladder).values(stale=False))
        session.execute(delete(PendingResult))
    dispatcher = Dispatcher(settings, database, broker.make_celery(settings.redis_url, settings.namespace))
    assert dispatcher.look(listener, 0.0) is not None
    dispatcher.tick(0.0)
    dispatcher.wait(listener, 0.0)
    assert dispatcher.look(listener, 1.0) is None
    return dispatcher


def test_it_forgets_the_addresses_of_accounts_that_are_not_new_any_more(
    resting: Dispatcher, database: Database
) -> None:
    ages_days = {"Ada": 6, "Grace": 8}
    with database.transaction() as session:
        for name, days in ages_days.items():
            made_at = func.now() - timedelta(days=days)
            session.add(User(kind=UserKind.ACCOUNT, name=name, network="home", created_at=made_at))
    resting.tick(PRUNE_S + 1)
    with database.transaction() as session:
        assert session.scalars(select(User.name).where(User.network.is_not(None))).all() == ["Ada"]


def a_job(session: Session) -> None:
    queue_matches(session, MatchKind.LADDER, 1)


def a_held_job(session: Session) -> None:
    """Whose lease may run out at any time."""
    a_job(session)
    session.execute(update(Job).values(token=func.gen_random_uuid(), lease_until=func.now() + text("interval '1 h'")))


def a_pending_result(session: Session) -> None:
    a_job(session)
    match_id = session.scalars(select(Job.match_id)).one()
    session.execute(delete(Job))
    session.add(PendingResult(match_id=match_id, game=GAME))


def a_stale_ladder(session: Session) -> None:
    session.execute(update(Ladder).where(Ladder.game == GAME).values(stale=True))


def a_duel(session: Session) -> None:
    one, other = session.scalars(
        select(Submission.id).where(Submission.game == GAME).order_by(Submission.id).limit(2)
    ).all()
    user_id = session.scalars(select(User.id).limit(1)).one()
    session.add(
        Duel(
            game=GAME,
            requested_by_id=user_id,
            candidate_id=one,
            baseline_id=other,
            league=1,
            preset="quick",
            paired=True,
            seed=1,
            most_games=10,
            counts=[0, 0, 0, 0, 0],
            state=DuelState.RUNNING,
        )
    )


def an_event(session: Session, *, state: EventState, deadline: str) -> None:
    user_id = session.scalars(select(User.id).limit(1)).one()
    session.add(
        Event(
            game=GAME,
            name="Cup",
            state=state,
            created_by_id=user_id,
            opens_at=func.now() - text("interval '1 h'"),
            deadline=func.now() + text(f"interval '{deadline}'"),
            frozen_at=func.now(),
            stages=[{"kind": "groups"}],
            secret=bytes(32),
            league=1,
        )
    )


def an_event_whose_deadline_is_over(session: Session) -> None:
    an_event(session, state=EventState.OPEN, deadline="-1 s")


def an_event_that_is_being_played(session: Session) -> None:
    an_event(session, state=EventState.PLAYING, deadline="1 h")


def an_assignment(session: Session, next_at: str) -> Assignment:
    user_id = session.scalars(select(User.id).limit(1)).one()
    taught = Class(name="Games", game=GAME, organiser_id=user_id)
    session.add(taught)
    session.flush()
    when = func.now() + text(f"interval '{next_at}'")
    assignment = Assignment(class_id=taught.id, name="First", deadline=when, next_at=when)
    session.add(assignment)
    session.flush()
    return assignment


def marks_that_are_due(session: Session) -> None:
    an_assignment(session, "-1 s")


def a_similarity_report(session: Session) -> None:
    session.add(SimilarityReport(class_id=an_assignment(session, "1 h").class_id))


@pytest.mark.parametrize(
    "begin",
    [
        a_job,
        a_held_job,
        a_pending_result,
        a_stale_ladder,
        a_duel,
        an_event_whose_deadline_is_over,
        an_event_that_is_being_played,
        marks_that_are_due,
        a_similarity_report,
    ],
)
def test_it_works_while_anything_is_under_way_even_if_nobody_notified_it(
    resting: Dispatcher, database: Database, listener: psycopg.Connection, begin: Callable[[Session], None]
) -> None:
    with database.transaction() as session:
        begin(session)
    assert resting.look(listener, 2.0) is not None


@pytest.mark.parametrize(
    ("begin", "sent"),
    [
        (a_stale_ladder, (broker.RATINGS, broker.REFIT)),
        (marks_that_are_due, (broker.RATINGS, broker.MARK)),
        (a_similarity_report, ("", broker.COMPARE)),
    ],
)
def test_a_round_sends_what_has_become_due(
    resting: Dispatcher, settings: Settings, database: Database, begin: Callable[[Session], None], sent: tuple[str, str]
) -> None:
    queue, task = settings.namespace + sent[0], sent[1]
    with database.transaction() as session:
        session.execute(update(Ladder).values(refitted_at=None))
        begin(session)
    redis = Redis.from_url(settings.redis_url)
    redis.delete(queue)
    resting.tick(SWEEP_S + 2)
    assert [json.loads(message)["headers"]["task"] for message in redis.lrange(queue, 0, -1)] == [task]


def test_results_are_counted_while_the_disks_of_all_workers_are_full(
    resting: Dispatcher, settings: Settings, database: Database
) -> None:
    with database.transaction() as session:
        session.execute(update(Ladder).values(refitted_at=None))
        a_stale_ladder(session)
        a_worker(session, 0, 0)
        queue_matches(session, MatchKind.PRACTICE, 1)
    redis = Redis.from_url(settings.redis_url)
    redis.delete(settings.namespace, settings.namespace + broker.RATINGS)
    assert resting.tick(SWEEP_S + 2) == 0
    assert (redis.llen(settings.namespace), redis.llen(settings.namespace + broker.RATINGS)) == (0, 1)


def test_a_refit_that_is_done_does_not_delay_the_next_one(
    resting: Dispatcher, settings: Settings, database: Database
) -> None:
    redis, queue = Redis.from_url(settings.redis_url), settings.namespace + broker.RATINGS
    redis.delete(queue)
    for stale, now_s in ((True, 2.0), (True, 2.1), (False, 2.2), (True, 2.3)):
        with database.transaction() as session:
            session.execute(update(Ladder).where(Ladder.game == GAME).values(stale=stale, refitted_at=None))
        resting.tick(now_s)
    assert redis.llen(queue) == 2, "one for each time that it became due"


def test_it_rests_while_deadlines_are_to_come(
    resting: Dispatcher, database: Database, listener: psycopg.Connection
) -> None:
    with database.transaction() as session:
        an_event(session, state=EventState.OPEN, deadline="1 h")
        an_assignment(session, "1 h")
    assert resting.look(listener, 2.0) is None


def test_it_works_when_it_is_notified(resting: Dispatcher, database: Database, listener: psycopg.Connection) -> None:
    with database.transaction() as session:
        notify(session, "hexarena_jobs")
    resting.wait(listener, math.inf)
    assert resting.look(listener, 2.0) is not None


def test_what_is_notified_while_it_asks_is_not_lost(
    resting: Dispatcher, database: Database, listener: psycopg.Connection
) -> None:
    with database.transaction() as session:
        notify(session, "hexarena_jobs")
    assert resting.look(listener, 2.0) is None  # which reads from that connection, too
    resting.wait(listener, math.inf)
    assert resting.look(listener, 2.0) is not None


def test_it_works_with_a_new_listener_and_after_a_long_rest(
    resting: Dispatcher, database: Database, listener: psycopg.Connection
) -> None:
    assert resting.look(listener, LONGEST_REST_S + 1) is not None
    assert resting.look(listener, 2.0) is None
    with database.listen("hexarena_jobs") as another:
        assert resting.look(another, 2.0) is not None


@pytest.mark.parametrize("kind", [MatchKind.PRACTICE, MatchKind.PLACEMENT, MatchKind.LADDER])
def test_a_round_in_which_nothing_can_be_sent_reads_no_queue(
    resting: Dispatcher, database: Database, listener: psycopg.Connection, kind: MatchKind
) -> None:
    """With so many matches waiting as there are slots, and one more, most rounds are of this kind."""
    with database.transaction() as session:
        a_worker(session, 2, 2)
        queue_matches(session, kind, 9)
    resting.wait(listener, math.inf)
    assert resting.tick(2.0, resting.look(listener, 2.0)) > 0
    there = resting.look(listener, 2.1)
    assert there is not None
    statements: list[str] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    assert resting.tick(2.1, there) == 0
    assert not [one for one in statements if "FROM usage" in one or "FOR UPDATE" in one]


class Counting(Dispatcher):
    """Counts its rounds."""

    rounds = 0

    def tick(self, now_s: float, there: Survey | None = None) -> int:
        self.rounds += 1
        return super().tick(now_s, there)


def test_while_all_slots_are_in_use_many_notifications_are_one_round(settings: Settings, database: Database) -> None:
    counting = Counting(settings, database, broker.make_celery(settings.redis_url, settings.namespace))
    with database.transaction() as session:
        a_worker(session, 2, 2)
        queue_matches(session, MatchKind.PRACTICE, 9)
    thread = threading.Thread(target=counting.run)
    thread.start()

    def sent() -> int:
        with database.transaction() as session:
            return session.scalar(select(func.count()).where(Job.token.is_not(None))) or 0

    try:
        wait_until(lambda: sent() == 3, "all slots are in use, and one more match is sent")
        began_s, before = time.monotonic(), counting.rounds
        for _ in range(100):
            with database.transaction() as session:
                notify(session, "hexarena_jobs")
            time.sleep(0.005)
        took_s = time.monotonic() - began_s
        assert counting.rounds - before <= 2 + took_s / CROWDED_S
        with database.transaction() as session:
            session.execute(delete(Job).where(Job.token.is_not(None)))
            notify(session, "hexarena_jobs")
        wait_until(lambda: sent() == 3, "the next ones are sent")
    finally:
        counting.stopping.set()
        thread.join()


SLOTS = {
    "needed ones may use every slot": ((2, 2), MatchKind.PLACEMENT, 2),
    "the ladder's own leave one": ((2, 2), MatchKind.LADDER, 1),
    "of three, too": ((3, 2), MatchKind.LADDER, 2),
    "nothing can yield without another process": ((2, 0), MatchKind.PLACEMENT, 1),
    "one slot is for whoever has a match": ((1, 0), MatchKind.PLACEMENT, 1),
    "one slot, and the ladder's own": ((1, 2), MatchKind.LADDER, 1),
}


@pytest.mark.parametrize(("room", "kind", "sent"), SLOTS.values(), ids=SLOTS)
def test_matches_that_nobody_waits_for_use_every_slot_if_a_bot_needs_them(
    resting: Dispatcher, database: Database, room: tuple[int, int], kind: MatchKind, sent: int
) -> None:
    """The place ahead of all slots is left for somebody, whatever else waits."""
    with database.transaction() as session:
        a_worker(session, *room)
        queue_matches(session, kind, 9)
    assert resting.tick(2.0) == sent
    assert resting.tick(2.1) == 0, "however often it looks"
    with database.transaction() as session:
        queue_matches(session, MatchKind.PRACTICE, 1)
    assert resting.tick(2.2) == 1


def test_the_first_matches_of_house_bots_leave_a_slot(resting: Dispatcher, database: Database) -> None:
    with database.transaction() as session:
        a_worker(session, 2, 2)
        queue_matches(session, MatchKind.PLACEMENT, 9, priority=matches.HOUSE_PRIORITY)
    assert resting.tick(2.0) == 1


def test_while_needed_matches_use_one_slot_the_ladders_own_leave_the_other(
    resting: Dispatcher, database: Database
) -> None:
    with database.transaction() as session:
        a_worker(session, 2, 2)
        queue_matches(session, MatchKind.PLACEMENT, 1)
    assert resting.tick(2.0) == 1
    with database.transaction() as session:
        queue_matches(session, MatchKind.LADDER, 3)
    assert resting.tick(2.1) == 0
    with database.transaction() as session:
        queue_matches(session, MatchKind.PLACEMENT, 3)
    assert resting.tick(2.2) == 1


@pytest.mark.parametrize("slots", [1, 2, 3])
@pytest.mark.parametrize("kind", [MatchKind.LADDER, MatchKind.PLACEMENT])
def test_what_no_bot_needs_has_its_turns_while_others_need_every_slot(
    resting: Dispatcher, database: Database, kind: MatchKind, slots: int
) -> None:
    """One game's trials may last for hours; then the ladders of all others would stop, and house bots have no place."""
    with database.transaction() as session:
        a_worker(session, slots, 2)
        queue_matches(session, MatchKind.PROMOTION, 99)
        queue_matches(session, kind, 5, priority=max(matches.PRIORITY[kind], matches.HOUSE_PRIORITY))
    unneeded = Job.priority >= matches.HOUSE_PRIORITY
    turns = 0
    for number in range(90):
        resting.tick(2.0 + number)
        with database.transaction() as session:
            sent = session.scalars(select(Job).where(Job.token.is_not(None)).order_by(Job.match_id)).all()
            assert len(sent) == slots
            ours = [one for one in sent if one.priority >= matches.HOUSE_PRIORITY]
            assert len(ours) <= max(1, slots - 1)
            turns += bool(ours)
            # The oldest one ends.
            session.execute(delete(Job).where(Job.match_id == (ours or sent)[0].match_id))
        if turns == 2:
            break
    assert turns == 2
    with database.transaction() as session:
        assert session.scalar(select(func.count()).where(unneeded)) == 3


def test_sleeping_matches_leave_a_process_for_somebody(resting: Dispatcher, database: Database) -> None:
    """Two whose bots sleep lent out their slots; with two more, a visitor's match would find no process."""
    with database.transaction() as session:
        a_worker(session, 2, 2)
        queue_matches(session, MatchKind.PLACEMENT, 9)
    assert resting.tick(2.0) == 2
    sent = update(Job).where(Job.token.is_not(None))
    with database.transaction() as session:
        session.execute(sent.values(asleep=True, slot_wanted=True))
    assert resting.tick(2.1) == 0, "they lent their slots to somebody, and go on before others begin"
    with database.transaction() as session:
        session.execute(sent.values(slot_wanted=False))
    assert resting.tick(2.2) == 1


@pytest.mark.parametrize(("kind", "awaited"), [(MatchKind.PRACTICE, True), (MatchKind.PLACEMENT, False)])
def test_workers_are_told_whether_somebody_waits(
    resting: Dispatcher, settings: Settings, database: Database, kind: MatchKind, *, awaited: bool
) -> None:
    with database.transaction() as session:
        queue_matches(session, kind, 1)
    assert resting.tick(2.0) == 1
    redis = Redis.from_url(settings.redis_url)
    (message,) = redis.lrange(settings.namespace, 0, -1)
    arguments, *_ = json.loads(base64.b64decode(json.loads(message)["body"]))
    assert arguments[2] is awaited


def a_worker(session: Session, slots: int, spare: int) -> None:
    load = workers.Load()
    workers.record_heartbeat(session, "a:1", slots=slots, spare=spare, sandbox="x", languages=["python"], load=load)


def queue_matches(session: Session, kind: MatchKind, count: int, *, priority: int | None = None) -> None:
    bots = session.scalars(select(Submission.id).where(Submission.game == GAME).order_by(Submission.id).limit(2)).all()
    for number in range(count):
        matches.schedule(session, game=GAME, kind=kind, submission_ids=bots, seed=number, league=1, priority=priority)


def test_a_match_that_is_queued_while_it_rests_is_sent(
    resting: Dispatcher, settings: Settings, database: Database
) -> None:
    """From end to end: it runs, and rests, until a match is queued in the usual way."""
    thread = threading.Thread(target=resting.run)
    thread.start()
    try:
        with database.transaction() as session:
            a_job(session)
            match_id = session.scalars(select(Match.id).order_by(Match.id.desc()).limit(1)).one()
        leased, end = False, time.monotonic() + 60
        while not leased and time.monotonic() < end:
            time.sleep(0.05)
            with database.transaction() as session:
                leased = session.get_one(Job, match_id).token is not None
    finally:
        resting.stopping.set()
        thread.join()
    assert leased


def test_a_wait_ends_soon_after_the_process_is_to_stop(listener: psycopg.Connection) -> None:
    stopping = threading.Event()
    stopping.set()
    assert not loops.wait(listener, math.inf, stopping)
