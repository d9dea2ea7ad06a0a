"""Whose slot is wanted when somebody waits who holds none: on a real PostgreSQL."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from hexarena.backend.matches import backlog, broker, lending, life as matches, queue, workers
from hexarena.backend.models import Job, MatchKind, Submission, SubmissionState
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.games.catalogue import find_game
from hexarena.worker.dispatcher import Dispatcher

GAME = find_game("yavalath")
LONG_S = 60.0


def wait(database: Database, share: str | None, kind: MatchKind = MatchKind.PRACTICE) -> int:
    """A match that waits: its id."""
    live = select(Submission.id).where(Submission.game == GAME.id, Submission.state == SubmissionState.LIVE)
    with database.transaction() as session:
        bots = session.scalars(live.order_by(Submission.id).limit(2)).all()
        queued = matches.schedule(session, game=GAME.id, kind=kind, submission_ids=bots, seed=1, league=1, share=share)
        return queued.id


def run(database: Database, share: str | None, kind: MatchKind = MatchKind.PRACTICE) -> matches.ClaimedMatch:
    """A match that is running."""
    match_id = wait(database, share, kind)
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=1, seconds=LONG_S, max_attempts=9, first=[match_id])
        claimed = queue.claim(session, lease.match_id, lease.token, seconds=LONG_S)
    assert claimed is not None
    assert claimed.match_id == match_id
    return claimed


def wanted(database: Database, spare: int = 2) -> list[int]:
    """The matches whose slots are wanted, after all that wait were sent."""
    with database.transaction() as session:
        queue.lease(session, limit=9, seconds=LONG_S, max_attempts=9)
        lending.want_slots(session, spare=spare)
        return list(session.scalars(select(Job.match_id).where(Job.slot_wanted, ~Job.asleep).order_by(Job.match_id)))


def sleep(database: Database, claimed: matches.ClaimedMatch, *, asleep: bool = True) -> None:
    """The match lends its slot out, or has one again."""
    with database.transaction() as session:
        assert queue.renew(session, claimed, seconds=LONG_S, asleep=asleep)


def test_the_match_that_has_run_longest_is_asked_for_whoever_holds_nothing(database: Database) -> None:
    longest, _ = run(database, "u:1"), run(database, "u:2")
    assert wanted(database) == [], "nobody waits"
    wait(database, "u:3")
    wait(database, "u:3")
    assert wanted(database) == [longest.match_id]
    assert wanted(database) == [longest.match_id], "one slot for one share, however often it is looked"
    with database.transaction() as session:
        assert lending.is_wanted(session, longest)


def test_every_share_that_waits_gets_one(database: Database) -> None:
    running = [run(database, "u:1"), run(database, None, MatchKind.LADDER), run(database, "u:2")]
    wait(database, "u:3")
    wait(database, "u:4")
    assert wanted(database) == [one.match_id for one in running[:2]], "a ladder's match lends its slot as well"


def test_who_has_something_running_waits_for_himself(database: Database) -> None:
    run(database, "u:1")
    wait(database, "u:1")
    assert wanted(database) == []


@pytest.mark.parametrize("kind", [MatchKind.PLACEMENT, MatchKind.LADDER])
def test_nothing_is_lent_to_matches_that_nobody_watches(database: Database, kind: MatchKind) -> None:
    run(database, "u:1")
    wait(database, "u:2", kind)
    assert wanted(database) == []


def test_a_check_match_is_waited_for(database: Database) -> None:
    longest = run(database, "u:1")
    wait(database, "u:2", MatchKind.CHECK)
    assert wanted(database) == [longest.match_id]


def test_nothing_is_lent_before_the_match_is_sent_that_it_is_for(database: Database) -> None:
    run(database, "u:1")
    wait(database, "u:2")
    with database.transaction() as session:
        assert lending.want_slots(session, spare=2) == 0
    assert len(wanted(database)) == 1


def test_what_is_lent_out_already_is_not_asked_for_again(database: Database) -> None:
    longest, other = run(database, "u:1"), run(database, "u:2")
    wait(database, "u:3")
    assert wanted(database) == [longest.match_id]
    sleep(database, longest)
    assert wanted(database) == [other.match_id], "the slot went to somebody else"
    sleep(database, longest, asleep=False)
    with database.transaction() as session:
        assert not lending.is_wanted(session, longest)


def test_a_ladder_match_that_lent_its_slot_comes_before_the_ladders_next(database: Database) -> None:
    """While a stranger has its slot no other begins: each would take a process that the next stranger needs."""
    longest, _ = run(database, None, MatchKind.LADDER), run(database, "u:1")
    wait(database, "u:2")
    assert wanted(database) == [longest.match_id]
    sleep(database, longest)
    with database.transaction() as session:
        assert backlog.in_flight(session, spare=2) == (2, 1)
    sleep(database, longest, asleep=False)
    sleep(database, longest)
    with database.transaction() as session:
        assert backlog.in_flight(session, spare=2) == (2, 0), "its bot sleeps"


def test_a_match_that_yielded_its_slot_is_one_whose_slot_was_wanted(database: Database) -> None:
    """It did so without being asked, and comes before the ladder's next all the same."""
    running = run(database, None, MatchKind.LADDER)
    with database.transaction() as session:
        assert queue.renew(session, running, seconds=LONG_S, asleep=True, lent=True)
        assert backlog.in_flight(session, spare=2) == (0, 1)
    sleep(database, running, asleep=False)
    sleep(database, running)
    with database.transaction() as session:
        assert backlog.in_flight(session, spare=2) == (0, 0)


