"""The ladder on a real PostgreSQL: results count once, ratings follow from them alone, leagues and versions."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from hexarena.backend.api.schemas import LeaderboardRow
from hexarena.backend.api.views import standing_view
from hexarena.backend.errors import Conflict, Forbidden, NotFound, TooMany
from hexarena.backend.ladder import explaining, fits, fitting, pending, refits, roster, scheduling, standings, tallies
from hexarena.backend.ladder.pairing import STRANGERS
from hexarena.backend.ladder.rules import CRASHES_TO_DISABLE, HOUSE, LEAST_BOSS_GAMES, LEAST_GAMES, LEAST_SINCE
from hexarena.backend.matches import life as matches, queue
from hexarena.backend.matches.quotas import Quotas
from hexarena.backend.models import (
    Bot,
    Job,
    Ladder,
    League,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Notice,
    NoticeKind,
    PairTally,
    PendingResult,
    Result,
    SeatResult,
    Source,
    Standing,
    StandingHistory,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import deletion, life as submissions
from hexarena.games.catalogue import find_game
from hexarena.games.referee import Fault
from tests.backend import scheduled

GAME = find_game("yavalath")
CRASH = "It ended in the middle of the match."
numbers = count(1)


def user(session: Session) -> User:
    somebody = User(kind=UserKind.ACCOUNT, name=f"user {next(numbers)}")
    session.add(somebody)
    session.flush()
    return somebody


def enter(session: Session, owner: User, name: str, body: str = "", game: str = GAME.id) -> int:
    """A version of the owner's bot that is live: a submission's id."""
    source = (body or f"print({next(numbers)})").encode()
    submission = submissions.submit(session, owner, game=find_game(game), name=name, language="python", source=source)
    session.execute(text("DELETE FROM match"))
    submissions.go_live(session, submission.id)
    return submission.id


def now(session: Session) -> datetime:
    return session.scalars(select(func.clock_timestamp())).one()


def newcomers(database: Database, how_many: int) -> list[int]:
    with database.transaction() as session:
        return [enter(session, user(session), f"bot {next(numbers)}") for _ in range(how_many)]


def play(
    database: Database,
    pair: Sequence[int],
    ranks: Sequence[int] = (0, 1),
    *,
    faults: Sequence[Fault] = (),
    kind: MatchKind = MatchKind.LADDER,
    digest: str = "",
) -> int:
    """A finished match: its id."""
    with database.transaction() as session:
        match_id = matches.schedule(
            session, game=GAME.id, kind=kind, submission_ids=pair, seed=next(numbers), league=1, priority=0
        ).id
    finish(database, match_id, ranks, faults, digest)
    return match_id


def finish(
    database: Database, match_id: int, ranks: Sequence[int], faults: Sequence[Fault] = (), digest: str = ""
) -> None:
    """`digest`: of the record; one that no other match has where it is left out."""
    with database.transaction() as session:
        (lease,) = (
            one for one in queue.lease(session, limit=1000, seconds=60, max_attempts=3) if one.match_id == match_id
        )
        order = queue.claim(session, match_id, lease.token, seconds=60)
        assert order is not None
        report = matches.Report(
            tuple(ranks), tuple(1.0 - rank for rank in ranks), "because", 9, tuple(faults), 1.0, "test", "x", "1",
            digest or str(next(numbers)),
        )  # fmt: skip
        assert matches.finish(session, order, report)


def refit(database: Database) -> refits.Refit:
    with database.transaction() as session:
        done = refits.refit(session, GAME)
    assert done is not None
    return done


def recompute(database: Database) -> refits.Refit:
    with database.transaction() as session:
        return refits.recompute(session, GAME)


def board(database: Database) -> dict[int, tuple[float, float, int, int, int, int]]:
    """Submission -> everything that follows from the results."""
    with database.transaction() as session:
        rows = session.scalars(select(Standing).where(Standing.game == GAME.id).order_by(Standing.submission_id))
        return {
            row.submission_id: (row.rating, row.deviation, row.games, row.wins, row.draws, row.losses) for row in rows
        }


def standing(database: Database, submission_id: int) -> Standing:
    with database.transaction() as session:
        return session.get_one(Standing, submission_id)


def season(database: Database, bots: Sequence[int], games: int, seed: int = 1) -> None:
    """Matches in which bots further on in the list are better, with refits in between."""
    random = Random(seed)
    for number in range(games):
        one, other = random.sample(range(len(bots)), 2)
        won = random.random() < 0.5 + 0.4 * (one - other) / len(bots)
        ranks = (0, 0) if random.random() < 0.1 else (0, 1) if won else (1, 0)
        play(database, (bots[one], bots[other]), ranks)
        if number % 7 == 6:
            refit(database)


def test_a_result_waits_until_a_refit_counts_it_and_then_counts_once(database: Database) -> None:
    one, other = newcomers(database, 2)
    play(database, (one, other))
    assert standing(database, one).games == 0
    assert refit(database).counted == 1
    assert refit(database).counted == 0
    first, second = standing(database, one), standing(database, other)
    assert (first.games, first.wins, second.losses) == (1, 1, 1)
    assert first.rating > second.rating
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(PendingResult)) == 0
        assert session.scalars(select(PairTally.half_points)).all() == [2]


def test_what_is_not_rated_is_not_counted(database: Database) -> None:
    pair = newcomers(database, 2)
    before = board(database)
    for kind in (MatchKind.PRACTICE, MatchKind.CHECK):
        play(database, pair, kind=kind)
    assert refit(database).counted == 0
    assert [one[2] for one in board(database).values()] == [one[2] for one in before.values()]


def test_recomputing_gives_the_same_ratings_to_the_last_bit(database: Database) -> None:
    bots = newcomers(database, 5)
    season(database, bots, 40)
    refit(database)
    live = board(database)
    done = recompute(database)
    assert (done.counted, done.results) == (40, 40)
    assert board(database) == live
    with database.transaction() as session:
        session.execute(
            text("UPDATE standing SET rating = 1, deviation = 2, games = 0, wins = 0, draws = 0, losses = 0")
        )
        session.execute(text("DELETE FROM pair_tally"))
    recompute(database)
    assert board(database) == live


def test_ratings_do_not_depend_on_when_refits_happen(database: Database) -> None:
    bots = newcomers(database, 4)
    season(database, bots, 20, seed=3)
    refit(database)
    often = board(database)
    with database.transaction() as session:
        for table in ("pair_tally", "pending_result", "standing_history"):
            session.execute(text(f"DELETE FROM {table}"))  # noqa: S608 - names of our own
        for match_id in session.scalars(select(Match.id).where(Match.state == MatchState.DONE)):
            session.add(PendingResult(match_id=match_id, game=GAME.id))
        session.execute(text("UPDATE standing SET games = 0, wins = 0, draws = 0, losses = 0, rating = 0"))
    refit(database)
    assert board(database) == often


def test_the_same_result_delivered_twice_counts_once(database: Database) -> None:
    one, other = newcomers(database, 2)
    match_id = play(database, (one, other))
    refit(database)
    before = board(database)
    with database.transaction() as session:
        session.execute(update(Ladder).values(refitted_at=None))
        lease = queue.lease(session, limit=10, seconds=60, max_attempts=3)
        assert lease == [], "a finished match has no job"
    refit(database)
    assert board(database) == before
    with database.transaction() as session:
        # A message that comes again: the row says that the match is over.
        assert session.get(Job, match_id) is None


def test_many_refits_at_once_count_each_result_once(database: Database) -> None:
    bots = newcomers(database, 3)
    for number in range(12):
        play(database, (bots[number % 3], bots[(number + 1) % 3]))
    counted: list[int] = []
    barrier = threading.Barrier(4)

    def one_of_many() -> None:
        barrier.wait()
        for _ in range(4):
            with database.transaction() as session:
                done = refits.refit(session, GAME)
            counted.append(0 if done is None else done.counted)

    threads = [threading.Thread(target=one_of_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counted) == 12
    assert sum(one[2] for one in board(database).values()) == 24


@pytest.mark.long
def test_processes_that_remember_and_take_turns_give_what_a_recount_gives(database: Database) -> None:
    bots, memories = newcomers(database, 4), [refits.Memory(), refits.Memory()]
    random = Random(5)
    for number in range(24):
        one, other = random.sample(bots, 2)
        play(database, (one, other), (0, 1) if bots.index(one) > bots.index(other) else (1, 0))
        if number % 3 == 2:
            with database.transaction() as session:
                done = refits.refit(session, GAME, memories[random.randrange(2)])
            assert done is not None
            assert done.counted == 3
    live = board(database)
    recompute(database)
    assert board(database) == live


def test_a_refit_that_dies_counts_nothing(database: Database) -> None:
    pair = newcomers(database, 2)
    play(database, pair)
    before = board(database)

    def refit_and_die() -> None:
        with database.transaction() as session:
            assert refits.refit(session, GAME) is not None
            raise RuntimeError

    with pytest.raises(RuntimeError):
        refit_and_die()
    assert board(database) == before
    assert refit(database).counted == 1


def test_what_ends_during_a_recount_is_not_counted_by_it_and_again_by_the_next(database: Database) -> None:
    """It waits as pending, whenever its row came to be."""
    one, other = newcomers(database, 2)
    play(database, (one, other))
    refit(database)
    later = play(database, (other, one))
    with database.transaction() as session:
        found = tallies.results(session, GAME).match_id.tolist()
    assert later not in found
    assert len(found) == 1
    with database.transaction() as session:
        assert refits.recompute(session, GAME).results == 2
    assert [standing(database, bot).games for bot in (one, other)] == [2, 2]


def test_the_starter_is_the_zero_of_the_scale(database: Database) -> None:
    bots = newcomers(database, 3)
    with database.transaction() as session:
        starter = session.scalars(
            select(Submission.id)
            .join(Bot, Bot.id == Submission.bot_id)
            .where(Bot.name == "starter", Bot.game == GAME.id)
        ).one()
    for bot in bots:
        play(database, (bot, starter))
        play(database, (starter, bot), (1, 0))
    refit(database)
    assert standing(database, starter).rating == 1000.0
    assert all(standing(database, bot).rating > 1000.0 for bot in bots)


def test_a_match_that_is_annulled_after_a_refit_is_taken_out_again(database: Database) -> None:
    one, other = newcomers(database, 2)
    play(database, (one, other))
    refit(database)
    before = board(database)
    wrong = play(database, (other, one))
    refit(database)
    assert board(database) != before
    with database.transaction() as session:
        matches.annul(session, wrong, "The referee was wrong.")
    assert refit(database).results == 1
    assert board(database) == before
    with database.transaction() as session:
        assert session.get_one(Match, wrong).void_reason == "The referee was wrong."
        with pytest.raises(Conflict, match="is void"):
            matches.annul(session, wrong, "again")
        with pytest.raises(NotFound):
            matches.annul(session, 10**12, "never was")


def test_a_match_annulled_before_it_was_counted_never_counts(database: Database) -> None:
    pair = newcomers(database, 2)
    before = board(database)
    wrong = play(database, pair)
    with database.transaction() as session:
        matches.annul(session, wrong, "The referee was wrong.")
    assert refit(database).counted == 0
    assert [one[2:] for one in board(database).values()] == [one[2:] for one in before.values()]


def test_a_clock_that_went_backwards_does_not_stop_refits(database: Database) -> None:
    pair = newcomers(database, 2)
    play(database, pair)
    with database.transaction() as session:
        session.execute(update(Ladder).values(refitted_at=func.now() + timedelta(days=3), stale=False))
        assert pending.due(session) == [GAME.id]
        session.execute(update(Ladder).values(refitted_at=func.clock_timestamp()))
        assert pending.due(session) == []


def test_a_refit_that_was_held_up_does_not_make_the_ladder_rest_longer(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine may be suspended in the middle of a refit, and 20 times an hour is a day without ratings."""
    held_up_s = 1.5
    store = fits.store

    def slowly(*given: Any) -> None:
        time.sleep(held_up_s)
        store(*given)

    monkeypatch.setattr(fits, "store", slowly)
    play(database, newcomers(database, 2))
    assert refit(database).seconds >= held_up_s
    with database.transaction() as session:
        assert session.get_one(Ladder, GAME.id).refit_s < held_up_s


