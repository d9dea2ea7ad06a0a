"""The life of a match: scheduled, then finished or void; perhaps annulled.

Theory of operation. A match that is not over has a row in `job`: it is the queue of record (`matches.queue`) and the
outbox. `finish` deletes the job and writes the result in one transaction, fenced by the lease's token, so a match
counts exactly once, whichever process dies at whatever moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, String, bindparam, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend.errors import Conflict, NotFound
from hexarena.backend.matches import live, shares
from hexarena.backend.models import (
    PERSON,
    RATED,
    Duel,
    DuelState,
    Erasure,
    InPerson,
    InPersonTurn,
    Job,
    Ladder,
    Match,
    MatchCount,
    MatchKind,
    MatchSeat,
    MatchState,
    PendingResult,
    Result,
    SeatResult,
    Submission,
    VoidAttempt,
)
from hexarena.backend.rating.sprt import no_trials
from hexarena.backend.runtime.db import notify
from hexarena.games.lines import Player
from hexarena.games.referee import Fault

PRIORITY: Mapping[MatchKind, int] = {
    MatchKind.PRACTICE: 10,
    MatchKind.CHECK: 20,
    MatchKind.EVENT: 25,
    MatchKind.EVENT_LADDER: 50,
    MatchKind.PLACEMENT: 30,
    MatchKind.MARKING: 45,
    MatchKind.DUEL: 50,
    MatchKind.PROMOTION: 50,
    MatchKind.LADDER: 90,
}
"""Lower is played first: somebody is watching a practice match."""
HOUSE_PRIORITY = 60
"""The first matches of house bots: after those of people's bots, but for a turn now and then (`queue`)."""
UNCOUNTED = frozenset({MatchKind.PRACTICE, MatchKind.DUEL, MatchKind.EVENT, MatchKind.EVENT_LADDER, MatchKind.MARKING})
"""Kinds that do not count as a game's matches."""
COUNT_PARTS = 16
FAULTS_KEPT = 20
"""Faults of each seat that are kept in the result."""


# Statements of each match are made once: to make one takes longer than to run it.
_DONE = (
    update(Match)
    .where(Match.id == bindparam("this_match"))
    .values(state=MatchState.DONE, finished_at=func.clock_timestamp())
)
_INSERT_RESULT, _INSERT_SEATS = insert(Result), insert(SeatResult)
# Locked, so that whoever deletes code just now sees this result, or is seen here. All seats are: without the offset,
# those with code would be skipped first.
_SEATED = (
    select(MatchSeat.seat, Submission.source_sha256, Submission.language)
    .join(Submission, Submission.id == MatchSeat.submission_id)
    .where(MatchSeat.match_id == bindparam("this_match"))
    .order_by(Submission.id)
    .offset(0)
    .with_for_update(read=True, key_share=True, of=Submission)
    .subquery()
)
_WITHOUT_CODE = select(bindparam("key", type_=String), _SEATED.c.seat).where(
    _SEATED.c.source_sha256.is_(None), _SEATED.c.language != PERSON
)
_ERASE = insert(Erasure).from_select(["replay_key", "seat"], _WITHOUT_CODE).execution_options(dml_strategy="raw")
_CLAIMED = (Job.match_id == bindparam("this_match")) & (Job.token == bindparam("this_token"))
_DELETE_JOB = delete(Job).where(_CLAIMED).returning(Job.share)


@dataclass(frozen=True, slots=True)
class ClaimedSeat:
    """What a worker needs to know of a seat."""

    submission_id: int
    language: str
    source: bytes
    player: Player


@dataclass(frozen=True, slots=True)
class Fork:
    """What a match plays on from: a match after a turn. `replay_key`: None if that match is no longer there."""

    match_id: int
    turn: int
    replay_key: str | None