def test_a_slot_is_wanted_no_longer_when_everybody_has_one(database: Database) -> None:
    longest, other = run(database, "u:1"), run(database, "u:2")
    waiting = wait(database, "u:3")
    assert wanted(database) == [longest.match_id]
    with database.transaction() as session:
        token = session.get_one(Job, waiting).token
        assert token is not None
        assert queue.claim(session, waiting, token, seconds=LONG_S) is not None
    with database.transaction() as session:
        assert not lending.is_wanted(session, longest)
    with database.transaction() as session:
        assert not session.scalars(select(Job.match_id).where(Job.slot_wanted)).all(), "another may be asked next"
    wait(database, "u:4")
    assert wanted(database) == [longest.match_id]
    with database.transaction() as session:
        assert (lending.is_wanted(session, longest), lending.is_wanted(session, other)) == (True, False)


def test_whoever_comes_later_gets_the_slot_of_another_match(database: Database) -> None:
    first, second = run(database, "u:1"), run(database, "u:2")
    wait(database, "u:3")
    assert wanted(database) == [first.match_id]
    wait(database, "u:4")
    assert wanted(database) == [first.match_id, second.match_id]


def test_a_match_whose_worker_is_gone_has_no_slot_to_lend_and_its_share_holds_none(database: Database) -> None:
    gone, running = run(database, "u:1"), run(database, "u:2")
    wait(database, "u:1")
    with database.transaction() as session:
        queue.lease(session, limit=9, seconds=LONG_S, max_attempts=9)
        over = update(Job).where(Job.match_id == gone.match_id)
        session.execute(over.values(lease_until=func.now() - timedelta(seconds=1)))
    with database.transaction() as session:
        assert lending.want_slots(session, spare=2) == 1
        assert lending.is_wanted(session, running)
        assert not lending.is_wanted(session, gone)


def test_an_attempt_that_another_one_follows_has_no_slot_that_anybody_wants(database: Database) -> None:
    first = run(database, "u:1")
    with database.transaction() as session:
        assert queue.hand_back(session, first, "because", max_attempts=9)
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=1, seconds=LONG_S, max_attempts=9)
        second = queue.claim(session, lease.match_id, lease.token, seconds=LONG_S)
    assert second is not None
    wait(database, "u:2")
    assert wanted(database) == [first.match_id]
    with database.transaction() as session:
        assert (lending.is_wanted(session, first), lending.is_wanted(session, second)) == (False, True)


def test_no_more_is_lent_than_workers_can_hold_besides(database: Database) -> None:
    first, second = run(database, "u:1"), run(database, "u:2")
    for share in ("u:3", "u:4"):
        wait(database, share)
    assert wanted(database, spare=0) == []
    assert wanted(database, spare=1) == [first.match_id]
    sleep(database, first)
    assert wanted(database, spare=1) == []
    assert wanted(database, spare=2) == [second.match_id]


def test_an_attempt_that_starts_again_has_a_slot_that_nobody_wants_yet(database: Database) -> None:
    claimed = run(database, "u:1")
    wait(database, "u:2")
    assert wanted(database) == [claimed.match_id]
    with database.transaction() as session:
        assert queue.hand_back(session, claimed, "because", max_attempts=9)
    with database.transaction() as session:
        assert not session.scalars(select(Job.match_id).where(Job.slot_wanted)).all()


@pytest.mark.long
@pytest.mark.parametrize(("slots", "is_asked"), [(2, False), (1, True)])
def test_the_dispatcher_asks_only_when_no_slot_is_free(
    database: Database, settings: Settings, slots: int, *, is_asked: bool
) -> None:
    longest = run(database, "u:1")
    wait(database, "u:3")
    with database.transaction() as session:
        load = workers.Load()
        workers.record_heartbeat(session, "a:1", slots=slots, spare=1, sandbox="x", languages=["python"], load=load)
    Dispatcher(settings, database, broker.make_celery(settings.redis_url, settings.namespace)).tick(0.0)
    with database.transaction() as session:
        assert lending.is_wanted(session, longest) == is_asked
