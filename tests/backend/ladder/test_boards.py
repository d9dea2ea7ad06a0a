"""What a ladder shows: its board today and on any day, and why a rating is what it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from sqlalchemy import func, update

from hexarena.backend.errors import NotFound
from hexarena.backend.ladder import explaining, fitting, standings
from hexarena.backend.models import Standing, Submission, User, UserKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import life as submissions
from tests.backend import scheduled
from tests.backend.ladder.ladders import GAME, enter, newcomers, now, play, refit, season, shown, standing, user


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
        past = standings.board_of(session, GAME.id, then, limit=100)
        now = standings.board_of(session, GAME.id, datetime.now(UTC), limit=100)
        assert standings.board_of(session, GAME.id, then - timedelta(days=1), limit=100) == []
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
        shown = standings.leaderboard(session, GAME.id, limit=100)
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
        shown = [row.submission.id for row in standings.leaderboard(session, GAME.id, limit=100)]
        assert one not in shown
        assert other in shown
        assert one in [row.submission_id for row in standings.board_of(session, GAME.id, now(session), limit=99)]
    rating = standing(database, one).rating
    refit(database)
    assert standing(database, one).rating == rating
    with database.transaction() as session:
        assert one not in [row.submission_id for row in standings.board_of(session, GAME.id, now(session), limit=99)]
        submissions.restore(session, session.get_one(User, session.get_one(Submission, one).user_id), one)
    refit(database)
    with database.transaction() as session:
        assert one in [row.submission_id for row in standings.board_of(session, GAME.id, now(session), limit=99)]


@pytest.mark.long
def test_an_explanation_adds_up(database: Database) -> None:
    bots = newcomers(database, 4)
    season(database, bots, 30)
    refit(database)
    with database.transaction() as session:
        shown = standings.leaderboard(session, GAME.id, limit=100)
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
        alone = enter(session, user(session), "alone")
    assert [shown(database, bot).shared_with for bot in (one, two, three, alone)] == [2, 2, 2, 0]
    assert [shown(database, bot).guest for bot in (one, two, three, alone)] == [False, True, True, False]
    with database.transaction() as session:
        competitors = [one.submission_id for one in scheduled.roster(session, GAME).entrants]
    assert len({one, two, three} & set(competitors)) == 1, "they play one set of games"
