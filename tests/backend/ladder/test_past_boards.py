"""The board at any time is the same whether a day's board is kept or not."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from hexarena.backend.ladder import past_boards
from hexarena.backend.ladder.boards import board_of
from hexarena.backend.models import (
    Bot,
    DailyBoard,
    StandingHistory,
    Submission,
    User,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import deletion, seeding
from hexarena.games.catalogue import find_game

GAME = find_game("yavalath")
FIRST = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - 9 * past_boards.DAY
DAYS, CHANGES = 6, 60


@pytest.fixture
def versions(database: Database) -> Sequence[int]:
    """Those of the house's bots, from before the first day on, with six days of history."""
    chance = random.Random(5)
    with database.transaction() as session:
        session.execute(delete(StandingHistory))
        ids = session.scalars(select(Submission.id).where(Submission.game == GAME.id).order_by(Submission.id)).all()
        session.execute(update(Submission).values(created_at=FIRST))
        times = sorted(FIRST + DAYS * past_boards.DAY * chance.random() for _ in range(CHANGES))
        session.add_all(line(chance.choice(ids), time, chance) for time in times)
    return ids


def line(submission_id: int, at: datetime, chance: random.Random) -> StandingHistory:
    """Any that is possible. Equal ratings are frequent."""
    counts = {"games": 3, "wins": 1, "draws": 1, "losses": 1, "deviation": 50.0}
    return StandingHistory(
        submission_id=submission_id,
        game=GAME.id,
        at=at,
        rating=float(chance.randrange(1000, 1005)),
        league=chance.randrange(1, 3),
        live=chance.random() < 0.8,
        **counts,
    )


def boards(session: Session, limit: int | None = None) -> Mapping[datetime, list[int]]:
    """At times of all days, among them the ends of days, and before and after all lines."""
    times = [FIRST + hours * timedelta(hours=1) for hours in range(-30, 24 * DAYS + 30, 6)]
    return {time: past_boards.top(session, GAME.id, time, limit) for time in times}


def plain(session: Session, at: datetime) -> list[int]:
    """The same in Python."""
    last: dict[int, StandingHistory] = {}
    for one in session.scalars(select(StandingHistory).order_by(StandingHistory.at, StandingHistory.id)):
        if one.at <= at:
            last[one.submission_id] = one
    shown = [one for one in last.values() if one.live]
    return [one.id for one in sorted(shown, key=lambda one: (-one.league, -one.rating, -one.submission_id))]


def keep_all(database: Database) -> int:
    """Keeps all days that are over; how many."""
    return sum(iter(lambda: past_boards.keep_some(database), 0))


@pytest.mark.long
def test_a_board_is_the_same_when_days_are_kept(database: Database, versions: Sequence[int]) -> None:
    with database.transaction() as session:
        before, few = boards(session), boards(session, 3)
        assert before == {at: plain(session, at) for at in before}
        assert few == {at: board[:3] for at, board in before.items()}
        assert any(len(board) > 3 for board in before.values())
        days = (session.scalars(select(func.now())).one() - FIRST).days
    assert days - 1 <= keep_all(database) <= days
    with database.transaction() as session:
        assert boards(session) == before
        assert boards(session, 3) == few


def test_kept_boards_are_read(database: Database, versions: Sequence[int]) -> None:
    keep_all(database)
    noon = FIRST + 2.5 * past_boards.DAY
    with database.transaction() as session:
        session.execute(update(DailyBoard).values(lines=[]))
        shown = boards(session)[noon]
        times = [session.get_one(StandingHistory, one).at for one in shown]
        assert all(time > noon - past_boards.DAY / 2 for time in times)
        assert shown != plain(session, noon)


def test_any_time_can_be_asked_for(database: Database, versions: Sequence[int]) -> None:
    keep_all(database)
    with database.transaction() as session:
        assert past_boards.top(session, GAME.id, datetime.min.replace(tzinfo=UTC), 10) == []
        forever = datetime.max.replace(tzinfo=UTC)
        assert past_boards.top(session, GAME.id, forever, None) == plain(session, forever)


def test_days_are_kept_one_after_the_other_and_once(database: Database, versions: Sequence[int]) -> None:
    assert past_boards.keep_some(database, 2) == 2
    with database.transaction() as session:
        kept = session.scalars(select(DailyBoard.at).order_by(DailyBoard.at)).all()
    assert [at.astimezone(UTC) for at in kept] == [FIRST + past_boards.DAY, FIRST + 2 * past_boards.DAY]
    assert keep_all(database)
    assert keep_all(database) == 0
    with database.transaction() as session:
        newest = session.scalars(select(func.max(DailyBoard.at))).one()
        age = session.scalars(select(func.now())).one() - newest
    assert past_boards.SETTLED <= age < past_boards.SETTLED + past_boards.DAY


def test_a_game_without_history_has_no_boards(database: Database) -> None:
    with database.transaction() as session:
        session.execute(delete(StandingHistory))
    assert keep_all(database) == 0
    with database.transaction() as session:
        assert past_boards.top(session, GAME.id, FIRST, 10) == []


def test_kept_boards_go_when_the_leagues_change(database: Database, versions: Sequence[int]) -> None:
    keep_all(database)
    with database.transaction() as session:
        boss = session.scalars(select(Bot.id).where(Bot.game == GAME.id).limit(1)).one()
        seeding._change_leagues(session, GAME, ["Wood", "Gold"], [("Gold", boss), ("Wood", None)])
        assert session.scalar(select(func.count()).select_from(DailyBoard).where(DailyBoard.game == GAME.id)) == 0
    keep_all(database)
    with database.transaction() as session:
        assert boards(session) == {at: plain(session, at) for at in boards(session)}


def test_nobody_reads_whose_a_deleted_bot_was(database: Database, versions: Sequence[int]) -> None:
    with database.transaction() as session:
        owner = session.get_one(User, session.get_one(Submission, versions[0]).user_id)
        bot_id = session.get_one(Submission, versions[0]).bot_id or 0
        at = session.scalars(
            select(func.max(StandingHistory.at)).where(StandingHistory.submission_id == versions[0])
        ).one()
        (before,) = (row for row in board_of(session, GAME.id, at, limit=1000) if row.bot_id == bot_id)
        assert (before.owner_id, before.owner) == (owner.id, owner.name)
        deletion.delete_bot(session, owner, bot_id)
        (after,) = (row for row in board_of(session, GAME.id, at, limit=1000) if row.bot_id == bot_id)
        assert (after.owner_id, after.owner) == (0, "deleted")


def test_boards_that_were_kept_while_the_clock_was_ahead_are_made_again(
    database: Database, versions: Sequence[int]
) -> None:
    while past_boards.keep_some(database):
        pass
    with database.transaction() as session:
        newest = session.scalars(select(func.max(DailyBoard.at)).where(DailyBoard.game == GAME.id)).one()
        for days in (1, 30):
            session.add(DailyBoard(game=GAME.id, at=newest + days * past_boards.DAY, lines=[]))
    assert past_boards.keep_some(database) == 0
    with database.transaction() as session:
        assert session.scalars(select(func.max(DailyBoard.at)).where(DailyBoard.game == GAME.id)).one() == newest