@dataclass(frozen=True, slots=True)
class ClaimedMatch:
    """A claimed match. Only the holder of `token` may end it. `person`: the seat that a person plays.

    `awaited`: somebody waits for it. `paused_attempt`: the last one before that ended in a pause; 0: none.
    """

    match_id: int
    token: UUID
    attempt: int
    game: str
    kind: MatchKind
    seed: int
    league: int
    seats: tuple[ClaimedSeat, ...]
    fork: Fork | None = None
    person: int | None = None
    awaited: bool = True
    paused_attempt: int = 0

    @property
    def failed(self) -> int:
        """Attempts since the last pause, this one included: how often it has failed, if this one does."""
        return self.attempt - self.paused_attempt


@dataclass(frozen=True, slots=True)
class Report:
    """How a claimed match ended, for `finish`. `cpu_ms`: what all bots used together.

    `digest`: equal for matches that are the same but for messages; `record_digest`: of the record, messages included.
    `build_s`: how long the builds before it took. `further_s`: CPU time of the bots in matches that explain a check.
    `toolchains`: language -> the versions that built and ran its bots.
    """

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
    build_s: float = 0.0
    further_s: float = 0.0
    toolchains: Mapping[str, str] | None = None
    record_digest: str | None = None


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
    share: str | None = None,
    fork_of: int | None = None,
    fork_turn: int | None = None,
    pairing_id: int | None = None,
    pairing_game: int | None = None,
    mark_id: int | None = None,
    event_id: int | None = None,
    held: bool = False,
    rerun_of: int | None = None,
    rerun_reason: str | None = None,
) -> Match:
    """Queues a match. `submission_ids`: seat -> submission. It is sent once the transaction commits.

    `duel_game`: its number in the duel, from 0. `priority`: lower is played first; by default that of its kind.
    `share`: of whoever asked for it. `fork_of`: the match that it plays on from, after turn `fork_turn`.
    `pairing_game`: its number in the pairing of an event, from 0. `mark_id`: the mark that
    it is played for. `event_id`: the event whose own ladder it is of. `held`: only organisers may see it. `rerun_of`:
    the match in whose place it is played, and why.
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
        fork_of=fork_of,
        fork_turn=fork_turn,
        pairing_id=pairing_id,
        pairing_game=pairing_game,
        mark_id=mark_id,
        event_id=event_id,
        held=held,
        rerun_of=rerun_of,
        rerun_reason=rerun_reason,
    )
    session.add(match)
    session.flush()
    session.add_all(
        MatchSeat(match_id=match.id, seat=seat, submission_id=submission_id, game=game)
        for seat, submission_id in enumerate(submission_ids)
    )
    session.add(Job(match_id=match.id, priority=PRIORITY[kind] if priority is None else priority, share=share))
    session.flush()
    if kind == MatchKind.CHECK:
        checked = update(Submission).where(Submission.id == submission_ids[0])
        session.execute(checked.values(check_match_id=match.id))
    live.publish(session, game, "match", match.id)
    notify(session, "hexarena_jobs")
    return match


def finish(session: Session, claimed: ClaimedMatch, report: Report) -> bool:
    """Stores the result, once. False: another attempt was first, and nothing changes."""
    job = _delete_job(session, claimed)
    if job is None:
        return False
    cpu_s = report.cpu_ms / 1000 + report.build_s + report.further_s
    shares.charge(session, job.share, claimed.match_id, cpu_s=cpu_s, thought=claimed.person is not None)
    session.execute(_DONE, {"this_match": claimed.match_id})
    session.execute(_INSERT_RESULT, [_result(claimed, report)])
    fatal = first_fatal_faults(report.faults)
    seats = zip(report.ranks, report.scores, strict=True)
    session.execute(
        _INSERT_SEATS,
        [
            {"match_id": claimed.match_id, "seat": seat, "rank": rank, "score": score, "fault": fatal.get(seat)}
            for seat, (rank, score) in enumerate(seats)
        ],
    )
    _erase_logs_of_deleted(session, claimed.match_id, report.replay_key)
    if claimed.person is not None:
        _forget_turns(session, claimed.match_id)
    if claimed.kind in RATED:
        session.add(PendingResult(match_id=claimed.match_id, game=claimed.game))
    _count(session, claimed.match_id, claimed.game, claimed.kind, 1)
    live.publish(session, claimed.game, "match", claimed.match_id)
    notify(session, "hexarena_jobs")
    return True


def is_stored(session: Session, claimed: ClaimedMatch) -> bool:
    """Whether this attempt's result is stored."""
    return session.scalar(select(Result.attempt).where(Result.match_id == claimed.match_id)) == claimed.attempt


