"""The life of a match: schedule, lease, claim, renew, then finish or void.

Theory of operation. A match that is not over has a row in `job`: it is the queue of record and the outbox. The
dispatcher leases rows that nobody holds, new ones and those whose lease ran out alike, and sends their ids. A worker
claims with the lease's token; whoever has no valid token is too late and changes nothing. `finish` deletes the job
and writes the result in one transaction, so a match counts exactly once, whatever dies when.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, Row, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, joinedload

from backend import live, standings
from backend.db import notify
from backend.models import (
    RATED,
    Bot,
    Job,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Result,
    SeatResult,
    Standing,
    Submission,
    VoidAttempt,
)
from games.catalogue import find_game
from games.lines import Player
from games.referee import Fault

PRIORITY: Mapping[MatchKind, int] = {
    MatchKind.PRACTICE: 10,
    MatchKind.CHECK: 20,
    MatchKind.PLACEMENT: 30,
    MatchKind.LADDER: 90,
}
"""Lower goes first: somebody is watching a practice match."""
HOUSE_PRIORITY = 60
"""Placement of house bots: after that of people's, whatever was there first."""
FAULTS_KEPT = 20
"""Of each seat, in the result's row."""
SILENT = "The worker that played it was not heard of again."
FIRST_PAUSE_S = 5.0
MOST_GROWTHS = 3
AWAITED = max(PRIORITY[MatchKind.PRACTICE], PRIORITY[MatchKind.CHECK])
"""Up to this priority, somebody waits for the match."""


@dataclass(frozen=True, slots=True)
class OrderSeat:
    """What a worker needs to know of a seat."""

    submission_id: int
    language: str
    source: bytes
    player: Player


