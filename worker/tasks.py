"""The worker's task: play a leased match, from claim to result.

A message may arrive twice, late or never; the rows in the database decide.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from uuid import UUID

import structlog
from redis import Redis

from hexarena.backend.ladder import standings
from hexarena.backend.matches import blobs, causes, life as matches, live, queue, store, workers
from hexarena.backend.matches.blobs import Blobs, StoreError
from hexarena.backend.models import PERSON, MatchKind, SubmissionState
from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.db import Database, notify
from hexarena.backend.runtime.disk import Disk, is_disk_full
from hexarena.backend.runtime.logs import about
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from hexarena.backend.submissions.languages import LANGUAGES, find_language
from hexarena.games.catalogue import UnknownGame, failed_in_game, find_game
from hexarena.games.contract import Outcome
from hexarena.games.ghosts import NotRepeated, Recorded, recorded
from hexarena.games.referee import Event, Turn
from hexarena.worker import lease
from hexarena.worker.diagnosis import explain_clear_loss, explain_early_fault
from hexarena.worker.identity import Identity
from hexarena.worker.in_person import Paused, PersonsMatch
from hexarena.worker.lending import LeaseLost, MatchSlots, Slot
from hexarena.worker.play import PlayedMatch, ReadyBot, build_bot, play_match
from hexarena.worker.sandbox import BotKilled, BuildFailed, HostOverloaded, LanguageMissing, Sandbox, SandboxError
from hexarena.worker.similar import job as similar

log = structlog.get_logger()
SLOT_PATIENCE_S = 0.5
"""How long a match that was sent waits for a slot of this worker before another worker may have it."""
LANGUAGE_PAUSE_S = 0.5
"""How long a match waits that this worker lacks a language for, so that another one is the first to take it."""
STORE_RETRY_S, LONGEST_STORE_RETRY_S = 0.25, 10.0
MOST_DOUBLINGS = 10
FULL_PAUSE_S = 5.0


class PastGone(Exception):
    """What a fork plays on from was deleted: with the code of a bot, or after the days that the arena keeps it."""


class SeatBuildFailed(Exception):
    """The build of a seat's code failed. `stopped`: a limit ended it."""

    def __init__(self, submission_id: int, problem: str, build_log: str, *, stopped: bool = False) -> None:
        super().__init__(problem)
        self.submission_id = submission_id
        self.problem = problem
        self.build_log = build_log
        self.stopped = stopped


class Played(NamedTuple):
    """What came of an attempt: the match, how many seconds the builds before it took, a hint for the owner if it is a
    check, the versions that built its bots, and the CPU seconds of its bots in further matches that the hint took.
    """

    match: PlayedMatch
    build_s: float
    hint: str | None
    toolchains: dict[str, str]
    further_s: float = 0.0


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """Everything that a pool process plays with. Made once, after the fork.

    `lacks`: the languages that this worker cannot run.
    """

    settings: Settings
    database: Database
    redis: Redis
    blobs: Blobs
    marker: store.Marker
    disk: Disk
    sandbox: Sandbox
    slots: MatchSlots
    kept: MatchSlots
    identity: Identity
    lacks: frozenset[str]

    @classmethod
    def open(
        cls,
        settings: Settings,
        slots: MatchSlots,
        kept: MatchSlots,
        *,
        identity: Identity | None = None,
        languages: Collection[str] = tuple(LANGUAGES),
    ) -> WorkerContext:
        """Connects, and prepares the sandbox. Sweeps first: this process may replace one that was killed.

        `kept`: places for matches whose bots are kept while a person thinks. `identity`: of the worker. `languages`:
        those that it has.
        """
        sandbox = Sandbox.open(
            settings.sandbox,
            folder=settings.data_folder / "worker",
            toolchains=settings.toolchains,
            watch_build=_count_build,
            logs_refused=settings.log_refused_calls,
        )
        sandbox.sweep()
        replays, database = store.blobs_of(settings), Database.of(settings, pool_size=2, max_overflow=2)
        return cls(
            settings,
            database,
            Redis.from_url(settings.redis_url, socket_timeout=5, socket_connect_timeout=5),
            replays,
            store.Marker(replays, database),
            Disk(settings.data_folder, settings.disk_reserve_bytes),
            sandbox,
            slots,
            kept,
            identity or Identity.of_this_process(),
            frozenset(LANGUAGES) - frozenset(languages),
        )

    def close(self) -> None:
        """Closes all connections and the sandbox."""
        self.sandbox.close()
        self.redis.close()
        self.database.close()


