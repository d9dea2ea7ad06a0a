"""Slots that are lent out while bots sleep."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest
from sqlalchemy import select

from hexarena.backend.matches import life as matches, shares
from hexarena.backend.models import (
    Match,
    MatchKind,
    MatchState,
    Submission,
    SubmissionState,
    User,
    UserKind,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import life as submissions
from hexarena.games.catalogue import find_game
from hexarena.worker.lending import MatchSlots
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


@pytest.mark.long
@pytest.mark.sandbox
def test_two_who_sleep_keep_no_stranger_waiting(processes: Processes, database: Database) -> None:
    """Both slots have matches whose bots sleep. The stranger's match starts before either is over."""
    sleepers = [practise(database, network, SLEEPER) for network in ("a", "b")]
    stranger = practise(database, "c", "print(input())")
    processes.start("hexarena.worker.app")
    processes.start("hexarena.worker.dispatcher")

    def all_done() -> bool:
        with database.transaction() as session:
            return set(session.scalars(select(Match.state))) == {MatchState.DONE}

    wait_until(all_done, "all three matches are done")
    with database.transaction() as session:
        ends = [session.get_one(Match, one).finished_at for one in sleepers]
        began = session.get_one(Match, stranger).started_at
    assert began is not None
    assert all(end is not None and began < end for end in ends)


def practise(database: Database, network: str, source: str) -> int:
    """A practice match of a new guest against a house bot: its id."""
    game = find_game("yavalath")
    with database.transaction() as session:
        guest = User(kind=UserKind.GUEST, name="guest", network=network)
        session.add(guest)
        session.flush()
        draft = submissions.draft(session, guest, game=game, language="python", source=source.encode())
        live = select(Submission.id).where(Submission.game == game.id, Submission.state == SubmissionState.LIVE)
        rival = session.scalars(live.order_by(Submission.id).limit(1)).one()
        return matches.schedule(
            session,
            game=game.id,
            kind=MatchKind.PRACTICE,
            submission_ids=[draft.id, rival],
            seed=1,
            league=1,
            requested_by_id=guest.id,
            share=shares.share_of(guest),
        ).id
