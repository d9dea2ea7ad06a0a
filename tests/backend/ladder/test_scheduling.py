"""What a ladder plays next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest
from sqlalchemy import case, select, text, update
from sqlalchemy.orm import Session

from hexarena.backend.ladder import pairing, roster, scheduling
from hexarena.backend.ladder.pairing import STRANGERS, STRANGERS_OF_MANY
from hexarena.backend.ladder.rules import HOUSE, LEAST_BOSS_GAMES
from hexarena.backend.ladder.scheduling import LINK_SHARE
from hexarena.backend.models import Job, Match, MatchKind, MatchSeat, Standing, Submission, SubmissionState, TrialState
from hexarena.backend.runtime.db import Database
from hexarena.games.catalogue import find_game
from tests.backend import scheduled
from tests.backend.ladder.ladders import GAME, boss_of, enter, newcomers, play, refit, user


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
def test_some_line_ups_of_more_than_two_are_of_strangers_too(database: Database) -> None:
    game = find_game("battlegrounds")
    with database.transaction() as session:
        for number in range(8):
            enter(session, user(session), f"team {number}", game=game.id)
        everybody = update(Standing).where(Standing.game == game.id)
        session.execute(everybody.values(league=case((Standing.submission_id % 2 == 0, 2), else_=1), placing=False))
        leagues = dict(session.execute(select(Standing.submission_id, Standing.league)).all())
        for seed in range(60):
            assert scheduled.schedule_ladder(session, game, Random(seed))
        line_ups = [set(line_up) for line_up in pairs_in_queue(session)]
    assert {len(line_up) for line_up in line_ups} == {game.ladder_entrants[0]}
    across = [line_up for line_up in line_ups if len({leagues[one] for one in line_up}) > 1]
    # Of eight, four drawn by lot are from both leagues but twice in 70.
    assert 60 * (STRANGERS_OF_MANY - 0.2) < len(across) < 60 * (STRANGERS_OF_MANY + 0.2)


def of_two_leagues(*, boss: int | None = None) -> roster.Roster:
    """Battlegrounds with settled bots 0 to 7 in the lower league and 8 to 15 in the upper one, but for bot 0.

    That one is in placement, and on trial if there is a boss.
    """
    entrants = [
        roster.Contender(
            submission_id=bot,
            competitor_id=bot,
            owner_id=bot,
            rating=1000.0,
            deviation=100.0,
            variance=0.3,
            games=30,
            league=1 + bot // 8,
            league_games=30,
            placing=bot == 0,
            provisional=bot == 0,
            trial=TrialState.OPEN if bot == 0 else TrialState.STAYS,
            boss=bot == boss,
        )
        for bot in range(16)
    ]
    none = np.zeros(0, np.int64)
    meetings = roster.Meetings(16, none, none, none, none > 0)
    rungs = (roster.Rung(1, boss), roster.Rung(2, None))
    return roster.Roster(find_game("battlegrounds"), tuple(entrants), rungs, meetings)


@pytest.mark.parametrize("boss", [None, 7])
def test_whom_a_bot_on_trial_meets_beside_its_boss_is_drawn_by_lot_in_a_share_of_line_ups(boss: int | None) -> None:
    line_ups = []
    for seed in range(200):
        # Boss 7 guards the lower league, and its bot has to meet nobody itself.
        (planned,) = scheduling.plan_needed(of_two_leagues(boss=boss), Random(seed), most=1)
        line_ups.append(set(planned.submission_ids))
    assert all(0 in line_up and len(line_up) == 4 for line_up in line_ups)
    assert all(boss is None or boss in line_up for line_up in line_ups)
    across = [line_up for line_up in line_ups if max(line_up) >= 8]
    # Three by lot of 15 are all of the own league in one case of 13; two of 14 in one of 6.
    assert 0.35 < len(across) / 200 / STRANGERS_OF_MANY * (1.08 if boss is None else 1.2) / 2 < 0.65
    assert set.union(*across) == set(range(16)), "of any leagues"


def test_without_strangers_a_bot_in_placement_plays_in_its_league_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pairing, "STRANGERS_OF_MANY", 0.0)
    for seed in range(20):
        (planned,) = scheduling.plan_needed(of_two_leagues(), Random(seed), most=1)
        assert set(planned.submission_ids) <= set(range(8))


@pytest.mark.parametrize("needed", [True, False], ids=["placement", "ladder"])
def test_line_ups_whose_bots_have_met_often_give_way_to_strangers(
    monkeypatch: pytest.MonkeyPatch, needed: bool
) -> None:
    monkeypatch.setattr(pairing, "STRANGERS_OF_MANY", 0.0)
    first, second = (np.array(one) for one in zip(*combinations(range(8), 2), strict=True))
    known = np.zeros(len(first), np.bool_)
    for met, across in ((pairing.FAMILIAR - 1, False), (pairing.FAMILIAR, True)):
        line_ups: list[set[int]] = []
        for seed in range(30):
            everybody, random = of_two_leagues(), Random(seed)
            everybody = replace(everybody, meetings=roster.Meetings(16, first, second, np.full(28, met), known))
            needs = scheduling.plan_needed(everybody, random, most=1) if needed else []
            planned = needs[0] if needs else scheduling.plan_ladder(everybody, random)
            assert planned is not None
            line_ups.append(set(planned.submission_ids))
        assert any(min(line_up) < 8 <= max(line_up) for line_up in line_ups) == across, f"met {met} times"


def test_to_a_new_bot_those_who_know_each_other_are_no_old_company(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "STRANGERS_OF_MANY", 0.0)
    first, second = (np.array(one) for one in zip(*combinations(range(1, 8), 2), strict=True))
    meetings = roster.Meetings(16, first, second, np.full(21, 1000), np.zeros(21, np.bool_))
    for seed in range(20):
        (planned,) = scheduling.plan_needed(replace(of_two_leagues(), meetings=meetings), Random(seed), most=1)
        assert set(planned.submission_ids) <= set(range(8))


def test_bots_that_a_match_must_have_do_not_make_it_familiar() -> None:
    """However often a bot on trial has met the boss, near bots may be with them."""
    first, second = np.array([0]), np.array([7])
    meetings = roster.Meetings(16, first, second, np.array([1000]), np.array([False]))
    line_ups = []
    for seed in range(40):
        everybody = replace(of_two_leagues(boss=7), meetings=meetings)
        line_ups += [set(one.submission_ids) for one in scheduling.plan_needed(everybody, Random(seed), most=1)]
    near = [line_up for line_up in line_ups if max(line_up) < 8]
    assert len(near) > 40 * (1 - STRANGERS_OF_MANY) / 2


def of_two(leagues: Sequence[Sequence[tuple[int, float]]]) -> roster.Roster:
    """Yavalath with settled bots: (owner, rating) of each, league by league. The first of each league guards it, but
    the last league.
    """
    listed = [(league, owner, rating) for league, bots in enumerate(leagues, 1) for owner, rating in bots]
    firsts = [sum(map(len, leagues[:league])) for league in range(len(leagues))]
    entrants = [
        roster.Contender(
            submission_id=bot,
            competitor_id=bot,
            owner_id=owner,
            rating=rating,
            deviation=50.0,
            variance=0.1,
            games=100,
            league=league,
            league_games=100,
            placing=False,
            provisional=False,
            trial=TrialState.STAYS,
            boss=bot in firsts[:-1],
        )
        for bot, (league, owner, rating) in enumerate(listed)
    ]
    rungs = [roster.Rung(league, boss) for league, boss in enumerate([*firsts[:-1], None], 1)]
    none = np.zeros(0, np.int64)
    meetings = roster.Meetings(len(entrants), none, none, none, none > 0)
    return roster.Roster(GAME, tuple(entrants), tuple(rungs), meetings)


def test_a_few_ladder_matches_are_with_the_boss_of_the_league_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "STRANGERS", 0.0)
    everybody, random = of_two([[(bot, 1000.0) for bot in range(league, league + 6)] for league in (1, 7)]), Random(1)
    planned = [scheduling.plan_ladder(everybody, random) for _ in range(1200)]
    upper = [one.submission_ids for one in planned if one is not None and max(one.submission_ids) >= 6]
    links = [pair for pair in upper if min(pair) < 6]
    assert {min(pair) for pair in links} == {0}, "the boss"
    assert {max(pair) for pair in links} == set(range(6, 12)), "meets anybody there"
    assert LINK_SHARE / 2 < len(links) / len(upper) < LINK_SHARE * 2


def test_the_boss_below_that_plays_in_a_small_league_anyhow_is_no_link_to_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pairing, "STRANGERS", 0.0)
    monkeypatch.setattr(scheduling, "LINK_SHARE", 1.0)
    everybody, random = of_two([[(HOUSE, 1000.0), (1, 1000.0)], [(2, 1000.0)]]), Random(1)
    for _ in range(100):
        planned = scheduling.plan_ladder(everybody, random)
        assert planned is not None
        assert len(set(planned.submission_ids)) == 2


def on_trial(rating: float) -> roster.Roster:
    """Three leagues with bosses of 1000, 1050 and 1500 Elo, and in the lowest one bot 1 on trial, which is to meet
    bosses for long.
    """
    everybody = of_two([[(HOUSE, 1000.0), (1, rating)], [(HOUSE, 1050.0)], [(HOUSE, 1500.0)], [(2, 1800.0)]])
    entrants = list(everybody.entrants)
    entrants[1] = replace(entrants[1], trial=TrialState.OPEN, league_games=1000)
    return replace(everybody, entrants=tuple(entrants))


def bosses_met(everybody: roster.Roster, games: int, seed: int = 1) -> list[int]:
    """Whom bot 1 meets in its next matches, each of which is over before the next."""
    met, random = [], Random(seed)
    for _ in range(games):
        (planned,) = scheduling.plan_needed(everybody, random, most=1, house=False)
        met.append(sum(planned.submission_ids) - 1)
        everybody.busy[1] = 0
    return met


def test_on_trial_a_bot_first_meets_the_highest_boss_that_it_probably_beats_as_often_as_passing_requires() -> None:
    runs = [bosses_met(on_trial(rating=1160.0), LEAST_BOSS_GAMES + 1, seed) for seed in range(60)]
    assert {boss for met in runs for boss in met[:-1]} == {2}
    then = [met[-1] for met in runs]
    assert 0 < then.count(0) < then.count(2), "most likely the one that it is least sure to beat"


def test_on_trial_a_bot_that_probably_beats_no_boss_meets_those_of_about_its_strength() -> None:
    met = bosses_met(on_trial(rating=1040.0), 60)
    assert set(met) == {0, 2}
    assert min(met.count(0), met.count(2)) > 15


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