def test_each_match_says_what_it_did_to_the_ratings(database: Database) -> None:
    one, other = newcomers(database, 2)
    match_id = play(database, (one, other))
    before = {key: value[0] for key, value in board(database).items()}
    refit(database)
    with database.transaction() as session:
        rows = session.scalars(
            select(SeatResult).where(SeatResult.match_id == match_id).order_by(SeatResult.seat)
        ).all()
    assert [row.rating for row in rows] == [before[one], before[other]]
    assert rows[0].rating_change is not None
    assert rows[1].rating_change is not None
    assert rows[0].rating_change > 0 > rows[1].rating_change


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


def climb(database: Database, bot: int, boss: int, games: int) -> None:
    for number in range(games):
        pair, ranks = ((bot, boss), (0, 1)) if number % 2 else ((boss, bot), (1, 0))
        play(database, pair, ranks)
    refit(database)


def boss_of(database: Database, position: int) -> int:
    with database.transaction() as session:
        return session.scalars(
            select(Submission.id)
            .join(League, League.boss_bot_id == Submission.bot_id)
            .where(League.game == GAME.id, League.position == position, Submission.state == SubmissionState.LIVE)
        ).one()


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
        lines = standings.leaderboard(session, GAME.id, limit=10)
    assert {one.submission.id: one.league for one in lines}[bot] == "Bronze"
    top = len(GAME.leagues)
    for position in range(2, top):
        climb(database, bot, boss_of(database, position), LEAST_GAMES)
        assert standing(database, bot).league == position + 1
    with database.transaction() as session:
        assert standings.leaderboard(session, GAME.id, limit=1)[0].submission.id == bot
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
        live = [row.submission.id for row in standings.leaderboard(session, GAME.id, limit=100)]
    assert second in live
    assert first not in live


