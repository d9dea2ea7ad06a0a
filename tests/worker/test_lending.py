"""Slots that are lent out while bots sleep."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from textwrap import dedent
from threading import Thread

import pytest
from sqlalchemy import select

from hexarena.backend.matches import life as matches, queue, shares
from hexarena.backend.models import Job, Match, MatchKind, MatchState, Submission, SubmissionState, User, UserKind
from hexarena.backend.runtime.db import Database, notify
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from hexarena.games.catalogue import find_game
from hexarena.worker import lease as leases, tasks
from hexarena.worker.lending import LOOK_S, TAKEN_S, MatchSlots, Slot
from tests.conftest import Processes, wait_until

HOLDER = "import fcntl, sys; fcntl.lockf(int(sys.argv[1]), fcntl.LOCK_EX, 1, 0); print(flush=True); sys.stdin.read()"
SLEEPER = dedent(
    """
    import time

    input()
    while True:
        rows = [input() for _ in range(int(input()))]
        input()
        time.sleep(0.8)
        empty = [(x, y) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == "0"]
        print(*empty[0])
    """
)

COMPUTER = dedent(
    """
    import time

    houses = int(input())
    for _ in range(houses):
        input()
    while True:
        for _ in range(1 + houses):
            input()
        for _ in range(3):
            for _ in range(int(input())):
                input()
        end = time.process_time() + 0.03
        while time.process_time() < end:
            pass
        print("WAIT")
    """
)
"""For TryAngle Catch: it computes for 12 s in the 200 turns of a match against itself."""
BUILDER = 'BEGIN { 1 while times < 8 } <STDIN> while print "WAIT\n";'
"""Perl, whose check runs this."""
BUSY = {
    "asleep": ("yavalath", "python", SLEEPER),
    "computing": ("tryangle", "python", COMPUTER),
    "building": ("tryangle", "perl", BUILDER),
    "on the ladder": ("tryangle", "python", COMPUTER),
}


def held_by_another(slots: MatchSlots) -> subprocess.Popen[bytes]:
    """A process that has the first slot."""
    number = slots.fileno()
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(number)], pass_fds=[number], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_a_slot_is_for_one_process_until_that_one_ends_however_it_does() -> None:
    slots = MatchSlots(1)
    with held_by_another(slots) as other:
        assert slots.take(0.0) is None
        other.kill()
    slot = slots.take(0.0)
    assert slot is not None


def test_of_several_slots_each_is_taken_by_itself() -> None:
    slots = MatchSlots(2)
    with held_by_another(slots) as other:
        assert slots.try_lock() == 1
        other.kill()


def test_who_sleeps_lends_out_the_slot_and_waits_for_one_to_go_on() -> None:
    slots = MatchSlots(1)
    slot = slots.take(0.0)
    assert slot is not None
    slot.asleep()
    assert (slot.is_asleep, slot.changed.is_set()) == (True, True)
    with held_by_another(slots) as other:
        slot.abandoned.set()
        slot.awake()
        other.kill()
    assert not slot.is_asleep
    slot.abandoned.clear()
    slot.awake()
    slot.give_back()
    slot.give_back()


def test_a_match_that_is_abandoned_as_it_wakes_up_keeps_no_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = MatchSlots(1)
    slot = slots.take(0.0)
    assert slot is not None
    slot.asleep()
    lock = slots.try_lock

    def then_abandon(*, has_begun: bool = False) -> int | None:
        number = lock(has_begun=has_begun)
        slot.abandoned.set()
        return number

    monkeypatch.setattr(slots, "try_lock", then_abandon)
    slot.awake()
    slot.give_back()
    taking = HOLDER.replace("LOCK_EX", "LOCK_EX | fcntl.LOCK_NB")
    words = [sys.executable, "-c", taking, str(slots.fileno())]
    subprocess.run(words, pass_fds=[slots.fileno()], stdin=subprocess.DEVNULL, check=True)


@pytest.mark.long
def test_a_wanted_slot_is_lent_between_two_turns_until_it_is_free_again() -> None:
    slots = MatchSlots(1)
    slot = slots.take(0.0)
    assert slot is not None
    slot.between_turns()
    assert not slot.changed.is_set(), "nobody wants it"
    slot.want()
    turn = Thread(target=slot.between_turns)
    turn.start()
    wait_until(lambda: slot.is_asleep, "it is lent out")
    with held_by_another(slots) as other:
        time.sleep(TAKEN_S + LOOK_S)
        assert (turn.is_alive(), slot.is_asleep) == (True, True), "it has nothing to lend until it has a slot again"
        other.kill()
    turn.join()
    assert not slot.is_asleep


def test_a_wanted_slot_is_for_a_new_match_and_for_none_that_continues() -> None:
    """Else two matches that lend their slots out would hand one to each other, and nobody else would ever get it."""
    slots = MatchSlots(1)
    lending = slots.take(0.0)
    assert lending is not None
    with lending.building():
        lending.want()
        assert slots.try_lock(has_begun=True) is None
        new = slots.take(0.0)
        assert new is not None
        new.give_back()
        assert slots.try_lock(has_begun=True) == 0, "it was taken once"
        slots.unlock(0)
        lending.abandoned.set()


@pytest.mark.long
def test_a_wanted_slot_that_nobody_takes_is_taken_back() -> None:
    slots = MatchSlots(1)
    slot = slots.take(0.0)
    assert slot is not None
    slot.want()
    slot.between_turns()
    assert not slot.is_asleep
    assert not slot.may_be_wanted(), "it is kept for a while then"
    slot.changed.clear()
    slot.between_turns()
    assert not slot.changed.is_set(), "it was wanted once"


def test_a_match_that_somebody_waits_for_begins_without_a_slot_where_one_yields() -> None:
    slots = MatchSlots(1)
    with held_by_another(slots) as other:
        assert slots.take(0.0, awaited=True) is None, "nobody yields"
        slots.mark(0, yields=True)
        assert slots.take(0.0) is None, "nobody waits for it"
        new = slots.take(0.0, awaited=True)
        assert new is not None
        assert not new.may_be_wanted()
        assert slots.take(0.0, awaited=True) is None, "one at a time"
        assert (slots.claim_want(), slots.claim_want()) == (True, False), "one lends its slot"
        new.between_turns()
        assert slots.claim_want(), "the slot was not lent in time, so it is wanted again"
        other.kill()
    new.between_turns()
    assert slots.try_lock(has_begun=True) == 0, "in this process: its own lock excludes others only"
    new.give_back()
    assert not slots.claim_want()


@pytest.mark.parametrize("yields", [True, False])
def test_a_match_that_yields_lends_its_slot_when_its_turn_is_over(*, yields: bool) -> None:
    slots = MatchSlots(1)
    with held_by_another(slots) as other:
        slot = Slot(slots, 0)
        if yields:
            slot.yield_to_others()
        slot.between_turns()
        assert not slot.changed.is_set(), "nobody wants it"
        slots.mark(0, yields=True)
        assert slots.want()
        slot.abandoned.set()
        slot.between_turns()
        assert slot.changed.is_set() == yields
        assert slots.want() == yields, "it is wanted no longer"
        other.kill()


def test_a_match_yields_with_each_slot_that_it_has_and_the_next_one_does_not() -> None:
    slots = MatchSlots(1)
    slot = slots.take(0.0)
    assert slot is not None
    slot.yield_to_others()
    slot.asleep()
    slots.mark(0, yields=False)
    slot.awake()
    assert slots.want()
    slots.end_want()
    slot.give_back()
    assert slots.take(0.0) is not None
    assert not slots.want()


def test_whoever_began_without_a_slot_wants_none_when_it_is_over_or_sleeps_or_was_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slots = MatchSlots(1)
    with held_by_another(slots) as other:
        slots.mark(0, yields=True)
        for end in (Slot.give_back, Slot.asleep):
            new = slots.take(0.0, awaited=True)
            assert new is not None
            end(new)
            assert not slots.claim_want()
        monkeypatch.setattr("hexarena.worker.lending.WANTED_S", 0.0)
        assert slots.take(0.0, awaited=True) is not None
        assert not slots.claim_want()
        other.kill()


@pytest.mark.long
def test_a_slot_is_lent_to_a_new_match_or_because_a_bot_sleeps() -> None:
    slots = MatchSlots(1)
    slot = slots.take(0.0)
    assert slot is not None
    slot.asleep()
    assert not slot.is_lent
    slot.awake()
    with slot.building():
        slot.want()
        assert slot.is_lent
    assert not slot.is_lent


@pytest.mark.long
def test_a_build_goes_on_while_its_slot_is_lent_out() -> None:
    slots = MatchSlots(1)
    slot = slots.take(0.0)
    assert slot is not None
    with slot.building():
        slot.want()
        assert slot.is_asleep
        with held_by_another(slots) as other:
            other.kill()
        slot.abandoned.set()
    assert not slot.is_asleep
    slot.abandoned.clear()
    slot.awake()
    with slot.building():
        pass
    slot.changed.clear()
    slot.between_turns()
    assert not slot.changed.is_set()


def test_a_slot_is_wanted_after_a_while_only(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = MatchSlots(1)
    slot = slots.take(0.0)
    assert slot is not None
    assert not slot.may_be_wanted()
    monkeypatch.setattr("hexarena.worker.lending.LEND_AFTER_S", 0.0)
    assert slot.may_be_wanted()
    slot.asleep()
    assert not slot.may_be_wanted(), "there is nothing to lend"


@pytest.fixture
def context(settings: Settings) -> Iterator[tasks.WorkerContext]:
    """A worker's with one slot, without isolation."""
    whole = tasks.WorkerContext.open(settings.model_copy(update={"sandbox": "none"}), MatchSlots(1), MatchSlots(0))
    yield whole
    whole.close()


