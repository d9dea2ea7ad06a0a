"""Attempts that end on the worker's side: who is blamed, what is tried again, and that no result is lost."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, cast

import pytest
from sqlalchemy import literal, select, update

from hexarena.backend.ladder import standings
from hexarena.backend.matches import causes, life as matches, queue, workers
from hexarena.backend.matches.blobs import StoreError, replay_key
from hexarena.backend.models import (
    PERSON,
    Job,
    Match,
    MatchKind,
    MatchState,
    Result,
    Submission,
    SubmissionState,
    VoidAttempt,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from hexarena.backend.submissions.languages import find_language
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Outcome
from hexarena.games.referee import Fault, Record, Turn
from hexarena.worker import app, tasks
from hexarena.worker.lending import LeaseLost, MatchSlots
from hexarena.worker.play import PlayedMatch
from hexarena.worker.sandbox import BuildFailed, HostOverloaded, LanguageMissing, Sandbox, SandboxFailed
from tests.backend.ladder.ladders import newcomers
from tests.conftest import CLEAR_SEEDED_MATCHES, is_anybody_waiting, wait_until

MISSING = LanguageMissing("expected kotlinc for Kotlin; see `make toolchains`")


@pytest.fixture
def context(settings: Settings) -> Iterator[tasks.WorkerContext]:
    """A worker's, without isolation."""
    whole = tasks.WorkerContext.open(settings.model_copy(update={"sandbox": "none"}), MatchSlots(1), MatchSlots(0))
    yield whole
    whole.close()


def under_check(database: Database) -> tuple[int, int]:
    """(an upload, its check match), which is the only one that waits."""
    with database.transaction() as session:
        session.execute(CLEAR_SEEDED_MATCHES)
        owner = session.scalars(select(Submission.user_id).limit(1)).one()
        user = session.get_one(submissions.User, owner)
        made = submissions.submit(
            session, user, game=find_game("yavalath"), name="fresh", language="python", source=b"print('4 4')"
        )
        return made.id, session.scalars(select(Match.id)).one()


def attempt(context: tasks.WorkerContext) -> None:
    with context.database.transaction() as session:
        session.execute(update(Job).values(not_before=None))
        (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=context.settings.max_attempts)
    tasks.run(context, lease.match_id, lease.token)


def failing(error: Exception, cause: Exception | None = None) -> Any:
    def build(*_: object, **__: object) -> None:
        raise error from cause

    return build


