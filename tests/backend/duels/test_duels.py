"""Duels on a real PostgreSQL: the verdict follows from the results alone, whoever comes first and whatever fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any, TypeVar

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.duels import life as duels
from hexarena.backend.duels.fixtures import Fixture, draw, in_whole_trials, seating
from hexarena.backend.errors import Conflict, Forbidden, Invalid, NotFound, TooMany, Unavailable
from hexarena.backend.ladder import refits, roster
from hexarena.backend.matches import broker, life as matches, live, queue
from hexarena.backend.matches.shares import Budgets, share_of
from hexarena.backend.matches.workers import Load, record_heartbeat
from hexarena.backend.models import (
    Bot,
    ChangeRow,
    Duel,
    DuelState,
    Job,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    PendingResult,
    Submission,
    SubmissionState,
    Usage,
    User,
    UserKind,
)
from hexarena.backend.moderation import reruns
from hexarena.backend.rating.sprt import LEAST_GAMES, MOST_GAMES, QUESTIONS, no_trials, verdict, with_trial
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game
from hexarena.worker.dispatcher import Dispatcher
from tests.backend import scheduled

YAVALATH = find_game("yavalath")
WON = [1.0] * MOST_GAMES
LEVEL = [1.0, 0.0] * MOST_GAMES
numbers = count(1)
T = TypeVar("T")


def user(session: Session) -> User:
    somebody = User(kind=UserKind.ACCOUNT, name=f"user {next(numbers)}")
    session.add(somebody)
    session.flush()
    return somebody


def house_pair(session: Session, game: str = YAVALATH.id) -> tuple[int, int]:
    live = select(Submission.id).where(Submission.game == game, Submission.state == SubmissionState.LIVE)
    one, other = session.scalars(live.order_by(Submission.id).limit(2))
    return one, other


def enter(session: Session, owner: User, name: str) -> int:
    """A version of the owner's bot that is live: a submission's id."""
    source = f"print({next(numbers)})".encode()
    submission = submissions.submit(session, owner, game=YAVALATH, name=name, language="python", source=source)
    session.execute(delete(Match).where(Match.kind == MatchKind.CHECK))
    submissions.go_live(session, submission.id)
    return submission.id


def begin(database: Database, *, game: str = YAVALATH.id, **changes: Any) -> int:
    """A duel between two house bots: its id."""
    with database.transaction() as session:
        one, other = house_pair(session, game)
        usual = {
            "candidate_id": one,
            "baseline_id": other,
            "preset": "quick",
            "games": MOST_GAMES,
            "league": 1,
            "seed": 7,
        }
        asked = {**usual, **changes}
        owner = session.get(User, asked.pop("owner_id", 0)) or user(session)
        return duels.start(session, owner, game=find_game(game), **asked).id


def advance_all(database: Database, slots: int = 1) -> int:
    with database.transaction() as session:
        return duels.advance_all(session, slots)


def duel(database: Database, duel_id: int) -> Duel:
    with database.transaction() as session:
        return session.get_one(Duel, duel_id)


def claim_all(database: Database) -> list[matches.ClaimedMatch]:
    """All matches that wait, on their workers."""
    with database.transaction() as session:
        orders = [
            queue.claim(session, lease.match_id, lease.token, seconds=60)
            for lease in queue.lease(session, limit=1000, seconds=60, max_attempts=9)
        ]
    return [order for order in orders if order is not None]


def game_of(database: Database, order: matches.ClaimedMatch) -> int:
    with database.transaction() as session:
        return session.scalars(select(Match.duel_game).where(Match.id == order.match_id)).one() or 0


def finish(database: Database, order: matches.ClaimedMatch, points: float, digest: str | None = None) -> bool:
    """`points`: of the duel's first version. `digest`: what happened in it; None: what happened in no other one."""
    with database.transaction() as session:
        candidate_id = session.scalars(select(Duel.candidate_id).join(Match).where(Match.id == order.match_id)).one()
        ranks = [round(1 - points if seat.submission_id == candidate_id else points) for seat in order.seats]
        ranks = [0] * len(ranks) if points == 0.5 else ranks
        report = matches.Report(
            tuple(ranks), (0.0,) * len(ranks), "because", 9, (), 1.0, "test", "x", "1", digest or f"{order.match_id}"
        )
        return matches.finish(session, order, report)


