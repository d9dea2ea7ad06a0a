"""Seasons of a ladder: the table that is kept, the ratings that begin from it, and that nothing else counts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from hexarena.backend.errors import Conflict, NotFound
from hexarena.backend.ladder import past, priors, refits, seasons
from hexarena.backend.ladder.boards import leaderboard
from hexarena.backend.matches import life as matches
from hexarena.backend.models import (
    AuditEntry,
    League,
    Match,
    MatchKind,
    MatchState,
    PairTally,
    Season,
    SeasonStanding,
    Standing,
    StandingHistory,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.moderation.seasons import start_season
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.runtime.db import Database
from tests.backend.ladder.ladders import (
    GAME,
    board,
    enter,
    finish,
    newcomers,
    play,
    recompute,
    refit,
    season,
    standing,
    user,
)


def begin(database: Database, name: str | None = None) -> int:
    """Ends the season. Returns the number of the new one."""
    with database.transaction() as session:
        return start_season(session, None, GAME, name).number


def table(session: Session, number: int) -> list[tuple[int, float, int]]:
    """(submission, rating, games) of a season's final table, from the top."""
    rows = seasons.final_table(session, seasons.find(session, GAME.id, number), limit=100)
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    return [(row.submission_id, row.rating, row.games) for row in rows]


def shown(session: Session) -> list[tuple[int, float, int]]:
    """The same of the board."""
    rows = leaderboard(session, GAME.id, limit=100)
    return [(row.submission.id, row.standing.rating, row.standing.games) for row in rows]


@pytest.mark.long
def test_the_board_is_kept_and_everybody_begins_again(database: Database) -> None:
    bots = newcomers(database, 5)
    season(database, bots, 60)
    with database.transaction() as session:
        session.execute(update(Standing).where(Standing.submission_id.in_(bots)).values(league=2, placing=False))
    play(database, bots[:2])  # A result that no refit has counted yet.
    assert begin(database) == 2
    with database.transaction() as session:
        kept = table(session, 1)
        assert sum(games for _, _, games in kept) == 2 * 61
        assert session.scalar(select(func.count()).select_from(PairTally)) == 0
        rows = session.scalars(select(Standing).where(Standing.submission_id.in_(bots))).all()
        assert {(row.games, row.wins, row.league, row.placing, row.trial) for row in rows} == {
            (0, 0, 1, True, TrialState.OPEN)
        }
        assert session.scalars(select(AuditEntry.action)).all() == ["start season"]
    refit(database)
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(PairTally)) == 0
        now = {one: rating for one, rating, _ in shown(session) if one in bots}
    was = {one: rating for one, rating, _ in kept if one in bots}
    order = sorted(bots, key=was.__getitem__)
    assert sorted(bots, key=now.__getitem__) == order
    # Only differences mean something: the starter's rating is 1000 in each season.
    assert now[order[-1]] - now[order[0]] == pytest.approx(was[order[-1]] - was[order[0]], abs=1e-3)


@pytest.mark.long
def test_bosses_stay_where_they_are(database: Database) -> None:
    bots = newcomers(database, 3)
    season(database, bots, 20)
    with database.transaction() as session:
        guarded = select(func.count()).where(League.game == GAME.id, League.boss_bot_id.is_not(None))
        expected = session.scalar(guarded)
        bosses = [one.submission.id for one in leaderboard(session, GAME.id, limit=100) if one.boss_of]
        before = {one: session.get_one(Standing, one).league for one in bosses}
    assert sorted(before.values()) == list(range(1, (expected or 0) + 1))
    begin(database)
    refit(database)
    assert {one: standing(database, one).league for one in before} == before


@pytest.mark.long
def test_ratings_are_less_sure_than_they_were_and_surer_than_those_of_newcomers(database: Database) -> None:
    bots = newcomers(database, 5)
    season(database, bots, 60)
    refit(database)
    before = standing(database, bots[0]).deviation
    begin(database)
    (fresh,) = newcomers(database, 1)
    refit(database)
    deviation = standing(database, bots[0]).deviation
    assert before < deviation < standing(database, fresh).deviation


