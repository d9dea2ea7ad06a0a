"""How the arena is doing, in figures that come from the database. At any size: nothing here reads a table that grows.

The queue is its rows of `job`. What ended lately is the newest matches by their ids, at most NEWEST of them, of which
those count that ended in the last hour; where more were played in it, `window_s` says how far back the figures go.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import get_args

from sqlalchemy import Float, and_, case, cast, func, literal, select
from sqlalchemy.orm import Session

from hexarena.backend.matches import live, parts
from hexarena.backend.matches.causes import WITHDRAWN, cause_of
from hexarena.backend.matches.live import Cursor
from hexarena.backend.matches.parts import PartStatus
from hexarena.backend.matches.workers import CLOCK_S, alive, listed
from hexarena.backend.models import (
    ChangeRow,
    Job,
    Ladder,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    PendingResult,
    SeatResult,
    Standing,
    Submission,
    SubmissionState,
    VoidAttempt,
    Worker,
)
from hexarena.games.catalogue import all_games
from hexarena.games.contract import FaultKind

NEWEST = 20_000
"""Matches that are looked at, the newest."""
WINDOW = timedelta(hours=1)
RATE_MINUTES = 5
"""Over so many minutes matches per minute are counted."""
FAULTS: tuple[str, ...] = get_args(FaultKind)


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """Matches of one kind and game that are not over. `oldest_s`: how long the first of those that wait has waited.

    `paused`: they wait for a person's reply, or after an attempt that does not count. `playing`: sent to a worker.
    """

    kind: MatchKind
    game: str
    waiting: int
    playing: int
    paused: int
    oldest_s: float | None


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A worker that was up in the last minutes. `late_s`, `cpu_wait`: its machine's load (docs/organisers.md).

    `joined`: from another machine. `toolchains`: language -> the versions of its programs. `clock_off_s`: how far its
    clock is ahead of the database's; `clock_wrong`: by too much. `disk_free_bytes`: of its data folder's disk, null if
    unknown; `disk_full`: so full that it begins no match.
    """

    host: str
    process: str
    up: bool
    slots: int
    spare: int
    seen_s: float
    late_s: float
    cpu_wait: float | None
    languages: int
    joined: bool
    toolchains: Mapping[str, str]
    clock_off_s: float
    clock_wrong: bool
    disk_free_bytes: int | None = None
    disk_full: bool = False


@dataclass(frozen=True, slots=True)
class Differing:
    """A language whose programs are not the same on all workers that are up. `versions`: version -> workers."""

    language: str
    versions: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class LadderStatus:
    """A ladder. `placing`: competitors whose place is not found yet. `pending`: results that no refit has counted.

    `refit_s`: CPU time of the last refit; `refitted_s`: how long ago it was.
    """

    game: str
    competitors: int
    placing: int
    pending: int
    refitted_s: float | None
    refit_s: float


@dataclass(frozen=True, slots=True)
class EndedMatches:
    """Matches of a game that ended lately. `void`: because we failed. `withdrawn`: void for other reasons."""

    game: str
    done: int
    void: int
    withdrawn: int


@dataclass(frozen=True, slots=True)
class MinuteOfMatches:
    """What ended in one minute, whose beginning is `at`."""

    at: datetime
    done: int
    void: int


@dataclass(frozen=True, slots=True)
class RecentMatches:
    """What ended in the last `window_s`.

    `per_minute`: matches with a result, in the last minutes. `void_rate`: of those that ended, without withdrawn ones,
    the share that is void because we failed; null if none ended. `void_attempts`: cause -> attempts that do not count.
    `faults`: of bots, kind -> how many ended their match by it.
    """

    window_s: float
    per_minute: float
    void_rate: float | None
    games: Sequence[EndedMatches]
    causes: Mapping[str, int]
    void_attempts: Mapping[str, int]
    faults: Mapping[str, int]
    minutes: Sequence[MinuteOfMatches]


@dataclass(frozen=True, slots=True)
class Figures:
    """All of it. `submissions`: those that wait for their build and check, by state. `event_lag_s`: since when
    something has changed that no page could be notified of. `differing`: languages that workers have in several
    versions. `parts`: dispatchers, schedulers, ratings, webhooks and API processes that reported in the last day.
    """

    at: datetime
    queue: Sequence[QueueStatus]
    submissions: Mapping[str, int]
    recent: RecentMatches
    workers: Sequence[WorkerStatus]
    differing: Sequence[Differing]
    ladders: Sequence[LadderStatus]
    event_lag_s: float
    took_s: float
    parts: Sequence[PartStatus] = ()


