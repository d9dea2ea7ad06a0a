"""The queue of record: lease, claim, renew, hand back. Its rows are in `job`.

Theory of operation. The dispatcher leases rows that nobody holds, new ones and those whose lease ran out alike, and
sends their ids: first practice and check matches, in the order of `matches.fair`; then, at random among the games,
duels, batches and events' ladders (of these again the fairest), placements and promotions, and now and then one of
those that wait for nobody: house bots' first ones, and the ladders' own. A worker claims with the lease's token; a
worker whose token is no longer valid changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import expovariate
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    ColumnExpressionArgument,
    Interval,
    Row,
    bindparam,
    case,
    func,
    literal,
    select,
    update,
)
from sqlalchemy.orm import Session

from hexarena.backend.matches import in_person, live, shares
from hexarena.backend.matches.backlog import (
    AWAITED,
    AWAITED_NOW,
    IS_AWAITED,
    IS_NEEDED,
    NO_LIMIT,
    REQUESTED,
    Crowd,
    UsualSeconds,
    is_free,
    is_ready,
    waiting,
    waits_for_event,
)
from hexarena.backend.matches.causes import NEVER_FINISHED, SILENT
from hexarena.backend.matches.life import (
    HOUSE_PRIORITY,
    ClaimedMatch,
    ClaimedSeat,
    Fork,
    end_void,
    record_void_attempt,
)
from hexarena.backend.models import (
    PERSON,
    Bot,
    Job,
    Match,
    MatchSeat,
    MatchState,
    Result,
    Source,
    Standing,
    Submission,
    User,
    title_of,
)
from hexarena.backend.runtime.db import notify
from hexarena.games.lines import Player

SPARE_SHARE = 0.25
"""The ladders' own matches get this share of the time that one game gets, all together; the first matches of house bots
as much once more."""
ABANDONED = "Abandoned: you did not reply for too long."
FIRST_PAUSE_S = 5.0
MOST_GROWTHS = 3


@dataclass(frozen=True, slots=True)
class Lease:
    """A match that this dispatcher may send. `attempt`: the number of the next one, from 1.

    `awaited`: somebody waits for it.
    """

    match_id: int
    token: UUID
    attempt: int = 1
    awaited: bool = False


# Statements of each round are made once: to make one takes longer than to run it.
FAILED: ColumnElement[int] = (Job.attempts - Job.paused_attempt).label("failed")
"""Attempts since the last one that ended as it should, in a pause."""
_LOCK = (
    select(Job.match_id, Job.attempts, FAILED)
    .where(Job.match_id.in_(bindparam("match_ids", expanding=True)), is_free())
    .with_for_update(skip_locked=True)
)
_LEASE = (
    update(Job)
    .where(Job.match_id.in_(bindparam("match_ids", expanding=True)))
    .values(
        token=func.gen_random_uuid(),
        lease_until=func.now() + bindparam("lasts", type_=Interval),
        asleep=False,
        slot_wanted=False,
    )
    .returning(Job.match_id, Job.token)
)
_BEGIN = (
    update(Job)
    .where(Job.match_id == bindparam("this_match"), Job.token == bindparam("this_token"))
    .values(lease_until=func.now() + bindparam("lasts", type_=Interval), attempts=Job.attempts + 1)
    .returning(Job.attempts, Job.paused_attempt, IS_AWAITED)
)
_RUNNING = (
    update(Match)
    .where(Match.id == bindparam("this_match"))
    .values(state=MatchState.RUNNING, started_at=func.now())
    .returning(Match.game, Match.kind, Match.seed, Match.league, Match.fork_of, Match.fork_turn)
)
_SEATS = (  # of people, a worker elsewhere may read nothing but names
    select(
        MatchSeat.submission_id,
        Submission.language,
        Submission.version,
        Source.body,
        Bot.name.label("bot"),
        User.name.label("owner"),
        Standing.rating,
    )
    .join(Submission, Submission.id == MatchSeat.submission_id)
    .join(User, User.id == Submission.user_id)
    .outerjoin(Bot, Bot.id == Submission.bot_id)
    .outerjoin(Source, Source.sha256 == Submission.source_sha256)
    .outerjoin(Standing, Standing.submission_id == MatchSeat.submission_id)
    .where(MatchSeat.match_id == bindparam("this_match"))
    .order_by(MatchSeat.seat)
)


def lease(
    session: Session,
    *,
    limit: int,
    seconds: float,
    max_attempts: int,
    quiet_limit: int | None = None,
    spare_limit: int | None = None,
    share_limit: int | None = None,
    first: Sequence[int] = (),
    usual: UsualSeconds | None = None,
) -> list[Lease]:
    """Leases up to `limit` jobs that nobody holds: first those that somebody waits for, in the order of `matches.fair`.
    Matches started too often become void instead.

    `quiet_limit`: at most so many of them are matches that nobody waits for. `spare_limit`: of those, so many that no
    bot needs. `share_limit`: slots of one share, but for matches that nobody waits for: these yield theirs.
    `first`: of these, they go before all others. `usual`: how long matches take, if the caller keeps it.
    """
    if limit <= 0:
        return []
    crowd = Crowd.read(session, usual or UsualSeconds())
    most = NO_LIMIT if share_limit is None else share_limit
    awaited = crowd.choose(session, AWAITED_NOW, limit=limit, most=most)
    rows = _lock(session, [match.match_id for match in awaited])
    watched = {row.match_id for row in rows}
    limit -= len(rows)
    quiet = limit if quiet_limit is None else min(limit, quiet_limit)
    if first:
        newcomers = crowd.choose(session, waiting(is_ready(), Job.match_id.in_(first)), limit=quiet, most=NO_LIMIT)
        rows += _lock(session, [match.match_id for match in newcomers])
        quiet -= len(newcomers)
    if quiet > 0:
        asked = REQUESTED & (Job.priority > AWAITED) & (Job.priority <= HOUSE_PRIORITY)
        others = asked & Job.match_id.not_in(first) & ~waits_for_event()
        requested = crowd.choose(session, waiting(is_ready(), others), limit=quiet, most=NO_LIMIT)
        spare = quiet if spare_limit is None else spare_limit
        rows += _pick_quiet(session, [match.match_id for match in requested], crowd, limit=quiet, spare=spare)
    for row in rows:
        if row.failed >= max_attempts:
            record_void_attempt(session, row.match_id, row.attempts, SILENT)
            end_void(session, row.match_id, f"It was started {row.attempts} times {NEVER_FINISHED}")
    to_send = [row.match_id for row in rows if row.failed < max_attempts]
    leased = session.execute(_LEASE, {"match_ids": to_send, "lasts": timedelta(seconds=seconds)}).all()
    tokens = {row.match_id: row.token for row in leased}
    attempts = {row.match_id: row.attempts + 1 for row in rows}
    return [Lease(one, tokens[one], attempts[one], one in watched) for one in to_send]


def _lock(session: Session, match_ids: Sequence[int]) -> list[Row[int, int, int]]:
    """(match id, attempts, failed) in this order, without those that another dispatcher is about to take."""
    found = session.execute(_LOCK, {"match_ids": match_ids}).all() if match_ids else []
    place = {match_id: number for number, match_id in enumerate(match_ids)}
    return sorted(found, key=lambda row: place[row.match_id])


def _pick_quiet(
    session: Session, requested: Sequence[int], crowd: Crowd, *, limit: int, spare: int
) -> list[Row[int, int, int]]:
    """(match id, attempts, failed), locked, of matches that nobody waits for; at most `spare` that no bot needs.

    `requested`: of duels, batches and events' ladders, the matches to choose from.
    """
    # Placements of one game must not keep the promotions of another waiting, nor an event's ladder: at its beginning
    # there are hundreds. Where these last for hours, a strong house bot would be at the bottom as long, and other
    # games' boards would not change.
    order: Sequence[ColumnExpressionArgument[Any]] = (
        _random_order(session, crowd.seconds),
        Job.priority,
        Job.match_id,
    )
    picked = (
        select(Job.match_id, Job.attempts, FAILED)
        .join(Match, Match.id == Job.match_id)
        .where(is_free(), is_ready(), Job.priority > AWAITED, ~waits_for_event())
        .where(~REQUESTED | (Job.priority > HOUSE_PRIORITY) | Job.match_id.in_(requested))
        .order_by(*order)
        .with_for_update(of=Job, skip_locked=True)
    )
    rows = list(session.execute(picked.limit(min(limit, spare)))) if spare > 0 else []
    if (left := limit - len(rows)) > 0:
        taken = [row.match_id for row in rows]
        needed = picked.where(IS_NEEDED, Job.match_id.not_in(taken))
        rows += session.execute(needed.limit(left))
    return rows


def _random_order(session: Session, seconds: Mapping[str, float]) -> ColumnElement[float]:
    """Orders turns at random so that each gets its share of the workers' time: long matches must not delay others. A
    turn comes first in proportion to its share, and to how short its matches are (minimum of exponential variables).

    Each game is a turn, and so is the ladder of an event's own. So are the first matches of house bots of a game, and a
    ladder's own matches: these have `SPARE_SHARE`, divided by the games and events that have any.
    """
    whose = case((Match.event_id.is_not(None), func.concat("event ", Match.event_id)), else_=Match.game)
    spare = case((Job.priority > HOUSE_PRIORITY, "ladder "), (Job.priority == HOUSE_PRIORITY, "house "), else_="")
    turn = func.concat(spare, whose)
    there = select(spare, turn, Match.game).join(Job, Job.match_id == Match.id).distinct()
    waiting = session.execute(there.where(is_free(), is_ready(), Job.priority > AWAITED)).all()
    sharing = Counter(kind for kind, _, _ in waiting)
    times = {}
    for kind, one, game in waiting:
        share = SPARE_SHARE / sharing[kind] if kind else 1.0
        times[one] = expovariate(share / seconds.get(game, seconds[""]))
    return case(times, value=turn, else_=0.0) if times else literal(0.0)


def release(session: Session, leases: Sequence[Lease], *, pause_s: float | None = None) -> None:
    """Releases leases that could not be sent, or that another worker should have, perhaps after a pause."""
    again_at = {} if pause_s is None else {"not_before": func.clock_timestamp() + timedelta(seconds=pause_s)}
    for one in leases:
        held = (Job.match_id == one.match_id) & (Job.token == one.token)
        session.execute(update(Job).where(held).values(token=None, lease_until=None, **again_at))


def languages_of(session: Session, match_id: int) -> set[str]:
    """The languages of a match's bots."""
    seats = select(Submission.language).join(MatchSeat, MatchSeat.submission_id == Submission.id)
    return set(session.scalars(seats.where(MatchSeat.match_id == match_id)))