def _forget_turns(session: Session, match_id: int) -> None:
    """Those of a match in person that is over: its replay has them."""
    session.execute(delete(InPersonTurn).where(InPersonTurn.match_id == match_id))
    nothing = {"header": None, "turn": None, "prompt": None, "until": None, "reply": None}
    session.execute(update(InPerson).where(InPerson.match_id == match_id).values(nothing))


def _count(session: Session, match_id: int, game: str, kind: MatchKind, change: int) -> None:
    """Keeps the number of matches that a game's page shows."""
    if kind in UNCOUNTED:
        return
    new = insert(MatchCount).values(game=game, part=match_id % COUNT_PARTS, matches=change)
    known = {"matches": MatchCount.matches + change}
    session.execute(new.on_conflict_do_update(index_elements=[MatchCount.game, MatchCount.part], set_=known))


def counts(session: Session) -> Mapping[str, int]:
    """Game -> how many matches of it are done, without practice matches and duels."""
    query = select(MatchCount.game, func.sum(MatchCount.matches)).group_by(MatchCount.game)
    return {game: int(matches) for game, matches in session.execute(query)}


def _erase_logs_of_deleted(session: Session, match_id: int, replay_key: str) -> None:
    """Of bots whose code was deleted while they played."""
    session.execute(_ERASE, {"this_match": match_id, "key": replay_key})


def _result(claimed: ClaimedMatch, report: Report) -> dict[str, Any]:
    """The columns of `Result`."""
    return {
        "match_id": claimed.match_id,
        "reason": storable(report.reason),
        "turns": report.turns,
        "faults": [
            {"seat": fault.seat, "turn": fault.turn, "kind": fault.kind, "message": storable(fault.message)}
            for fault in _stored_faults(report.faults)
        ],
        "attempt": claimed.attempt,
        "worker": report.worker,
        "cpu_ms": report.cpu_ms,
        "replay_key": report.replay_key,
        "rules_version": report.rules_version,
        "digest": report.digest,
        "record_digest": None if report.record_digest == report.digest else report.record_digest,
        "toolchains": None if report.toolchains is None else dict(report.toolchains),
    }


def storable(text: str) -> str:
    """What a game or a bot wrote, without what no text in the database can have."""
    return text.replace("\0", "␀")


def _stored_faults(faults: Sequence[Fault]) -> list[Fault]:
    """The first faults of each seat. A bot may have one on every turn; the replay has them all."""
    counts: Counter[int] = Counter()
    kept = []
    for fault in faults:
        counts[fault.seat] += 1
        if counts[fault.seat] <= FAULTS_KEPT:
            kept.append(fault)
    return kept


def first_fatal_faults(faults: Sequence[Fault]) -> dict[int, str]:
    """Seat -> the kind of the fault that disqualified it."""
    first: dict[int, str] = {}
    for fault in faults:
        if fault.kind != "warning":
            first.setdefault(fault.seat, fault.kind)
    return first


def record_void_attempt(session: Session, match_id: int, attempt: int, why: str) -> None:
    """Records an attempt once: the first reason stays."""
    noted = insert(VoidAttempt).values(match_id=match_id, attempt=attempt, reason=storable(why))
    session.execute(noted.on_conflict_do_nothing())


