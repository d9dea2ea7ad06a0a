"""A duel's first match does not wait for the rest of a long match that nobody asked for: on a real PostgreSQL."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from hexarena.backend.duels import life as duels
from hexarena.backend.matches import broker, life as matches, queue
from hexarena.backend.matches.newcomers import PATIENCE, REVOKED, first_matches, make_room
from hexarena.backend.models import (
    Duel,
    Job,
    Match,
    MatchKind,
    MatchState,
    PendingResult,
    Submission,
    SubmissionState,
    User,
    UserKind,
    VoidAttempt,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.games.catalogue import find_game
from hexarena.worker.dispatcher import Dispatcher

GAME = find_game("yavalath")
LONG_S = 60.0
REPORT = matches.Report((0, 1), (1.0, 0.0), "because", 9, (), 12.5, "test", "replays/x.jsonl.gz", "1", "d")


def pair(database: Database) -> tuple[int, int]:
    """Two versions of house bots."""
    live = select(Submission.id).where(Submission.game == GAME.id, Submission.state == SubmissionState.LIVE)
    with database.transaction() as session:
        one, other = session.scalars(live.order_by(Submission.id).limit(2))
        return one, other


def run_one(database: Database, kind: MatchKind = MatchKind.LADDER, **changes: object) -> matches.ClaimedMatch:
    """A match that is running: by default one that only keeps the ladder going."""
    bots = pair(database)
    with database.transaction() as session:
        queued: dict[str, object] = {"kind": kind, "submission_ids": bots, "seed": 1, "league": 1, **changes}
        match_id = matches.schedule(session, game=GAME.id, **queued).id  # type: ignore[arg-type]
        session.execute(update(Job).where(Job.match_id != match_id).values(not_before=func.now() + timedelta(hours=1)))
        (lease,) = queue.lease(session, limit=1, seconds=LONG_S, max_attempts=9)
        order = queue.claim(session, lease.match_id, lease.token, seconds=LONG_S)
        session.execute(update(Job).values(not_before=None))
    assert order is not None
    return order


def begin(database: Database, waited: timedelta = 2 * PATIENCE, owner_id: int | None = None) -> int:
    """A duel that has waited for so long without a match: its id."""
    one, other = pair(database)
    with database.transaction() as session:
        owner = session.get(User, owner_id or 0)
        if owner is None:
            owner = User(kind=UserKind.ACCOUNT, name="somebody")
            session.add(owner)
            session.flush()
        begun = duels.start(
            session,
            owner,
            game=GAME,
            candidate_id=one,
            baseline_id=other,
            preset="quick",
            games=100,
            league=1,
            seed=7,
        )
        begun.created_at = func.now() - waited
        session.flush()
        duels.advance_all(session, 1)
        return begun.id


def waiting_firsts(database: Database) -> list[int]:
    """The duels whose first matches have waited too long."""
    with database.transaction() as session:
        return [session.get_one(Match, match_id).duel_id or 0 for match_id in first_matches(session)]


def revoked(database: Database, count: int = 1, max_attempts: int = 4) -> list[int]:
    with database.transaction() as session:
        return list(make_room(session, count, max_attempts=max_attempts, pause_s=0))


def lease_one(database: Database) -> Match:
    """The match that goes first."""
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=1, seconds=LONG_S, max_attempts=4, first=first_matches(session))
        return session.get_one(Match, lease.match_id)


@pytest.fixture
def dispatcher(database: Database, settings: Settings) -> Dispatcher:
    """Of an arena with two slots, of which one is for what nobody watches."""
    celery = broker.make_celery(settings.redis_url, settings.namespace)
    return Dispatcher(settings.model_copy(update={"worker_processes": 2}), database, celery)


# --- Who is a newcomer ---------------------------------------------------------------------------------------------


def test_a_newcomer_is_a_duel_that_has_waited_for_its_first_match(database: Database) -> None:
    begin(database, waited=timedelta(0))
    assert waiting_firsts(database) == []
    old = begin(database)
    assert waiting_firsts(database) == [old]


def test_of_one_share_one_duel_is_a_newcomer(database: Database) -> None:
    first = begin(database)
    with database.transaction() as session:
        owner_id = session.get_one(Duel, first).requested_by_id
    begin(database, owner_id=owner_id)
    stranger = begin(database)
    assert waiting_firsts(database) == [first, stranger]


def test_a_duel_whose_first_match_began_is_no_newcomer(database: Database) -> None:
    begin(database)
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=1, seconds=LONG_S, max_attempts=4)
        order = queue.claim(session, lease.match_id, lease.token, seconds=LONG_S)
    assert order is not None
    assert waiting_firsts(database) == []
    with database.transaction() as session:
        assert matches.finish(session, order, REPORT)
    assert waiting_firsts(database) == [], "from then on the fair order decides"


@pytest.mark.long
def test_whose_share_has_a_match_running_is_no_newcomer(database: Database) -> None:
    order = run_one(database, MatchKind.PRACTICE, share="u:1")
    begin(database)
    with database.transaction() as session:
        session.execute(update(Job).where(Job.share.is_not(None)).values(share="u:1"))
    assert waiting_firsts(database) == []
    with database.transaction() as session:
        assert matches.finish(session, order, REPORT)
    assert len(waiting_firsts(database)) == 1


# --- What makes room -----------------------------------------------------------------------------------------------


def test_a_revoked_match_is_played_again_and_counts_once(database: Database) -> None:
    order = run_one(database)
    assert revoked(database) == [order.match_id]
    with database.transaction() as session:
        assert session.get_one(Match, order.match_id).state == MatchState.QUEUED
        assert session.scalars(select(VoidAttempt.reason)).all() == [REVOKED]
        assert not queue.renew(session, order, seconds=LONG_S), "by which its worker notices"
        assert not matches.finish(session, order, REPORT)
        (lease,) = queue.lease(session, limit=1, seconds=LONG_S, max_attempts=4)
        again = queue.claim(session, lease.match_id, lease.token, seconds=LONG_S)
        assert again is not None
        assert matches.finish(session, again, REPORT)
        assert not matches.finish(session, order, REPORT)
        assert session.scalar(select(func.count()).select_from(PendingResult)) == 1
        assert session.scalars(select(VoidAttempt.attempt)).all() == [1]


def test_a_match_is_revoked_once_at_most(database: Database) -> None:
    order = run_one(database)
    revoked(database)
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=1, seconds=LONG_S, max_attempts=4)
        queue.claim(session, order.match_id, lease.token, seconds=LONG_S)
    assert revoked(database) == []


def test_the_youngest_match_makes_room(database: Database) -> None:
    orders = [run_one(database) for _ in range(3)]
    assert revoked(database, 2) == [orders[2].match_id, orders[1].match_id]


@pytest.mark.parametrize("kind", [MatchKind.PRACTICE, MatchKind.CHECK, MatchKind.PLACEMENT, MatchKind.PROMOTION])
def test_what_people_wait_for_is_not_revoked(database: Database, kind: MatchKind) -> None:
    run_one(database, kind)
    assert revoked(database) == []


def test_the_placement_of_a_house_bot_may_be(database: Database) -> None:
    order = run_one(database, MatchKind.PLACEMENT, priority=matches.HOUSE_PRIORITY)
    assert revoked(database) == [order.match_id]


def test_a_match_that_sleeps_has_no_slot_to_give(database: Database) -> None:
    order = run_one(database)
    with database.transaction() as session:
        queue.renew(session, order, seconds=LONG_S, asleep=True)
    assert revoked(database) == []


def test_where_a_match_has_one_attempt_nothing_is_revoked(database: Database) -> None:
    run_one(database)
    assert revoked(database, max_attempts=1) == []


# --- What the dispatcher makes of it -------------------------------------------------------------------------------


def test_a_newcomer_goes_before_whatever_else_waits(database: Database) -> None:
    begin(database, waited=timedelta(0))
    bots = pair(database)
    with database.transaction() as session:
        matches.schedule(session, game="yavalath", kind=MatchKind.PLACEMENT, submission_ids=bots, seed=1, league=1)
    newcomer = begin(database)
    assert lease_one(database).duel_id == newcomer
    assert lease_one(database).duel_id != newcomer


def test_the_dispatcher_makes_room_for_a_newcomer(database: Database, dispatcher: Dispatcher) -> None:
    background = run_one(database)
    young = begin(database, waited=timedelta(0))
    assert dispatcher.tick(0.0) == 0, "its patience lasts"
    with database.transaction() as session:
        session.execute(update(Duel).values(created_at=func.now() - 2 * PATIENCE))
    assert dispatcher.tick(0.1) == 1
    with database.transaction() as session:
        held = select(Match.duel_id).join(Job, Job.match_id == Match.id).where(Job.token.is_not(None))
        assert session.scalars(held).all() == [young]
        paused = session.get_one(Job, background.match_id).not_before
        assert paused is not None, "until its worker has noticed"
    assert dispatcher.tick(0.2) == 0, "no process is left for a match that yields"


def test_where_a_slot_is_free_nothing_is_revoked(database: Database, dispatcher: Dispatcher) -> None:
    background = run_one(database)
    begin(database)
    with database.transaction() as session:
        dispatcher._settings = dispatcher._settings.model_copy(update={"worker_processes": 3})
        assert session.get_one(Job, background.match_id).token is not None
    assert dispatcher.tick(0.0) == 1
    with database.transaction() as session:
        assert session.get_one(Job, background.match_id).token == background.token
