"""Leagues: who passes a boss, who stays, who falls back."""

from __future__ import annotations

from random import Random

import pytest
from sqlalchemy import func, select, text

from hexarena.backend.ladder import boards, fitting, refits, rules, scheduling
from hexarena.backend.ladder.rules import LEAST_BOSS_GAMES, LEAST_GAMES
from hexarena.backend.matches import life as matches
from hexarena.backend.models import (
    Bot,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Source,
    Standing,
    Submission,
    TrialState,
    User,
)
from hexarena.backend.runtime.db import Database
from hexarena.games.catalogue import find_game
from tests.backend import scheduled
from tests.backend.ladder.ladders import (
    GAME,
    boss_of,
    climb,
    code_of,
    enter,
    finish,
    in_league_2,
    newcomers,
    play,
    refit,
    standing,
    user,
)


@pytest.mark.long
def test_a_bot_that_surely_beats_the_boss_moves_up_and_its_trial_begins_anew(database: Database) -> None:
    (bot,) = newcomers(database, 1)
    assert standing(database, bot).league == 1
    climb(database, bot, boss_of(database, 1), LEAST_GAMES - 1)
    assert standing(database, bot).league == 1, "however sure, not before so many games"
    climb(database, bot, boss_of(database, 1), 1)
    moved = standing(database, bot)
    assert (moved.league, moved.trial, moved.games - moved.league_from) == (2, TrialState.OPEN, 0)
    with database.transaction() as session:
        lines = boards.leaderboard(session, GAME.id, limit=10)
    assert {one.submission.id: one.league for one in lines}[bot] == "Bronze"
    top = len(GAME.leagues)
    for position in range(2, top):
        climb(database, bot, boss_of(database, position), LEAST_GAMES)
        assert standing(database, bot).league == position + 1
    with database.transaction() as session:
        assert boards.leaderboard(session, GAME.id, limit=1)[0].submission.id == bot
    climb(database, bot, boss_of(database, top - 1), 1)
    assert standing(database, bot).league == top, "there is nothing above the top"


@pytest.mark.long
def test_a_bot_that_surely_beats_a_higher_boss_need_not_pass_the_lower_one_first(database: Database) -> None:
    (bot,) = newcomers(database, 1)
    low, high = boss_of(database, 1), boss_of(database, 2)
    for number in range(LEAST_BOSS_GAMES - 1):
        play(database, (bot, low), (0, 1) if number % 2 else (1, 0))
    climb(database, bot, high, LEAST_GAMES + 1 - LEAST_BOSS_GAMES)
    assert standing(database, bot).league == 3


@pytest.mark.parametrize("least", [LEAST_BOSS_GAMES, 0])
def test_a_bot_meets_the_highest_boss_that_it_likely_beats_until_it_can_pass_him(
    database: Database, monkeypatch: pytest.MonkeyPatch, least: int
) -> None:
    """Not the one above, however open that is: it would never have played enough to move up at all."""
    monkeypatch.setattr(scheduling, "LEAST_BOSS_GAMES", least)
    (bot,) = newcomers(database, 1)
    low, high = boss_of(database, 1), boss_of(database, 2)
    with database.transaction() as session:
        for one, rating in ((bot, 1500.0), (high, 1500.0), (low, 1200.0)):
            row = session.get_one(Standing, one)
            row.rating, row.deviation = rating, 50.0
        session.flush()
        scheduled.schedule_needed(session, GAME, Random(1), house=False)
        with_bot = select(MatchSeat.match_id).where(MatchSeat.submission_id == bot)
        seats = select(MatchSeat.submission_id).where(MatchSeat.match_id.in_(with_bot))
        met = set(session.scalars(seats)) & {low, high}
    assert (high in met) is (least == 0)


def test_results_by_simpler_rules_stay_in_the_history_and_rate_nobody(database: Database) -> None:
    ants = find_game("ants")
    with database.transaction() as session:
        bots = [enter(session, user(session), f"schemer {number}", game="ants") for number in range(2)]
    for league in (1, ants.top_level):
        with database.transaction() as session:
            match_id = matches.schedule(
                session, game="ants", kind=MatchKind.LADDER, submission_ids=bots, seed=1, league=league, priority=0
            ).id
        finish(database, match_id, (0, 1))
        with database.transaction() as session:
            assert refits.refit(session, ants)
        played = standing(database, bots[0]).games
        assert played == (0 if league < ants.top_level else 1)
        with database.transaction() as session:
            refits.recompute(session, ants)
            assert session.get_one(Match, match_id).state == MatchState.DONE
        assert standing(database, bots[0]).games == played