def run(context: WorkerContext, match_id: int, token: UUID, *, awaited: bool = False) -> None:
    """Plays the match as soon as this worker has a slot and room on its disk, or leaves it to another worker.

    `awaited`: somebody waits for it.
    """
    if _is_for_others(context, match_id):
        with context.database.transaction() as session:
            queue.release(session, [queue.Lease(match_id, token)], pause_s=LANGUAGE_PAUSE_S)
            notify(session, "hexarena_jobs")
        return
    slot = None
    if context.disk.is_full:
        time.sleep(SLOT_PATIENCE_S)
    else:
        slot = context.slots.take(SLOT_PATIENCE_S, awaited=awaited)
    if slot is None:
        with context.database.transaction() as session:
            queue.release(session, [queue.Lease(match_id, token)])
            notify(session, "hexarena_jobs")
        return
    try:
        _claim_and_play(context, match_id, token, slot)
    finally:
        slot.give_back()


def _is_for_others(context: WorkerContext, match_id: int) -> bool:
    """Whether a language of the match is missing here, and some other worker has all of them."""
    if not context.lacks:
        return False
    with context.database.transaction() as session:
        needed = queue.languages_of(session, match_id) - {PERSON}
        return not needed.isdisjoint(context.lacks) and workers.has_all(session, needed)


def compare(context: WorkerContext, report_id: int) -> None:
    """Makes a similarity report, beside the matches: it takes no slot, and one at a time is made in the arena.

    A worker elsewhere may not read who is in which class. The report is sent again until one of the arena's own has it.
    """
    if context.identity.is_elsewhere:
        return
    with about(report=report_id):
        began = time.monotonic()
        outcome = similar.make(context.database, context.sandbox, report_id)
        if outcome is not None:
            log.info("compared sources", outcome=outcome, seconds=round(time.monotonic() - began, 3))


def _claim_and_play(context: WorkerContext, match_id: int, token: UUID, slot: Slot) -> None:
    """Claims the match and plays it to its end, unless another worker has it."""
    with context.database.transaction() as session:
        claimed = queue.claim(session, match_id, token, seconds=context.settings.lease_s)
    if claimed is None:
        log.info("lease is no longer valid: match skipped", match=match_id)
        return
    if not claimed.awaited:
        slot.yield_to_others()
    with about(match=match_id, attempt=claimed.attempt, game=claimed.game):
        outcome = _attempt(context, claimed, slot)
    metrics.meters().attempts.labels(claimed.game, claimed.kind, outcome).inc()