@pytest.mark.long
def test_only_the_season_s_own_matches_count_in_it(database: Database) -> None:
    bots = newcomers(database, 4)
    season(database, bots, 30)
    with database.transaction() as session:
        running = matches.schedule(
            session, game=GAME.id, kind=MatchKind.LADDER, submission_ids=bots[:2], seed=1, league=GAME.top_level
        ).id
    with database.transaction() as session:
        session.execute(text("UPDATE job SET token = gen_random_uuid(), attempts = 1, lease_until = now()"))
        assert session.get_one(Match, running).state == MatchState.QUEUED
    begin(database)
    with database.transaction() as session:
        session.execute(text("UPDATE job SET token = NULL, attempts = 0, lease_until = NULL"))
    finish(database, running, (0, 1))
    play(database, bots[2:], (0, 1))
    assert refit(database).results == 1
    live = board(database)
    assert [live[one][2] for one in bots] == [0, 0, 1, 1]
    assert recompute(database).results == 1
    assert board(database) == live, "to the last bit"


@pytest.mark.long
def test_a_match_of_an_earlier_season_may_be_played_again_and_counts(database: Database) -> None:
    bots = newcomers(database, 2)
    play(database, bots, digest="same")
    play(database, bots, digest="same")
    refit(database)
    assert standing(database, bots[0]).games == 1
    begin(database)
    for _ in range(2):
        play(database, bots, digest="same")
    refit(database)
    assert standing(database, bots[0]).games == 1
    recompute(database)
    assert standing(database, bots[0]).games == 1


def test_rated_matches_that_wait_are_void(database: Database) -> None:
    bots = newcomers(database, 2)
    play(database, bots)
    with database.transaction() as session:
        waiting = matches.schedule(
            session, game=GAME.id, kind=MatchKind.LADDER, submission_ids=bots, seed=1, league=GAME.top_level
        ).id
    begin(database)
    with database.transaction() as session:
        match = session.get_one(Match, waiting)
        assert (match.state, match.void_reason) == (MatchState.VOID, "A new season of the ladder began.")