@pytest.mark.long
def test_a_bot_that_surely_loses_to_all_bosses_stays(database: Database) -> None:
    (bot,) = newcomers(database, 1)
    boss = boss_of(database, 1)
    for _ in range(LEAST_GAMES):
        play(database, (boss, bot))
    refit(database)
    assert standing(database, bot).trial == TrialState.OPEN, "nothing is known of the boss above yet"
    for _ in range(LEAST_GAMES):
        for league in range(1, len(GAME.leagues) - 1):
            play(database, (boss_of(database, league + 1), boss_of(database, league)))
    refit(database)
    after = standing(database, bot)
    assert (after.league, after.trial) == (1, TrialState.STAYS)
    assert standing(database, boss).league == 1, "bosses stay where they are"


@pytest.mark.long
def test_a_new_version_begins_with_its_parents_rating_and_league(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        first = enter(session, owner, "climber")
    climb(database, first, boss_of(database, 1), LEAST_GAMES)
    before = standing(database, first)
    assert before.league == 2
    with database.transaction() as session:
        second = enter(session, session.get_one(User, owner.id), "climber")
    after = standing(database, second)
    assert (after.league, after.rating, after.parent_id, after.placing) == (2, before.rating, first, True)
    refit(database)
    later = standing(database, second)
    assert later.rating == pytest.approx(before.rating, abs=40)
    more = later.deviation**2 - standing(database, first).deviation ** 2
    assert more > 100**2, "a new version is less sure than its parent"
    with database.transaction() as session:
        live = [row.submission.id for row in boards.leaderboard(session, GAME.id, limit=100)]
    assert second in live
    assert first not in live


@pytest.mark.long
def test_a_placed_version_that_is_much_worse_falls_back(database: Database) -> None:
    bot, other, *others = newcomers(database, 6)
    in_league_2(database, bot, other, *others)
    boss = boss_of(database, 1)
    for _ in range(LEAST_GAMES - LEAST_BOSS_GAMES):
        play(database, (others[0], bot))
        play(database, (others[1], other))
        play(database, (bot, others[2]), (1, 0))
        play(database, (others[3], boss), (1, 0))
    refit(database)
    assert standing(database, bot).league == 2, "it has not met the boss"
    for _ in range(LEAST_BOSS_GAMES):
        play(database, (boss, bot))
    refit(database)
    after = standing(database, bot)
    assert (after.league, after.trial, after.league_from) == (1, TrialState.OPEN, after.games)
    assert standing(database, other).league == 2, "about it nothing is sure"


@pytest.mark.long
def test_a_bot_that_only_loses_falls_back_though_little_is_known_of_how_far_it_is(database: Database) -> None:
    """On a small ladder its rating is pulled to everybody's mean, and its deviation grows with each loss."""
    bot, *others = newcomers(database, 3)
    in_league_2(database, bot, *others)
    boss = boss_of(database, 1)
    for turn in range(LEAST_GAMES):
        play(database, (boss if turn % 2 else others[0], bot))
    refit(database)
    with database.transaction() as session:
        rated = fitting.rate(session, GAME)
        assert rated.stronger(bot, boss) > 1 - rules.SURE_TO_FALL, "the fit alone is not sure"
    assert standing(database, bot).league == 1


@pytest.mark.long
def test_whoever_uploads_again_and_again_falls_back_all_the_same(database: Database) -> None:
    bot, *others = newcomers(database, 5)
    in_league_2(database, bot, *others)
    boss = boss_of(database, 1)
    with database.transaction() as session:
        before = session.get_one(Submission, bot)
        owner, name = before.user_id, session.get_one(Bot, before.bot_id).name
    games = 0
    while standing(database, bot).league == 2:
        with database.transaction() as session:
            bot = enter(session, session.get_one(User, owner), name)
        for turn in range(6):
            play(database, (others[turn % 4], bot) if turn % 2 else (boss, bot))
            play(database, (others[turn % 4], boss), (0, 1) if turn % 3 else (1, 0))
        games += 6
        refit(database)
        assert games <= 60
    assert games >= LEAST_GAMES


@pytest.mark.parametrize(
    ("games", "points", "lost"), [(1_023, 400, True), (1_100, 549.5, False), (100_000, 49_400, True)]
)
def test_so_many_games_against_a_boss_are_no_obstacle(games: int, points: float, lost: bool) -> None:
    assert rules.surely_lost(games, points) is lost


def test_old_code_that_is_uploaded_again_goes_on_with_its_games_in_the_league(database: Database) -> None:
    (weak,) = newcomers(database, 1)
    with database.transaction() as session:
        before = session.get_one(Submission, weak)
        code, owner, name = code_of(session, weak), before.user_id, session.get_one(Bot, before.bot_id).name
        strong = enter(session, session.get_one(User, owner), name)
    in_league_2(database, strong)
    with database.transaction() as session:
        again = enter(session, session.get_one(User, owner), name, code)
    assert (standing(database, again).league, standing(database, again).league_from) == (2, 0)
    boss = boss_of(database, 1)
    for _ in range(7):
        play(database, (boss, again))
    refit(database)
    with database.transaction() as session:
        once_more = enter(session, session.get_one(User, owner), name, code)
    found = standing(database, once_more)
    assert (found.league, found.league_from, found.games, found.parent_id) == (2, 0, 7, strong)
    with database.transaction() as session:
        other = enter(session, session.get_one(User, owner), name)
    assert (standing(database, other).league, standing(database, other).parent_id) == (2, once_more)
    for _ in range(14):
        play(database, (boss, other))
        refit(database)
        if standing(database, other).league == 1:
            break
    assert standing(database, other).league == 1, "the seven that its owner's version before lost count"
    assert standing(database, other).games < LEAST_GAMES


@pytest.mark.long
def test_going_back_to_old_code_and_forth_hides_no_lost_games(database: Database) -> None:
    (first,) = newcomers(database, 1)
    in_league_2(database, first)
    boss = boss_of(database, 1)
    for _ in range(7):
        play(database, (boss, first))
    refit(database)
    with database.transaction() as session:
        before = session.get_one(Submission, first)
        owner, name = before.user_id, session.get_one(Bot, before.bot_id).name
    for code in ("print('A')", "print('B')", "print('A')", "print('D')"):
        with database.transaction() as session:
            last = enter(session, session.get_one(User, owner), name, code)
    for _ in range(14):
        play(database, (boss, last))
        refit(database)
        if standing(database, last).league == 1:
            break
    assert standing(database, last).league == 1
    assert standing(database, last).games < LEAST_GAMES


@pytest.mark.long
def test_a_version_in_doubt_about_the_boss_below_meets_it_until_that_is_settled(database: Database) -> None:
    (bot,) = newcomers(database, 1)
    in_league_2(database, bot)
    boss = boss_of(database, 1)

    def against_it() -> int:
        """How many of the new matches are against the boss below."""
        with database.transaction() as session:
            session.execute(text("DELETE FROM match"))
            scheduled.schedule_needed(session, GAME, Random(1), house=False)
            seats = select(MatchSeat.match_id).where(MatchSeat.submission_id == bot)
            return session.scalars(
                select(func.count()).where(MatchSeat.match_id.in_(seats), MatchSeat.submission_id == boss)
            ).one()

    assert against_it() == 2, "every second one of four"
    for _ in range(30):
        play(database, (bot, boss))
    refit(database)
    assert against_it() == 0, "it is surely stronger"


@pytest.mark.long
def test_bosses_never_climb(database: Database) -> None:
    low, high = boss_of(database, 1), boss_of(database, 2)
    climb(database, low, high, 2 * LEAST_GAMES)
    after = standing(database, low)
    assert after.rating > standing(database, high).rating + 100
    assert (after.league, after.trial) == (1, TrialState.STAYS)


def test_whoever_copies_a_boss_does_not_take_its_place_as_the_boss(database: Database) -> None:
    boss = boss_of(database, 1)
    with database.transaction() as session:
        code = session.get_one(Submission, boss)
        body = session.get_one(Source, code.source_sha256).body.decode()
        copy = enter(session, user(session), "copycat", body)
        assert session.get_one(Standing, copy).competitor_id == boss
        everybody = scheduled.roster(session, GAME)
        guard = everybody.rungs[0].boss
        assert guard is not None
        assert everybody.entrants[guard].submission_id == boss