def _attempt(context: WorkerContext, claimed: matches.ClaimedMatch, slot: Slot) -> str:
    """Plays a claimed match. Returns how the attempt ended, for the figures."""
    try:
        with lease.renewed(context.database, claimed, slot, lease_s=context.settings.lease_s) as lease_lost:
            _forget_earlier(context, claimed)
            played = _play(context, claimed, slot, lease_lost)
            return "done" if _store_patiently(context, claimed, played, lease_lost) else "lost"
    except Paused:
        log.info("paused for a person's reply")
        return "paused"
    except LeaseLost:
        log.warning("lost the lease of a match")
        return "lost"
    except SeatBuildFailed as failure:
        if context.disk.is_full:  # the compiler may have had no room
            return _hand_back_for_room(context, claimed, failure)
        if not _is_unproven(context, failure.submission_id):
            if context.identity.is_elsewhere:
                log.warning("a build failed here: another worker may try", submission=failure.submission_id)
                _hand_back(context, claimed, causes.NOT_BUILT_ELSEWHERE, pause_s=FULL_PAUSE_S)
                return "build failed"
            if failure.stopped and not _stopped_each_time(context, claimed):
                log.warning("a build that worked before was stopped", submission=failure.submission_id)
                _hand_back(context, claimed, causes.BUILD_STOPPED, pause_s=queue.overload_pause_s(claimed.failed))
                return "build failed"
        log.info("a match is void: a build failed", submission=failure.submission_id, problem=failure.problem)
        with context.database.transaction() as session:
            submissions.record_failed_build(
                session, claimed, failure.submission_id, problem=failure.problem, build_log=failure.build_log
            )
        return "build failed"
    except LanguageMissing as failure:
        # No fault of the code: other workers run it, and so does this one when its toolchain is back.
        log.error("a language of a match is missing here", error=str(failure))
        metrics.meters().sandbox_faults.labels("sandbox").inc()
        _hand_back(context, claimed, causes.NO_LANGUAGE, pause_s=FULL_PAUSE_S)
        return "sandbox"
    except NotRepeated as failure:
        with context.database.transaction() as session:
            matches.void(session, claimed, f"{causes.NOT_REPEATED}: {failure}.")
        return "bug"
    except PastGone as failure:
        with context.database.transaction() as session:
            matches.void(session, claimed, f"{causes.PAST_GONE}: {failure}.")
        return "past gone"
    except HostOverloaded as failure:
        log.warning("void attempt: the machine was overloaded", error=str(failure))
        metrics.meters().sandbox_faults.labels("overload").inc()
        why = f"{causes.OVERLOADED}: {str(failure).rstrip('.')}."
        _hand_back(context, claimed, why, pause_s=queue.overload_pause_s(claimed.failed))
        return "overload"
    except BotKilled as failure:
        log.error("void attempt: a bot was ended from outside", error=str(failure))
        metrics.meters().sandbox_faults.labels("sandbox").inc()
        why = f"{causes.KILLED}: {failure}."
        _hand_back(context, claimed, why, pause_s=queue.overload_pause_s(claimed.failed))
        return "sandbox"
    except UnknownGame as failure:
        log.error("a match of a game that this worker does not have", error=str(failure))
        metrics.meters().sandbox_faults.labels("game").inc()
        _hand_back(context, claimed, causes.NO_GAME, pause_s=queue.overload_pause_s(claimed.failed))
        return "game"
    except SandboxError as failure:
        if is_disk_full(failure):
            return _hand_back_for_room(context, claimed, failure)
        log.error("a match could not be played on this worker", error=str(failure))
        metrics.meters().sandbox_faults.labels("sandbox").inc()
        _hand_back(context, claimed, causes.NO_SANDBOX, pause_s=0)
        return "sandbox"
    except Exception as failure:
        if store.is_out_of_reach(failure):
            return _hand_back_for_store(context, claimed, failure)
        if is_disk_full(failure):
            return _hand_back_for_room(context, claimed, failure)
        log.exception("a match is void because of an internal error")
        what = failed_in_game(failure, claimed.game)
        with context.database.transaction() as session:
            matches.void(session, claimed, causes.OUR_BUG if what is None else causes.game_failed(what))
            submissions.fail_void_checks(session)
            discarded = not matches.is_stored(session, claimed)
        if discarded:
            _forget(context, claimed)
        return "bug" if what is None else "game"


def _is_unproven(context: WorkerContext, submission_id: int) -> bool:
    """A worker elsewhere may have other toolchains. Of what was built before by others it is not the judge."""
    with context.database.transaction() as session:
        return submissions.is_unproven(session, submission_id)


def _stopped_each_time(context: WorkerContext, claimed: matches.ClaimedMatch) -> bool:
    """Whether this was the last attempt, and all before it ended in a build, too: then it was no slow moment."""
    if claimed.failed < context.settings.max_attempts:
        return False
    with context.database.transaction() as session:
        return matches.void_reasons(session, claimed) <= {causes.BUILD_STOPPED, causes.NOT_BUILT_ELSEWHERE}


def _forget_earlier(context: WorkerContext, claimed: matches.ClaimedMatch) -> None:
    """Removes what earlier attempts stored. If the store is away, it stays: that is no reason not to play.

    One that ended in a pause stored nothing, and has removed what those before it had stored.
    """
    try:
        for attempt in range(claimed.paused_attempt + 1, claimed.attempt):
            context.blobs.forget(claimed.match_id, attempt)
    except StoreError as error:
        log.warning("what earlier attempts stored is still there", error=str(error))


def _forget(context: WorkerContext, claimed: matches.ClaimedMatch) -> None:
    """Removes what this attempt stored; no later one does."""
    try:
        context.blobs.forget(claimed.match_id, claimed.attempt)
    except StoreError as error:
        log.warning("what a void attempt stored is still there", error=str(error))


