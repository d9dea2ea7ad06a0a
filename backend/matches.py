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
from random import expovariate
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, ColumnExpressionArgument, Row, case, delete, func, literal, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, joinedload

from backend import live
from backend.db import notify
from backend.duel import no_trials
from backend.errors import Conflict, NotFound
from backend.models import (
    RATED,
    Bot,
    Duel,
    DuelState,
    Job,
    Ladder,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    PendingResult,
    Result,
    SeatResult,
    Standing,
    Submission,
    VoidAttempt,
)
from games.lines import Player
from games.referee import Fault

PRIORITY: Mapping[MatchKind, int] = {
    MatchKind.PRACTICE: 10,
    MatchKind.CHECK: 20,
    MatchKind.PLACEMENT: 30,
    MatchKind.DUEL: 50,
    MatchKind.PROMOTION: 50,
    MatchKind.LADDER: 90,
}
"""Lower goes first: somebody is watching a practice match."""
HOUSE_PRIORITY = 60
"""The first matches of house bots: after those of people's, whatever was there first."""
FAULTS_KEPT = 20
"""Of each seat, in the result's row."""
SILENT = "The worker that played it was not heard of again."
RECENT_MATCHES = 400
LEAST_MATCH_S = 0.01
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
    """How a claimed match ended, for `finish`. `cpu_ms`: what all bots used together. `digest`: of the record."""

    ranks: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str
    turns: int
    faults: tuple[Fault, ...]
    cpu_ms: float
    worker: str
    replay_key: str
    rules_version: str
    digest: str


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
    duel_id: int | None = None,
    duel_game: int | None = None,
    priority: int | None = None,
) -> Match:
    """Queues a match. `submission_ids`: seat -> submission. It is sent once the transaction commits.

    `duel_game`: its number in the duel, from 0. `priority`: lower goes first; that of its kind where there is none.
    """
    match = Match(
        game=game,
        kind=kind,
        state=MatchState.QUEUED,
        seed=seed,
        league=league,
        requested_by_id=requested_by_id,
        duel_id=duel_id,
        duel_game=duel_game,
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
    rows = _pick(session, Job.priority <= AWAITED, room, (Job.priority,))
    room -= len(rows)
    quiet = room if quiet_room is None else min(room, quiet_room)
    if quiet > 0:
        # Placements of one game must not keep the promotions of another waiting; the ladder comes after both.
        order = (Job.priority > PRIORITY[MatchKind.PROMOTION], _drawn_game(session), Job.priority)
        rows += _pick(session, Job.priority > AWAITED, quiet, order)
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


def _pick(
    session: Session, which: ColumnElement[bool], room: int, order: Sequence[ColumnExpressionArgument[Any]]
) -> list[Row[tuple[int, int]]]:
    """(match id, attempts), locked. `order`: what goes first; of equals, the older match."""
    picked = (
        select(Job.match_id, Job.attempts)
        .join(Match, Match.id == Job.match_id)
        .where(_free(), or_(Job.not_before.is_(None), Job.not_before <= func.now()), which)
        .order_by(*order, Job.match_id)
        .limit(max(0, room))
        .with_for_update(of=Job, skip_locked=True)
    )
    return list(session.execute(picked))


def _drawn_game(session: Session) -> ColumnElement[float]:
    """Orders games by chance, so that each gets the same share of the workers' time: long matches must not keep others
    waiting. A game goes first as often as its matches are short (the least of exponential times with their means).
    """
    newest = select(func.max(Match.id)).scalar_subquery()
    seconds = func.avg(func.extract("epoch", Match.finished_at - Match.started_at))
    recent = (Match.state == MatchState.DONE) & (Match.id > newest - RECENT_MATCHES)
    means = {
        game: float(mean)
        for game, mean in session.execute(select(Match.game, seconds).where(recent).group_by(Match.game))
    }
    usual = max(LEAST_MATCH_S, min(means.values(), default=1.0))
    waiting_games = session.scalars(select(Match.game).join(Job, Job.match_id == Match.id).distinct()).all()
    times = {game: expovariate(1 / max(LEAST_MATCH_S, means.get(game, usual))) for game in sorted(waiting_games)}
    return case(times, value=Match.game, else_=0.0) if times else literal(0.0)


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
    fatal = _first_fatal_faults(report.faults)
    session.add_all(
        SeatResult(
            match_id=order.match_id,
            seat=seat,
            rank=report.ranks[seat],
            score=report.scores[seat],
            fault=fatal.get(seat),
        )
        for seat in range(len(report.ranks))
    )
    if order.kind in RATED:
        session.add(PendingResult(match_id=order.match_id, game=order.game))
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
        digest=report.digest,
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


def annul(session: Session, match_id: int, why: str) -> None:
    """Makes a finished match void: it was our fault, as turned out later. Its ladder is rated anew without it.

    A duel that it belongs to plays it again and counts anew, even if it was decided already.

    `why`: a sentence for everybody to read. Raises: NotFound, Conflict when the match has no result.
    """
    # Refits hold the ladder's row while they touch results.
    game = session.scalar(select(Match.game).where(Match.id == match_id))
    session.execute(select(Ladder.game).where(Ladder.game == game).with_for_update())
    match = session.scalar(select(Match).where(Match.id == match_id).with_for_update())
    if match is None:
        raise NotFound(f"There is no match {match_id}.")
    if match.state != MatchState.DONE:
        raise Conflict(f"Only a finished match can be annulled. Match {match_id} is {match.state}.")
    session.execute(delete(Result).where(Result.match_id == match_id))
    match.state, match.void_reason = MatchState.VOID, why
    session.flush()
    waited = session.execute(delete(PendingResult).where(PendingResult.match_id == match_id).returning(PendingResult))
    if match.kind in RATED and waited.first() is None:
        session.execute(update(Ladder).where(Ladder.game == match.game).values(stale=True))
    if match.duel_id is not None:
        _count_anew(session, match.duel_id)
    live.publish(session, match.game, "match", match_id)
    notify(session, "hexarena_jobs")


def _count_anew(session: Session, duel_id: int) -> None:
    """The dispatcher counts its results from the first one on, as if it had never counted any."""
    duel = session.scalars(select(Duel).where(Duel.id == duel_id).with_for_update()).one()
    if duel.state not in {DuelState.RUNNING, DuelState.DONE}:
        return
    duel.state, duel.verdict, duel.finished_at = DuelState.RUNNING, None, None
    duel.counts = list(no_trials(duel.paired))
    duel.trials = duel.wins = duel.draws = duel.losses = 0
    duel.digests = []
    session.flush()
    live.publish(session, duel.game, "duel", duel_id)


def call_off(session: Session, submission_id: int, why: str) -> None:
    """Ends the rated matches of a submission that nobody has begun."""
    seated = select(MatchSeat.match_id).where(MatchSeat.submission_id == submission_id)
    _end_waiting(session, Match.kind.in_(RATED) & Match.id.in_(seated) & Job.token.is_(None), why)


def call_off_duel(session: Session, duel_id: int, why: str) -> None:
    """Ends the matches of a duel that nobody has begun, those that are on their way to a worker included."""
    _end_waiting(session, (Match.duel_id == duel_id) & (Job.token.is_(None) | (Job.attempts == 0)), why)


def _end_waiting(session: Session, which: ColumnElement[bool], why: str) -> None:
    waiting_jobs = (
        select(Job.match_id)
        .join(Match, Match.id == Job.match_id)
        .where(Match.state == MatchState.QUEUED, which)
        .order_by(Job.match_id)
        .with_for_update(of=Job, skip_locked=True)
    )
    for match_id in session.scalars(waiting_jobs).all():
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
