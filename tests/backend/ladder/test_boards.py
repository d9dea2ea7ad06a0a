"""What a ladder shows: its board today and on any day, and why a rating is what it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import func, select, update

from hexarena.backend import notices
from hexarena.backend.errors import NotFound
from hexarena.backend.ladder import boards, explaining, fitting, seasons
from hexarena.backend.ladder.notifying import Place, notify_owners
from hexarena.backend.models import ChangeRow, League, Notice, NoticeKind, Standing, Submission, User, UserKind
from hexarena.backend.moderation.seasons import start_season
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import life as submissions
from tests.backend import scheduled
from tests.backend.ladder.ladders import (
    GAME,
    enter,
    newcomers,
    now,
    numbers,
    play,
    refit,
    season,
    shown,
    standing,
    user,
)


def test_the_board_of_any_day_can_be_shown(database: Database) -> None:
    one, other = newcomers(database, 2)
    play(database, (one, other))
    refit(database)
    then = datetime.now(UTC)
    was = standing(database, one)
    for _ in range(6):
        play(database, (other, one))
    refit(database)
    with database.transaction() as session:
        past = boards.board_of(session, GAME.id, then, limit=100)
        now = boards.board_of(session, GAME.id, datetime.now(UTC), limit=100)
        assert boards.board_of(session, GAME.id, then - timedelta(days=1), limit=100) == []
    places = {row.submission_id: row for row in past}
    assert places[one].rating == was.rating
    assert places[one].rank < places[other].rank
    assert [row.rank for row in past] == list(range(1, len(past) + 1))
    latest = {row.submission_id: row for row in now}
    assert latest[one].rank > latest[other].rank


@pytest.mark.long
def test_a_row_is_compared_with_the_next_one_of_the_board_also_between_leagues(database: Database) -> None:
    bots = newcomers(database, 5)
    season(database, bots, 40)
    with database.transaction() as session:
        session.get_one(Standing, bots[0]).league = 3
        session.get_one(Standing, bots[1]).league = 2
    refit(database)
    with database.transaction() as session:
        shown = boards.leaderboard(session, GAME.id, limit=100)
        rated = fitting.rate(session, GAME)
        for row, below in pairwise(shown):
            expected = rated.stronger(row.submission.id, below.submission.id)
            assert row.standing.above_next == pytest.approx(expected)
        assert shown[-1].standing.above_next is None


def test_who_is_away_for_long_leaves_the_board_and_loses_nothing(database: Database) -> None:
    one, other = newcomers(database, 2)
    play(database, (one, other))
    refit(database)
    with database.transaction() as session:
        session.execute(
            update(Standing).where(Standing.submission_id == one).values(active_at=func.now() - timedelta(days=91))
        )
        shown = [row.submission.id for row in boards.leaderboard(session, GAME.id, limit=100)]
        assert one not in shown
        assert other in shown
        assert one in [row.submission_id for row in boards.board_of(session, GAME.id, now(session), limit=99)]
    rating = standing(database, one).rating
    refit(database)
    assert standing(database, one).rating == rating
    with database.transaction() as session:
        assert one not in [row.submission_id for row in boards.board_of(session, GAME.id, now(session), limit=99)]
        submissions.restore(session, session.get_one(User, session.get_one(Submission, one).user_id), one)
    refit(database)
    with database.transaction() as session:
        assert one in [row.submission_id for row in boards.board_of(session, GAME.id, now(session), limit=99)]


@pytest.mark.long
def test_an_explanation_adds_up(database: Database) -> None:
    bots = newcomers(database, 4)
    season(database, bots, 30)
    refit(database)
    with database.transaction() as session:
        shown = boards.leaderboard(session, GAME.id, limit=100)
        found = explaining.explain(session, bots[2])
        own = session.get_one(Standing, bots[2])
        assert sum(one.games for one in found.against) == own.games
        assert sum(one.points for one in found.against) == own.wins + own.draws / 2
        assert found.matches
        assert abs(found.matches[0].moved) >= abs(found.matches[-1].moved)
        (own_place,) = [place for place, row in enumerate(shown) if row.submission.id == bots[2]]
        assert found.below is not None
        assert found.below.standing.submission_id == shown[own_place + 1].submission.id
        assert found.below.above == pytest.approx(own.above_next)
        with pytest.raises(NotFound, match="never on a ladder"):
            explaining.explain(session, 10**12)


def test_rows_say_with_how_many_they_share_and_who_is_a_guest(database: Database) -> None:
    with database.transaction() as session:
        guest = user(session)
        guest.kind = UserKind.GUEST
        one = enter(session, user(session), "original", "print('same')")
        two, three = (enter(session, guest, name, "print('same')") for name in ("copy", "other copy"))
        alone = enter(session, guest, "alone")
    assert [shown(database, bot).shared_with for bot in (one, two, three, alone)] == [2, 2, 2, 0]
    assert [shown(database, bot).guest for bot in (one, two, three, alone)] == [False, False, False, True]
    with database.transaction() as session:
        competitors = [one.submission_id for one in scheduled.roster(session, GAME).entrants]
    assert len({one, two, three} & set(competitors)) == 1, "they play one set of games"


# --- Shared places ----------------------------------------------------------------------------------------------------


def rated(database: Database, ratings: dict[int, float]) -> None:
    """All on the board have these ratings, and those that are not named are below them."""
    with database.transaction() as session:
        for one in session.scalars(select(Standing).where(Standing.game == GAME.id)):
            one.rating = ratings.get(one.submission_id, 500.0 + one.submission_id / 1000)
            one.league = 1


def copies(database: Database, how_many: int, body: str = "print('the starter')") -> list[int]:
    with database.transaction() as session:
        return [enter(session, user(session), f"copy {next(numbers)}", body) for _ in range(how_many)]


def ranks(database: Database, **asked: Any) -> dict[int, int]:
    with database.transaction() as session:
        rows = boards.leaderboard(session, GAME.id, **{"limit": 100, **asked})
        return {row.submission.id: row.rank for row in rows}


def test_copies_of_the_same_code_share_a_place_and_those_below_count_it_once(database: Database) -> None:
    best, worse, last = newcomers(database, 3)
    same = copies(database, 4)
    rated(database, {best: 3000.0, **dict.fromkeys(same, 2900.0), worse: 2900.0, last: 2800.0})
    # `worse` has their rating, and entered before them, so that it is just below.
    places = ranks(database)
    assert {one: places[one] for one in (best, *same, worse, last)} == {
        best: 1, **dict.fromkeys(same, 2), worse: 3, last: 4,
    }  # fmt: skip
    assert sorted(set(places.values())) == list(range(1, len(places) - len(same) + 2))
    with database.transaction() as session:
        past = boards.board_of(session, GAME.id, now(session), limit=100)
    shared = {row.rank for row in past if row.submission_id in same}
    assert len(shared) == 1, "also on the board of any day"
    assert max(row.rank for row in past) == len(past) - len(same) + 1


@pytest.mark.long
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_place_that_is_shared_across_pages_is_one_place(database: Database, limit: int) -> None:
    best, between, last = newcomers(database, 3)
    same = copies(database, 5)
    rated(database, {best: 3000.0, **dict.fromkeys(same, 2900.0), between: 2900.0, last: 2800.0})
    with database.transaction() as session:
        session.get_one(Standing, same[0]).league = 2
        session.get_one(Standing, same[3]).rating = 2850.0
    whole, found, after = ranks(database), dict[int, int](), None
    assert [whole[one] for one in (same[0], best, same[4], between, same[3], last)] == [1, 2, 1, 3, 1, 4]
    while page := ranks(database, limit=limit, after=after):
        found |= page
        lowest = standing(database, list(page)[-1])
        after = (lowest.league, lowest.rating, lowest.submission_id)
    assert found == whole
    assert ranks(database, league=1) == {one: rank for one, rank in whole.items() if one != same[0]}
    some = [same[3], last, best, same[1]][: limit + 1]
    assert ranks(database, only=some) == {one: whole[one] for one in some}


@pytest.mark.long
def test_the_final_table_of_a_season_has_shared_places(database: Database) -> None:
    (best,) = newcomers(database, 1)
    same = copies(database, 3)
    play(database, (best, same[1]))
    refit(database)
    with database.transaction() as session:
        start_season(session, None, GAME, None)
    with database.transaction() as session:
        table = seasons.final_table(session, seasons.find(session, GAME.id, 1), limit=100)
    assert len({row.rank for row in table if row.submission_id in same}) == 1
    assert best in [row.submission_id for row in table]
    assert max(row.rank for row in table) == len(table) - 2


def test_copies_that_pass_a_bot_are_one_notice_and_copies_that_are_passed_get_one_each(database: Database) -> None:
    (bot,) = newcomers(database, 1)
    same = copies(database, 3)
    owners = {one: number for number, one in enumerate((bot, *same), start=1)}
    ids = {}
    with database.transaction() as session:
        ids = {one: session.get_one(Submission, one).user_id for one in owners}
        lines = {one: Place(one, one if one == bot else same[0], ids[one], 1, False) for one in owners}
        up, down = [lines[bot], *[lines[one] for one in same]], [*[lines[one] for one in same], lines[bot]]
        notify_owners(session, GAME, up, down)
        notify_owners(session, GAME, down, [*reversed(down[:3]), lines[bot]])
        (one,) = session.scalars(select(Notice).where(Notice.kind == NoticeKind.OVERTAKEN))
        assert (one.user_id, one.place) == (ids[bot], 2)
        notify_owners(session, GAME, down, up)
        found = session.scalars(select(Notice).where(Notice.kind == NoticeKind.OVERTAKEN, Notice.id != one.id)).all()
        assert {(row.submission_id, row.place) for row in found} == {(copy, 2) for copy in same}


def test_nobody_tells_the_house_that_one_of_its_bots_was_passed(database: Database) -> None:
    with database.transaction() as session:
        house = select(User.id).where(User.kind == UserKind.HOUSE).scalar_subquery()
        one, other = session.scalars(
            select(Submission.id).where(Submission.user_id == house, Submission.game == GAME.id).limit(2)
        ).all()
        notices.overtaken(session, one, other, 2)
        assert session.scalar(select(func.count()).select_from(Notice)) == 0


def test_a_bot_that_falls_further_is_told_again_in_the_same_notice(database: Database) -> None:
    mine, *others = newcomers(database, 3)
    with database.transaction() as session:
        notices.overtaken(session, mine, others[0], 2)
        (one,) = session.scalars(select(Notice)).all()
        told = select(ChangeRow.subject_id).where(ChangeRow.kind == "notice").order_by(ChangeRow.id)
        assert session.scalars(told).all() == [one.id]
        notices.overtaken(session, mine, others[0], 2)
        assert session.scalars(told).all() == [one.id], "nothing is new"
        notices.overtaken(session, mine, others[1], 3)
        assert session.scalars(told).all() == [one.id] * 2
        assert (one.other_id, one.place) == (others[1], 3)


def in_top_league(database: Database, bots: Sequence[int]) -> None:
    """Where no boss is, and nobody else."""
    with database.transaction() as session:
        top = session.scalar(select(func.max(League.position)).where(League.game == GAME.id))
        session.execute(update(Standing).where(Standing.submission_id.in_(bots)).values(league=top))


def test_a_copy_is_compared_with_the_next_bot_of_other_code(database: Database) -> None:
    same = copies(database, 3)
    (below,) = newcomers(database, 1)
    in_top_league(database, [*same, below])
    for _ in range(4):
        play(database, (same[0], below))
    refit(database)
    with database.transaction() as session:
        expected = fitting.rate(session, GAME).stronger(same[0], below)
        rows = {row.submission.id: row for row in boards.leaderboard(session, GAME.id, limit=100)}
        assert [rows[one].standing.above_next for one in same] == [pytest.approx(expected)] * 3
        found = [explaining.explain(session, one) for one in same]
        assert [one.below and one.below.standing.submission_id for one in found] == [below] * 3
        assert [one.above for one in found] == [None] * 3


@pytest.mark.long
def test_copies_of_one_bot_keep_nobody_from_being_placed(database: Database) -> None:
    """Above or below all of them is one place apart."""
    same = copies(database, 24)
    (other,) = newcomers(database, 1)
    in_top_league(database, [*same, other])
    for number in range(12):
        play(database, (other, same[0]), ((0, 1), (1, 0))[number % 2])
    refit(database)
    assert not standing(database, other).placing
    assert not standing(database, same[-1]).placing