def play(
    database: Database,
    points: Sequence[float],
    *,
    slots: int = 1,
    random: Random | None = None,
    digests: Sequence[str] | None = None,
) -> None:
    """Plays until nothing is left to play; results by the number of the match. `random`: they come in any order."""
    running: list[matches.ClaimedMatch] = []
    while True:
        advance_all(database, slots)
        running += claim_all(database)
        if not running:
            return
        for _ in range(len(running) if random is None else random.randint(1, len(running))):
            order = running.pop(0 if random is None else random.randrange(len(running)))
            number = game_of(database, order)
            assert finish(database, order, points[number], None if digests is None else digests[number])


def decided(points: Sequence[float], games_of_trial: int, most: int = MOST_GAMES) -> tuple[str, list[int], int]:
    """(verdict, counts, games) of a duel whose matches are played one by one."""
    counts = no_trials(games_of_trial == 2)
    for games in range(games_of_trial, most + 1, games_of_trial):
        counts = with_trial(counts, points[games - games_of_trial : games])
        if verdict(counts, QUESTIONS["quick"]) != "open":
            break
    return verdict(counts, QUESTIONS["quick"]), list(counts), games


def reached(database: Database, duel_id: int) -> tuple[str | None, list[int], int]:
    found = duel(database, duel_id)
    return found.verdict, found.counts, found.games


def states(database: Database, duel_id: int) -> list[MatchState]:
    """By the number of the match, and in the order of attempts."""
    with database.transaction() as session:
        of_duel = select(Match.state).where(Match.duel_id == duel_id).order_by(Match.duel_game, Match.id)
        return list(session.scalars(of_duel))


def _at_once(call: Callable[[], T], times: int) -> list[T]:
    barrier = threading.Barrier(times)

    def together() -> T:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(times) as pool:
        return [one.result() for one in [pool.submit(together) for _ in range(times)]]


# --- The verdict -----------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(("game", "games_of_trial"), [("yavalath", 2), ("ants", 1)])
def test_the_verdict_does_not_depend_on_who_finishes_first(database: Database, game: str, games_of_trial: int) -> None:
    random = Random(3)
    points = [random.choices((1.0, 0.5, 0.0), (8, 1, 2))[0] for _ in range(MOST_GAMES)]
    expected = decided(points, games_of_trial)
    assert expected[0] == "stronger"
    for slots, order in ((1, None), (2, Random(1)), (7, Random(2))):
        duel_id = begin(database, game=game)
        play(database, points, slots=slots, random=order)
        assert reached(database, duel_id) == expected
        with database.transaction() as session:
            assert session.scalar(select(func.count()).select_from(Job)) == 0


def test_its_matches_follow_from_its_seed_with_the_seats_swapped_in_pairs(database: Database) -> None:
    duel_id = begin(database, games=6)
    play(database, LEVEL)
    with database.transaction() as session:
        candidate_id = session.get_one(Duel, duel_id).candidate_id
        played = session.execute(
            select(Match.seed, MatchSeat.submission_id == candidate_id)
            .join(MatchSeat, (MatchSeat.match_id == Match.id) & (MatchSeat.seat == 0))
            .where(Match.duel_id == duel_id)
            .order_by(Match.duel_game)
        ).all()
    planned = [(one.seed, not one.swapped) for one in draw(seed=7, paired=True, games=6)]
    assert [tuple(row) for row in played] == planned
    assert len({seed for seed, _ in planned}) == 3


def test_at_battlegrounds_each_version_fills_a_team(database: Database) -> None:
    duel_id = begin(database, game="battlegrounds", games=2)
    advance_all(database)
    first, second = claim_all(database)
    team = find_game("battlegrounds").team_seats
    with database.transaction() as session:
        found = session.get_one(Duel, duel_id)
        sides = [[found.candidate_id] * team, [found.baseline_id] * team]
    seats = [[seat.submission_id for seat in order.seats] for order in (first, second)]
    assert sorted(seats) == sorted([sides[0] + sides[1], sides[1] + sides[0]])
    for order in (first, second):
        assert finish(database, order, 1.0)
    advance_all(database)
    assert reached(database, duel_id) == ("open", [0, 0, 0, 0, 1], 2)