@dataclass(frozen=True, slots=True)
class Order:
    """A claimed match. Only the holder of `token` may end it."""

    match_id: int
    token: UUID
    attempt: int
    game: str
    kind: MatchKind
    seed: int
    league: int
    seats: tuple[OrderSeat, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """How a claimed match ended, for `finish`. `cpu_ms`: what all bots used together."""

    ranks: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str
    turns: int
    faults: tuple[Fault, ...]
    cpu_ms: float
    worker: str
    replay_key: str
    rules_version: str


@dataclass(frozen=True, slots=True)
class Lease:
    """A match that is ours to send."""

    match_id: int
    token: UUID


def schedule(
    session: Session,
    *,
    game: str,
    kind: MatchKind,
    submission_ids: Sequence[int],
    seed: int,
    league: int,
    requested_by_id: int | None = None,
    priority: int | None = None,
) -> Match:
    """Queues a match. `submission_ids`: seat -> submission. It is sent once the transaction commits.

    `priority`: lower goes first; that of its kind where there is none.
    """
    match = Match(
        game=game, kind=kind, state=MatchState.QUEUED, seed=seed, league=league, requested_by_id=requested_by_id
    )
    session.add(match)
    session.flush()
    session.add_all(
        MatchSeat(match_id=match.id, seat=seat, submission_id=submission_id, game=game)
        for seat, submission_id in enumerate(submission_ids)
    )
    session.add(Job(match_id=match.id, priority=PRIORITY[kind] if priority is None else priority))
    session.flush()
    live.publish(session, game, "match", match.id)
    notify(session, "hexarena_jobs")
    return match


def lease(
    session: Session, *, room: int, seconds: float, max_attempts: int, quiet_room: int | None = None
) -> list[Lease]:
    """Takes up to `room` jobs that nobody holds, best priority first. Those started too often become void instead.

    `quiet_room`: at most so many of them are matches that nobody waits for.
    """
    rows = _pick(session, Job.priority <= AWAITED, room)
    room -= len(rows)
    rows += _pick(session, Job.priority > AWAITED, room if quiet_room is None else min(room, quiet_room))
    for row in rows:
        if row.attempts >= max_attempts:
            _note_void_attempt(session, row.match_id, row.attempts, SILENT)
            _end_void(session, row.match_id, f"It was started {row.attempts} times and never came to an end.")
    leased = session.execute(
        update(Job)
        .where(Job.match_id.in_([row.match_id for row in rows if row.attempts < max_attempts]))
        .values(token=func.gen_random_uuid(), lease_until=func.now() + timedelta(seconds=seconds))
        .returning(Job.match_id, Job.token, Job.priority)
    ).all()
    in_order = sorted(leased, key=lambda row: (row.priority, row.match_id))
    return [Lease(row.match_id, row.token) for row in in_order]


def _pick(session: Session, which: ColumnElement[bool], room: int) -> list[Row[tuple[int, int]]]:
    """(match id, attempts), locked."""
    picked = (
        select(Job.match_id, Job.attempts)
        .where(_free(), or_(Job.not_before.is_(None), Job.not_before <= func.now()), which)
        .order_by(Job.priority, Job.match_id)
        .limit(max(0, room))
        .with_for_update(skip_locked=True)
    )
    return list(session.execute(picked))


def _free() -> ColumnElement[bool]:
    """New, or its lease has run out."""
    return or_(Job.lease_until.is_(None), Job.lease_until < func.now())


def release(session: Session, leases: Sequence[Lease]) -> None:
    """Gives back leases that could not be sent."""
    for one in leases:
        held = (Job.match_id == one.match_id) & (Job.token == one.token)
        session.execute(update(Job).where(held).values(token=None, lease_until=None))


def in_flight(session: Session) -> tuple[int, int]:
    """How many jobs somebody holds right now, and how many of these are of matches that nobody waits for."""
    quiet = func.count().filter(Job.priority > AWAITED)
    row = session.execute(select(func.count(), quiet).select_from(Job).where(Job.lease_until >= func.now())).one()
    return row[0], row[1]


def waiting(session: Session) -> int:
    """How many jobs nobody holds, those that pause included."""
    return session.scalar(select(func.count()).select_from(Job).where(_free())) or 0


def queue_place(session: Session, match_id: int) -> int | None:
    """How many waiting matches go before this one, plus one; None when it does not wait."""
    mine = select(Job.priority).where(Job.match_id == match_id).scalar_subquery()
    before = or_(Job.priority < mine, (Job.priority == mine) & (Job.match_id <= match_id))
    queued = select(func.count()).select_from(Job).join(Match).where(Match.state == MatchState.QUEUED, before)
    return session.scalar(queued) or None


def claim(session: Session, match_id: int, token: UUID, *, seconds: float) -> Order | None:
    """Starts a match for the holder of the token; None if the lease is somebody else's by now, or the match is over."""
    attempt = session.scalar(
        update(Job)
        .where(Job.match_id == match_id, Job.token == token)
        .values(lease_until=func.now() + timedelta(seconds=seconds), attempts=Job.attempts + 1)
        .returning(Job.attempts)
    )
    if attempt is None:
        return None
    if attempt > 1:
        _note_void_attempt(session, match_id, attempt - 1, SILENT)
    match = session.execute(
        update(Match)
        .where(Match.id == match_id)
        .values(state=MatchState.RUNNING, started_at=func.now())
        .returning(Match.game, Match.kind, Match.seed, Match.league)
    ).one()
    live.publish(session, match.game, "match", match_id)
    return Order(
        match_id, token, attempt, match.game, match.kind, match.seed, match.league, _order_seats(session, match_id)
    )


def _order_seats(session: Session, match_id: int) -> tuple[OrderSeat, ...]:
    rows = session.execute(
        select(MatchSeat, Standing.rating)
        .outerjoin(Standing, Standing.submission_id == MatchSeat.submission_id)
        .where(MatchSeat.match_id == match_id)
        .order_by(MatchSeat.seat)
        .options(
            joinedload(MatchSeat.submission).options(
                joinedload(Submission.source),
                joinedload(Submission.user),
                joinedload(Submission.bot).joinedload(Bot.owner),
            )
        )
    ).all()
    return tuple(
        OrderSeat(
            submission_id=seat.submission_id,
            language=seat.submission.language,
            source=seat.submission.source.body,
            player=Player(
                bot=seat.submission.title,
                owner=seat.submission.user.name,
                language=seat.submission.language,
                version=seat.submission.version,
                rating=None if rating is None else round(rating),
            ),
        )
        for seat, rating in rows
    )


def renew(session: Session, order: Order, *, seconds: float) -> bool:
    """Says that the worker lives. False: the match is somebody else's by now, stop playing it."""
    held = update(Job).where(Job.match_id == order.match_id, Job.token == order.token)
    lease_until = func.now() + timedelta(seconds=seconds)
    return session.execute(held.values(lease_until=lease_until).returning(Job.match_id)).first() is not None


def finish(session: Session, order: Order, report: Report) -> bool:
    """Writes down the result, once. False: another attempt was first, and nothing changes."""
    if not _take_job(session, order):
        return False
    session.execute(
        update(Match)
        .where(Match.id == order.match_id)
        .values(state=MatchState.DONE, finished_at=func.clock_timestamp())
    )
    session.add(_result(order, report))
    session.flush()
    changes = (
        standings.count(session, find_game(order.game), [seat.submission_id for seat in order.seats], report.ranks)
        if order.kind in RATED
        else {}
    )
    fatal = _first_fatal_faults(report.faults)
    session.add_all(
        SeatResult(
            match_id=order.match_id,
            seat=seat,
            rank=report.ranks[seat],
            score=report.scores[seat],
            fault=fatal.get(seat),
            rating_before=changes[seat][0] if changes else None,
            rating_after=changes[seat][1] if changes else None,
        )
        for seat in range(len(report.ranks))
    )
    live.publish(session, order.game, "match", order.match_id)
    notify(session, "hexarena_jobs")
    return True


def _result(order: Order, report: Report) -> Result:
    return Result(
        match_id=order.match_id,
        reason=report.reason,
        turns=report.turns,
        faults=[
            {"seat": fault.seat, "turn": fault.turn, "kind": fault.kind, "message": fault.message.replace("\0", "␀")}
            for fault in _kept(report.faults)
        ],
        attempt=order.attempt,
        worker=report.worker,
        cpu_ms=report.cpu_ms,
        replay_key=report.replay_key,
        rules_version=report.rules_version,
    )


def _kept(faults: Sequence[Fault]) -> list[Fault]:
    """The first faults of each seat. A bot may be wrong on every turn; the replay has them all."""
    counts: Counter[int] = Counter()
    kept = []
    for fault in faults:
        counts[fault.seat] += 1
        if counts[fault.seat] <= FAULTS_KEPT:
            kept.append(fault)
    return kept


def _first_fatal_faults(faults: Sequence[Fault]) -> dict[int, str]:
    first: dict[int, str] = {}
    for fault in faults:
        if fault.kind != "warning":
            first.setdefault(fault.seat, fault.kind)
    return first


def hand_back(session: Session, order: Order, why: str, *, max_attempts: int, pause_s: float = 0.0) -> bool:
    """This attempt does not count. The match is played again after the pause, or is void if this was the last attempt.

    `why`: a sentence for everybody to read. False: somebody else has the match already.
    """
    held = (Job.match_id == order.match_id) & (Job.token == order.token)
    attempts = session.scalar(select(Job.attempts).where(held).with_for_update())
    if attempts is None:
        return False
    _note_void_attempt(session, order.match_id, order.attempt, why)
    if attempts >= max_attempts:
        _end_void(session, order.match_id, f"{why} It was tried {attempts} times.")
        return True
    again_at = func.clock_timestamp() + timedelta(seconds=pause_s)
    session.execute(update(Job).where(held).values(token=None, lease_until=None, not_before=again_at))
    session.execute(update(Match).where(Match.id == order.match_id).values(state=MatchState.QUEUED))
    live.publish(session, order.game, "match", order.match_id)
    notify(session, "hexarena_jobs")
    return True


def overload_pause_s(attempt: int) -> float:
    """How long an overloaded machine is left in peace after this attempt: 5 s, 15 s, 45 s, at most 135 s."""
    return FIRST_PAUSE_S * 3.0 ** min(attempt - 1, MOST_GROWTHS)


def _note_void_attempt(session: Session, match_id: int, attempt: int, why: str) -> None:
    """Once for each attempt: the first reason stays."""
    noted = insert(VoidAttempt).values(match_id=match_id, attempt=attempt, reason=why)
    session.execute(noted.on_conflict_do_nothing())


def void(session: Session, order: Order, why: str) -> bool:
    """The match does not count, because we failed. False: another attempt was first."""
    if not _take_job(session, order):
        return False
    _end_void(session, order.match_id, why)
    return True


def call_off(session: Session, submission_id: int, why: str) -> None:
    """Ends the rated matches of a submission that nobody has begun."""
    rated = Match.kind.in_(RATED) & (Match.state == MatchState.QUEUED)
    waiting_jobs = (
        select(Job.match_id)
        .join(Match, Match.id == Job.match_id)
        .join(MatchSeat, MatchSeat.match_id == Job.match_id)
        .where(rated, Job.token.is_(None), MatchSeat.submission_id == submission_id)
        .with_for_update(of=Job, skip_locked=True)
    )
    for match_id in set(session.scalars(waiting_jobs)):
        _end_void(session, match_id, why)


def _take_job(session: Session, order: Order) -> bool:
    """The fence: only the holder of the current lease gets past it, and only once."""
    taken = delete(Job).where(Job.match_id == order.match_id, Job.token == order.token).returning(Job.match_id)
    return session.execute(taken).first() is not None


def _end_void(session: Session, match_id: int, why: str) -> None:
    session.execute(delete(Job).where(Job.match_id == match_id))
    match = session.execute(
        update(Match)
        .where(Match.id == match_id)
        .values(state=MatchState.VOID, void_reason=why, finished_at=func.clock_timestamp())
        .returning(Match.game)
    ).one()
    live.publish(session, match.game, "match", match_id)
    notify(session, "hexarena_jobs")
