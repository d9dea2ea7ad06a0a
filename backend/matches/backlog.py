"""What waits and what holds slots: whose turn it is, and when each match will probably start."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from sqlalchemy import ColumnElement, Select, bindparam, case, exists, func, or_, select
from sqlalchemy.orm import Session

from hexarena.backend.matches import fair, shares
from hexarena.backend.matches.fair import Held, Waiting
from hexarena.backend.matches.life import HOUSE_PRIORITY, PRIORITY
from hexarena.backend.models import Event, EventPairing, InPerson, Job, Match, MatchKind, MatchState

RESERVED_SLOTS = 1
"""Slots, of several, that neither one share nor matches that no bot needs may take: those may last for minutes."""
NO_LIMIT = 2**31
RECENT_MATCHES = 400
USUAL_KEPT_S = 5.0
LEAST_MATCH_S = 0.01
UNKNOWN_S = 1.0
"""A match of a game that was not played lately is expected to take so long at least: it is not a short one."""
LEAST_LEFT = 0.25
"""A match that takes longer than usual is expected to take this share of the usual time from now."""
AWAITED = max(PRIORITY[MatchKind.PRACTICE], PRIORITY[MatchKind.CHECK])
"""Up to this priority, somebody waits for the match."""
IS_AWAITED: ColumnElement[bool] = Job.priority <= AWAITED
IS_NEEDED: ColumnElement[bool] = (Job.priority > AWAITED) & (Job.priority < HOUSE_PRIORITY)
"""Nobody waits for it, but somebody's bot needs it: placements, promotions, duels, events."""
IS_SPARE: ColumnElement[bool] = Job.priority >= HOUSE_PRIORITY
"""Nobody's bot needs it: the ladders' own, and the first ones of house bots."""
REQUESTED: ColumnElement[bool] = Match.kind.in_((MatchKind.DUEL, MatchKind.PRACTICE, MatchKind.EVENT_LADDER))
"""Somebody asked for it: it is played in the fair order, also where nobody watches it (duels, batches). The ladder of
an event's own is a share as somebody's duels are."""
ASKER: ColumnElement[int] = func.coalesce(Match.requested_by_id, -Match.duel_id, 0)
"""Whom or what a match is for: a user's id, the negative id of a duel, or nobody."""

Asked = Select[int, str | None, int, int, str]
"""Matches that wait: their id, share, asker, priority and game."""


class Place(NamedTuple):
    """A match's place in the queue, from 1. `wait_s`: until it probably starts; None if nobody can say."""

    number: int
    wait_s: float | None


def is_used() -> ColumnElement[bool]:
    """Whether any match waits or is being played."""
    return exists(select(Job.match_id))


