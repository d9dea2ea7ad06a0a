"""The queue of record: lease, claim, renew, hand back. Its rows are in `job`.

Theory of operation. The dispatcher leases rows that nobody holds, new ones and those whose lease ran out alike, and
sends their ids: first practice and check matches, in the order of `matches.fair`; then, at random among the games,
duels, batches and events' ladders (of these again the fairest), placements and promotions, and now and then one of
those that wait for nobody: house bots' first ones, and the ladders' own. A worker claims with the lease's token; a
worker whose token is no longer valid changes nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import expovariate
from typing import Any, NamedTuple, Self
from uuid import UUID

from sqlalchemy import ColumnElement, ColumnExpressionArgument, Row, case, exists, func, literal, or_, select, update
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.matches import fair, in_person, live, shares
from hexarena.backend.matches.causes import NEVER_FINISHED, SILENT
from hexarena.backend.matches.fair import Held, Waiting
from hexarena.backend.matches.life import (
    HOUSE_PRIORITY,
    PRIORITY,
    ClaimedMatch,
    ClaimedSeat,
    Fork,
    end_void,
    record_void_attempt,
)
from hexarena.backend.models import (
    PERSON,
    Bot,
    Event,
    EventPairing,
    InPerson,
    Job,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Result,
    Standing,
    Submission,
    User,
)
from hexarena.backend.runtime.db import notify
from hexarena.games.lines import Player

RESERVED_SLOTS = 1
"""Slots, of several, that neither one share nor matches that nobody waits for may take: those may last for minutes."""
NO_LIMIT = 2**31
SPARE_SHARE = 0.25
"""The ladders' own matches get this share of the time that one game gets, all together; the first matches of house bots
as much once more."""
ABANDONED = "Abandoned: you did not reply for too long."
RECENT_MATCHES = 400
LEAST_MATCH_S = 0.01
LEAST_LEFT = 0.25
"""A match that takes longer than usual is expected to take this share of the usual time from now."""
FIRST_PAUSE_S = 5.0
MOST_GROWTHS = 3
AWAITED = max(PRIORITY[MatchKind.PRACTICE], PRIORITY[MatchKind.CHECK])
"""Up to this priority, somebody waits for the match."""
REQUESTED: ColumnElement[bool] = Match.kind.in_((MatchKind.DUEL, MatchKind.PRACTICE, MatchKind.EVENT_LADDER))
"""Somebody asked for it: it is played in the fair order, also where nobody watches it (duels, batches). The ladder of
an event's own is a share as somebody's duels are."""
ASKER: ColumnElement[int] = func.coalesce(Match.requested_by_id, -Match.duel_id, 0)
"""Whom or what a match is for: a user's id, the negative id of a duel, or nobody."""


class Place(NamedTuple):
    """A match's place in the queue, from 1. `wait_s`: until it probably starts; None if nobody can say."""

    number: int
    wait_s: float | None


@dataclass(frozen=True, slots=True)
class Lease:
    """A match that this dispatcher may send. `attempt`: the number of the next one, from 1."""

    match_id: int
    token: UUID
    attempt: int = 1


def lease(
    session: Session,
    *,
    limit: int,
    seconds: float,
    max_attempts: int,
    quiet_limit: int | None = None,
    share_limit: int | None = None,
    first: Sequence[int] = (),
) -> list[Lease]:
    """Leases up to `limit` jobs that nobody holds: first those that somebody waits for, in the order of `matches.fair`.
    Matches started too often become void instead.

    `quiet_limit`: at most so many of them are matches that nobody waits for. `share_limit`: slots for one share.
    `first`: of those, these go before all others.
    """
    if limit <= 0:  # as in most rounds while more is asked for than is played
        return []
    crowd = _Crowd.read(session)
    most = NO_LIMIT if share_limit is None else share_limit
    awaited = crowd.choose(session, Job.priority <= AWAITED, limit=limit, most=most)
    rows = _lock(session, [match.match_id for match in awaited])
    limit -= len(rows)
    quiet = limit if quiet_limit is None else min(limit, quiet_limit)
    newcomers = crowd.choose(session, Job.match_id.in_(first), limit=quiet, most=most)
    rows += _lock(session, [match.match_id for match in newcomers])
    quiet -= len(newcomers)
    if quiet > 0:
        asked = REQUESTED & (Job.priority > AWAITED) & (Job.priority <= HOUSE_PRIORITY)
        others = asked & Job.match_id.not_in(first) & ~_waits_for_event()
        requested = crowd.choose(session, others, limit=quiet, most=most)
        rows += _pick_quiet(session, [match.match_id for match in requested], quiet, crowd)
    for row in rows:
        if row.failed >= max_attempts:
            record_void_attempt(session, row.match_id, row.attempts, SILENT)
            end_void(session, row.match_id, f"It was started {row.attempts} times {NEVER_FINISHED}")
    to_send = [row.match_id for row in rows if row.failed < max_attempts]
    leased = session.execute(
        update(Job)
        .where(Job.match_id.in_(to_send))
        .values(
            token=func.gen_random_uuid(),
            lease_until=func.now() + timedelta(seconds=seconds),
            asleep=False,
            slot_wanted=False,
        )
        .returning(Job.match_id, Job.token)
    ).all()
    tokens = {row.match_id: row.token for row in leased}
    attempts = {row.match_id: row.attempts + 1 for row in rows}
    return [Lease(match_id, tokens[match_id], attempts[match_id]) for match_id in to_send]