@pytest.mark.long
def test_a_cap_that_is_reached_leaves_it_open(database: Database) -> None:
    duel_id = begin(database, games=LEAST_GAMES + 1)
    play(database, LEVEL)
    assert reached(database, duel_id) == ("open", [0, 0, 9, 0, 0], LEAST_GAMES + 2)
    found = duel(database, duel_id)
    assert (found.state, found.wins, found.draws, found.losses) == (DuelState.DONE, 9, 0, 9)
    with database.transaction() as session:
        (reported,) = notices.newest(session, found.requested_by_id)
        assert reported.duel_id == duel_id
    assert len(states(database, duel_id)) == in_whole_trials(LEAST_GAMES + 1, paired=True)


@pytest.mark.long
def test_what_comes_after_the_verdict_is_called_off_or_not_counted(database: Database) -> None:
    duel_id = begin(database)
    advance_all(database, slots=30)
    orders = claim_all(database)
    assert len(orders) == 60
    last = decided(WON, 2)[2]
    unfinished = orders[last : last + 3]
    for order in orders[:last]:
        assert finish(database, order, 1.0)
    with database.transaction() as session:
        for order in orders[last + 3 :]:
            queue.hand_back(session, order, "too busy", max_attempts=9)
    advance_all(database, slots=30)
    assert reached(database, duel_id) == decided(WON, 2)
    assert states(database, duel_id)[last:] == [MatchState.RUNNING] * 3 + [MatchState.VOID] * (60 - last - 3)
    for order in unfinished:
        assert finish(database, order, 0.0), "whoever plays it may write it down"
    assert advance_all(database, slots=30) == 0
    assert reached(database, duel_id) == decided(WON, 2)


def test_a_result_that_is_delivered_twice_counts_once(database: Database) -> None:
    duel_id = begin(database)
    advance_all(database)
    for order in claim_all(database):
        assert finish(database, order, 1.0)
        assert not finish(database, order, 0.0)
    for _ in range(3):
        advance_all(database)
    assert reached(database, duel_id) == (None, [0, 0, 0, 0, 2], 4)