def in_league_2(database: Database, *bots: int) -> None:
    """Placed there, their trials over."""
    with database.transaction() as session:
        rows = update(Standing).where(Standing.submission_id.in_(bots))
        session.execute(rows.values(league=2, placing=False, trial=TrialState.STAYS))


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
    assert not after.placing or after.games < 200, "placed or not"
    assert standing(database, other).league == 2, "about it nothing is sure"


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


def test_a_match_that_repeats_another_counts_for_nothing(database: Database) -> None:
    one, other, third = newcomers(database, 3)
    play(database, (one, other), digest="a")
    refit(database)
    once = board(database)
    again = [play(database, (one, other), digest="a", faults=[Fault(1, 1, "crash", CRASH)]) for _ in range(2)]
    swapped = play(database, (other, one), (1, 0), digest="a")
    elsewhere = play(database, (one, third), digest="a")
    refit(database)
    after = board(database)
    assert standing(database, one).games == 3, "the first one, the one with seats swapped, and the one with the third"
    assert standing(database, other).consecutive_faults == 2 - 2, "the swapped one came after them, without a fault"
    with database.transaction() as session:
        found = session.execute(select(Result.match_id, Result.repeat).order_by(Result.match_id)).all()
        assert [match_id for match_id, repeat in found if repeat] == again
        assert {swapped, elsewhere} < {match_id for match_id, repeat in found if not repeat}
        tally = session.get_one(PairTally, (one, other))
        assert (tally.games, tally.repeats) == (1, 2)
        moved = select(SeatResult.rating_change).where(SeatResult.match_id.in_(again))
        assert set(session.scalars(moved)) == {None}
    recompute(database)
    assert board(database) == after != once


def test_repeats_that_come_together_count_once(database: Database) -> None:
    one, other = newcomers(database, 2)
    for _ in range(3):
        play(database, (one, other), digest="a")
    refit(database)
    assert standing(database, one).games == 1


def test_two_bots_that_only_repeat_themselves_are_not_asked_again(database: Database) -> None:
    one, other = newcomers(database, 2)
    with database.transaction() as session:
        session.execute(update(Standing).values(placing=False, trial=TrialState.STAYS))
        session.execute(update(Submission).where(Submission.id.not_in([one, other])).values(state="superseded"))

    random = Random(1)

    def first_seats() -> list[int]:
        with database.transaction() as session:
            session.execute(text("DELETE FROM match WHERE state = 'queued'"))
            for _ in range(4):
                scheduled.schedule_ladder(session, GAME, random)
            seats = select(MatchSeat.submission_id).join(Job, Job.match_id == MatchSeat.match_id)
            return list(session.scalars(seats.where(MatchSeat.seat == 0)))

    assert set(first_seats()) == {one, other}
    for _ in range(3):
        play(database, (one, other), digest="a")
    refit(database)
    assert set(first_seats()) == {other}, "only the other way round is there something to learn"
    for _ in range(3):
        play(database, (other, one), digest="b")
    refit(database)
    assert first_seats() == []