def read(session: Session, position: Cursor | None = None, *, newest: int = NEWEST) -> Figures:
    """The figures as of now. `position`: how far the reader of events has come; None if it does not read.

    `newest`: how many matches are looked at for what ended lately.
    """
    began = time.monotonic()
    at = session.execute(select(func.clock_timestamp())).scalar_one()
    workers = _workers(session)
    return Figures(
        at=at,
        queue=queue(session),
        submissions=_submissions(session),
        recent=_recent(session, at, newest),
        workers=workers,
        differing=differing(workers),
        ladders=_ladders(session),
        event_lag_s=_event_lag_s(session, position),
        parts=parts.read(session),
        took_s=time.monotonic() - began,
    )


def queue(session: Session) -> list[QueueStatus]:
    """The matches that are not over, by kind and game."""
    held = Job.lease_until >= func.now()
    paused = and_(~func.coalesce(held, False), Job.not_before > func.now())
    waits = and_(~func.coalesce(held, False), ~func.coalesce(paused, False))
    # A match that was begun before waits since its lease ended, or its pause.
    begun = func.coalesce(func.greatest(Job.not_before, Job.lease_until), Match.started_at)
    since = case((Job.attempts == 0, Match.created_at), else_=begun)
    age_s = func.extract("epoch", func.clock_timestamp() - func.min(since).filter(waits))
    rows = session.execute(
        select(
            Match.kind,
            Match.game,
            func.count().filter(waits),
            func.count().filter(held),
            func.count().filter(paused),
            cast(age_s, Float),
        )
        .join(Job, Job.match_id == Match.id)
        .group_by(Match.kind, Match.game)
        .order_by(func.min(Job.priority), Match.game)
    )
    return [
        QueueStatus(kind, game, waiting, playing, resting, None if oldest is None else max(0.0, oldest))
        for kind, game, waiting, playing, resting, oldest in rows
    ]


def _submissions(session: Session) -> dict[str, int]:
    """Each has a check match in the queue; that is a shorter way to them than all submissions."""
    rows = session.execute(
        select(Submission.state, func.count())
        .select_from(Job)
        .join(Match, Match.id == Job.match_id)
        .join(MatchSeat, (MatchSeat.match_id == Match.id) & (MatchSeat.seat == 0))
        .join(Submission, Submission.id == MatchSeat.submission_id)
        .where(Match.kind == MatchKind.CHECK)
        .group_by(Submission.state)
    )
    return {state.value: count for state, count in rows}


def _recent(session: Session, at: datetime, most: int) -> RecentMatches:
    newest = session.execute(select(func.max(Match.id))).scalar_one() or 0
    first = newest - most
    cause = case((Match.state == MatchState.DONE, literal("")), else_=cause_of(Match.void_reason)).label("cause")
    minute = func.date_trunc("minute", Match.finished_at).label("minute")
    since = at - timedelta(minutes=RATE_MINUTES)
    lately = func.count().filter(Match.finished_at > since, Match.state == MatchState.DONE)
    rows = session.execute(
        select(Match.game, cause, minute, func.count(), func.min(Match.id), lately)
        .where(Match.id > first, Match.finished_at > at - WINDOW)
        .group_by(Match.game, cause, minute)
    ).all()
    # Where the oldest that was looked at is younger than the window, nobody knows what ended before it was made.
    oldest = session.execute(
        select(Match.created_at).where(Match.id > first).order_by(Match.id).limit(1)
    ).scalar_one_or_none()
    reaches = WINDOW if newest <= most or oldest is None or oldest < at - WINDOW else at - oldest
    games: dict[str, list[int]] = {}
    causes: dict[str, int] = {}
    minutes: dict[datetime, list[int]] = {}
    for game, why, when, count, _, _ in rows:
        kind = 0 if why == "" else 2 if why == WITHDRAWN else 1
        games.setdefault(game, [0, 0, 0])[kind] += count
        minutes.setdefault(when, [0, 0, 0])[kind] += count
        if why:
            causes[why] = causes.get(why, 0) + count
    done, void = (sum(one[kind] for one in games.values()) for kind in (0, 1))
    lately_s = max(1.0, min(timedelta(minutes=RATE_MINUTES), reaches).total_seconds())
    return RecentMatches(
        window_s=reaches.total_seconds(),
        per_minute=60.0 * sum(row[5] for row in rows) / lately_s,
        void_rate=void / (done + void) if done + void else None,
        games=[EndedMatches(game, *counts) for game, counts in sorted(games.items())],
        causes=dict(sorted(causes.items())),
        void_attempts=_void_attempts(session, first, at),
        faults=_faults(session, max(first, min((row[4] for row in rows), default=newest + 1) - 1), at),
        minutes=[MinuteOfMatches(when, counts[0], counts[1]) for when, counts in sorted(minutes.items())],
    )