def test_results_that_keep_coming_do_not_keep_a_season_from_ending(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots, refitted = newcomers(database, 2), []
    play(database, bots)

    def busy(session: Session, *rest: Any) -> refits.Refit | None:
        assert len(refitted) < 3, "the season ends"
        refitted.append(count(session, *rest))
        play(database, bots)
        return refitted[-1]

    count = refits.refit
    monkeypatch.setattr(refits, "refit", busy)
    assert begin(database) == 2
    with database.transaction() as session:
        assert sum(games for _, _, games in table(session, 1)) == 2 * len(refitted)


def test_a_season_without_results_is_not_ended(database: Database) -> None:
    with pytest.raises(Conflict, match="rated yet"):
        begin(database)
    play(database, newcomers(database, 2))
    assert begin(database, "Spring") == 2
    with pytest.raises(Conflict, match="rated yet"):
        begin(database)
    with database.transaction() as session:
        found = seasons.seasons_of(session, GAME.id)
        assert [(one.number, one.name, one.ended_at is None) for one in found] == [
            (2, "Spring", True),
            (1, "Season 1", False),
        ]
        assert found[0].started_at == found[1].ended_at
        with pytest.raises(NotFound, match="no season 3"):
            seasons.find(session, GAME.id, 3)


@pytest.mark.long
def test_the_third_season_begins_from_the_second(database: Database) -> None:
    bots = newcomers(database, 2)
    for _ in range(4):
        play(database, bots, (0, 1))
    begin(database)
    for _ in range(12):
        play(database, bots, (1, 0))
    begin(database)
    refit(database)
    with database.transaction() as session:
        assert [one.number for one in seasons.seasons_of(session, GAME.id)] == [3, 2, 1]
        first, second, now = table(session, 1), table(session, 2), shown(session)
    places = [[one for one, _, _ in found if one in bots] for found in (first, second, now)]
    assert places == [bots, bots[::-1], bots[::-1]]
    assert {one: games for one, _, games in second if one in bots} == dict.fromkeys(bots, 12)


@pytest.mark.long
def test_who_plays_no_game_in_a_season_is_not_forgotten_but_less_sure(database: Database) -> None:
    bots = newcomers(database, 4)
    for _ in range(15):
        play(database, bots[:2], (0, 1))
    deviations = []
    for _ in range(2):
        begin(database)
        play(database, bots[2:], (0, 1))
        refit(database)
        assert standing(database, bots[0]).rating > standing(database, bots[1]).rating + 50
        deviations.append(standing(database, bots[0]).deviation)
    assert deviations[0] < deviations[1]


def test_guests_of_the_season_before_do_not_say_where_accounts_begin(database: Database) -> None:
    bots = newcomers(database, 2)
    with database.transaction() as session:
        guests = []
        for number in range(4):
            guest = User(kind=UserKind.GUEST, name=f"guest {number}")
            session.add(guest)
            session.flush()
            guests.append(enter(session, guest, f"of a guest {number}"))
    play(database, bots, (0, 1))
    for one in guests:
        for _ in range(10):
            play(database, (bots[0], one), (0, 1))
    begin(database)
    with database.transaction() as session:
        ratings = {one: rating for one, rating, _ in table(session, 1)}
        accounts = [rating for one, rating in ratings.items() if one not in guests]
        earlier = priors.of_season_before(session, GAME.id, [bots[0], guests[0]])
    assert earlier is not None
    expected = [ratings[one] - sum(accounts) / len(accounts) for one in (bots[0], guests[0])]
    assert ELO_PER_LOGIT * earlier.means == pytest.approx(expected)
    assert ratings[guests[0]] < min(accounts)


def test_a_new_version_follows_the_one_that_was_known(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        old = enter(session, owner, "climber")
        other = enter(session, user(session), "other")
    for _ in range(10):
        play(database, (old, other), (0, 1))
    begin(database)
    with database.transaction() as session:
        new = enter(session, owner, "climber")
    refit(database)
    was, now, rival = (standing(database, one) for one in (old, new, other))
    assert now.rating == pytest.approx(was.rating, abs=1e-3)
    assert now.rating > rival.rating


@pytest.mark.long
def test_marks_are_made_from_the_season_of_their_deadline(database: Database) -> None:
    bots = newcomers(database, 3)
    season(database, bots, 30)
    refit(database)
    before = board(database)
    deadline = moment(database)
    begin(database)
    for _ in range(10):
        play(database, bots[:2], (0, 1))
    refit(database)
    with database.transaction() as session:
        found = past.read(session, GAME, deadline)
    ratings, _ = found.ratings(found.fitted())
    assert found.earlier is None
    assert [ratings[found.index[one]] for one in bots] == pytest.approx([before[one][0] for one in bots], abs=1e-3)
    with database.transaction() as session:
        today = past.read(session, GAME, moment(database))
    ratings, _ = today.ratings(today.fitted())
    assert today.earlier is not None
    assert [ratings[today.index[one]] for one in bots] == pytest.approx(
        [standing(database, one).rating for one in bots], abs=1e-3
    )


def moment(database: Database) -> datetime:
    """A little later than everything by now."""
    with database.transaction() as session:
        return session.scalars(select(func.clock_timestamp())).one() + timedelta(milliseconds=1)


def test_the_history_goes_on(database: Database) -> None:
    bots = newcomers(database, 2)
    play(database, bots)
    begin(database)
    refit(database)
    with database.transaction() as session:
        last = session.scalars(
            select(StandingHistory).where(StandingHistory.submission_id == bots[0]).order_by(StandingHistory.id.desc())
        ).first()
        assert last is not None
        assert last.live


def test_nothing_is_kept_of_a_season_that_was_rolled_back(database: Database) -> None:
    bots = newcomers(database, 2)
    play(database, bots)
    refit(database)
    before = board(database)
    with Session(database.engine) as session:
        start_season(session, None, GAME)
        session.rollback()
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Season)) == 0
        assert session.scalar(select(func.count()).select_from(SeasonStanding)) == 0
        assert refits.refit(session, GAME) is not None
    assert board(database) == before
