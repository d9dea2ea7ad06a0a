"""The own ladders of all open events, as the scheduler remembers them between its rounds. See `events.ladder`."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import structlog
from sqlalchemy import Row, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session

from hexarena.backend.events import ladder_fit
from hexarena.backend.events.ladder import entrants, is_open, stamp_of, sweep
from hexarena.backend.events.ladder_fit import FIRST_MATCHES, Known, Rated
from hexarena.backend.ladder import scheduling
from hexarena.backend.ladder.scheduling import Planned
from hexarena.backend.matches import life as matches, shares, workers
from hexarena.backend.models import Event, Match, MatchKind, MatchSeat, MatchState
from hexarena.games.catalogue import all_games, find_game

log = structlog.get_logger()
MOST_WAITING = 4
"""Matches of one event that wait at once."""
RESTS = 10
"""After a fit, an event is not rated again for this many times as long as the fit took."""
LEAST_REST_S = 2.0
"""Nor for so long: pages load their boards anew each time."""
FAILED_REST_S = 60.0
"""Nor after a fit that failed, for so long."""


@dataclass(slots=True)
class _Open:
    """An open event as it was read last. `known`: None while its ladder in memory is up to date.

    `recent`: matches that are not over, or that ended since `rated` was read: the submissions by seat.
    """

    known: Known | None
    rated: Rated | None
    stored: str | None
    recent: dict[int, Sequence[int]]
    room: int
    rests_until_s: float = 0.0


class Ladders:
    """The ladders of all open events, as the scheduler remembers them between its rounds.

    Nothing here is the truth: whoever starts with an empty memory reads all of it. Not for several threads.
    """

    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}

    def read(self, session: Session, now_s: float) -> None:
        """Sweeps, and reads what has changed. `now_s`: of a clock that only moves on."""
        sweep(session)
        events = session.scalars(select(Event).where(is_open(), Event.game.in_(all_games())).order_by(Event.id)).all()
        able = workers.languages(session) if events else ()
        before, self._open = self._open, {}
        for event in events:
            self._open[event.id] = _look(session, event, able, before.get(event.id), now_s)

    def rate(self, now_s: float) -> None:
        """Fits what has changed."""
        for event_id, one in self._open.items():
            if one.known is not None:
                began = time.monotonic()
                try:
                    one.rated = ladder_fit.rated(one.known)
                except Exception:
                    # Our bug: the other ladders continue, and this one is tried again later.
                    log.exception("an event's ladder cannot be rated", event_id=event_id)
                    one.rated, one.rests_until_s = None, now_s + FAILED_REST_S
                else:
                    one.rests_until_s = now_s + max(LEAST_REST_S, RESTS * (time.monotonic() - began))
                one.known = None

    def plan(self, random: Random) -> dict[int, list[Planned]]:
        """Event -> matches of versions that have few, as many as it has room for."""
        planned = {}
        for event_id, one in self._open.items():
            if one.rated is not None:
                one.rated.roster.queue_anew(one.recent.values())
                if found := scheduling.plan_evenly(one.rated.roster, random, most=one.room, enough=FIRST_MATCHES):
                    planned[event_id] = found
                    one.room -= len(found)
        return planned

    def plan_further(self, event_id: int, random: Random) -> Planned | None:
        """One match for an idle worker, the most informative one; None if there is none, or no room for it."""
        one = self._open[event_id]
        if one.rated is None or one.room <= 0 or len(one.rated.roster.entrants) < 2:
            return None
        one.room -= 1
        return scheduling.plan_ladder(one.rated.roster, random)

    @property
    def any_open(self) -> bool:
        """Whether an event has a ladder of its own that is played now."""
        return bool(self._open)

    @property
    def playing(self) -> list[int]:
        """The events whose ladder may have further matches."""
        return [event_id for event_id, one in self._open.items() if one.room > 0]

    @property
    def new(self) -> set[int]:
        """The events whose standings are not stored yet."""
        return {event_id for event_id, one in self._open.items() if one.rated and one.rated.stamp != one.stored}

    def write(self, session: Session, planned: Mapping[int, Sequence[Planned]], *, priority: int | None = None) -> int:
        """Stores standings that are new, and queues matches of versions that still play. Returns how many.

        `priority`: lower is played first; by default that of their kind. What ended in between stays as it is.
        """
        queued, new = 0, self.new
        for event_id in sorted(new.union(planned)):
            query = select(Event).where(Event.id == event_id, is_open()).with_for_update()
            event = session.scalar(query.execution_options(populate_existing=True))
            one = self._open[event_id]
            if event is None or one.rated is None:
                continue
            if event_id in new:
                ladder_fit.write(session, event, one.rated)
                one.stored = one.rated.stamp
            if event.paused_at is None:
                made = _queue(session, event, planned.get(event_id, ()), priority)
                one.recent |= made
                queued += len(made)
        return queued


def _look(session: Session, event: Event, able: Collection[str], before: _Open | None, now_s: float) -> _Open:
    """What is new about an event since it was read `before`."""
    there = entrants(session, event, able)
    stamp = stamp_of(session, event, there)
    rows = _unfinished(session, event)
    waiting = sum(row.state == MatchState.QUEUED for row in rows)
    unfinished = {row.id: row.seats for row in rows}
    ended = {} if before is None else _ended(session, before.recent)
    found = _Open(
        known=None,
        rated=None if before is None else before.rated,
        stored=event.ladder_stamp,
        recent=ended | unfinished,
        room=0 if event.paused_at is not None else MOST_WAITING - waiting,
        rests_until_s=0.0 if before is None else before.rests_until_s,
    )
    if (found.rated is None or found.rated.stamp != stamp) and now_s >= found.rests_until_s:
        found.known, found.recent = ladder_fit.read(session, event, there, stamp), unfinished
    return found


def _ended(session: Session, recent: Mapping[int, Sequence[int]]) -> dict[int, Sequence[int]]:
    """Those of these matches that have ended with a result."""
    done = Match.id.in_(recent) & (Match.state == MatchState.DONE)
    return {one: recent[one] for one in session.scalars(select(Match.id).where(done))} if recent else {}


def _unfinished(session: Session, event: Event) -> Sequence[Row[int, MatchState, Sequence[int]]]:
    """The matches that are not over: `id`, `state`, and `seats`, the submission in each."""
    by_seat = func.array_agg(aggregate_order_by(MatchSeat.submission_id, MatchSeat.seat)).label("seats")
    query = select(Match.id, Match.state, by_seat).join(MatchSeat, MatchSeat.match_id == Match.id)
    query = query.where(Match.event_id == event.id, Match.state.in_((MatchState.QUEUED, MatchState.RUNNING)))
    return session.execute(query.group_by(Match.id)).all()


def _queue(
    session: Session, event: Event, planned: Sequence[Planned], priority: int | None
) -> dict[int, Sequence[int]]:
    """The matches that are queued: the submissions by seat."""
    if not planned:
        return {}
    current = {one.submission_id for one in entrants(session, event)}
    possible = [one for one in planned if current.issuperset(one.submission_ids)]
    return {
        matches.schedule(
            session,
            game=event.game,
            kind=MatchKind.EVENT_LADDER,
            submission_ids=one.submission_ids,
            seed=one.seed,
            league=find_game(event.game).top_level,
            event_id=event.id,
            priority=priority,
            share=shares.share_of_event(event.id),
        ).id: one.submission_ids
        for one in possible
    }