def void_reasons(session: Session, claimed: ClaimedMatch) -> set[str]:
    """Why the attempts before this one are void, since the last that ended in a pause."""
    since = (VoidAttempt.match_id == claimed.match_id) & (VoidAttempt.attempt > claimed.paused_attempt)
    return set(session.scalars(select(VoidAttempt.reason).where(since, VoidAttempt.attempt < claimed.attempt)))


def void(session: Session, claimed: ClaimedMatch, why: str) -> bool:
    """The match does not count, because we failed or a build did. False: another attempt was first."""
    job = _delete_job(session, claimed)
    if job is None:
        return False
    shares.charge(session, job.share, claimed.match_id, cpu_s=None)
    end_void(session, claimed.match_id, why)
    return True


def locked(session: Session, match_id: int) -> Match:
    """A match and its ladder, locked: refits hold the ladder's row while they touch results. Raises: NotFound."""
    game = session.scalar(select(Match.game).where(Match.id == match_id))
    session.execute(select(Ladder.game).where(Ladder.game == game).with_for_update())
    query = select(Match).where(Match.id == match_id).with_for_update()
    match = session.scalar(query.execution_options(populate_existing=True))
    if match is None:
        raise NotFound(f"There is no match {match_id}.")
    return match


def annul(session: Session, match_id: int, why: str) -> None:
    """Makes a finished match void that turned out to be our fault. The next refit rates its ladder without it.

    Its replay and logs are deleted. A duel that it belongs to plays it again and recounts, even if it was decided
    already. Matches that may be of an event are annulled by `events.reopening`, which reopens their pairing, too.

    `why`: a sentence, shown to everybody. Raises: NotFound, Conflict when the match has no result.
    """
    match = locked(session, match_id)
    if match.state != MatchState.DONE:
        raise Conflict(f"Only a finished match can be annulled. Match {match_id} is {match.state}.")
    # Nothing leads to its replay any more: neither a rule of retention, nor the deletion of an account.
    gone = delete(Result).where(Result.match_id == match_id).returning(Result.replay_key)
    session.execute(insert(Erasure).values(replay_key=session.scalars(gone).one(), seat=None))
    match.state, match.void_reason = MatchState.VOID, why
    _count(session, match.id, match.game, match.kind, -1)
    session.flush()
    waited = session.execute(delete(PendingResult).where(PendingResult.match_id == match_id).returning(PendingResult))
    if match.kind in RATED and waited.first() is None:
        session.execute(update(Ladder).where(Ladder.game == match.game).values(stale=True))
    if match.duel_id is not None:
        _reset_duel_counts(session, match.duel_id)
    live.publish(session, match.game, "match", match_id)
    notify(session, "hexarena_jobs")


def _reset_duel_counts(session: Session, duel_id: int) -> None:
    """Resets the counts: the dispatcher counts all results again, from the first one on."""
    duel = session.scalars(select(Duel).where(Duel.id == duel_id).with_for_update()).one()
    if duel.state not in {DuelState.RUNNING, DuelState.DONE}:
        return
    duel.state, duel.verdict, duel.finished_at = DuelState.RUNNING, None, None
    duel.counts = list(no_trials(duel.paired))
    duel.trials = duel.wins = duel.draws = duel.losses = 0
    duel.digests = []
    session.flush()
    live.publish(session, duel.game, "duel", duel_id)


def void_queued(session: Session, submission_id: int, why: str) -> None:
    """Makes void the rated matches of a submission that no worker has claimed."""
    seated = select(MatchSeat.match_id).where(MatchSeat.submission_id == submission_id)
    _void_jobs(session, Match.kind.in_(RATED) & Match.id.in_(seated) & Job.token.is_(None), why)


def void_queued_of_duel(session: Session, duel_id: int, why: str) -> None:
    """Makes void the matches of a duel that no worker has claimed, leased ones included."""
    _void_jobs(session, (Match.duel_id == duel_id) & (Job.token.is_(None) | (Job.attempts == 0)), why)