def lease_one(database: Database, kind: MatchKind) -> queue.Lease:
    live = select(Submission.id).where(Submission.game == "yavalath", Submission.state == SubmissionState.LIVE)
    with database.transaction() as session:
        pair = session.scalars(live.order_by(Submission.id).limit(2)).all()
        matches.schedule(session, game="yavalath", kind=kind, submission_ids=pair, seed=1, league=1)
        (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=9)
    return lease


@pytest.mark.parametrize(("kind", "yields"), [(MatchKind.PLACEMENT, True), (MatchKind.CHECK, False)])
def test_a_match_yields_if_nobody_waits_for_it(
    database: Database, context: tasks.WorkerContext, monkeypatch: pytest.MonkeyPatch, kind: MatchKind, *, yields: bool
) -> None:
    found: list[bool] = []

    def attempt(context: tasks.WorkerContext, _: matches.ClaimedMatch, slot: Slot) -> str:
        found.append(context.slots.want())
        return "done"

    monkeypatch.setattr(tasks, "_attempt", attempt)
    lease = lease_one(database, kind)
    tasks.run(context, lease.match_id, lease.token)
    assert found == [yields]


@pytest.mark.parametrize("awaited", [True, False])
def test_whether_a_match_begins_without_a_slot_is_said_by_its_message(
    database: Database, context: tasks.WorkerContext, monkeypatch: pytest.MonkeyPatch, *, awaited: bool
) -> None:
    began: list[int] = []

    def attempt(_: tasks.WorkerContext, claimed: matches.ClaimedMatch, __: Slot) -> str:
        began.append(claimed.match_id)
        return "done"

    monkeypatch.setattr(tasks, "_attempt", attempt)
    lease = lease_one(database, MatchKind.PRACTICE)
    with held_by_another(context.slots) as other:
        context.slots.mark(0, yields=True)
        tasks.run(context, lease.match_id, lease.token, awaited=awaited)
        other.kill()
    assert began == ([lease.match_id] if awaited else [])


