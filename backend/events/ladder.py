"""The ladder of an event's own, while it is open: its entrants' live versions meet each other, and nobody else.

Theory of operation. A match of it counts as long as all its versions are the live ones of entrants: whoever submits a
new version begins with no evidence, and whoever leaves takes his matches along. So the standings are a function of the
entries and the results by the deadline, rated by the same fit as a game's ladder; `Event.ladder_stamp` says what they
were rated from, and whoever finds another one rates them again. Pairs come from the game's ladder's own pairing.

Each event has few matches in the queue. Those of versions with few matches are scheduled at once, as a share of the
event's own (`matches.fair`), for whoever has had the fewest; what ended since the last fit counts as what is queued
does, as that fit does not know it. Further ones are scheduled only when workers are idle, in turn with the ladders of
games. What waits is swept once it can no longer count. The scheduler does all this, and the deadline rates the frozen
versions once more.

Matches that the game's ladder played between the same versions do not count: bots that were on it before the event
would begin with more evidence than others, and each refit would look through all of their matches.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import structlog
from sqlalchemy import ColumnElement, Row, delete, func, select, true
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.orm import Session

from hexarena.backend.events import versions
from hexarena.backend.ladder import pairing, refits, scheduling, standings, tallies
from hexarena.backend.ladder.memory import Tallies
from hexarena.backend.ladder.played import Played, Record, Tally, rankings, repeats
from hexarena.backend.ladder.roster import Contender, Roster, Rung
from hexarena.backend.ladder.scheduling import Planned
from hexarena.backend.matches import life as matches, live, shares, workers
from hexarena.backend.models import (
    EntryState,
    Event,
    EventEntry,
    EventStanding,
    EventState,
    Job,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Standing,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.rating import fit as rating
from hexarena.games.catalogue import all_games, find_game
from hexarena.games.contract import Game

log = structlog.get_logger()
MOST_WAITING = 4
"""Matches of one event that wait at once."""
FIRST_MATCHES = 20
"""A version with fewer gets more of them at once; with more, whatever idle workers play."""
LEAGUE = 1
RESTS = 10
"""After a fit, an event is not rated again for this many times as long as the fit took."""
LEAST_REST_S = 2.0
"""Nor for so long: pages load their boards anew each time."""
FAILED_REST_S = 60.0
"""Nor after a fit that failed, for so long."""
NO_LONGER = "It can no longer count for the event's ladder."


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version that plays. `competitor_id`: equal for the same code. `owner_id`: `pairing.HOUSE` for house bots."""

    submission_id: int
    competitor_id: int
    owner_id: int


@dataclass(frozen=True, slots=True)
class Known:
    """What an event's ladder is rated from. `stamp`: of all of it, 64 hexadecimal digits."""

    game: Game
    entrants: tuple[Entrant, ...]
    played: Played
    digests: Mapping[int, str]
    stamp: str


@dataclass(frozen=True, slots=True)
class Line:
    """How a version stands, Elo."""

    submission_id: int
    rating: float
    deviation: float
    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Rated:
    """The ladder after a fit. `roster`: whom the next matches are chosen from; one entrant of each code."""

    stamp: str
    roster: Roster
    lines: tuple[Line, ...]


def is_open() -> ColumnElement[bool]:
    """Whether an event has a ladder of its own that is played now."""
    in_time = (Event.opens_at <= func.now()) & (Event.deadline > func.now())
    return Event.ladder & (Event.state == EventState.OPEN) & in_time


# --- What it is rated from --------------------------------------------------------------------------------------------


def entrants(session: Session, event: Event, able: Collection[str] = ()) -> tuple[Entrant, ...]:
    """The live versions that play, in the order of their submissions. `able`: languages that workers can run; none:
    all.
    """
    entered = (EventEntry.event_id == event.id) & (EventEntry.state == EntryState.ENTERED)
    live_bots = select(EventEntry.bot_id).where(entered)
    which = Submission.bot_id.in_(live_bots) & (Submission.state == SubmissionState.LIVE) & versions.allowed(event)
    return _entrants(session, which & (Submission.language.in_(able) if able else true()))


def _entrants(session: Session, which: ColumnElement[bool]) -> tuple[Entrant, ...]:
    query = (
        select(Submission.id, Standing.competitor_id, Submission.user_id, User.kind)
        .join(Standing, Standing.submission_id == Submission.id)
        .join(User, User.id == Submission.user_id)
        .where(which)
        .order_by(Submission.id)
    )
    return tuple(
        Entrant(submission_id, competitor_id, pairing.HOUSE if kind == UserKind.HOUSE else user_id)
        for submission_id, competitor_id, user_id, kind in session.execute(query)
    )


def stamp_of(session: Session, event: Event, there: Sequence[Entrant]) -> str:
    """Differs whenever the standings may: who plays, or what counts."""
    done = (Match.event_id == event.id) & (Match.state == MatchState.DONE)
    results = session.execute(select(func.count(), func.sum(Match.id)).where(done)).one()
    return hashlib.sha256(repr((tuple(there), tuple(results))).encode()).hexdigest()


def read(session: Session, event: Event, there: tuple[Entrant, ...], stamp: str) -> Known:
    """All that counts. Takes longer with each match of the event."""
    game = find_game(event.game)
    everything = tallies.results_of_event(session, game, event.id, event.deadline)
    current = np.array(sorted({one.competitor_id for one in there}), np.int64)
    strange = ~np.isin(everything.competitor, current)
    played = everything.only(np.bincount(everything.match, strange, len(everything)) == 0)
    return Known(game, there, played, tallies.digests(session, played), stamp)