@pytest.mark.long
def test_a_boss_that_always_plays_the_same_can_be_passed_by_few_games(database: Database) -> None:
    bot, other = newcomers(database, 2)
    boss = boss_of(database, 1)
    for _ in range(LEAST_GAMES):
        play(database, (bot, other))
        play(database, (boss, other), (1, 0))
    for pair, ranks, digest in (((bot, boss), (0, 1), "a"), ((boss, bot), (1, 0), "b")):
        play(database, pair, ranks, digest=digest)
        refit(database)
        assert standing(database, bot).league == 1
        for _ in range(2):
            play(database, pair, ranks, digest=digest)
    refit(database)
    assert standing(database, bot).games == LEAST_GAMES + 2
    assert standing(database, bot).league == 2


@pytest.mark.long
def test_results_of_guests_move_nobody_but_guests(database: Database) -> None:
    one, other, guest, friend = newcomers(database, 4)
    with database.transaction() as session:
        owners = select(Submission.user_id).where(Submission.id.in_([guest, friend]))
        session.execute(update(User).where(User.id.in_(owners)).values(kind=UserKind.GUEST))
    season(database, [one, other], 10)
    recompute(database)
    before = board(database)
    for _ in range(20):
        play(database, (one, guest))
        play(database, (guest, friend))
    refit(database)
    after = board(database)
    for bot in (one, other):
        assert after[bot][:2] == before[bot][:2], "rating and deviation"
    assert after[one][2] == before[one][2] + 20, "they are shown"
    assert after[one][0] > after[guest][0] > after[friend][0], "guests are rated by all their games"
    with database.transaction() as session:
        moved = select(SeatResult.rating_change).join(MatchSeat, (MatchSeat.match_id == SeatResult.match_id)
            & (MatchSeat.seat == SeatResult.seat)).where(MatchSeat.submission_id == one)  # fmt: skip
        assert session.scalars(moved.order_by(SeatResult.match_id.desc())).first() == 0
        session.execute(update(User).values(kind=UserKind.ACCOUNT).where(User.kind == UserKind.GUEST))
    recompute(database)
    assert board(database)[one][0] != before[one][0], "with an account their results count"


def test_a_ladder_of_nothing_but_guests_has_an_order(database: Database) -> None:
    bots = newcomers(database, 3)
    with database.transaction() as session:
        session.execute(update(User).values(kind=UserKind.GUEST))
    for _ in range(5):
        for worse, better in pairwise(bots):
            play(database, (better, worse))
    recompute(database)
    ratings = [board(database)[bot][0] for bot in bots]
    assert ratings == sorted(ratings)


@pytest.mark.long
def test_all_bots_of_an_owner_weigh_as_much_as_one(database: Database) -> None:
    """Two throw their games, to the same bot."""
    target, other, *throwers = newcomers(database, 6)
    season(database, [target, other], 6)
    for thrower in throwers:
        for _ in range(3):
            play(database, (target, thrower))
            play(database, (other, thrower), (1, 0))
    recompute(database)
    by_many = board(database)
    with database.transaction() as session:
        one = session.scalars(select(Submission.user_id).where(Submission.id == throwers[0])).one()
        mine = update(Submission).where(Submission.id.in_(throwers))
        session.execute(mine.values(user_id=one).execution_options(synchronize_session=False))
    recompute(database)
    by_one = board(database)
    assert by_one[target][0] - by_one[other][0] < by_many[target][0] - by_many[other][0] - 30
    assert by_one[target][2] == by_many[target][2], "all games are shown"


def test_bosses_never_climb(database: Database) -> None:
    low, high = boss_of(database, 1), boss_of(database, 2)
    climb(database, low, high, 2 * LEAST_GAMES)
    after = standing(database, low)
    assert after.rating > standing(database, high).rating + 100
    assert (after.league, after.trial) == (1, TrialState.STAYS)


