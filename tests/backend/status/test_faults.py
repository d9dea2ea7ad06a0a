"""The faults of the day on a real PostgreSQL: by game, kind and language, the newest, and nothing of practice."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from hexarena.backend.models import Bot, Match, MatchKind, Submission
from hexarena.backend.runtime.db import Database
from hexarena.backend.status import faults
from hexarena.games.referee import Fault
from tests.backend.ladder.ladders import GAME, newcomers, play

CRASH = Fault(0, 3, "crash", "It ended.")
SLOW = Fault(1, 5, "timeout", "No reply within 100 ms.")
FORGIVEN = Fault(1, 1, "warning", "A comma too many.")


def read(database: Database, most_each: int = faults.MOST_EACH) -> faults.DayOfFaults:
    with database.transaction() as session:
        return faults.read(session, most_each=most_each)


@pytest.fixture
def pair(database: Database) -> list[int]:
    one, other = newcomers(database, 2)
    with database.transaction() as session:
        session.execute(update(Submission).where(Submission.id == other).values(language="rust"))
    return [one, other]


@pytest.mark.long
def test_an_arena_without_matches_has_none(database: Database) -> None:
    found = read(database)
    assert (found.counts, found.newest, found.cut) == ([], [], [])


def test_faults_are_counted_and_the_newest_are_listed(database: Database, pair: list[int]) -> None:
    play(database, pair, faults=[FORGIVEN])
    first = play(database, pair, (1, 0), faults=[CRASH])
    second = play(database, pair, faults=[FORGIVEN, SLOW])
    play(database, pair, kind=MatchKind.PRACTICE, faults=[CRASH])
    found = read(database)
    counted = [(one.game, one.fault, one.language, one.count) for one in found.counts]
    assert counted == [(GAME.id, "crash", "python", 1), (GAME.id, "timeout", "rust", 1)]
    reported = [(one.match_id, one.seat, one.fault, one.turn, one.message) for one in found.newest]
    assert reported == [
        (second, 1, "timeout", 5, "No reply within 100 ms."),
        (first, 0, "crash", 3, "It ended."),
    ]
    with database.transaction() as session:
        bot = session.scalars(select(Bot).join(Submission).where(Submission.id == pair[0])).one()
    assert (found.newest[1].bot_id, found.newest[1].bot, found.newest[1].version) == (bot.id, bot.name, 1)


def test_yesterdays_are_over_and_a_long_wait_in_the_queue_is_not(database: Database, pair: list[int]) -> None:
    old, waited = (play(database, pair, (1, 0), faults=[CRASH]) for _ in range(2))
    hours = timedelta(hours=25)
    with database.transaction() as session:
        times = {"created_at": func.now() - hours, "started_at": func.now() - hours}
        session.execute(update(Match).where(Match.id == waited).values(times))
        times |= {"finished_at": func.now() - hours}
        session.execute(update(Match).where(Match.id == old).values(times))
    assert [one.match_id for one in read(database).newest] == [waited]


def test_of_too_many_the_newest_are_counted_and_it_says_so(database: Database, pair: list[int]) -> None:
    ids = [play(database, pair, (1, 0), faults=[CRASH]) for _ in range(3)]
    play(database, pair, faults=[SLOW])
    found = read(database, most_each=2)
    assert [(one.fault, one.count) for one in found.counts] == [("crash", 2), ("timeout", 1)]
    assert (found.cut, found.most_each) == (["crash"], 2)
    assert ids[0] not in [one.match_id for one in found.newest]


def test_a_deleted_bot_has_no_link(database: Database, pair: list[int]) -> None:
    play(database, pair, (1, 0), faults=[CRASH])
    with database.transaction() as session:
        session.execute(update(Bot).values(name_key=None))
    assert read(database).newest[0].bot_id is None