@pytest.mark.long
def test_bots_that_only_repeat_themselves_end_it(database: Database) -> None:
    """One wins in the first seat, the other one too: sixteen matches of two kinds say no more than two."""
    duel_id = begin(database)
    play(database, LEVEL, digests=["first wins", "second wins"] * (MOST_GAMES // 2))
    found = duel(database, duel_id)
    assert (found.state, found.verdict, found.games) == (DuelState.DONE, "open", LEAST_GAMES)
    assert found.repeats
    varied = begin(database, games=LEAST_GAMES + 8)
    play(database, LEVEL, digests=["first wins", "second wins"] * 7 + ["another", "one"] * 5)
    assert reached(database, varied) == ("open", [0, 0, 12, 0, 0], LEAST_GAMES + 8)
    assert not duel(database, varied).repeats


# --- What goes wrong -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_void_match_is_played_again_with_the_same_number_and_seed(database: Database) -> None:
    duel_id = begin(database)
    advance_all(database)
    orders = claim_all(database)
    with database.transaction() as session:
        assert matches.void(session, orders[1], "Our fault.")
    for order in (orders[0], *orders[2:]):
        assert finish(database, order, 1.0)
    advance_all(database)
    assert reached(database, duel_id)[2] == 0, "the first trial is not whole"
    with database.transaction() as session:
        again = session.execute(
            select(Match.seed, Match.state).where(Match.duel_id == duel_id, Match.duel_game == 1).order_by(Match.id)
        ).all()
    assert [row.state for row in again] == [MatchState.VOID, MatchState.QUEUED]
    assert again[0].seed == again[1].seed == orders[0].seed
    play(database, WON)
    assert reached(database, duel_id) == decided(WON, 2)


def test_a_match_that_is_void_again_and_again_ends_the_duel(database: Database) -> None:
    duel_id = begin(database)
    for attempt in range(duels.MOST_VOIDS + 1):
        assert duel(database, duel_id).state == DuelState.RUNNING
        advance_all(database)
        for order in claim_all(database):
            if game_of(database, order) == 0:
                with database.transaction() as session:
                    matches.void(session, order, f"Reason {attempt}.")
            else:
                finish(database, order, 1.0)
    advance_all(database)
    found = duel(database, duel_id)
    assert (found.state, found.void_reason) == (DuelState.VOID, "Match 1 was void 4 times. Reason 3.")
    assert found.finished_at is not None
    assert MatchState.QUEUED not in states(database, duel_id)


def test_a_version_that_does_not_build_any_more_ends_the_duel(database: Database) -> None:
    duel_id = begin(database)
    advance_all(database, slots=4)
    order = claim_all(database)[0]
    with database.transaction() as session:
        submission_id = order.seats[1].submission_id
        submissions.record_failed_build(session, order, submission_id, problem="Build failed.", build_log=None)
    found = duel(database, duel_id)
    assert found.state == DuelState.VOID
    assert found.void_reason is not None
    assert found.void_reason.endswith(" can no longer be built. Build failed.")
    assert advance_all(database) == 0


@pytest.mark.long
def test_an_annulled_match_is_played_again_and_all_is_counted_anew(database: Database) -> None:
    duel_id = begin(database)
    play(database, WON)
    with database.transaction() as session:
        first = session.scalars(select(Match.id).where(Match.duel_id == duel_id, Match.duel_game == 0)).one()
        matches.annul(session, first, "The referee was wrong.")
    assert duel(database, duel_id).state == DuelState.RUNNING
    mended = [0.0, *WON]
    play(database, mended)
    assert reached(database, duel_id) == decided(mended, 2)


@pytest.mark.long
def test_a_rerun_of_a_duel_counts_in_place_of_the_first(database: Database) -> None:
    duel_id = begin(database)
    play(database, WON)
    with database.transaction() as session:
        first = session.scalars(select(Match.id).where(Match.duel_id == duel_id, Match.duel_game == 0)).one()
        again = reruns.rerun(session, user(session), first, "The referee was wrong.").id
    changed = [0.0, *WON]
    play(database, changed)
    assert reached(database, duel_id) == decided(changed, 2)
    with database.transaction() as session:
        assert session.get_one(Match, again).state == MatchState.DONE


def test_what_an_annulled_match_was_counts_no_more_either(database: Database) -> None:
    duel_id = begin(database)
    same = ["first wins", "second wins"] * (MOST_GAMES // 2)
    advance_all(database)
    spoilt, *_ = orders = claim_all(database)
    for order in orders:
        assert finish(database, order, 1.0, "spoilt" if order is spoilt else same[game_of(database, order)])
    advance_all(database)
    with database.transaction() as session:
        matches.annul(session, spoilt.match_id, "The referee was wrong.")
    play(database, LEVEL, digests=same)
    assert duel(database, duel_id).repeats


def test_a_duel_whose_game_was_removed_ends_and_says_why(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    duel_id = begin(database)
    monkeypatch.setattr(duels, "all_games", dict)
    assert advance_all(database) == 0
    found = duel(database, duel_id)
    assert (found.state, found.void_reason) == (DuelState.VOID, "Its game is no longer part of this arena.")


def test_a_duel_that_its_game_can_no_longer_seat_ends_and_others_go_on(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = begin(database), begin(database, seed=8)

    def broken(game: Game, fixture: Fixture, field: int = 0) -> tuple[int, ...]:
        if fixture.seed in seeds:
            raise ZeroDivisionError("a game of somebody else's")
        return seating(game, fixture, field)

    seeds = {one.seed for one in draw(seed=duel(database, first).seed, paired=True, games=20)}
    monkeypatch.setattr(duels, "seating", broken)
    assert advance_all(database) > 0
    found = duel(database, first)
    assert (found.state, found.void_reason) == (
        DuelState.VOID,
        "The current version of the game cannot seat its bots: a game of somebody else's.",
    )
    assert duel(database, second).state == DuelState.RUNNING


def test_the_whole_arena_runs_a_limited_number_of_duels(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duels, "RUNNING_AT_ALL", 2)
    monkeypatch.setattr(duels, "FIRST_ONES", 4)
    with database.transaction() as session:
        greedy, newcomer, third = user(session).id, user(session).id, user(session).id
    for _ in range(2):
        begin(database, owner_id=greedy)
    newcomers = begin(database, owner_id=newcomer)
    assert duel(database, newcomers).state == DuelState.RUNNING, "the first of somebody who has none running"
    with pytest.raises(TooMany) as refused:
        begin(database, owner_id=newcomer)
    assert refused.value.expected == "fewer than 2 duels while others of your network are running"
    begin(database, owner_id=third)
    with pytest.raises(TooMany) as refused:
        begin(database)
    assert refused.value.expected == "fewer than 4 duels in the arena"
    with database.transaction() as session:
        duels.cancel(session, session.get_one(User, newcomer), newcomers)
    begin(database, owner_id=newcomer)
    assert duels.RUNNING_AT_ALL < duels.FIRST_ONES


def test_a_version_that_is_superseded_meanwhile_plays_on(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        first = enter(session, owner, "duellist")
        owner_id, (boss, _) = owner.id, house_pair(session)
    duel_id = begin(database, owner_id=owner_id, candidate_id=first, baseline_id=boss, games=LEAST_GAMES)
    advance_all(database)
    with database.transaction() as session:
        enter(session, session.get_one(User, owner_id), "duellist")
        assert session.get_one(Submission, first).state == SubmissionState.SUPERSEDED
    play(database, LEVEL)
    assert reached(database, duel_id) == ("open", [0, 0, 8, 0, 0], LEAST_GAMES)


# --- Supply ----------------------------------------------------------------------------------------------------------


def test_a_duel_has_a_few_matches_in_the_queue_and_never_more_than_it_may_play(database: Database) -> None:
    duel_id = begin(database, games=20)
    assert [advance_all(database, slots) for slots in (1, 1, 3, 3)] == [4, 0, 2, 0]
    assert advance_all(database, slots=50) == 14
    assert len(states(database, duel_id)) == 20


def test_duels_take_turns(database: Database) -> None:
    both = [begin(database), begin(database)]
    advance_all(database)
    with database.transaction() as session:
        leases = queue.lease(session, limit=8, seconds=60, max_attempts=9)
        order = [session.get_one(Match, lease.match_id).duel_id for lease in leases]
    assert order == both * 4


@pytest.mark.long
def test_several_dispatchers_at_once_queue_no_match_twice(database: Database) -> None:
    duel_ids = [begin(database), begin(database)]
    for _ in range(3):
        assert sum(_at_once(lambda: advance_all(database, slots=4), 3)) == 16
        for order in claim_all(database):
            assert finish(database, order, 0.5)
    with database.transaction() as session:
        for duel_id in duel_ids:
            games = list(session.scalars(select(Match.duel_game).where(Match.duel_id == duel_id).order_by(Match.id)))
            assert games == list(range(24))


def test_a_duel_whose_user_used_up_his_cpu_time_is_paused_and_says_until_when(database: Database) -> None:
    duel_id, budgets = begin(database), Budgets(account_s=100)

    def advance() -> tuple[int, datetime | None]:
        with database.transaction() as session:
            queued = duels.advance_all(session, 1, budgets)
            return queued, session.get_one(Duel, duel_id).paused_until

    with database.transaction() as session:
        share = share_of(session.get_one(User, session.get_one(Duel, duel_id).requested_by_id))
        before = live.now(session)
        used = {"share": share, "slot_s": 0, "cpu_s": 101}
        session.add(Usage(minute=datetime.now(UTC) - timedelta(hours=23), **used))
    queued, until = advance()
    assert queued == 0
    assert until is not None
    assert timedelta(minutes=59) < until - datetime.now(UTC) < timedelta(minutes=61)
    assert advance() == (0, until)
    with database.transaction() as session:
        reported = live.changes_since(session, before, game=YAVALATH.id)
        assert [change.subject_id for change in reported if change.kind == "duel"] == [duel_id]
        session.execute(update(Usage).values(cpu_s=99))
    assert advance() == (duels.LEAST_AHEAD, None)


def test_a_paused_duel_that_is_cancelled_is_paused_no_longer(database: Database) -> None:
    duel_id = begin(database)
    with database.transaction() as session:
        row = session.get_one(Duel, duel_id)
        row.paused_until = datetime.now(UTC)
        duels.cancel(session, session.get_one(User, row.requested_by_id), duel_id)
    assert duel(database, duel_id).paused_until is None


def test_the_dispatcher_supplies_duels_and_counts_what_was_played(database: Database, settings: Settings) -> None:
    duel_id = begin(database, games=2)
    with database.transaction() as session:
        record_heartbeat(session, "worker", slots=4, sandbox="none", languages=["python"], load=Load())
    with broker.make_celery(settings.redis_url, settings.namespace) as celery:
        dispatcher = Dispatcher(settings, database, celery)
        assert dispatcher.tick(0.0) == 2
        with database.transaction() as session:
            held = session.execute(select(Job.match_id, Job.token)).all()
            orders = [queue.claim(session, match_id, token, seconds=60) for match_id, token in held if token]
        for order in orders:
            assert order is not None
            assert finish(database, order, 1.0)
        assert dispatcher.tick(0.1) == 0
    assert duel(database, duel_id).state == DuelState.DONE


def test_the_database_refuses_a_match_twice_and_one_without_its_duel(database: Database) -> None:
    duel_id = begin(database)
    advance_all(database)

    def add(**of_duel: Any) -> None:
        with database.transaction() as session:
            matches.schedule(
                session, game="yavalath", kind=MatchKind.DUEL, submission_ids=(), seed=1, league=1, **of_duel
            )

    with pytest.raises(IntegrityError, match="pk_match_slot"):
        add(duel_id=duel_id, duel_game=0)
    with pytest.raises(IntegrityError, match="of_a_duel"):
        add()
    with pytest.raises(IntegrityError, match="numbered_in_its_duel"):
        add(duel_id=duel_id)


def test_a_duel_is_not_rated_and_does_not_hold_up_the_ladder(database: Database) -> None:
    with database.transaction() as session:
        newcomer, (boss, _) = enter(session, user(session), "newcomer"), house_pair(session)
    begin(database, candidate_id=newcomer, baseline_id=boss, games=LEAST_GAMES)
    advance_all(database, slots=8)
    for order in claim_all(database):
        assert finish(database, order, 1.0)
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(PendingResult)) == 0
        done = refits.refit(session, YAVALATH)
        assert done is not None
        assert done.counted == 0
    begin(database, candidate_id=newcomer, baseline_id=boss)
    advance_all(database, slots=8)
    with database.transaction() as session:
        placement = scheduled.schedule_needed(session, YAVALATH, Random(1), house=False)
    assert placement == roster.AT_ONCE


# --- Its owner -------------------------------------------------------------------------------------------------------


def test_a_cancelled_duel_keeps_what_was_counted_and_plays_no_more(database: Database) -> None:
    with database.transaction() as session:
        owner_id, stranger_id = user(session).id, user(session).id
    duel_id = begin(database, owner_id=owner_id)
    advance_all(database)
    running, *rest = claim_all(database)
    assert finish(database, running, 1.0)
    assert finish(database, rest[0], 1.0)
    advance_all(database)
    with database.transaction() as session, pytest.raises(Forbidden):
        duels.cancel(session, session.get_one(User, stranger_id), duel_id)
    with database.transaction() as session, pytest.raises(NotFound):
        duels.cancel(session, session.get_one(User, owner_id), duel_id + 1000)
    for _ in range(2):
        with database.transaction() as session:
            assert duels.cancel(session, session.get_one(User, owner_id), duel_id).state == DuelState.CANCELLED
    assert advance_all(database) == 0
    assert reached(database, duel_id) == (None, [0, 0, 0, 0, 1], 2)
    done, running_still, void = MatchState.DONE, MatchState.RUNNING, MatchState.VOID
    assert states(database, duel_id) == [done, done, running_still, running_still, void, void]
    finished = begin(database, owner_id=owner_id, games=2)
    play(database, WON)
    with database.transaction() as session, pytest.raises(Conflict, match="over"):
        duels.cancel(session, session.get_one(User, owner_id), finished)


def test_what_was_sent_to_workers_but_not_begun_is_called_off_too(database: Database) -> None:
    with database.transaction() as session:
        owner_id = user(session).id
    duel_id = begin(database, owner_id=owner_id)
    advance_all(database)
    with database.transaction() as session:
        sent = queue.lease(session, limit=1000, seconds=60, max_attempts=9)
        duels.cancel(session, session.get_one(User, owner_id), duel_id)
    assert len(sent) == 4
    assert states(database, duel_id) == [MatchState.VOID] * 4
    with database.transaction() as session:
        assert [queue.claim(session, one.match_id, one.token, seconds=60) for one in sent] == [None] * 4


def test_a_user_has_two_running_duels_at_most_even_with_many_requests_at_once(database: Database) -> None:
    with database.transaction() as session:
        owner_id = user(session).id

    def request() -> int | TooMany:
        try:
            return begin(database, owner_id=owner_id)
        except TooMany as error:
            return error

    answers = _at_once(request, 5)
    begun = [one for one in answers if isinstance(one, int)]
    refused = [one for one in answers if isinstance(one, TooMany)]
    assert (len(begun), len(refused)) == (2, 3)
    assert (refused[0].expected, refused[0].got) == ("fewer than 2 running duels of yours", "2")
    begin(database)  # somebody else's
    with database.transaction() as session:
        duels.cancel(session, session.get_one(User, owner_id), begun[0])
    begin(database, owner_id=owner_id)


def test_all_guests_of_one_network_have_a_limited_number_of_running_duels(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duels, "RUNNING_PER_SHARE", 2)
    with database.transaction() as session:
        guests = [user(session) for _ in range(3)]
        for guest in guests:
            guest.kind, guest.network = UserKind.GUEST, "a network"
        first, second, third = (guest.id for guest in guests)
    begun = begin(database, owner_id=first)
    begin(database, owner_id=second)
    with pytest.raises(TooMany) as refused:
        begin(database, owner_id=third)
    assert (refused.value.expected, refused.value.got) == ("fewer than 2 running duels of your network", "2")
    begin(database)
    with database.transaction() as session:
        duels.cancel(session, session.get_one(User, first), begun)
    begin(database, owner_id=third)


def test_only_versions_that_are_or_were_on_the_ladder_may_meet(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        draft = submissions.draft(session, owner, game=YAVALATH, language="python", source=b"print()").id
        pending = submissions.submit(
            session, owner, game=YAVALATH, name="new", language="python", source=b"print(1)"
        ).id
        ant, _ = house_pair(session, "ants")
        mine, _ = house_pair(session)
        owner_id = owner.id
    with pytest.raises(NotFound):
        begin(database, candidate_id=10**9)
    with pytest.raises(NotFound):
        begin(database, candidate_id=draft)
    with pytest.raises(Conflict, match="cannot be in a duel") as caught:
        begin(database, candidate_id=pending)
    assert caught.value.got == "version 1 of new, which is queued"
    with pytest.raises(Invalid, match="another game") as other:
        begin(database, candidate_id=ant)
    assert "which plays Ants" in str(other.value.got)
    with database.transaction() as session:
        bot = Bot(game="chess", owner_id=owner_id, name="old", name_key="old")
        session.add(bot)
        session.flush()
        old = Submission(
            user_id=owner_id, game="chess", bot_id=bot.id, version=1, language="go", state=SubmissionState.SUPERSEDED
        )
        session.add(old)
        session.flush()
        old_id = old.id
    with pytest.raises(Invalid, match="another game") as gone:
        begin(database, candidate_id=old_id)
    assert gone.value.got == "a version of old, which plays chess"
    with pytest.raises(Invalid, match="takes two"):
        begin(database, candidate_id=mine, baseline_id=mine)
    with database.transaction() as session:
        record_heartbeat(session, "worker", slots=1, sandbox="none", languages=["go"], load=Load())
    with pytest.raises(Unavailable):
        begin(database)


def test_pages_hear_of_it_when_it_begins_counts_and_ends(database: Database) -> None:
    def heard() -> int:
        with database.transaction() as session:
            of_duel = (ChangeRow.kind == "duel") & (ChangeRow.subject_id == duel_id)
            return session.scalar(select(func.count()).select_from(ChangeRow).where(of_duel)) or 0

    duel_id = begin(database, games=4)
    assert heard() == 1
    advance_all(database)
    assert heard() == 1
    for number, order in enumerate(claim_all(database)):
        finish(database, order, 1.0)
        advance_all(database)
        assert heard() == 1 + (number + 1) // 2
    assert duel(database, duel_id).state == DuelState.DONE