def test_the_same_code_again_is_no_new_roll_of_the_dice(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        first = enter(session, owner, "twice", "print('same')")
    (other,) = newcomers(database, 1)
    for _ in range(3):
        play(database, (other, first))
    refit(database)
    with database.transaction() as session:
        again = enter(session, session.get_one(User, owner.id), "twice", "print('same')")
    assert standing(database, again).competitor_id == first
    assert standing(database, again).rating == standing(database, first).rating
    play(database, (again, other))
    refit(database)
    assert standing(database, again).games == standing(database, first).games == 4
    with database.transaction() as session:
        stranger = enter(session, user(session), "copy", "print('same')")
    assert standing(database, stranger).competitor_id == first, "somebody else's copy is no new roll either"
    assert standing(database, stranger).games == 4


def test_a_fixed_version_inherits_from_the_newest_disabled_one(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        for rating in (1100.0, 1300.0):
            broken = enter(session, owner, "often mended")
            session.get_one(Standing, broken).rating = rating
            session.flush()
            standings.disable(session, broken, "It crashes.")
        mended = session.get_one(Standing, enter(session, owner, "often mended"))
        assert (mended.parent_id, mended.rating) == (broken, 1300.0)


def test_the_check_match_plays_the_full_game(database: Database) -> None:
    ants = find_game("ants")
    assert ants.levels[0] < ants.top_level
    with database.transaction() as session:
        new = submissions.submit(
            session, user(session), game=ants, name="beginner", language="python", source=b"print(1)"
        )
        check = select(Match.league).join(MatchSeat, MatchSeat.match_id == Match.id)
        assert session.scalars(check.where(MatchSeat.submission_id == new.id)).one() == ants.top_level


def test_going_back_to_an_earlier_version(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        first = enter(session, owner, "rolled")
    (other,) = newcomers(database, 1)
    play(database, (first, other))
    refit(database)
    with database.transaction() as session:
        second = enter(session, session.get_one(User, owner.id), "rolled")
    with database.transaction() as session:
        mine = session.get_one(User, owner.id)
        with pytest.raises(Forbidden):
            submissions.restore(session, user(session), first)
        with pytest.raises(NotFound):
            submissions.restore(session, mine, 10**12)
        submissions.restore(session, mine, first)
        submissions.restore(session, mine, first)
    with database.transaction() as session:
        assert session.get_one(Submission, first).state == SubmissionState.LIVE
        assert session.get_one(Submission, second).state == SubmissionState.SUPERSEDED
        live = [row.submission.id for row in standings.leaderboard(session, GAME.id, limit=100)]
    assert first in live
    assert second not in live
    assert standing(database, first).games == 1


@pytest.mark.long
def test_a_version_disqualified_in_ten_consecutive_matches_is_disabled_and_can_come_back(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        bad = enter(session, owner, "crasher")
    (other,) = newcomers(database, 1)
    for number in range(CRASHES_TO_DISABLE + 3):
        fine, last = number == 2, number == CRASHES_TO_DISABLE + 2
        fault = Fault(0, 3, "crash", CRASH) if last else Fault(0, 3, "timeout", "slow")
        play(database, (bad, other), (1, 0), faults=[] if fine else [fault])
        refit(database)
        with database.transaction() as session:
            state = session.get_one(Submission, bad).state
        assert state == (SubmissionState.DISABLED if number == CRASHES_TO_DISABLE + 2 else SubmissionState.LIVE)
    with database.transaction() as session:
        reported = session.scalars(select(Notice).where(Notice.user_id == owner.id, Notice.kind == NoticeKind.DISABLED))
        assert [one.submission_id for one in reported] == [bad]
        problem = session.get_one(Submission, bad).problem or ""
        assert f"in {CRASHES_TO_DISABLE} consecutive matches" in problem
        assert "most recently: crash" in problem
        assert bad not in [row.submission.id for row in standings.leaderboard(session, GAME.id, limit=100)]
        assert bad not in [one.submission_id for one in scheduled.roster(session, GAME).entrants]
        history = session.scalars(
            select(StandingHistory.live).where(StandingHistory.submission_id == bad).order_by(StandingHistory.id.desc())
        ).first()
        assert history is False
        submissions.restore(session, session.get_one(User, owner.id), bad)
    refit(database)
    with database.transaction() as session:
        refits.recompute(session, GAME)
    with database.transaction() as session:
        assert session.get_one(Submission, bad).state == SubmissionState.LIVE, "a recount knows that it came back"


@pytest.mark.long
def test_the_same_code_again_after_it_was_disabled_has_another_ten_matches(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        bad = enter(session, owner, "crasher", "print('again')")
    (other,) = newcomers(database, 1)
    for _ in range(CRASHES_TO_DISABLE):
        play(database, (bad, other), (1, 0), faults=[Fault(0, 3, "crash", CRASH)])
    refit(database)
    with database.transaction() as session:
        assert session.get_one(Submission, bad).state == SubmissionState.DISABLED
        again = enter(session, session.get_one(User, owner.id), "crasher", "print('again')")
        assert session.get_one(Standing, again).competitor_id == bad
    refit(database)
    for version, others in ((again, None), (bad, again)):
        with database.transaction() as session:
            if others is not None:
                submissions.restore(session, session.get_one(User, owner.id), version)
        play(database, (version, other), (1, 0), faults=[Fault(0, 3, "crash", CRASH)])
        refit(database)
        with database.transaction() as session:
            assert session.get_one(Submission, version).state == SubmissionState.LIVE


def test_going_back_into_a_higher_league_begins_a_trial_there(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        first = enter(session, owner, "climber")
        row = session.get_one(Standing, first)
        row.games = row.wins = 200
        row.trial = TrialState.STAYS
        session.flush()
        second = enter(session, owner, "climber")
        session.get_one(Standing, second).league = 2
        session.flush()
        submissions.restore(session, owner, first)
        assert (row.league, row.league_from, row.trial) == (2, 200, TrialState.OPEN)


def test_a_live_version_that_builds_no_more_is_disabled(database: Database) -> None:
    """Its matches would be void, and scheduled again, for ever."""
    one, other = newcomers(database, 2)
    for build_log, state in ((None, SubmissionState.LIVE), ("error: gone", SubmissionState.DISABLED)):
        with database.transaction() as session:
            match_id = matches.schedule(
                session, game=GAME.id, kind=MatchKind.LADDER, submission_ids=(one, other), seed=1, league=1
            ).id
            (lease,) = (
                lease
                for lease in queue.lease(session, limit=1000, seconds=60, max_attempts=3)
                if lease.match_id == match_id
            )
            order = queue.claim(session, match_id, lease.token, seconds=60)
            assert order is not None
            assert submissions.record_failed_build(session, order, one, problem="Build failed.", build_log=build_log)
        with database.transaction() as session:
            assert session.get_one(Submission, one).state == state
    with database.transaction() as session:
        assert one not in [row.submission_id for row in standings.board_of(session, GAME.id, now(session), limit=99)]


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


def test_newcomers_have_matches_in_the_queue_and_half_of_them_are_against_bosses(database: Database) -> None:
    bots = newcomers(database, 2)
    bosses = {boss_of(database, 1), boss_of(database, 2)}
    with database.transaction() as session:
        scheduled.schedule_needed(session, GAME, Random(1), house=False)
        field = scheduled.roster(session, GAME)
        busy = {one.submission_id: busy for one, busy in zip(field.entrants, field.busy, strict=True)}
        assert all(busy[bot] >= roster.AT_ONCE for bot in bots)
        assert scheduled.schedule_needed(session, GAME, Random(2), house=False) == 0, "no more at once"
        for bot in bots:
            pairs = [
                {seat.submission_id for seat in match.seats}
                for match in session.scalars(select(Match).options(*_with_seats()))
                if bot in {seat.submission_id for seat in match.seats}
            ]
            assert sum(bool(bosses & pair) for pair in pairs) * 2 >= len(pairs) - 1
        kinds = set(session.scalars(select(Match.kind)))
        assert kinds == {MatchKind.PLACEMENT}


def _with_seats() -> tuple[object, ...]:
    from sqlalchemy.orm import selectinload

    return (selectinload(Match.seats),)


@pytest.mark.long
def test_nobody_plays_himself_or_his_other_bot(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        mine = {enter(session, owner, "first one"), enter(session, owner, "second one")}
    with database.transaction() as session:
        scheduled.schedule_needed(session, GAME, Random(1))
        for _ in range(40):
            assert scheduled.schedule_ladder(session, GAME, Random(2))
        for match in session.scalars(select(Match).options(*_with_seats())):
            players = [seat.submission_id for seat in match.seats]
            assert len(set(players)) == 2
            assert set(players) != mine


def only(database: Database, pair: Sequence[int]) -> None:
    """Leaves these two alone on the ladder."""
    with database.transaction() as session:
        others = update(Submission).where(Submission.game == GAME.id, Submission.id.not_in(pair))
        session.execute(others.values(state=SubmissionState.SUPERSEDED))


def pairs_in_queue(session: Session) -> list[tuple[int, ...]]:
    """The submissions of each match that waits, by seat, oldest match first."""
    waiting = select(Match).join(Job, Job.match_id == Match.id).options(*_with_seats()).order_by(Match.id)
    return [tuple(seat.submission_id for seat in sorted(one.seats, key=_seat)) for one in session.scalars(waiting)]


def _seat(one: MatchSeat) -> int:
    return one.seat


def test_an_owners_later_bots_follow_his_first_one() -> None:
    parents = np.array([-1, -1, 0, -1, -1, 4, -1])
    owners = np.array([7, HOUSE, 7, 7, 8, 8, HOUSE])
    assert fitting.with_siblings(parents, owners).tolist() == [-1, -1, 0, 0, -1, 4, -1]


@pytest.mark.long
def test_some_ladder_matches_are_between_strangers_of_any_leagues(database: Database) -> None:
    newcomers(database, 8)
    with database.transaction() as session:
        session.execute(text("UPDATE standing SET league = 3 WHERE submission_id % 2 = 0"))
        leagues = dict(session.execute(select(Standing.submission_id, Standing.league)).all())
        for seed in range(120):
            assert scheduled.schedule_ladder(session, GAME, Random(seed))
        across = [pair for pair in pairs_in_queue(session) if len({leagues[one] for one in pair}) > 1]
    # Links to the boss of the league below are another 4 %.
    assert 120 * STRANGERS / 4 < len(across) < 120 * (STRANGERS + 0.15)


@pytest.mark.long
def test_whoever_began_less_often_against_the_other_begins(database: Database) -> None:
    one, other = newcomers(database, 2)
    only(database, (one, other))
    with database.transaction() as session:
        for seed in range(20):
            assert scheduled.schedule_ladder(session, GAME, Random(seed))
        assert set(pairs_in_queue(session)) == {(one, other), (other, one)}, "as often as the other: by chance"
        session.execute(text("DELETE FROM match"))
    play(database, (one, other))
    refit(database)
    with database.transaction() as session:
        for seed in range(21):
            assert scheduled.schedule_ladder(session, GAME, Random(seed))
        began = [pair[0] for pair in pairs_in_queue(session)]
        assert began[0] == other
        leads = [began[: number + 1].count(other) - began[: number + 1].count(one) for number in range(len(began))]
        assert set(leads[::2]) == {1}, "whenever the other has caught up, it is by chance who is ahead next"


def test_matches_that_are_queued_together_take_turns_at_beginning(database: Database) -> None:
    one, other = newcomers(database, 2)
    only(database, (one, other))
    for seed in range(5):
        with database.transaction() as session:
            assert scheduled.schedule_needed(session, GAME, Random(seed)) == roster.AT_ONCE
            began = [pair[0] for pair in pairs_in_queue(session)]
            session.execute(text("DELETE FROM match"))
        assert began.count(one) == began.count(other) == roster.AT_ONCE // 2


def test_house_bots_play_a_few_matches_at_once_and_others_until_they_are_placed(database: Database) -> None:
    (bot,) = newcomers(database, 1)
    with database.transaction() as session:
        field = scheduled.roster(session, GAME)
        index = {one.submission_id: place for place, one in enumerate(field.entrants)}
    boss, mine = index[boss_of(database, 1)], index[bot]

    def wants_more(one: int, busy: int) -> bool:
        field.busy[one] = busy
        return field.wants_more(one)

    few, many = roster.FIRST_MATCHES, roster.AT_ONCE
    assert (wants_more(boss, few - 1), wants_more(boss, few)) == (True, False)
    assert (wants_more(mine, many - 1), wants_more(mine, many)) == (True, False)
    assert field.on_trial(mine)
    assert not field.on_trial(boss)


def test_a_ladder_with_one_bot_or_none_plays_nothing(database: Database) -> None:
    with database.transaction() as session:
        alone = enter(session, user(session), "alone")
        everybody = update(Submission).where(Submission.game == GAME.id)
        session.execute(everybody.where(Submission.id != alone).values(state=SubmissionState.SUPERSEDED))
        assert not scheduled.schedule_ladder(session, GAME, Random(1))
        assert scheduled.schedule_needed(session, GAME, Random(1)) == 0
    refit(database)
    with database.transaction() as session:
        session.execute(update(Submission).values(state=SubmissionState.SUPERSEDED))
        assert not scheduled.schedule_ladder(session, GAME, Random(1))
        assert scheduled.schedule_needed(session, GAME, Random(1)) == 0
    refit(database)


@pytest.mark.long
def test_ten_thousand_results_at_once(database: Database) -> None:
    bots = newcomers(database, 6)
    random = Random(5)
    with database.transaction() as session:
        rows = [(*random.sample(bots, 2), random.random() < 0.6) for _ in range(10_000)]
        session.execute(
            text(
                "WITH made AS (INSERT INTO match (game, kind, state, seed, league, started_at, finished_at)"
                " SELECT :game, 'ladder', 'done', number, 1, now(), now() FROM generate_series(1, :many) AS number"
                " RETURNING id) SELECT count(*) FROM made"
            ),
            {"game": GAME.id, "many": len(rows)},
        )
        ids = list(session.scalars(select(Match.id).order_by(Match.id)))
        seats = [
            {
                "match": match_id,
                "seat": seat,
                "submission": pair[seat],
                "rank": int(pair[2] == bool(seat)),
                "game": GAME.id,
            }
            for match_id, pair in zip(ids, rows, strict=True)
            for seat in (0, 1)
        ]
        session.execute(
            text(
                "INSERT INTO match_seat (match_id, seat, submission_id, game)"
                " VALUES (:match, :seat, :submission, :game)"
            ),
            seats,
        )
        session.execute(
            text(
                "INSERT INTO result"
                " (match_id, reason, turns, faults, attempt, worker, cpu_ms, replay_key, rules_version)"
                " SELECT id, 'because', 1, '[]', 1, 'test', 1, 'x', '1' FROM match"
            )
        )
        session.execute(
            text("INSERT INTO seat_result (match_id, seat, rank, score) VALUES (:match, :seat, :rank, 0)"), seats
        )
        session.execute(text("INSERT INTO pending_result (match_id, game) SELECT id, game FROM match"))
    assert refit(database).counted == 10_000
    live = board(database)
    assert sum(one[2] for one in live.values()) == 20_000
    recompute(database)
    assert board(database) == live


def test_everybody_draws_always(database: Database) -> None:
    bots = newcomers(database, 3)
    for number in range(9):
        play(database, (bots[number % 3], bots[(number + 1) % 3]), (0, 0))
    refit(database)
    ratings = [standing(database, bot).rating for bot in bots]
    assert max(ratings) - min(ratings) < 30
    assert all(standing(database, bot).draws == 6 for bot in bots)


def test_sources_are_kept_once(database: Database) -> None:
    with database.transaction() as session:
        enter(session, user(session), "one", "print('kept')")
        enter(session, user(session), "two", "print('kept')")
        assert session.scalar(select(func.count()).where(Source.body == b"print('kept')")) == 1


@pytest.mark.long
def test_teams_of_battlegrounds_are_rated_together(database: Database) -> None:
    game = find_game("battlegrounds")
    with database.transaction() as session:
        bots = [enter(session, user(session), f"bot {next(numbers)}", game=game.id) for _ in range(4)]
    random = Random(3)
    for number in range(12):
        with database.transaction() as session:
            seats = game.side_by_side(bots) if number % 2 else game.seated(random.sample(bots, 4), number)
            match_id = matches.schedule(
                session, game=game.id, kind=MatchKind.LADDER, submission_ids=seats, seed=number, league=1, priority=0
            ).id
        strength = [
            sum(bots.index(one) for seat, one in enumerate(seats) if game.team(seat) == team) for team in range(4)
        ]
        places = [sorted(strength, reverse=True).index(one) for one in strength]
        finish(database, match_id, [places[game.team(seat)] for seat in range(len(seats))])
    with database.transaction() as session:
        done = refits.refit(session, game)
        assert done is not None
        assert (done.counted, done.results) == (12, 12)
        rated = [session.get_one(Standing, bot) for bot in bots]
        assert [one.games for one in rated] == [12] * 4
        assert rated[-1].rating > rated[0].rating
        before = {one.submission_id: (one.rating, one.deviation, one.games) for one in rated}
        refits.recompute(session, game)
        assert {one.submission_id: (one.rating, one.deviation, one.games) for one in rated} == before
        assert explaining.explain(session, bots[0]).against == ()
        assert scheduled.schedule_needed(session, game, Random(1)) > 0
        assert scheduled.schedule_ladder(session, game, Random(1))


# --- How many bots and versions ---------------------------------------------------------------------------------------


def submit_with(session: Session, owner: User, name: str, quotas: Quotas) -> Submission:
    session.execute(text("DELETE FROM match"))
    body = f"print({next(numbers)})".encode()
    return submissions.submit(session, owner, game=GAME, name=name, language="python", source=body, quotas=quotas)


def test_an_owner_has_so_many_bots_in_a_game(database: Database) -> None:
    quotas = Quotas(bots_each=2)
    with database.transaction() as session:
        owner = user(session)
        for name in ("first", "second"):
            submissions.go_live(session, submit_with(session, owner, name, quotas).id)
    with pytest.raises(Conflict) as refused, database.transaction() as session:
        submit_with(session, session.get_one(User, owner.id), "third", quotas)
    assert (refused.value.expected, refused.value.got) == ("at most 2 bots of yours on this ladder", "3")
    with database.transaction() as session:
        mine = session.get_one(User, owner.id)
        assert submit_with(session, mine, "second", quotas).version == 2, "a new version of one of them"
        assert not session.scalars(select(Bot).where(Bot.name == "third")).all()
        assert submit_with(session, user(session), "third", quotas), "somebody else has his own"


def test_so_many_versions_enter_a_ladder_in_a_day(database: Database) -> None:
    quotas = Quotas(versions_a_day=2)
    with database.transaction() as session:
        owner = user(session)
        failed = submit_with(session, owner, "eager", quotas)
        submissions.fail(session, failed.id, "It crashed in the check match.")
        for _ in range(2):
            submissions.go_live(session, submit_with(session, owner, "eager", quotas).id)
    with pytest.raises(TooMany) as refused, database.transaction() as session:
        submit_with(session, session.get_one(User, owner.id), "eager", quotas)
    assert refused.value.expected == "at most 2 versions in 24 hours"
    assert 23 * 3600 < (refused.value.retry_s or 0) <= 24 * 3600
    with database.transaction() as session:
        earlier = update(Submission).where(Submission.user_id == owner.id)
        session.execute(earlier.values(created_at=func.now() - timedelta(hours=24)))
    with database.transaction() as session:
        assert submit_with(session, session.get_one(User, owner.id), "eager", quotas)


# --- Shown, not hidden ------------------------------------------------------------------------------------------------


def shown(database: Database, submission_id: int) -> LeaderboardRow:
    with database.transaction() as session:
        (row,) = standings.leaderboard(session, GAME.id, limit=1, only=[submission_id])
        return standing_view(row, frozenset())


@pytest.mark.long
def test_an_earlier_version_that_comes_back_is_provisional_for_twenty_games(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        lucky = enter(session, owner, "lucky")
    (other,) = newcomers(database, 1)
    for _ in range(LEAST_SINCE):
        play(database, (lucky, other))
    refit(database)
    with database.transaction() as session:
        session.get_one(Standing, lucky).placing = False
    assert not shown(database, lucky).provisional
    with database.transaction() as session:
        enter(session, session.get_one(User, owner.id), "lucky")
        submissions.restore(session, session.get_one(User, owner.id), lucky)
    assert shown(database, lucky).provisional
    for _ in range(LEAST_SINCE - 1):
        play(database, (lucky, other))
    refit(database)
    assert shown(database, lucky).provisional
    with database.transaction() as session:
        everybody = scheduled.roster(session, GAME)
        index = next(place for place, one in enumerate(everybody.entrants) if one.submission_id == lucky)
        assert everybody.wants_more(index), "so it gets these games"
    play(database, (lucky, other))
    refit(database)
    assert not shown(database, lucky).provisional


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


@pytest.mark.long
def test_a_bot_whose_games_all_repeat_is_placed_and_promoted_by_those_that_there_are(database: Database) -> None:
    """As in a class of deterministic bots of a board game."""
    (bot,) = newcomers(database, 1)
    with database.transaction() as session:
        others = [one.submission_id for one in scheduled.roster(session, GAME).entrants if one.submission_id != bot]
    boss = boss_of(database, 1)
    for other in (one for one in others if one != boss):
        for _ in range(3):
            play(database, (boss, other), (1, 0))
    for number, other in enumerate(others):
        for pair, ranks in (((bot, other), (0, 1)), ((other, bot), (1, 0))):
            for _ in range(3):
                play(database, pair, ranks, digest=f"{number} {pair[0] == bot}")
        refit(database)
        last = other == others[-1]
        after = standing(database, bot)
        assert after.spent is last
    assert not after.placing
    assert after.games == 2 * len(others) < LEAST_GAMES
    assert after.league > 1
    with database.transaction() as session:
        reported = session.scalars(
            select(Notice).where(Notice.submission_id == bot, Notice.kind == NoticeKind.PROMOTED)
        )
        assert [one.league for one in reported][-1] == GAME.leagues[after.league - 1].name
    row = shown(database, bot)
    assert (row.provisional, row.all_repeat) == (False, True)
    (newcomer,) = newcomers(database, 1)
    refit(database)
    assert not standing(database, bot).spent, "there is somebody to meet"
    assert newcomer


@pytest.mark.long
def test_a_guest_who_is_gone_still_rates_nobody(database: Database) -> None:
    one, other, guest = newcomers(database, 3)
    with database.transaction() as session:
        owner = select(Submission.user_id).where(Submission.id == guest).scalar_subquery()
        session.execute(update(User).where(User.id == owner).values(kind=UserKind.GUEST))
    season(database, [one, other], 10)
    for _ in range(10):
        play(database, (one, guest))
    recompute(database)
    before = board(database)[one][0]
    with database.transaction() as session:
        gone = session.scalars(select(User).join(Submission).where(Submission.id == guest)).one()
        deletion.delete_account(session, gone)
        assert gone.kind == UserKind.DELETED
    recompute(database)
    assert board(database)[one][0] == before