@pytest.mark.long
def test_the_queue_knows_why_a_slot_was_lent(database: Database, context: tasks.WorkerContext) -> None:
    lease = lease_one(database, MatchKind.PLACEMENT)
    with database.transaction() as session:
        claimed = queue.claim(session, lease.match_id, lease.token, seconds=60)
    slot = context.slots.take(0.0)
    assert claimed is not None
    assert slot is not None

    def is_lent_to_somebody() -> bool:
        with database.transaction() as session:
            job = session.get_one(Job, claimed.match_id)
            return job.asleep and job.slot_wanted

    with leases.renewed(database, claimed, slot, lease_s=60), slot.building():
        slot.want()
        wait_until(is_lent_to_somebody, "the queue knows")


@pytest.mark.long
@pytest.mark.sandbox
@pytest.mark.parametrize("how", BUSY)
def test_two_busy_matches_keep_no_stranger_waiting(processes: Processes, database: Database, how: str) -> None:
    """Both slots have matches that last. The stranger's match starts before either is over."""
    kind = MatchKind.PLACEMENT if how == "on the ladder" else MatchKind.PRACTICE
    busy = [practise(database, network, *BUSY[how], kind=kind) for network in ("a", "b")]
    processes.start("hexarena.worker.app")
    processes.start("hexarena.worker.dispatcher")

    def both_run() -> bool:
        with database.transaction() as session:
            return set(session.scalars(select(Match.state).where(Match.id.in_(busy)))) == {MatchState.RUNNING}

    wait_until(both_run, "both matches are running")
    stranger = practise(database, "c", "yavalath", "python", "print(input())")

    def has_started() -> bool:
        with database.transaction() as session:
            return session.get_one(Match, stranger).started_at is not None

    wait_until(has_started, "the stranger's match starts")
    with database.transaction() as session:
        ends = [session.get_one(Match, one).finished_at for one in busy]
        began = session.get_one(Match, stranger).started_at
    assert began is not None
    assert all(end is None or began < end for end in ends)


def practise(
    database: Database,
    network: str,
    game_id: str,
    language: str,
    source: str,
    *,
    kind: MatchKind = MatchKind.PRACTICE,
) -> int:
    """A match of a new guest's code against itself: its id."""
    game = find_game(game_id)
    with database.transaction() as session:
        guest = User(kind=UserKind.GUEST, name="guest", network=network)
        session.add(guest)
        session.flush()
        draft = submissions.draft(session, guest, game=game, language=language, source=source.encode())
        queued = matches.schedule(
            session,
            game=game.id,
            kind=kind,
            submission_ids=[draft.id, draft.id],
            seed=1,
            league=game.top_level,
            requested_by_id=guest.id,
            share=shares.share_of(guest),
        )
        notify(session, "hexarena_jobs")
        return queued.id
