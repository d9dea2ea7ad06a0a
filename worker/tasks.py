"""Two tasks: play a leased match from claim to result, and rate a ladder anew.

Either may be told twice, late or not at all; the rows decide.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import structlog
from redis import Redis
from sqlalchemy.exc import SQLAlchemyError

from backend import blobs, live, matches, submissions
from backend.blobs import Blobs
from backend.db import Database
from backend.languages import find_language
from backend.models import MatchKind, SubmissionState
from backend.settings import Settings
from games.catalogue import find_game
from worker.play import Entrant, Played, build_bot, play_match
from worker.sandbox import BuildFailed, HostOverloaded, LanguageMissing, Sandbox, SandboxError

log = structlog.get_logger()


class LeaseLost(Exception):
    """Another worker has the match by now: whatever we still do with it is wasted."""


class SeatNotBuilt(Exception):
    """The code of a seat does not build."""

    def __init__(self, submission_id: int, problem: str, build_log: str | None = None) -> None:
        super().__init__(problem)
        self.submission_id = submission_id
        self.problem = problem
        self.build_log = build_log


@dataclass(frozen=True, slots=True)
class Workshop:
    """All that a worker process plays with. Made once, after the fork."""

    settings: Settings
    database: Database
    redis: Redis
    blobs: Blobs
    sandbox: Sandbox

    @classmethod
    def open(cls, settings: Settings) -> Workshop:
        """Connects, and prepares the sandbox. The process may take the place of one that was killed."""
        sandbox = Sandbox.open(settings.sandbox, folder=settings.data_folder / "worker")
        sandbox.sweep()
        return cls(
            settings,
            Database(settings.sqlalchemy_url(), pool_size=2, max_overflow=2),
            Redis.from_url(settings.redis_url, socket_timeout=5, socket_connect_timeout=5),
            Blobs(settings.data_folder / "blobs"),
            sandbox,
        )

    def close(self) -> None:
        """Gives everything back."""
        self.sandbox.close()
        self.redis.close()
        self.database.close()


def run(workshop: Workshop, match_id: int, token: UUID) -> None:
    """Claims the match and brings it to an end, unless somebody else has it."""
    with workshop.database.transaction() as session:
        order = matches.claim(session, match_id, token, seconds=workshop.settings.lease_s)
    if order is None:
        log.info("too late for a match", match=match_id)
        return
    for attempt in range(1, order.attempt):
        workshop.blobs.forget(match_id, attempt)
    try:
        with _kept(workshop, order) as lease_lost:
            played = _play(workshop, order, lease_lost)
    except LeaseLost:
        log.warning("lost the lease of a match", match=match_id)
    except SeatNotBuilt as failure:
        with workshop.database.transaction() as session:
            submissions.not_built(
                session, order, failure.submission_id, problem=failure.problem, build_log=failure.build_log
            )
    except HostOverloaded as failure:
        log.warning("an attempt does not count: the machine was overloaded", match=match_id, error=str(failure))
        why = f"The machine was overloaded: {str(failure).rstrip('.')}."
        _hand_back(workshop, order, why, pause_s=matches.overload_pause_s(order.attempt))
    except SandboxError as failure:
        log.error("a match could not be played here", match=match_id, error=str(failure))
        _hand_back(workshop, order, "The worker could not run its bots.", pause_s=0)
    except Exception:
        log.exception("a match is void, and it is our fault", match=match_id, game=order.game)
        with workshop.database.transaction() as session:
            matches.void(session, order, "Something on our side failed. The match does not count.")
            submissions.fail_void_checks(session)
    else:
        _write_down(workshop, order, played)


def refit(workshop: Workshop, game_id: str) -> None:
    """Counts the results that a game's ladder has not counted, unless somebody else does so now."""
    from backend import refits  # noqa: PLC0415 - scipy takes as long to load as all else together

    with workshop.database.transaction() as session:
        done = refits.refit(session, find_game(game_id))
    if done is not None:
        log.info(
            "refitted",
            game=game_id,
            counted=done.counted,
            results=done.results,
            nodes=done.nodes,
            seconds=round(done.seconds, 3),
            promoted=done.promoted,
        )


