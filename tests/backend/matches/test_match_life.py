"""The promises of a match's life, one test each, on a real PostgreSQL."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from random import Random

import numpy as np
import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hexarena.backend.ladder import roster, tallies
from hexarena.backend.ladder.lines import Lines
from hexarena.backend.ladder.played import Pairs, Played
from hexarena.backend.matches import backlog, life as matches, queue
from hexarena.backend.models import (
    Bot,
    ChangeRow,
    Erasure,
    Job,
    Match,
    MatchKind,
    MatchState,
    PendingResult,
    Result,
    SeatResult,
    Standing,
    Submission,
    SubmissionState,
    User,
    UserKind,
    VoidAttempt,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import life as submissions
from hexarena.games.catalogue import find_game
from hexarena.games.referee import Fault
from tests.backend import scheduled
from tests.conftest import is_anybody_waiting, wait_until

GAME = find_game("yavalath")
LONG_S = 60.0
OVER_S = -1.0


def house(session: Session) -> list[Submission]:
    query = select(Submission).where(Submission.game == GAME.id, Submission.state == SubmissionState.LIVE)
    return list(session.scalars(query.order_by(Submission.id)))


def a_guest(session: Session, name: str = "guest") -> User:
    guest = User(kind=UserKind.GUEST, name=name)
    session.add(guest)
    session.flush()
    return guest


def queue_match(database: Database, kind: MatchKind = MatchKind.LADDER) -> int:
    with database.transaction() as session:
        pair = [one.id for one in house(session)[:2]]
        return matches.schedule(session, game=GAME.id, kind=kind, submission_ids=pair, seed=1, league=1).id


def lease_all(database: Database, seconds: float = LONG_S, max_attempts: int = 3) -> list[queue.Lease]:
    with database.transaction() as session:
        return queue.lease(session, limit=10, seconds=seconds, max_attempts=max_attempts)


def claim(database: Database, lease: queue.Lease, seconds: float = LONG_S) -> matches.ClaimedMatch | None:
    with database.transaction() as session:
        return queue.claim(session, lease.match_id, lease.token, seconds=seconds)


def claimed(database: Database, seconds: float = LONG_S) -> matches.ClaimedMatch:
    (lease,) = lease_all(database, seconds=seconds)
    order = claim(database, lease, seconds=seconds)
    assert order is not None
    return order


def report(*faults: Fault, ranks: tuple[int, ...] = (0, 1)) -> matches.Report:
    return matches.Report(ranks, (1.0, 0.0), "because", 9, faults, 12.5, "test", "replays/x.jsonl.gz", "1", "d")


def finish(database: Database, order: matches.ClaimedMatch) -> bool:
    with database.transaction() as session:
        return matches.finish(session, order, report())


def hand_back(
    database: Database,
    order: matches.ClaimedMatch,
    why: str = "our fault",
    *,
    max_attempts: int = 9,
    pause_s: float = 0,
) -> bool:
    with database.transaction() as session:
        return queue.hand_back(session, order, why, max_attempts=max_attempts, pause_s=pause_s)


def void_attempts(database: Database, match_id: int) -> list[tuple[int, str]]:
    with database.transaction() as session:
        rows = session.scalars(
            select(VoidAttempt).where(VoidAttempt.match_id == match_id).order_by(VoidAttempt.attempt)
        )
        return [(row.attempt, row.reason) for row in rows]


def test_a_scheduled_match_is_queued_with_its_job_and_an_event(database: Database) -> None:
    match_id = queue_match(database)
    with database.transaction() as session:
        assert session.get_one(Match, match_id).state == MatchState.QUEUED
        assert session.get_one(Job, match_id).token is None
        assert session.scalars(select(ChangeRow.subject_id).where(ChangeRow.kind == "match")).all()[-1] == match_id


def test_what_is_rolled_back_was_never_queued(database: Database) -> None:
    def schedule_and_fail() -> None:
        with database.transaction() as session:
            pair = [one.id for one in house(session)[:2]]
            matches.schedule(session, game=GAME.id, kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        schedule_and_fail()
    assert lease_all(database) == []


def test_a_leased_match_is_not_leased_again(database: Database) -> None:
    queue_match(database)
    assert len(lease_all(database)) == 1
    assert lease_all(database) == []


def test_a_lease_that_ran_out_is_taken_back_and_the_late_message_does_nothing(database: Database) -> None:
    queue_match(database)
    (late,) = lease_all(database, seconds=OVER_S)
    (fresh,) = lease_all(database)
    assert late.match_id == fresh.match_id
    assert claim(database, late) is None
    assert claim(database, fresh) is not None


def test_urgent_matches_go_first(database: Database) -> None:
    ladder, practice = queue_match(database), queue_match(database, MatchKind.PRACTICE)
    assert [lease.match_id for lease in lease_all(database)] == [practice, ladder]


def test_two_dispatchers_never_lease_the_same_match(database: Database) -> None:
    queued = {queue_match(database) for _ in range(30)}
    found: list[int] = []
    barrier = threading.Barrier(3)

    def dispatcher() -> None:
        barrier.wait()
        while leases := lease_all(database):
            found.extend(lease.match_id for lease in leases)

    threads = [threading.Thread(target=dispatcher) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(queued)


def test_a_message_delivered_twice_plays_once(database: Database) -> None:
    queue_match(database)
    (lease,) = lease_all(database)
    first, again = claim(database, lease), claim(database, lease)
    assert first is not None
    assert again is not None  # the same holder may start again, but only one end counts
    assert finish(database, again)
    assert not finish(database, first)
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Result)) == 1


def test_the_order_holds_all_that_a_worker_needs(database: Database) -> None:
    queue_match(database)
    order = claimed(database)
    assert (order.game, order.seed, order.league, order.attempt) == ("yavalath", 1, 1, 1)
    assert [seat.language for seat in order.seats] == ["python", "python"]
    assert all(seat.source for seat in order.seats)
    assert order.seats[0].player.bot == "starter"


def test_a_finished_match_has_a_result_that_waits_to_be_rated(database: Database) -> None:
    match_id = queue_match(database)
    order = claimed(database)
    assert finish(database, order)
    with database.transaction() as session:
        assert session.get_one(Match, match_id).state == MatchState.DONE
        assert session.get(Job, match_id) is None
        rows = session.scalars(
            select(SeatResult).where(SeatResult.match_id == match_id).order_by(SeatResult.seat)
        ).all()
        assert [row.rank for row in rows] == [0, 1]
        assert [row.rating_change for row in rows] == [None, None]
        assert session.scalars(select(PendingResult.match_id)).all() == [match_id]


def test_a_zombie_cannot_finish_what_another_worker_took_over(database: Database) -> None:
    queue_match(database)
    (lease,) = lease_all(database)
    zombie = claim(database, lease, seconds=OVER_S)
    second = claimed(database)
    assert zombie is not None
    assert second.attempt == 2
    assert not finish(database, zombie)
    with database.transaction() as session:
        assert not queue.renew(session, zombie, seconds=LONG_S)
        assert not matches.void(session, zombie, "too late")
    assert finish(database, second)


def test_renewing_keeps_a_match(database: Database) -> None:
    queue_match(database)
    order = claimed(database, seconds=OVER_S)
    with database.transaction() as session:
        assert queue.renew(session, order, seconds=LONG_S)
    assert lease_all(database) == []


def test_a_void_match_moves_no_rating_and_says_why(database: Database) -> None:
    match_id = queue_match(database)
    order = claimed(database)
    with database.transaction() as session:
        assert matches.void(session, order, "the referee failed")
    with database.transaction() as session:
        match = session.get_one(Match, match_id)
        assert (match.state, match.void_reason) == (MatchState.VOID, "the referee failed")
        assert session.scalar(select(func.count()).select_from(PendingResult)) == 0
    assert not finish(database, order)


def test_a_match_that_never_ends_becomes_void(database: Database) -> None:
    match_id = queue_match(database)
    for _ in range(3):
        claimed(database, seconds=OVER_S)
    assert lease_all(database, max_attempts=3) == []
    with database.transaction() as session:
        match = session.get_one(Match, match_id)
        assert match.state == MatchState.VOID
        assert match.void_reason is not None
        assert "3 times" in match.void_reason


def test_a_lease_that_could_not_be_sent_is_free_again_at_once(database: Database) -> None:
    queue_match(database)
    leases = lease_all(database)
    with database.transaction() as session:
        queue.release(session, leases)
    assert len(lease_all(database)) == 1


def test_a_match_that_a_worker_could_not_play_is_played_by_another(database: Database) -> None:
    match_id = queue_match(database)
    order = claimed(database)
    assert hand_back(database, order)
    again = claimed(database)
    assert (again.match_id, again.attempt) == (match_id, 2)
    assert not hand_back(database, order)
    assert finish(database, again)
    assert void_attempts(database, match_id) == [(1, "our fault")]


def test_a_match_waits_before_it_is_played_again_where_the_machine_was_overloaded(database: Database) -> None:
    match_id = queue_match(database)
    assert hand_back(database, claimed(database), pause_s=LONG_S)
    assert lease_all(database) == []
    with database.transaction() as session:
        assert session.get_one(Match, match_id).state == MatchState.QUEUED
        assert backlog.count(session)[0] == 1, "the ladder adds no match meanwhile"
        assert backlog.in_flight(session) == (0, 0)
        assert session.scalars(select(ChangeRow.subject_id).order_by(ChangeRow.id)).all()[-1] == match_id
        session.execute(update(Job).values(not_before=func.now()))
    assert claimed(database).attempt == 2


def test_attempts_that_paused_have_not_failed(database: Database) -> None:
    match_id = queue_match(database)
    with database.transaction() as session:
        session.execute(update(Job).where(Job.match_id == match_id).values(attempts=3, paused_attempt=3))
    order = claimed(database)
    assert (order.attempt, order.failed) == (4, 1)


def test_a_pause_grows_from_attempt_to_attempt() -> None:
    assert [queue.overload_pause_s(attempt) for attempt in (1, 2, 3, 4, 30_000)] == [5, 15, 45, 135, 135]


def test_a_match_that_no_attempt_could_play_is_void_with_the_last_reason(database: Database) -> None:
    match_id = queue_match(database)
    for attempt in (1, 2, 3):
        assert hand_back(database, claimed(database), f"Reason {attempt}.", max_attempts=3)
    assert lease_all(database) == []
    with database.transaction() as session:
        match = session.get_one(Match, match_id)
        assert (match.state, match.void_reason) == (MatchState.VOID, "Reason 3. It was tried 3 times.")
        assert session.scalar(select(func.count()).select_from(PendingResult)) == 0
    assert void_attempts(database, match_id) == [(1, "Reason 1."), (2, "Reason 2."), (3, "Reason 3.")]


def test_an_overload_that_comes_after_another_attempt_has_ended_changes_nothing(database: Database) -> None:
    match_id = queue_match(database)
    (lease,) = lease_all(database)
    slow = claim(database, lease, seconds=OVER_S)
    assert slow is not None
    assert finish(database, claimed(database))
    assert not hand_back(database, slow)
    with database.transaction() as session:
        assert session.get_one(Match, match_id).state == MatchState.DONE
        assert session.get_one(Result, match_id).attempt == 2
    assert void_attempts(database, match_id) == [(1, queue.SILENT)]


def test_a_worker_that_dies_leaves_a_reason_too_also_the_last_one(database: Database) -> None:
    match_id = queue_match(database)
    claimed(database, seconds=OVER_S)
    assert void_attempts(database, match_id) == []
    claimed(database, seconds=OVER_S)
    assert lease_all(database, max_attempts=2) == []
    assert void_attempts(database, match_id) == [(1, queue.SILENT), (2, queue.SILENT)]


@pytest.mark.parametrize("kind", [MatchKind.PRACTICE, MatchKind.CHECK])
def test_practice_and_check_matches_are_not_rated(database: Database, kind: MatchKind) -> None:
    queue_match(database, kind)
    assert finish(database, claimed(database))
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(PendingResult)) == 0


@pytest.mark.long
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO result (match_id, reason, turns, faults, attempt, worker, cpu_ms, replay_key, rules_version) "
        "SELECT id, '', 1, '[]', 1, '', 0, '', '' FROM match",
        "UPDATE match SET state = 'void'",
        "UPDATE match SET state = 'done'",
        "UPDATE match SET state = 'finished'",
        "UPDATE job SET token = gen_random_uuid()",
        "UPDATE match_seat SET game = 'ants'",
        "INSERT INTO match_seat SELECT match_id, seat, submission_id, game FROM match_seat",
        "UPDATE standing SET games = 5",
        "UPDATE submission SET state = 'failed'",
        "UPDATE submission SET version = 0",
        "UPDATE submission SET version = NULL",
        "INSERT INTO submission (user_id, game, bot_id, version, language, source_sha256, state) "
        "SELECT user_id, game, bot_id, version + 1, language, source_sha256, state FROM submission",
    ],
)
def test_wrong_states_cannot_be_written(database: Database, statement: str) -> None:
    queue_match(database)
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.execute(text(statement))


def test_a_done_match_cannot_be_undone(database: Database) -> None:
    match_id = queue_match(database)
    finish(database, claimed(database))
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.execute(update(Match).where(Match.id == match_id).values(state="queued", finished_at=None))


# --- Submissions ---------------------------------------------------------------------------------------------------


def submit(database: Database, source: bytes = b"print('4 4')", name: str = "mine") -> tuple[int, int]:
    """The ids of a new submission and its owner."""
    with database.transaction() as session:
        owner = session.scalar(select(User).where(User.name == "guest")) or a_guest(session)
        new = submissions.submit(session, owner, game=GAME, name=name, language="python", source=source)
        return new.id, owner.id


def play_check(database: Database, *faults: Fault, hint: str | None = None) -> None:
    order = claimed(database)
    assert order.kind == MatchKind.CHECK
    with database.transaction() as session:
        outcome = report(*faults, ranks=(1, 0))
        assert matches.finish(session, order, outcome)
        submissions.judge_check(session, order, outcome, hint)


def state_of(database: Database, submission_id: int) -> tuple[SubmissionState, str | None]:
    with database.transaction() as session:
        row = session.get_one(Submission, submission_id)
        return row.state, row.problem


def test_a_submission_that_passes_its_check_goes_live_and_is_being_placed(database: Database) -> None:
    submission_id, _ = submit(database)
    play_check(database)
    assert state_of(database, submission_id) == (SubmissionState.LIVE, None)
    with database.transaction() as session:
        standing = session.get_one(Standing, submission_id)
        assert (standing.rating, standing.placing, standing.league) == (1000, True, 1)
        assert scheduled.schedule_needed(session, GAME, Random(1), house=False) == roster.AT_ONCE
        assert set(session.scalars(select(Match.kind).join(Job))) == {MatchKind.PLACEMENT}


def test_a_submission_that_passes_its_check_may_get_a_hint(database: Database) -> None:
    submission_id, _ = submit(database)
    play_check(database, hint="It seems to read the input of level 3.")
    assert state_of(database, submission_id) == (SubmissionState.LIVE, "It seems to read the input of level 3.")


def test_a_submission_that_fails_its_check_gets_the_hint_below_the_fault(database: Database) -> None:
    submission_id, _ = submit(database)
    play_check(database, Fault(0, 3, "crash", "It ended."), hint="It seems to read the input of level 3.")
    state, problem = state_of(database, submission_id)
    assert (state, problem) == (
        SubmissionState.FAILED,
        "In the check match, turn 3: crash: It ended.\nIt seems to read the input of level 3.",
    )


def test_losing_the_check_is_fine_but_a_fault_is_not(database: Database) -> None:
    submission_id, _ = submit(database)
    play_check(database, Fault(0, 3, "timeout", "expected a line within 100 ms"))
    state, problem = state_of(database, submission_id)
    assert state == SubmissionState.FAILED
    assert problem is not None
    assert "turn 3" in problem
    assert "100 ms" in problem


def test_faults_of_the_opponent_and_warnings_do_not_fail_a_check(database: Database) -> None:
    submission_id, _ = submit(database)
    play_check(database, Fault(1, 1, "crash", "theirs"), Fault(0, 1, "warning", "forgiven"))
    assert state_of(database, submission_id)[0] == SubmissionState.LIVE


def test_a_new_version_takes_the_place_and_inherits_the_rating(database: Database) -> None:
    first, _ = submit(database)
    play_check(database)
    with database.transaction() as session:
        session.execute(text("DELETE FROM match"))
        session.get_one(Standing, first).rating = 1234
    second, _ = submit(database, b"print('3 3')")
    assert state_of(database, first)[0] == SubmissionState.LIVE
    play_check(database)
    assert state_of(database, first)[0] == SubmissionState.SUPERSEDED
    assert state_of(database, second)[0] == SubmissionState.LIVE
    with database.transaction() as session:
        assert session.get_one(Standing, second).rating == 1234
        assert session.get_one(Submission, second).version == 2


def test_what_a_superseded_version_was_still_to_play_is_called_off(database: Database) -> None:
    submit(database)
    play_check(database)
    with database.transaction() as session:
        scheduled.schedule_needed(session, GAME, Random(1), house=False)
        session.execute(update(Job).values(priority=99))
    submit(database, b"print('3 3')")
    with database.transaction() as session:
        lease = queue.lease(session, limit=1, seconds=LONG_S, max_attempts=3)[0]
    order = claim(database, lease)
    assert order is not None
    assert order.kind == MatchKind.CHECK
    with database.transaction() as session:
        outcome = report(ranks=(1, 0))
        assert matches.finish(session, order, outcome)
        submissions.judge_check(session, order, outcome)
    with database.transaction() as session:
        void = session.scalars(select(Match.void_reason).where(Match.state == MatchState.VOID)).all()
        assert len(void) == roster.AT_ONCE
        assert session.scalar(select(func.count()).select_from(Job)) == 0


def test_a_version_that_fails_never_replaces_the_live_one(database: Database) -> None:
    first, _ = submit(database)
    play_check(database)
    with database.transaction() as session:
        session.execute(text("DELETE FROM match"))
    second, _ = submit(database, b"exit()")
    order = claimed(database)
    with database.transaction() as session:
        assert submissions.record_failed_build(
            session, order, second, problem="Build failed.", build_log="bot.py:1: nonsense"
        )
    assert state_of(database, first)[0] == SubmissionState.LIVE
    assert state_of(database, second) == (SubmissionState.FAILED, "Build failed.")
    with database.transaction() as session:
        assert session.get_one(Submission, second).build_log == "bot.py:1: nonsense"


def ban_owner(database: Database, submission_id: int) -> None:
    with database.transaction() as session:
        submissions.take_off(session, [session.get_one(Submission, submission_id)], "Its owner is banned.")


def test_a_version_that_was_taken_off_during_its_check_stays_off(database: Database) -> None:
    submission_id, _ = submit(database)
    order = claimed(database)
    ban_owner(database, submission_id)
    with database.transaction() as session:
        assert matches.finish(session, order, report(ranks=(1, 0)))
        submissions.judge_check(session, order, report(ranks=(1, 0)))
    assert state_of(database, submission_id) == (SubmissionState.FAILED, "Its owner is banned.")
    with database.transaction() as session:
        assert session.get(Standing, submission_id) is None


@pytest.mark.parametrize("deleted", [False, True])
def test_a_version_that_was_taken_off_gets_no_other_reason_and_no_log(database: Database, deleted: bool) -> None:
    submission_id, _ = submit(database)
    order = claimed(database)
    ban_owner(database, submission_id)
    with database.transaction() as session:
        if deleted:
            superseded = {"state": SubmissionState.SUPERSEDED, "source_sha256": None}
            session.execute(update(Submission).where(Submission.id == submission_id).values(superseded))
        assert submissions.record_failed_build(
            session, order, submission_id, problem="Build failed.", build_log="bot.py:1: secret_plan()"
        )
    with database.transaction() as session:
        row = session.get_one(Submission, submission_id)
        assert (row.problem, row.build_log) == ("Its owner is banned.", None)


def test_a_check_that_we_could_not_play_fails_the_submission_with_a_reason(database: Database) -> None:
    submission_id, _ = submit(database)
    order = claimed(database)
    with database.transaction() as session:
        matches.void(session, order, "our fault")
        submissions.fail_void_checks(session)
    state, problem = state_of(database, submission_id)
    assert state == SubmissionState.FAILED
    assert problem is not None
    assert "our fault" in problem


def test_two_uploads_at_once_get_one_version_and_one_conflict(database: Database) -> None:
    with database.transaction() as session:
        owner_id = a_guest(session).id
    outcomes: list[str] = []
    barrier = threading.Barrier(2)

    def upload() -> None:
        barrier.wait()
        try:
            with database.transaction() as session:
                owner = session.get_one(User, owner_id)
                submissions.submit(session, owner, game=GAME, name="Twin", language="python", source=b"1")
        except Exception as error:  # noqa: BLE001 - the test names which one it expects
            outcomes.append(type(error).__name__)
        else:
            outcomes.append("taken")

    threads = [threading.Thread(target=upload) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["Conflict", "taken"]
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Bot).where(Bot.name == "Twin")) == 1


def test_matches_that_nobody_waits_for_get_their_own_share_only(database: Database) -> None:
    quiet = [queue_match(database) for _ in range(3)]
    awaited = [queue_match(database, MatchKind.PRACTICE) for _ in range(2)]
    with database.transaction() as session:
        leased = queue.lease(session, limit=4, quiet_limit=1, seconds=LONG_S, max_attempts=3)
        assert [one.match_id for one in leased] == [*awaited, quiet[0]]
        assert backlog.in_flight(session) == (3, 1)
    with database.transaction() as session:
        assert queue.lease(session, limit=4, quiet_limit=0, seconds=LONG_S, max_attempts=3) == []


def test_how_long_matches_take_is_read_again_after_a_while(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(seconds: float) -> None:
        queue_match(database)
        done = claimed(database)
        with database.transaction() as session:
            assert matches.finish(session, done, report())
            began = Match.finished_at - timedelta(seconds=seconds)
            session.execute(update(Match).where(Match.id == done.match_id).values(started_at=began))

    now = 1000.0
    monkeypatch.setattr(backlog.time, "monotonic", lambda: now)
    usual = backlog.UsualSeconds()
    with database.transaction() as session:
        assert usual.read(session) == {"": 1.0}, "nobody knows yet"
    play(4.0)
    now += backlog.USUAL_KEPT_S
    with database.transaction() as session:
        assert usual.read(session) == {"": 1.0}
        now += 0.1
        assert usual.read(session) == {GAME.id: pytest.approx(4.0), "": pytest.approx(4.0)}


def test_a_submission_that_fills_several_seats_of_a_team_counts_once(database: Database) -> None:
    teams_of_two = replace(GAME, team_seats=2)
    with database.transaction() as session:
        first, second, third = [one.id for one in house(session)[:3]]
        lines = Lines.read(session, GAME.id).by_id
        before = {one: lines[one].games for one in (first, second, third)}
        competitors, ranks = np.array([first, first, second, third]), np.array([1, 1, 0, 0])
        one_match, no = np.array([1]), np.zeros(4, np.bool_)
        played = Played(one_match, np.array([4]), no[:1], competitors, ranks, no)
        tallies.add_games(teams_of_two, lines, played)
        pairs = Pairs.of(teams_of_two, played)
        met = zip(pairs.first.tolist(), pairs.second.tolist(), pairs.half_points.tolist(), strict=True)
        assert list(met) == [(first, second, 0), (first, third, 0)]
        for one, wins in ((first, 0), (second, 1), (third, 1)):
            assert lines[one].games == before[one] + 1
            assert lines[one].wins == wins


@pytest.mark.parametrize("own", [True, False])
def test_a_code_that_fills_a_team_is_checked_in_all_its_seats(database: Database, own: bool) -> None:
    teams = find_game("battlegrounds")
    assert teams.team_seats > 1
    with database.transaction() as session:
        code = b"print('4 4')"
        new = submissions.submit(session, a_guest(session), game=teams, name="mine", language="python", source=code)
        submission_id = new.id
    order = claimed(database)
    at_fault = teams.team_seats - 1 if own else teams.team_seats
    ranks = tuple(teams.team(seat) for seat in range(len(order.seats)))
    faults = (
        Fault(0, 2, "warning", "so what"),
        Fault(at_fault, 3, "timeout", "slow"),
        Fault(at_fault, 4, "crash", "x"),
    )
    with database.transaction() as session:
        outcome = replace(report(*faults, ranks=ranks), scores=(0.0,) * len(ranks))
        assert matches.finish(session, order, outcome)
        submissions.judge_check(session, order, outcome)
    failed = (SubmissionState.FAILED, "In the check match, turn 3: timeout: slow")
    assert state_of(database, submission_id) == (failed if own else (SubmissionState.LIVE, None))


def test_the_first_fault_that_cost_a_seat_the_match_is_kept(database: Database) -> None:
    match_id = queue_match(database)
    order = claimed(database)
    faults = (Fault(1, 2, "warning", "forgiven"), Fault(1, 3, "timeout", "slow"), Fault(1, 4, "crash", "gone"))
    with database.transaction() as session:
        assert matches.finish(session, order, report(*faults))
    with database.transaction() as session:
        assert [session.get_one(SeatResult, (match_id, seat)).fault for seat in (0, 1)] == [None, "timeout"]


def test_a_match_knows_how_many_go_before_it_until_it_is_played(database: Database) -> None:
    ladder, later = queue_match(database), queue_match(database)
    practice = queue_match(database, MatchKind.PRACTICE)

    def places() -> list[int | None]:
        with database.transaction() as session:
            found = backlog.Snapshot.read(session, 1).places()
            return [found[one].number if one in found else None for one in (practice, ladder, later)]

    assert places() == [1, 2, 3]
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=1, seconds=LONG_S, max_attempts=3)
    assert places() == [1, 2, 3], "a match that was sent still waits for its worker"
    assert claim(database, lease) is not None
    assert places() == [None, 1, 2]


def test_only_rated_matches_that_nobody_has_begun_are_called_off(database: Database) -> None:
    running, waiting = queue_match(database), queue_match(database)
    with database.transaction() as session:
        session.execute(update(Job).where(Job.match_id == running).values(priority=0))
        (lease,) = queue.lease(session, limit=1, seconds=LONG_S, max_attempts=3)
    assert lease.match_id == running
    practice = queue_match(database, MatchKind.PRACTICE)
    with database.transaction() as session:
        first, _, third = [one.id for one in house(session)[:3]]
        matches.void_queued(session, third, "Not of this one.")
        matches.void_queued(session, first, "Called off.")
        states = [session.get_one(Match, one).state for one in (running, waiting, practice)]
        assert session.get_one(Match, waiting).void_reason == "Called off."
    assert states == [MatchState.QUEUED, MatchState.VOID, MatchState.QUEUED]


def test_a_seat_that_is_wrong_on_every_turn_does_not_fill_the_row(database: Database) -> None:
    queue_match(database)
    order = claimed(database)
    faults = [Fault(seat, turn, "warning", "again") for turn in range(1, 500) for seat in (0, 1)]
    with database.transaction() as session:
        matches.finish(session, order, report(*faults, Fault(1, 500, "crash", "at last")))
    with database.transaction() as session:
        kept = session.get_one(Result, order.match_id).faults
        first = range(1, matches.FAULTS_KEPT + 1)
        assert [(fault["turn"], fault["seat"]) for fault in kept] == [(turn, seat) for turn in first for seat in (0, 1)]
        seat = session.get_one(SeatResult, (order.match_id, 1))
        assert seat.fault == "crash"


@pytest.mark.long
def test_a_game_with_long_matches_does_not_keep_the_others_waiting(database: Database) -> None:
    with database.transaction() as session:
        for game, seconds in (("ants", 20), ("yavalath", 1)):
            pair = list(session.scalars(select(Submission.id).where(Submission.game == game).limit(2)))
            for seed in range(60):
                matches.schedule(session, game=game, kind=MatchKind.LADDER, submission_ids=pair, seed=seed, league=1)
            session.execute(
                text(
                    "INSERT INTO match (game, kind, state, seed, league, started_at, finished_at)"
                    " VALUES (:game, 'ladder', 'done', 1, 1, now(), now() + make_interval(secs => :seconds))"
                ),
                {"game": game, "seconds": seconds},
            )
        leased = [queue.lease(session, limit=1, seconds=LONG_S, max_attempts=3)[0].match_id for _ in range(40)]
        games = [session.get_one(Match, one).game for one in leased]
    assert games.count("yavalath") > 25, "though all of the other game were queued first"


def test_placements_of_one_game_do_not_keep_promotions_of_another_waiting(database: Database) -> None:
    with database.transaction() as session:
        for game, kind in (("ants", MatchKind.PLACEMENT), ("yavalath", MatchKind.PROMOTION)):
            pair = list(session.scalars(select(Submission.id).where(Submission.game == game).limit(2)))
            for seed in range(30):
                matches.schedule(session, game=game, kind=kind, submission_ids=pair, seed=seed, league=1)
        leased = [queue.lease(session, limit=1, seconds=LONG_S, max_attempts=3)[0].match_id for _ in range(20)]
        games = {session.get_one(Match, one).game for one in leased}
    assert games == {"ants", "yavalath"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "priority"), [(MatchKind.PLACEMENT, matches.HOUSE_PRIORITY), (MatchKind.LADDER, None)]
)
def test_matches_that_nobody_needs_have_a_turn_now_and_then(
    kind: MatchKind, priority: int | None, database: Database
) -> None:
    with database.transaction() as session:
        pair = list(session.scalars(select(Submission.id).where(Submission.game == "ants").limit(2)))
        for seed in range(100):
            matches.schedule(session, game="ants", kind=MatchKind.PROMOTION, submission_ids=pair, seed=seed, league=1)
        spare = set()
        for game in ("ants", "yavalath", "tryangle"):
            some = list(session.scalars(select(Submission.id).where(Submission.game == game).limit(2)))
            queued = [
                matches.schedule(
                    session, game=game, kind=kind, submission_ids=some, seed=seed, league=1, priority=priority
                )
                for seed in range(60)
            ]
            spare |= {one.id for one in queued}
        leased = {queue.lease(session, limit=1, seconds=LONG_S, max_attempts=3)[0].match_id for _ in range(100)}
    assert spare & leased, "house bots would stay where they began, and other games' boards would not change"
    assert len(spare & leased) < 50, "people's bots come first, however many games have something spare"


def test_a_result_that_is_stored_as_code_is_deleted_has_its_log_erased(database: Database) -> None:
    queue_match(database)
    order = claimed(database)
    deleted, gone = order.seats[0].submission_id, {"source_sha256": None, "state": SubmissionState.SUPERSEDED}
    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            session.scalars(select(Submission).where(Submission.id == deleted).with_for_update()).one()
            done = pool.submit(finish, database, order)
            wait_until(lambda: is_anybody_waiting(database) or done.done(), "the result waits for the deletion")
            assert session.scalar(select(func.count()).select_from(Result)) == 0, "whoever deletes cannot see it"
            session.execute(update(Submission).where(Submission.id == deleted).values(**gone))
        assert done.result()
    with database.transaction() as session:
        erased = session.execute(select(Erasure.replay_key, Erasure.seat)).all()
    assert [tuple(one) for one in erased] == [(report().replay_key, 0)]