def test_code_is_not_to_blame_where_its_language_is_missing(
    context: tasks.WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh, check = under_check(context.database)
    monkeypatch.setattr(tasks, "build_bot", failing(MISSING))
    attempt(context)
    with context.database.transaction() as session:
        assert session.get_one(Submission, fresh).state == SubmissionState.BUILDING
        assert session.get_one(Match, check).state == MatchState.QUEUED
        assert session.scalars(select(VoidAttempt.reason)).all() == [causes.NO_LANGUAGE]
        assert session.scalar(select(causes.cause_of(VoidAttempt.reason))) == "sandbox"
    monkeypatch.undo()
    attempt(context)
    with context.database.transaction() as session:
        assert session.get_one(Match, check).state == MatchState.DONE


@pytest.mark.parametrize(
    ("others", "reasons"),
    [
        ([["python"], ["rust"]], [causes.NO_LANGUAGE]),
        ([["python", "rust"]], []),
    ],
)
def test_a_match_is_handed_on_only_to_one_worker_with_all_its_languages(
    context: tasks.WorkerContext, monkeypatch: pytest.MonkeyPatch, others: list[list[str]], reasons: list[str]
) -> None:
    """Workers with a part of them each would hand it on to one another for ever."""
    fresh, check = under_check(context.database)
    with context.database.transaction() as session:
        session.execute(update(Submission).where(Submission.id == fresh).values(language="rust"))
        assert queue.languages_of(session, check) == {"python", "rust"}
        for number, languages in enumerate(others):
            workers.record_heartbeat(
                session, f"w{number}", slots=1, sandbox="none", languages=languages, load=workers.Load()
            )
    monkeypatch.setattr(tasks, "build_bot", failing(MISSING))
    attempt(replace(context, lacks=frozenset({"python"})))
    with context.database.transaction() as session:
        assert session.get_one(Match, check).state == MatchState.QUEUED
        assert session.scalars(select(VoidAttempt.reason)).all() == reasons


def test_a_person_needs_no_language(context: tasks.WorkerContext, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh, check = under_check(context.database)
    with context.database.transaction() as session:
        session.execute(update(Submission).where(Submission.id == fresh).values(language=PERSON))
        assert queue.languages_of(session, check) == {"python", PERSON}
        workers.record_heartbeat(session, "w1", slots=1, sandbox="none", languages=["python"], load=workers.Load())
    monkeypatch.setattr(tasks, "build_bot", failing(MISSING))
    attempt(replace(context, lacks=frozenset({"python"})))
    with context.database.transaction() as session:
        assert session.scalars(select(VoidAttempt.reason)).all() == []


def test_a_build_without_room_waits_for_room(context: tasks.WorkerContext, monkeypatch: pytest.MonkeyPatch) -> None:
    under_check(context.database)
    full = SandboxFailed("expected to write a build")
    monkeypatch.setattr(tasks, "build_bot", failing(full, OSError(errno.EDQUOT, "Disk quota exceeded")))
    attempt(context)
    with context.database.transaction() as session:
        assert session.scalars(select(VoidAttempt.reason)).all() == [causes.DISK_FULL]
        assert session.scalars(select(Job.not_before)).one() is not None


@pytest.mark.parametrize("overloaded", [False, True])
def test_a_slow_build_does_not_condemn_a_version_that_was_built_before(
    context: tasks.WorkerContext, monkeypatch: pytest.MonkeyPatch, overloaded: bool
) -> None:
    """Only one that is stopped at each attempt of a match is put out."""
    with context.database.transaction() as session:
        session.execute(CLEAR_SEEDED_MATCHES)
    pair = newcomers(context.database, 2)
    with context.database.transaction() as session:
        match_id = matches.schedule(
            session, game="yavalath", kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=1, priority=0
        ).id
    slow, tries = BuildFailed("The build was stopped: still running", stopped=True), context.settings.max_attempts
    for number in range(tries):
        error = HostOverloaded("no CPU") if overloaded and number == 0 else slow
        monkeypatch.setattr(tasks, "build_bot", failing(error))
        with context.database.transaction() as session:
            assert session.get_one(Submission, pair[0]).state == SubmissionState.LIVE
            assert session.get_one(Match, match_id).state == MatchState.QUEUED
        attempt(context)
    with context.database.transaction() as session:
        assert session.get_one(Match, match_id).state == MatchState.VOID
        state = session.get_one(Submission, pair[0]).state
        assert state == (SubmissionState.LIVE if overloaded else SubmissionState.DISABLED)
        reasons = session.scalars(select(VoidAttempt.reason).order_by(VoidAttempt.attempt)).all()
        assert reasons[1 : tries - 1] == [causes.BUILD_STOPPED] * (tries - 2)
        assert session.scalar(select(causes.cause_of(literal(causes.BUILD_STOPPED)))) == "sandbox"


def test_a_first_build_that_is_stopped_is_judged_at_once(
    context: tasks.WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh, check = under_check(context.database)
    monkeypatch.setattr(tasks, "build_bot", failing(BuildFailed("The build was stopped", stopped=True)))
    attempt(context)
    with context.database.transaction() as session:
        assert session.get_one(Submission, fresh).state == SubmissionState.FAILED
        assert session.get_one(Match, check).state == MatchState.VOID


def test_a_check_that_is_over_counts_although_its_hint_cannot_be_found(
    context: tasks.WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh, check = under_check(context.database)
    monkeypatch.setattr(tasks, "explain_early_fault", failing(RuntimeError("rules of level 1 fail")))
    monkeypatch.setattr(tasks, "explain_clear_loss", failing(SandboxFailed("no room for one more match")))
    attempt(context)
    with context.database.transaction() as session:
        assert session.get_one(Match, check).state == MatchState.DONE
        assert session.get_one(Submission, fresh).state in {SubmissionState.LIVE, SubmissionState.FAILED}


def test_a_process_of_the_pool_that_cannot_be_opened_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Celery only logs such an exception, and would give matches to a process that can play none."""
    monkeypatch.setattr(app, "REPLACED_AFTER_S", 0.0)
    with pytest.raises(SystemExit) as ending, app.ending_if_failed():
        raise SandboxFailed("expected at most 64 workers on one folder")
    assert ending.value.code == 1


def test_a_match_that_is_over_counts_although_its_toolchain_is_replaced(
    context: tasks.WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is recorded is what built its bots."""
    _, check = under_check(context.database)
    version, play = context.sandbox.version(find_language("python")), tasks.play_match

    def then_upgrade(*args: Any, **kwargs: Any) -> PlayedMatch:
        played = play(*args, **kwargs)
        monkeypatch.setattr(Sandbox, "version", failing(MISSING))
        return played

    monkeypatch.setattr(tasks, "play_match", then_upgrade)
    attempt(context)
    with context.database.transaction() as session:
        assert session.get_one(Match, check).state == MatchState.DONE
        assert session.scalars(select(Result.toolchains)).one() == {"python": version}


def test_nothing_is_kept_of_a_match_whose_result_could_not_be_stored(
    context: tasks.WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, check = under_check(context.database)
    kept: list[str | None] = []

    def judge(*_: object) -> None:
        kept.append(context.blobs.text(key))
        raise ValueError("the check cannot be judged")

    key = replay_key(check, 1)
    monkeypatch.setattr(submissions, "judge_check", judge)
    attempt(context)
    with context.database.transaction() as session:
        assert session.get_one(Match, check).state == MatchState.VOID
    assert len(kept) == 1
    assert kept[0], "it was stored before"
    assert context.blobs.text(key) is None


def test_whoever_lost_the_lease_looks_for_no_hint() -> None:
    with pytest.raises(LeaseLost):
        tasks._hint(failing(LeaseLost()))
    assert tasks._hint(lambda: "a hint") == "a hint"


def test_a_result_waits_for_its_store_for_as_long_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    class Lease:
        def wait(self, seconds: float) -> bool:
            pauses.append(seconds)
            return False

    def store(*_: object) -> bool:
        if len(pauses) < 1100:
            raise StoreError("The store is away.")
        return True

    monkeypatch.setattr(tasks, "_store_result", store)
    played = cast(Any, (None, 0.0, None))
    assert tasks._store_patiently(cast(Any, None), cast(Any, None), played, cast(threading.Event, Lease()))
    assert (pauses[0], pauses[-1]) == (2 * tasks.STORE_RETRY_S, tasks.LONGEST_STORE_RETRY_S)


def test_what_games_write_is_stored_without_nul(database: Database) -> None:
    pair = newcomers(database, 2)
    with database.transaction() as session:
        match_id = matches.schedule(
            session, game="yavalath", kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=1, priority=0
        ).id
        (lease, *_) = queue.lease(session, limit=1, seconds=60, max_attempts=3)
        claimed = queue.claim(session, match_id, lease.token, seconds=60)
        assert claimed is not None
        report = matches.Report((0, 1), (1, 0), "it wrote \0", 9, (), 1.0, "test", "x", "1", "d")
        assert matches.finish(session, claimed, report)
        assert session.scalars(select(Result.reason)).all() == ["it wrote ␀"]
        matches.record_void_attempt(session, match_id, 1, "it failed: \0")
        assert session.scalars(select(VoidAttempt.reason)).all() == ["it failed: ␀"]


@pytest.mark.parametrize("faults", [(), (Fault(0, 3, "crash", "gone"),)])
def test_a_check_that_ends_during_a_refit_locks_nothing_before_its_ladder(
    context: tasks.WorkerContext, database: Database, faults: tuple[Fault, ...]
) -> None:
    """What it had changed would be locked for as long as the refit lasts, and pages would hear of no change."""
    submission_id, match_id = under_check(database)
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=3)
        claimed = queue.claim(session, match_id, lease.token, seconds=60)
    assert claimed is not None
    outcome = Outcome((1, 0) if faults else (0, 1), (0, 0), "over")
    record = Record("yavalath", "1", 1, 1, 2, {}, (Turn(1, (), faults, {}),), outcome)
    played = tasks.Played(PlayedMatch(record, "", ("", "")), 0.0, None, {})
    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            standings.lock_ladder(session, "yavalath")
            done = pool.submit(tasks._store_result, context, claimed, played)
            wait_until(lambda: is_anybody_waiting(database) or done.done(), "the result waits for the ladder")
            assert not done.done()
            session.scalars(select(Job.match_id).where(Job.match_id == match_id).with_for_update(nowait=True)).one()
        assert done.result()
    with database.transaction() as session:
        state = session.get_one(Submission, submission_id).state
    assert state == (SubmissionState.FAILED if faults else SubmissionState.LIVE)