def _hand_back(workshop: Workshop, order: matches.Order, why: str, *, pause_s: float) -> None:
    with workshop.database.transaction() as session:
        matches.hand_back(session, order, why, max_attempts=workshop.settings.max_attempts, pause_s=pause_s)
        submissions.fail_void_checks(session)


@contextmanager
def _kept(workshop: Workshop, order: matches.Order) -> Iterator[threading.Event]:
    """Renews the lease while the block runs. The event is set when the lease is lost."""
    over, lost = threading.Event(), threading.Event()

    def renew() -> None:
        while not over.wait(workshop.settings.lease_s / 3):
            try:
                with workshop.database.transaction() as session:
                    held = matches.renew(session, order, seconds=workshop.settings.lease_s)
            except SQLAlchemyError as error:
                log.warning("could not renew a lease", match=order.match_id, error=str(error))
                continue
            if not held:
                lost.set()
                return

    renewing = threading.Thread(target=renew, name=f"lease of match {order.match_id}", daemon=True)
    renewing.start()
    try:
        yield lost
    finally:
        over.set()
        renewing.join()


def _play(workshop: Workshop, order: matches.Order, lease_lost: threading.Event) -> Played:
    game = find_game(order.game)
    entrants = _build_all(workshop, order)
    key = live.stream_key(workshop.settings.namespace, order.match_id, order.attempt)
    stream = live.LineStream(workshop.redis, key)

    def watch(line: str) -> None:
        if lease_lost.is_set():
            raise LeaseLost
        stream.add(line)

    try:
        return play_match(
            game,
            workshop.sandbox,
            entrants,
            seed=order.seed,
            league=order.league,
            match_id=order.match_id,
            watch=watch,
        )
    finally:
        stream.flush(last=True)


def _build_all(workshop: Workshop, order: matches.Order) -> list[Entrant]:
    """Seat -> entrant. Raises: SeatNotBuilt."""
    _say(workshop, order, SubmissionState.BUILDING)
    game = find_game(order.game)
    entrants = []
    for seat in order.seats:
        try:
            program = build_bot(game, workshop.sandbox, find_language(seat.language), seat.source)
        except BuildFailed as failure:
            raise SeatNotBuilt(seat.submission_id, "It does not build.", failure.log) from failure
        except LanguageMissing as missing:
            raise SeatNotBuilt(seat.submission_id, str(missing)) from missing
        entrants.append(Entrant(program, seat.player))
    _say(workshop, order, SubmissionState.CHECKING)
    return entrants


def _say(workshop: Workshop, order: matches.Order, state: SubmissionState) -> None:
    """How far the submission of a check match is."""
    if order.kind == MatchKind.CHECK:
        with workshop.database.transaction() as session:
            submissions.advance(session, order.seats[0].submission_id, state)


def _write_down(workshop: Workshop, order: matches.Order, played: Played) -> None:
    """Replay first, then the row that points at it."""
    key = blobs.replay_key(order.match_id, order.attempt)
    workshop.blobs.put_text(key, played.replay)
    for seat, lines in enumerate(played.seat_logs):
        workshop.blobs.put_text(blobs.seat_log_key(key, seat), lines)
    record = played.record
    report = matches.Report(
        ranks=record.outcome.ranks,
        scores=record.outcome.scores,
        reason=record.outcome.reason,
        turns=len(record.turns),
        faults=record.faults,
        cpu_ms=played.cpu_ms,
        worker=f"{socket.gethostname()}:{os.getpid()}",
        replay_key=key,
        rules_version=record.version,
        digest=record.digest,
    )
    with workshop.database.transaction() as session:
        counted = matches.finish(session, order, report)
        if counted and order.kind == MatchKind.CHECK:
            submissions.judge_check(session, order, report)
    if not counted:
        workshop.blobs.forget(order.match_id, order.attempt)
    log.info("played" if counted else "played in vain", match=order.match_id, game=order.game, reason=report.reason)