def _count_build(language: str, seconds: float, failed: bool) -> None:
    log.info("built" if not failed else "could not be built", language=language, seconds=round(seconds, 3))
    metrics.meters().build_seconds.labels(language).observe(seconds)
    if failed:
        metrics.meters().failed_builds.labels(language).inc()


def _hand_back_for_room(context: WorkerContext, claimed: matches.ClaimedMatch, failure: Exception) -> str:
    """Gives the match back, since this machine had no room for it. Returns how the attempt ended."""
    log.error("void attempt: the disk is full", error=str(failure))
    metrics.meters().sandbox_faults.labels("disk").inc()
    _hand_back(context, claimed, causes.DISK_FULL, pause_s=FULL_PAUSE_S)
    return "disk"


def _hand_back_for_store(context: WorkerContext, claimed: matches.ClaimedMatch, failure: Exception) -> str:
    """Gives the match back, since the database or the store does not answer. Returns how the attempt ended."""
    log.error("the database or the store does not answer", error=str(failure).splitlines()[0])
    metrics.meters().sandbox_faults.labels("store").inc()
    _hand_back(context, claimed, causes.NO_STORE, pause_s=FULL_PAUSE_S)
    return "store"


def _hand_back(context: WorkerContext, claimed: matches.ClaimedMatch, why: str, *, pause_s: float) -> None:
    with context.database.transaction() as session:
        queue.hand_back(session, claimed, why, max_attempts=context.settings.max_attempts, pause_s=pause_s)
        submissions.fail_void_checks(session)


def _play(context: WorkerContext, claimed: matches.ClaimedMatch, slot: Slot, lease_lost: threading.Event) -> Played:
    """Builds the bots and plays the match. Raises: SeatBuildFailed, LanguageMissing, LeaseLost, Paused."""
    game = find_game(claimed.game)
    began = time.monotonic()
    with slot.building():
        bots = _build_bots(context, claimed)
        build_s = time.monotonic() - began
        toolchains = _toolchains(context, claimed)  # now: they may be others, or gone, when the match is over
    if claimed.person is not None:
        person = PersonsMatch(context.settings, context.database, context.kept, claimed, slot)
        return Played(person.play(context.sandbox, bots), build_s, None, toolchains)
    key = live.stream_key(context.settings.namespace, claimed.match_id, claimed.attempt)
    stream = live.LineStream(context.redis, key)

    def watch(line: str) -> None:
        if lease_lost.is_set():
            raise LeaseLost
        stream.add(line)

    def see(event: Event) -> None:
        if not isinstance(event, Outcome):
            slot.between_turns()

    began = time.monotonic()
    try:
        played = play_match(
            game,
            context.sandbox,
            bots,
            seed=claimed.seed,
            league=claimed.league,
            match_id=claimed.match_id,
            watch=watch,
            naps=slot,
            past=_past(context, claimed),
            see=see,
        )
    finally:
        stream.flush(last=True)
    metrics.meters().match_seconds.labels(game.id).observe(time.monotonic() - began)
    hint, further_s = None, 0.0

    def see_further(event: Event) -> None:
        nonlocal further_s
        if lease_lost.is_set():
            raise LeaseLost
        if isinstance(event, Turn):
            further_s += sum(exchange.cpu_s for exchange in event.exchanges)
        see(event)

    if claimed.kind == MatchKind.CHECK:
        of_check = (game, context.sandbox, bots, submissions.seats_under_check(claimed), played.record)
        hint = _hint(partial(explain_early_fault, *of_check, see=see_further))
        if hint is None:
            hint = _hint(partial(explain_clear_loss, *of_check, see=see_further))
    return Played(played, build_s, hint, toolchains, further_s)


def _hint(explain: Callable[[], str | None]) -> str | None:
    """What further matches tell the owner, if they can be played: the one that counts is over. Raises: LeaseLost."""
    try:
        return explain()
    except LeaseLost:
        raise
    except Exception:
        log.exception("a check has no hint: its further matches failed")
        return None


def _past(context: WorkerContext, claimed: matches.ClaimedMatch) -> Recorded | None:
    """What a fork plays on from. Raises: PastGone, if it is no longer stored whole."""
    if claimed.fork is None:
        return None
    key, turn = claimed.fork.replay_key, claimed.fork.turn
    parts = [None, *range(len(claimed.seats))]
    texts = [] if key is None else [context.blobs.text(key, part) for part in parts]
    if not texts or None in texts:
        raise PastGone(f"match {claimed.fork.match_id} is no longer stored whole")
    replay, *logs = (text for text in texts if text is not None)
    return recorded(replay, logs, turn)