def claim(session: Session, match_id: int, token: UUID, *, seconds: float) -> ClaimedMatch | None:
    """Starts a match for the holder of the token; None if the lease is no longer valid, or the match is over."""
    which = {"this_match": match_id}
    begun = session.execute(_BEGIN, {**which, "this_token": token, "lasts": timedelta(seconds=seconds)}).first()
    if begun is None:
        return None
    attempt, paused, awaited = begun
    person = in_person.seat_of(session, match_id)
    if person is not None and person.is_abandoned:
        end_void(session, match_id, ABANDONED)
        return None
    if attempt > 1 and attempt - 1 != paused:
        record_void_attempt(session, match_id, attempt - 1, SILENT)
    seats = _claimed_seats(session, match_id)
    if seats is None:
        end_void(session, match_id, "The code of one of its bots was deleted by its owner.")
        return None
    match = session.execute(_RUNNING, which).one()
    live.publish(session, match.game, "match", match_id)
    fork = None
    if match.fork_of is not None and match.fork_turn is not None:
        key = session.scalar(select(Result.replay_key).where(Result.match_id == match.fork_of))
        fork = Fork(match.fork_of, match.fork_turn, key)
    return ClaimedMatch(
        match_id,
        token,
        attempt,
        match.game,
        match.kind,
        match.seed,
        match.league,
        seats,
        fork,
        None if person is None else person.seat,
        awaited,
        paused,
    )