def void_queued_of_pairings(
    session: Session, pairing_ids: Collection[int], why: str, *, submission_ids: Collection[int] | None = None
) -> None:
    """Makes void the matches of these pairings of an event that no worker has claimed, leased ones included.

    `submission_ids`: only those in which one of these sits.
    """
    which = Match.pairing_id.in_(pairing_ids) & (Job.token.is_(None) | (Job.attempts == 0))
    if submission_ids is not None:
        which &= Match.id.in_(select(MatchSeat.match_id).where(MatchSeat.submission_id.in_(submission_ids)))
    _void_jobs(session, which, why)


def void_queued_of_event(session: Session, event_id: int, why: str) -> None:
    """Makes void the matches of an event's own ladder that no worker has claimed, leased ones included."""
    _void_jobs(session, (Match.event_id == event_id) & (Job.token.is_(None) | (Job.attempts == 0)), why)


def void_queued_matches(session: Session, match_ids: Collection[int], why: str) -> None:
    """Makes void those of these matches that no worker has claimed, leased ones included."""
    _void_jobs(session, Match.id.in_(match_ids) & (Job.token.is_(None) | (Job.attempts == 0)), why)


def void_queued_with(session: Session, submission_ids: Collection[int], why: str) -> None:
    """Makes void the matches of any kind with one of these submissions that no worker has claimed."""
    seated = select(MatchSeat.match_id).where(MatchSeat.submission_id.in_(submission_ids))
    _void_jobs(session, Match.id.in_(seated) & (Job.token.is_(None) | (Job.attempts == 0)), why)


def void_queued_rated(session: Session, game: str, why: str) -> None:
    """Makes void the rated matches of a ladder that no worker has claimed, leased ones included."""
    rated = (Match.game == game) & Match.kind.in_(RATED)
    _void_jobs(session, rated & (Job.token.is_(None) | (Job.attempts == 0)), why)


def void_queued_of_other_games(session: Session, games: Collection[str], why: str) -> None:
    """Makes void the matches of all games but these that no worker has claimed: nobody can play them."""
    _void_jobs(session, Match.game.not_in(games) & (Job.token.is_(None) | (Job.attempts == 0)), why)


def void_queued_asked_for(session: Session, user_id: int, why: str) -> None:
    """Makes void what somebody asked for and no worker has claimed, leased ones included."""
    _void_jobs(session, (Match.requested_by_id == user_id) & (Job.token.is_(None) | (Job.attempts == 0)), why)


def _void_jobs(session: Session, which: ColumnElement[bool], why: str) -> None:
    waiting_jobs = (
        select(Job.match_id)
        .join(Match, Match.id == Job.match_id)
        .where(Match.state == MatchState.QUEUED, which)
        .order_by(Job.match_id)
        .with_for_update(of=Job, skip_locked=True)
    )
    for match_id in session.scalars(waiting_jobs).all():
        end_void(session, match_id, why)


def _delete_job(session: Session, claimed: ClaimedMatch) -> Row[str | None] | None:
    """The fence: the job's share, only for the holder of the current lease, and only once."""
    return session.execute(_DELETE_JOB, {"this_match": claimed.match_id, "this_token": claimed.token}).first()


def end_void(session: Session, match_id: int, why: str) -> None:
    """Every way to a void match but `annul` ends here. The caller holds the job, or knows that nobody else does."""
    session.execute(delete(Job).where(Job.match_id == match_id))
    _forget_turns(session, match_id)
    match = session.execute(
        update(Match)
        .where(Match.id == match_id)
        .values(state=MatchState.VOID, void_reason=storable(why), finished_at=func.clock_timestamp())
        .returning(Match.game)
    ).one()
    live.publish(session, match.game, "match", match_id)
    notify(session, "hexarena_jobs")