def _build_bots(context: WorkerContext, claimed: matches.ClaimedMatch) -> list[ReadyBot]:
    """Seat -> bot, without a person's. Raises: SeatBuildFailed, LanguageMissing."""
    _report_progress(context, claimed, SubmissionState.BUILDING)
    game = find_game(claimed.game)
    bots = []
    for seat in claimed.seats:
        if seat.language == PERSON:
            continue
        try:
            with about(submission=seat.submission_id):
                program = build_bot(game, context.sandbox, find_language(seat.language), seat.source)
        except BuildFailed as failure:
            raise SeatBuildFailed(
                seat.submission_id, "Build failed.", failure.log, stopped=failure.stopped
            ) from failure
        bots.append(ReadyBot(program, seat.player))
    _report_progress(context, claimed, SubmissionState.CHECKING)
    return bots


def _report_progress(context: WorkerContext, claimed: matches.ClaimedMatch, state: SubmissionState) -> None:
    """Stores how far the submission of a check match has come."""
    if claimed.kind == MatchKind.CHECK:
        with context.database.transaction() as session:
            submissions.advance(session, claimed.seats[0].submission_id, state)


def _store_patiently(
    context: WorkerContext,
    claimed: matches.ClaimedMatch,
    played: Played,
    lease_lost: threading.Event,
) -> bool:
    """Keeps the match while the disk is full, or store or database are away, as long as the lease is ours.

    False: the result was discarded. Raises: LeaseLost.
    """
    tries = 0
    while True:
        try:
            return _store_result(context, claimed, played)
        except Exception as error:
            if not store.is_out_of_reach(error):
                raise
            log.error("a result cannot be stored now", tries=tries, error=str(error))
        tries += 1
        # A store may be away for a night: the pause is a float for as long as that.
        if lease_lost.wait(min(STORE_RETRY_S * 2 ** min(tries, MOST_DOUBLINGS), LONGEST_STORE_RETRY_S)):
            raise LeaseLost


def _toolchains(context: WorkerContext, claimed: matches.ClaimedMatch) -> dict[str, str]:
    """Language -> the versions that built and ran the match's bots: a match is built by one worker, so one each."""
    languages = sorted({seat.language for seat in claimed.seats if seat.language != PERSON})
    return {language: context.sandbox.version(find_language(language)) for language in languages}


def _store_result(context: WorkerContext, claimed: matches.ClaimedMatch, played: Played) -> bool:
    """Stores the replay and seat logs first, then the row that points at them. False: the lease was lost."""
    key = blobs.replay_key(claimed.match_id, claimed.attempt)
    context.marker.check()
    context.blobs.put_match(key, played.match.replay, played.match.seat_logs)
    record = played.match.record
    report = matches.Report(
        ranks=record.outcome.ranks,
        scores=record.outcome.scores,
        reason=record.outcome.reason,
        turns=len(record.turns),
        faults=record.faults,
        cpu_ms=played.match.cpu_ms,
        worker=context.identity.name,
        replay_key=key,
        rules_version=record.version,
        digest=record.moves_digest(find_game(claimed.game)),
        record_digest=record.digest,
        build_s=played.build_s,
        further_s=played.further_s,
        toolchains=played.toolchains,
    )
    with context.database.transaction() as session:
        if claimed.kind == MatchKind.CHECK:
            # First of all: while a refit has it, whatever is changed before is locked, and no page hears of changes.
            standings.lock_ladder(session, claimed.game)
        counted = matches.finish(session, claimed, report)
        if counted and claimed.kind == MatchKind.CHECK:
            submissions.judge_check(session, claimed, report, played.hint)
        # A commit whose confirmation was lost is not counted again, and its replay stays.
        discarded = not counted and not matches.is_stored(session, claimed)
    if discarded:
        context.blobs.forget(claimed.match_id, claimed.attempt)
    log.info("result discarded: lease lost" if discarded else "played", reason=report.reason)
    if counted:
        for kind in matches.first_fatal_faults(record.faults).values():
            metrics.meters().bot_faults.labels(claimed.game, kind).inc()
    return not discarded