def _claimed_seats(session: Session, match_id: int) -> tuple[ClaimedSeat, ...] | None:
    """None if the code of one of them is gone."""
    rows = session.execute(_SEATS, {"this_match": match_id}).all()
    if any(row.body is None and row.language != PERSON for row in rows):
        return None
    return tuple(
        ClaimedSeat(
            submission_id=row.submission_id,
            language=row.language,
            source=row.body or b"",
            player=Player(
                bot=title_of(row.language, row.bot, row.owner),
                owner=row.owner,
                language=row.language,
                version=row.version,
                rating=None if row.rating is None else round(row.rating),
            ),
        )
        for row in rows
    )


def renew(session: Session, claimed: ClaimedMatch, *, seconds: float, asleep: bool = False, lent: bool = False) -> bool:
    """Extends the lease. `asleep`: its slot is lent out, and another match may be sent. `lent`: because it was
    wanted, not because a bot sleeps. False: the lease is lost.
    """
    held = update(Job).where(Job.match_id == claimed.match_id, Job.token == claimed.token)
    lease_until = func.now() + timedelta(seconds=seconds)
    wanted = (Job.slot_wanted | literal(lent)) & (literal(asleep) | ~Job.asleep)
    renewed = session.execute(
        held.values(lease_until=lease_until, asleep=asleep, slot_wanted=wanted).returning(Job.match_id)
    ).first()
    if renewed is not None and asleep:
        notify(session, "hexarena_jobs")
    return renewed is not None


def hand_back(session: Session, claimed: ClaimedMatch, why: str, *, max_attempts: int, pause_s: float = 0.0) -> bool:
    """Makes this attempt void. The match is played again after the pause, or is void if this was the last attempt.

    `why`: a sentence, shown to everybody. False: the lease was lost already.
    """
    held = (Job.match_id == claimed.match_id) & (Job.token == claimed.token)
    job = session.execute(select(Job.attempts, Job.paused_attempt, Job.share).where(held).with_for_update()).first()
    if job is None:
        return False
    failed = job.attempts - job.paused_attempt
    # Its time decides who is next, but nobody's budget pays for an attempt that we failed.
    shares.charge(session, job.share, claimed.match_id, cpu_s=0.0)
    record_void_attempt(session, claimed.match_id, claimed.attempt, why)
    if failed >= max_attempts:
        end_void(session, claimed.match_id, f"{why} It was tried {failed} times.")
        return True
    again_at = func.clock_timestamp() + timedelta(seconds=pause_s)
    free = {"token": None, "lease_until": None, "asleep": False, "slot_wanted": False}
    session.execute(update(Job).where(held).values(**free, not_before=again_at))
    session.execute(update(Match).where(Match.id == claimed.match_id).values(state=MatchState.QUEUED))
    live.publish(session, claimed.game, "match", claimed.match_id)
    notify(session, "hexarena_jobs")
    return True


def overload_pause_s(attempt: int) -> float:
    """The pause after an attempt on an overloaded machine: 5 s, 15 s, 45 s, at most 135 s."""
    return FIRST_PAUSE_S * 3.0 ** min(attempt - 1, MOST_GROWTHS)