@dataclass(frozen=True, slots=True)
class _Crowd:
    """What decides whose match is next: what is held now, what each share used, how long a match of a game takes."""

    held: list[Held]
    used_s: defaultdict[str, float]
    seconds: dict[str, float]

    @classmethod
    def read(cls, session: Session) -> Self:
        """As of now."""
        seconds = _mean_seconds(session)
        elapsed = case(
            (Match.state == MatchState.RUNNING, func.extract("epoch", func.clock_timestamp() - Match.started_at)),
            else_=0.0,
        )
        # A match that only keeps its bots while a person thinks takes no slot from anybody.
        thinks = Job.asleep & Job.match_id.in_(select(InPerson.match_id))
        rows = session.execute(
            select(Job.share, ASKER, Match.game, elapsed).join(Match).where(Job.lease_until >= func.now(), ~thinks)
        ).all()
        asked = session.scalars(select(Job.share).where(Job.share.is_not(None)).distinct()).all()
        used_s = defaultdict(float, shares.recent_s(session, [share for share in asked if share is not None]))
        held = []
        for share, asker, game, elapsed_s in rows:
            used_s[share or ""] += float(elapsed_s)
            usual_s = seconds.get(game, seconds[""])
            held.append(Held(share, asker, max(usual_s - float(elapsed_s), LEAST_LEFT * usual_s)))
        return cls(held, used_s, seconds)

    def waiting(self, session: Session, which: ColumnElement[bool]) -> list[Waiting]:
        """The matches that wait and were asked for."""
        query = select(Job.match_id, Job.share, ASKER, Job.priority, Match.game).join(Match).where(is_free(), which)
        return [
            # A match that was queued without a share is one of its own.
            Waiting(match_id, share or f"m:{match_id}", asker, priority, self.seconds.get(game, self.seconds[""]))
            for match_id, share, asker, priority, game in session.execute(query)
        ]

    def choose(self, session: Session, which: ColumnElement[bool], *, limit: int, most: int) -> list[Waiting]:
        """The matches to go first; from then on they are held."""
        if limit <= 0:
            return []
        found = fair.choose(self.waiting(session, is_ready() & which), self.held, self.used_s, limit=limit, most=most)
        self.held.extend(Held(one.share, one.asker, one.seconds) for one in found)
        return found


FAILED: ColumnElement[int] = (Job.attempts - Job.paused_attempt).label("failed")
"""Attempts since the last one that ended as it should, in a pause."""


def _lock(session: Session, match_ids: Sequence[int]) -> list[Row[int, int, int]]:
    """(match id, attempts, failed) in this order, without those that another dispatcher is about to take."""
    still_free = select(Job.match_id, Job.attempts, FAILED).where(Job.match_id.in_(match_ids), is_free())
    found = session.execute(still_free.with_for_update(skip_locked=True)).all()
    place = {match_id: number for number, match_id in enumerate(match_ids)}
    return sorted(found, key=lambda row: place[row.match_id])