def is_any_ready(which: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether a match of these may be sent."""
    return exists(select(Job.match_id).where(which, is_free(), is_ready()))


def is_ready() -> ColumnElement[bool]:
    """Its pause is over, if there was one."""
    return or_(Job.not_before.is_(None), Job.not_before <= func.now())


def waits_for_event() -> ColumnElement[bool]:
    """A rerun of an event that is paused: that begins no game. All else that is queued is played."""
    paused = select(Event.id).where(Event.paused_at.is_not(None))
    of_final = select(EventPairing.id).where(EventPairing.event_id.in_(paused))
    # A match that names no event, or no pairing, is in neither: null in a list is null, not false.
    of_paused = func.coalesce(Match.event_id.in_(paused), False) | func.coalesce(Match.pairing_id.in_(of_final), False)
    return Match.rerun_of.is_not(None) & of_paused


def is_free() -> ColumnElement[bool]:
    """New, or its lease has run out."""
    return or_(Job.lease_until.is_(None), Job.lease_until < func.now())


def waiting(*which: ColumnElement[bool]) -> Asked:
    """Matches that nobody holds."""
    return select(Job.match_id, Job.share, ASKER, Job.priority, Match.game).join(Match).where(is_free(), *which)


# Statements of each round are made once: to make one takes longer than to run it.
AWAITED_NOW = waiting(is_ready(), Job.priority <= AWAITED)
_QUEUED = (
    select(Job.match_id, Job.share, ASKER, Job.priority, Match.game, is_free().label("is_free"))
    .join(Match)
    .where(Match.state == MatchState.QUEUED)
    .order_by(Job.priority, Job.match_id)
)
_QUEUED_SOME = _QUEUED.where(Match.id.in_(bindparam("these", expanding=True)))
_ELAPSED_S: ColumnElement[float] = case(
    (Match.state == MatchState.RUNNING, func.extract("epoch", func.clock_timestamp() - Match.started_at)), else_=0.0
)
# A match that only keeps its bots while a person thinks takes no slot from anybody.
_THINKS = Job.asleep & exists().where(InPerson.match_id == Job.match_id)
_HELD = (
    select(Job.share, ASKER, Match.game, _ELAPSED_S, Job.priority > AWAITED)
    .join(Match)
    .where(Job.lease_until >= func.now(), ~_THINKS)
)
_NEWEST = select(func.max(Match.id)).scalar_subquery()
_THOUGHT = select(InPerson.match_id).where(InPerson.match_id == Match.id).exists()
_MEANS = (
    select(Match.game, func.avg(func.extract("epoch", Match.finished_at - Match.started_at)))
    .where(Match.state == MatchState.DONE, Match.id > _NEWEST - RECENT_MATCHES, ~_THOUGHT)
    .group_by(Match.game)
)


class UsualSeconds:
    """How long matches take, read again after a while: it is a mean of hundreds."""

    def __init__(self) -> None:
        self._read_at = -math.inf
        self._seconds: dict[str, float] = {}

    def read(self, session: Session) -> dict[str, float]:
        """Game -> seconds; "" -> a game of which there was none lately."""
        now = time.monotonic()
        if now - self._read_at > USUAL_KEPT_S:
            means = {game: max(LEAST_MATCH_S, float(mean)) for game, mean in session.execute(_MEANS)}
            self._seconds, self._read_at = {**means, "": min(means.values(), default=UNKNOWN_S)}, now
        return self._seconds


@dataclass(frozen=True, slots=True)
class Crowd:
    """What decides whose match is next: what is held now, what each share used, how long a match of a game takes."""

    held: list[Held]
    used_s: defaultdict[str, float]
    seconds: dict[str, float]

    @classmethod
    def read(cls, session: Session, usual: UsualSeconds) -> Self:
        """As of now."""
        seconds = usual.read(session)
        used_s = defaultdict(float, shares.recent_s(session))
        held = []
        for share, asker, game, elapsed_s, yields in session.execute(_HELD):
            used_s[share or ""] += float(elapsed_s)
            usual_s = seconds.get(game, seconds[""])
            held.append(Held(share, asker, max(usual_s - float(elapsed_s), LEAST_LEFT * usual_s), yields))
        return cls(held, used_s, seconds)

    def waiting(self, rows: Iterable[tuple[int, str | None, int, int, str]]) -> list[Waiting]:
        """The matches that wait. `rows`: as `Asked` finds them."""
        unknown_s = max(UNKNOWN_S, self.seconds[""])
        return [
            # A match that was queued without a share is one of its own.
            Waiting(match_id, share or f"m:{match_id}", asker, priority, self.seconds.get(game, unknown_s))
            for match_id, share, asker, priority, game in rows
        ]

    def choose(self, session: Session, which: Asked, *, limit: int, most: int) -> list[Waiting]:
        """The matches to go first; from then on they are held."""
        if limit <= 0:
            return []
        found = fair.choose(self.waiting(session.execute(which)), self.held, self.used_s, limit=limit, most=most)
        self.held.extend(Held(one.share, one.asker, one.seconds) for one in found)
        return found


def held() -> Select[int, int, int, int, int]:
    """How many matches are leased; of these that nobody waits for; that sleep; both, and nobody wanted their slots;
    and that no bot needs.
    """
    quiet = Job.priority > AWAITED
    return select(
        func.count().label("held"),
        func.count().filter(quiet).label("quiet"),
        func.count().filter(Job.asleep).label("asleep"),
        func.count().filter(quiet & Job.asleep & ~Job.slot_wanted).label("quiet_asleep"),
        func.count().filter(IS_SPARE).label("unneeded_held"),
    ).where(Job.lease_until >= func.now())


def in_flight(session: Session, *, spare: int = 0) -> tuple[int, int]:
    """How many slots are leased right now, and how many of these for matches that nobody waits for.

    Up to `spare` matches that sleep hold none: theirs are lent out. One that lent its slot out because it was wanted
    still counts among those that nobody waits for: it comes before new ones of these, which would keep spare processes
    from the next who needs a slot.
    """
    found = session.execute(held()).one()
    return slots_of(found.held, found.quiet, found.asleep, found.quiet_asleep, spare=spare)


def slots_of(held: int, quiet: int, asleep: int, quiet_asleep: int, *, spare: int) -> tuple[int, int]:
    """See `in_flight`, which this makes of what `held` found."""
    return held - min(asleep, spare), quiet - min(quiet_asleep, spare)


def count(session: Session) -> tuple[int, int]:
    """How many jobs are not leased, and how many of these are not just a ladder's own for idle workers; also after an
    attempt on an overloaded machine, but without those that wait for a person's reply, or for an event to be resumed.
    """
    counts = select(func.count(), func.count().filter(Job.priority <= HOUSE_PRIORITY))
    query = counts.select_from(Job).join(Match, Match.id == Job.match_id)
    thinks = Job.asleep & ~is_ready()  # a person does
    found, needed = session.execute(query.where(is_free(), ~thinks, ~waits_for_event())).one()
    return found, needed


def with_spare(session: Session) -> set[str | int]:
    """The games and events of which a ladder match waits that no bot needs."""
    kinds = Match.kind.in_((MatchKind.LADDER, MatchKind.EVENT_LADDER))
    query = select(Match.game, Match.event_id).join(Job, Job.match_id == Match.id).distinct()
    rows = session.execute(query.where(is_free(), kinds, Job.priority > HOUSE_PRIORITY))
    return {game if event_id is None else event_id for game, event_id in rows}


class _Queued(NamedTuple):
    """A row of `_QUEUED`."""

    match_id: int
    share: str | None
    asker: int
    priority: int
    game: str
    is_free: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The queue as it was at some time, to which matches may be added that were queued since.

    `slots`: how many matches the workers can play at once. `spare`: how many slots they can lend out.
    """

    queued: tuple[_Queued, ...]
    crowd: Crowd
    slots: int
    spare: int

    @classmethod
    def read(cls, session: Session, slots: int, *, spare: int = 0, usual: UsualSeconds | None = None) -> Self:
        """As of now. `usual`: how long matches take, if the caller keeps it."""
        queued = tuple(_Queued(*row) for row in session.execute(_QUEUED))
        return cls(queued, Crowd.read(session, usual or UsualSeconds()), slots, spare)

    def with_matches(self, session: Session, ids: Collection[int]) -> Self:
        """The same with matches that may have been queued since: to read all of a long queue takes far longer."""
        new = [_Queued(*row) for row in session.execute(_QUEUED_SOME, {"these": list(ids)})]
        in_order = sorted((*self.queued, *new), key=lambda one: (one.priority, one.match_id))
        return replace(self, queued=tuple(in_order)) if new else self

    def places(self) -> dict[int, Place]:
        """Match -> its place in the queue, for all that wait."""
        waiting = self.crowd.waiting(one[:5] for one in self.queued if one.is_free and one.priority <= AWAITED)
        slots, most = max(1, self.slots), share_limit(max(1, self.slots))
        expected = dict(
            fair.forecast(waiting, self.crowd.held, self.crowd.used_s, slots=slots, most=most, lent=self.spare)
        )
        sent: dict[int, float | None] = {
            one.match_id: 0.0 for one in self.queued if one.priority <= AWAITED and not one.is_free
        }
        quiet: dict[int, float | None] = {one.match_id: None for one in self.queued if one.priority > AWAITED}
        in_order: dict[int, float | None] = {**sent, **expected, **quiet}
        return {
            match_id: Place(number, wait_s if self.slots else None)
            for number, (match_id, wait_s) in enumerate(in_order.items(), start=1)
        }


def share_limit(slots: int) -> int:
    """How many slots one share may hold: of several, one is left for whoever comes next."""
    return max(1, slots - RESERVED_SLOTS)