# --- How strong they are ----------------------------------------------------------------------------------------------


def rated(known: Known) -> Rated:
    """Fits all of it anew. Outside of any transaction: of a thousand entrants it takes seconds."""
    played = known.played.marked(repeats(known.played, known.digests))
    chosen: dict[int, Entrant] = {}
    for one in known.entrants:
        # The same code has the same games; a house bot or else the oldest submission stands for the others.
        if one.competitor_id not in chosen or one.owner_id == pairing.HOUSE:
            chosen[one.competitor_id] = one
    # A tally has its competitors in their order, which is another one than that of the submissions.
    chosen = dict(sorted(chosen.items()))
    competitors = list(chosen)
    node = {competitor: index for index, competitor in enumerate(competitors)}
    tally = Tally.of(known.game, played)
    fitted = _fit(known.game, played, tally, node, [one.owner_id for one in chosen.values()])
    elo, deviations = fitted.elo(None, standings.STARTER_RATING), fitted.deviations()
    lines = _lines(known, played, {one: (float(elo[at]), float(deviations[at])) for one, at in node.items()})
    counts = {one.submission_id: one.games for one in lines}
    contenders = [
        Contender(
            submission_id=one.submission_id,
            competitor_id=competitor,
            owner_id=one.owner_id,
            rating=float(elo[node[competitor]]),
            deviation=float(deviations[node[competitor]]),
            variance=float(fitted.variances[node[competitor]]),
            games=counts[one.submission_id],
            league=LEAGUE,
            league_games=counts[one.submission_id],
            placing=True,
            provisional=counts[one.submission_id] < FIRST_MATCHES,
            trial=TrialState.STAYS,
            boss=False,
        )
        for competitor, one in chosen.items()
    ]
    meetings = Tallies.of(
        list(zip(*(one.tolist() for one in (tally.first, tally.second, tally.games, tally.repeats)), strict=True))
    ).between(competitors)
    roster = Roster(
        known.game, tuple(contenders), (Rung(LEAGUE, None),), meetings, fitted.dispersion, fitted.matchup_variance
    )
    return Rated(known.stamp, roster, tuple(lines))


def _fit(game: Game, played: Played, tally: Tally, node: Mapping[int, int], owners: Sequence[int]) -> rating.Fit:
    if not game.for_two:
        ranked = rankings(game, played, refits.places_of(node, played.competitor))
        return rating.fit_teams(len(node), ranked)
    counts = refits.counts_of(tally, node)
    return rating.fit(len(node), counts.shared_out(np.arange(len(node)), np.array(owners, np.int64)))


def _lines(known: Known, played: Played, strengths: Mapping[int, tuple[float, float]]) -> list[Line]:
    record = Record.of(known.game, played)
    columns = (record.games, record.wins, record.draws, record.losses)
    counts = dict(zip(record.competitor.tolist(), zip(*(one.tolist() for one in columns), strict=True), strict=True))
    return [
        Line(one.submission_id, *strengths[one.competitor_id], *counts.get(one.competitor_id, (0, 0, 0, 0)))
        for one in known.entrants
    ]


def _write(session: Session, event: Event, rated_now: Rated) -> None:
    """The standings in place of the former ones. The event is locked."""
    session.execute(delete(EventStanding).where(EventStanding.event_id == event.id))
    if rated_now.lines:
        names = Line.__slots__
        rows = [{name: getattr(one, name) for name in names} | {"event_id": event.id} for one in rated_now.lines]
        session.execute(insert(EventStanding), rows)
    event.ladder_stamp = rated_now.stamp
    session.flush()
    live.publish(session, event.game, "event", event.id)


def close(session: Session, event: Event, frozen: Collection[int]) -> Mapping[int, Line]:
    """Rates the frozen versions of an event by what was played before its deadline. Returns submission -> its line.

    Empty where no match counts: then nothing is known that the game's ladder does not know. The event is locked.
    """
    matches.void_queued_of_event(session, event.id, NO_LONGER)
    there = _entrants(session, Submission.id.in_(frozen))
    rated_now = rated(read(session, event, there, stamp_of(session, event, there)))
    _write(session, event, rated_now)
    known = {one.submission_id: one for one in rated_now.lines}
    return known if any(one.games for one in known.values()) else {}


# --- What is played ---------------------------------------------------------------------------------------------------


def sweep(session: Session) -> None:
    """Makes void what waits and can no longer count: the event's ladder is over or off, or a version was replaced."""
    queued = session.execute(
        select(Match.id, Match.event_id, func.array_agg(MatchSeat.submission_id))
        .join(Job, Job.match_id == Match.id)
        .join(MatchSeat, MatchSeat.match_id == Match.id)
        .where(Match.kind == MatchKind.EVENT_LADDER, Match.state == MatchState.QUEUED)
        .group_by(Match.id)
    ).all()
    if not queued:
        return
    events = session.scalars(select(Event).where(Event.id.in_({row.event_id for row in queued}), is_open()))
    current = {one.id: {other.submission_id for other in entrants(session, one)} for one in events}
    over = [match_id for match_id, event_id, there in queued if not current.get(event_id or 0, set()).issuperset(there)]
    matches.void_queued_matches(session, over, NO_LONGER)


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
                    one.rated = rated(one.known)
                except Exception:
                    # Our bug: the other ladders go on, and this one is tried again later.
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
                _write(session, event, one.rated)
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
        found.known, found.recent = read(session, event, there, stamp), unfinished
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