def _void_attempts(session: Session, first: int, at: datetime) -> dict[str, int]:
    cause = cause_of(VoidAttempt.reason).label("cause")
    rows = session.execute(
        select(cause, func.count())
        .where(VoidAttempt.match_id > first, VoidAttempt.ended_at > at - WINDOW)
        .group_by(cause)
        .order_by(cause)
    )
    return dict(rows.all())


def _faults(session: Session, first: int, at: datetime) -> dict[str, int]:
    rows = session.execute(
        select(SeatResult.fault, func.count())
        .join(Match, Match.id == SeatResult.match_id)
        .where(SeatResult.fault.in_(FAULTS), SeatResult.match_id > first, Match.finished_at > at - WINDOW)
        .group_by(SeatResult.fault)
        .order_by(SeatResult.fault)
    )
    return {str(fault): count for fault, count in rows}


def _workers(session: Session) -> list[WorkerStatus]:
    seen_s = cast(func.extract("epoch", func.clock_timestamp() - Worker.seen_at), Float)
    rows = session.execute(select(Worker, alive(), seen_s).where(listed()).order_by(Worker.name))
    return [
        WorkerStatus(
            host=one.name.partition(":")[0],
            process=one.name.partition(":")[2],
            up=up,
            slots=one.slots,
            spare=one.spare,
            seen_s=max(0.0, seen),
            late_s=one.late_s,
            cpu_wait=one.cpu_wait,
            languages=len(one.languages),
            joined=one.host_id is not None,
            toolchains=one.toolchains,
            clock_off_s=one.clock_off_s,
            clock_wrong=abs(one.clock_off_s) > CLOCK_S,
            disk_free_bytes=one.disk_free_bytes,
            disk_full=up and one.slots == 0,
        )
        for one, up, seen in rows
    ]


def differing(workers: Sequence[WorkerStatus]) -> list[Differing]:
    """The languages of which workers that are up have several versions. A match is built on one worker, so its bots
    have equal tools all the same; from match to match they may differ.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for one in workers:
        for language, version in one.toolchains.items() if one.up else ():
            found.setdefault(language, {}).setdefault(version, []).append(f"{one.host}:{one.process}")
    return [Differing(language, versions) for language, versions in sorted(found.items()) if len(versions) > 1]


def _ladders(session: Session) -> list[LadderStatus]:
    board = session.execute(
        select(Standing.game, func.count(), func.count().filter(Standing.placing))
        .join(Submission, Submission.id == Standing.submission_id)
        .where(Submission.state == SubmissionState.LIVE)
        .group_by(Standing.game)
    )
    counts = {game: (competitors, placing) for game, competitors, placing in board}
    results = session.execute(select(PendingResult.game, func.count()).group_by(PendingResult.game))
    pending = dict(results.all())
    age_s = cast(func.extract("epoch", func.clock_timestamp() - Ladder.refitted_at), Float)
    here = Ladder.game.in_(list(all_games()))  # of others nothing is counted, and nobody waits for it
    rows = session.execute(select(Ladder.game, Ladder.refit_s, age_s).where(here).order_by(Ladder.game))
    return [
        LadderStatus(game, *counts.get(game, (0, 0)), pending.get(game, 0), age, refit_s) for game, refit_s, age in rows
    ]


def _event_lag_s(session: Session, position: Cursor | None) -> float:
    """Since when there is an event that readers could not read yet: a long transaction holds it back, or the reader
    is behind.
    """
    place = live.now(session) if position is None else position
    age_s = cast(func.extract("epoch", func.clock_timestamp() - ChangeRow.at), Float)
    oldest = select(age_s).where(ChangeRow.id > place.id).order_by(ChangeRow.id).limit(1)
    return max(0.0, session.scalar(oldest) or 0.0)