def _pick_quiet(session: Session, requested: Sequence[int], limit: int, crowd: _Crowd) -> list[Row[int, int, int]]:
    """(match id, attempts, failed), locked, of matches that nobody waits for.

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
        .where(is_free(), is_ready(), Job.priority > AWAITED, ~_waits_for_event())
        .where(~REQUESTED | (Job.priority > HOUSE_PRIORITY) | Job.match_id.in_(requested))
        .order_by(*order)
        .limit(limit)
        .with_for_update(of=Job, skip_locked=True)
    )
    return list(session.execute(picked))


def _mean_seconds(session: Session) -> dict[str, float]:
    """Game -> how long its matches take; "" -> a game of which there was none lately."""
    newest = select(func.max(Match.id)).scalar_subquery()
    seconds = func.avg(func.extract("epoch", Match.finished_at - Match.started_at))
    thought = select(InPerson.match_id).where(InPerson.match_id == Match.id).exists()
    recent = (Match.state == MatchState.DONE) & (Match.id > newest - RECENT_MATCHES) & ~thought
    rows = session.execute(select(Match.game, seconds).where(recent).group_by(Match.game))
    means = {game: max(LEAST_MATCH_S, float(mean)) for game, mean in rows}
    return {**means, "": min(means.values(), default=1.0)}


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


def is_used() -> ColumnElement[bool]:
    """Whether any match waits or is being played."""
    return exists(select(Job.match_id))


def is_ready() -> ColumnElement[bool]:
    """Its pause is over, if there was one."""
    return or_(Job.not_before.is_(None), Job.not_before <= func.now())


def _waits_for_event() -> ColumnElement[bool]:
    """A rerun of an event that is paused: that begins no game. All else that is queued is played."""
    paused = select(Event.id).where(Event.paused_at.is_not(None))
    of_final = select(EventPairing.id).where(EventPairing.event_id.in_(paused))
    # A match that names no event, or no pairing, is in neither: null in a list is null, not false.
    of_paused = func.coalesce(Match.event_id.in_(paused), False) | func.coalesce(Match.pairing_id.in_(of_final), False)
    return Match.rerun_of.is_not(None) & of_paused


def is_free() -> ColumnElement[bool]:
    """New, or its lease has run out."""
    return or_(Job.lease_until.is_(None), Job.lease_until < func.now())


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


def in_flight(session: Session, *, spare: int = 0) -> tuple[int, int]:
    """How many slots are leased right now, and how many of these for matches that nobody waits for.

    Up to `spare` matches that sleep hold none: theirs are lent out. One that lent its slot out because it was wanted
    still counts among those that nobody waits for: it comes before new ones of these, which would keep spare processes
    from the next who needs a slot.
    """
    quiet = Job.priority > AWAITED
    counts = select(
        func.count(),
        func.count().filter(quiet),
        func.count().filter(Job.asleep),
        func.count().filter(quiet & Job.asleep & ~Job.slot_wanted),
    )
    held, quiet_held, asleep, quiet_asleep = session.execute(
        counts.select_from(Job).where(Job.lease_until >= func.now())
    ).one()
    return held - min(asleep, spare), quiet_held - min(quiet_asleep, spare)


def waiting(session: Session) -> tuple[int, int]:
    """How many jobs are not leased, and how many of these are not just a ladder's own for idle workers; also after an
    attempt on an overloaded machine, but without those that wait for a person's reply, or for an event to be resumed.
    """
    counts = select(func.count(), func.count().filter(Job.priority <= HOUSE_PRIORITY))
    query = counts.select_from(Job).join(Match, Match.id == Job.match_id)
    found, needed = session.execute(query.where(is_free(), ~Job.asleep, ~_waits_for_event())).one()
    return found, needed


def with_spare(session: Session) -> set[str | int]:
    """The games and events of which a ladder match waits that no bot needs."""
    kinds = Match.kind.in_((MatchKind.LADDER, MatchKind.EVENT_LADDER))
    query = select(Match.game, Match.event_id).join(Job, Job.match_id == Match.id).distinct()
    rows = session.execute(query.where(is_free(), kinds, Job.priority > HOUSE_PRIORITY))
    return {game if event_id is None else event_id for game, event_id in rows}


def places(session: Session, slots: int, *, spare: int = 0) -> dict[int, Place]:
    """Match -> its place in the queue, for all that wait. `slots`: how many matches the workers can play at once.

    `spare`: how many slots they can lend out.
    """
    rows = session.execute(
        select(Job.match_id, Job.priority, ~is_free())
        .join(Match)
        .where(Match.state == MatchState.QUEUED)
        .order_by(Job.priority, Job.match_id)
    ).all()
    crowd = _Crowd.read(session)
    waiting = crowd.waiting(session, (Job.priority <= AWAITED) & (Match.state == MatchState.QUEUED))
    expected = dict(
        fair.forecast(
            waiting, crowd.held, crowd.used_s, slots=max(1, slots), most=share_limit(max(1, slots)), lent=spare
        )
    )
    sent: dict[int, float | None] = {row.match_id: 0.0 for row in rows if row.priority <= AWAITED and row[2]}
    quiet: dict[int, float | None] = {row.match_id: None for row in rows if row.priority > AWAITED}
    in_order: dict[int, float | None] = {**sent, **expected, **quiet}
    return {
        match_id: Place(number, wait_s if slots else None)
        for number, (match_id, wait_s) in enumerate(in_order.items(), start=1)
    }


def share_limit(slots: int) -> int:
    """How many slots one share may hold: of several, one is left for whoever comes next."""
    return max(1, slots - RESERVED_SLOTS)


def claim(session: Session, match_id: int, token: UUID, *, seconds: float) -> ClaimedMatch | None:
    """Starts a match for the holder of the token; None if the lease is no longer valid, or the match is over."""
    begun = session.execute(
        update(Job)
        .where(Job.match_id == match_id, Job.token == token)
        .values(lease_until=func.now() + timedelta(seconds=seconds), attempts=Job.attempts + 1)
        .returning(Job.attempts, Job.paused_attempt)
    ).first()
    if begun is None:
        return None
    attempt, paused = begun
    if in_person.abandoned(session, match_id):
        end_void(session, match_id, ABANDONED)
        return None
    if attempt > 1 and attempt - 1 != paused:
        record_void_attempt(session, match_id, attempt - 1, SILENT)
    seats = _claimed_seats(session, match_id)
    if seats is None:
        end_void(session, match_id, "The code of one of its bots was deleted by its owner.")
        return None
    match = session.execute(
        update(Match)
        .where(Match.id == match_id)
        .values(state=MatchState.RUNNING, started_at=func.now())
        .returning(Match.game, Match.kind, Match.seed, Match.league, Match.fork_of, Match.fork_turn)
    ).one()
    live.publish(session, match.game, "match", match_id)
    fork = None
    if match.fork_of is not None and match.fork_turn is not None:
        key = session.scalar(select(Result.replay_key).where(Result.match_id == match.fork_of))
        fork = Fork(match.fork_of, match.fork_turn, key)
    person = session.scalar(select(InPerson.seat).where(InPerson.match_id == match_id))
    return ClaimedMatch(match_id, token, attempt, match.game, match.kind, match.seed, match.league, seats, fork, person)


def _claimed_seats(session: Session, match_id: int) -> tuple[ClaimedSeat, ...] | None:
    """None if the code of one of them is gone."""
    rows = session.execute(
        select(MatchSeat, Standing.rating)
        .outerjoin(Standing, Standing.submission_id == MatchSeat.submission_id)
        .where(MatchSeat.match_id == match_id)
        .order_by(MatchSeat.seat)
        .options(
            joinedload(MatchSeat.submission).options(
                joinedload(Submission.source),
                # A worker elsewhere may read nothing more of people.
                joinedload(Submission.user).load_only(User.name),
                joinedload(Submission.bot).joinedload(Bot.owner).load_only(User.name),
            )
        )
    ).all()
    coded = [seat.submission for seat, _ in rows if seat.submission.language != PERSON]
    if not all(submission.source for submission in coded):
        return None
    return tuple(
        ClaimedSeat(
            submission_id=seat.submission_id,
            language=seat.submission.language,
            source=b"" if seat.submission.source is None else seat.submission.source.body,
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


def renew(session: Session, claimed: ClaimedMatch, *, seconds: float, asleep: bool = False) -> bool:
    """Extends the lease. `asleep`: its slot is lent out, and another match may be sent. False: the lease is lost."""
    held = update(Job).where(Job.match_id == claimed.match_id, Job.token == claimed.token)
    lease_until = func.now() + timedelta(seconds=seconds)
    wanted = Job.slot_wanted & (literal(asleep) | ~Job.asleep)
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
