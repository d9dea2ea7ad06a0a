"""Matches that repeat others count once, and are not asked for again."""

from __future__ import annotations

from random import Random

import pytest
from sqlalchemy import select, text, update

from hexarena.backend.ladder import explaining, matchups
from hexarena.backend.ladder.rules import LEAST_GAMES
from hexarena.backend.models import (
    Job,
    MatchSeat,
    Notice,
    NoticeKind,
    PairTally,
    Result,
    SeatResult,
    Standing,
    Submission,
    SubmissionState,
    TrialState,
)
from hexarena.backend.runtime.db import Database
from hexarena.games.referee import Fault
from tests.backend import scheduled
from tests.backend.ladder.ladders import (
    CRASH,
    GAME,
    board,
    boss_of,
    in_league_2,
    newcomers,
    play,
    recompute,
    refit,
    shown,
    standing,
)


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


@pytest.mark.long
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
def test_a_pair_whose_games_repeat_whoever_begins_is_shown_as_such(database: Database) -> None:
    one, other, third = newcomers(database, 3)
    for _ in range(3):
        play(database, (one, other), digest="a")
        play(database, (other, one), (1, 0), digest="b")
        play(database, (one, third), digest="a")
        play(database, (third, one), (1, 0))
        play(database, (other, third))
    in_league_2(database, one, other, third)  # so they are among the first ten
    refit(database)
    with database.transaction() as session:
        found = matchups.matchups(session, GAME)
        explained = explaining.explain(session, one)
    assert {(pair.submission_id, pair.opponent_id) for pair in found.pairs if pair.repeats} == {
        (one, other),
        (other, one),
    }
    assert {opponent.submission_id: opponent.repeats for opponent in explained.against} == {other: True, third: False}


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


def test_bots_of_one_owner_with_a_ladder_to_themselves_are_in_placement_and_nothing_repeats(database: Database) -> None:
    bots = newcomers(database, 3)
    with database.transaction() as session:
        others = select(Submission.id).where(Submission.game == GAME.id, Submission.id.not_in(bots))
        session.execute(
            update(Submission).where(Submission.id.in_(others)).values(state=SubmissionState.DISABLED, problem="Away.")
        )
        owner = session.get_one(Submission, bots[0]).user_id
        session.execute(update(Submission).where(Submission.id.in_(bots)).values(user_id=owner))
    recompute(database)
    for bot in bots:
        row = shown(database, bot)
        assert (row.games, row.placing, row.provisional, row.all_repeat) == (0, True, True, False)
