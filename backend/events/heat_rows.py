"""Heats as rows: their entries, their games, and which matches are queued next.

Theory of operation. A heat is an `event_pairing` without a first and a second; who plays in it is in
`event_heat_entry`. An entrant that is out before a game is queued is left out of it: the others play it, and rank
above it. So a match shows by its seats who was there, and nothing else has to be remembered.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import SmallInteger, func, select, type_coerce
from sqlalchemy.orm import Session

from hexarena.backend.duels.fixtures import is_paired
from hexarena.backend.events import draws, heats
from hexarena.backend.events.forms import Heat, HeatOutcome, Stage
from hexarena.backend.matches import life as matches, live
from hexarena.backend.models import (
    Event,
    EventEntry,
    EventHeatEntry,
    EventPairing,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    PairingState,
    SeatResult,
)
from hexarena.games.catalogue import find_game

MOST_VOIDS = 3
"""Void matches of one game before its pairing or heat waits for an organiser."""
LEFT_OUT = "One of its entrants is out: the others play without that one."
Members = Mapping[int, Sequence[EventHeatEntry]]
"""Heat's id -> its entries in their order."""


@dataclass(frozen=True, slots=True)
class Table:
    """An event's entries: id -> the row, the seeding, and who is out."""

    entries: Mapping[int, EventEntry]
    out: frozenset[int]

    def better(self, first: int, second: int) -> int:
        """The one who is higher in the seeding."""
        return min(first, second, key=lambda one: self.entries[one].seed or 0)


@dataclass(frozen=True, slots=True)
class GameMatch:
    """A match of a pairing or a heat: its game `game`. `seated`: who plays. `is_past`: it ended before an organiser
    resumed what had been stuck.
    """

    game: int
    state: MatchState
    seated: frozenset[int]
    is_past: bool


@dataclass(frozen=True, slots=True)
class HeatMatch(GameMatch):
    """A match of a heat. `ranks`: entrant -> rank, None while it is not over."""

    match_id: int
    ranks: Mapping[int, int] | None


def is_stuck(there: Iterable[GameMatch], out: frozenset[int]) -> bool:
    """Whether a game was void so often that an organiser must decide. `out`: who is out by now; matches with one of
    these do not count, since the others go on without it.
    """
    void = (one for one in there if one.state == MatchState.VOID and not one.is_past and not one.seated & out)
    return max(Counter(one.game for one in void).values(), default=0) > MOST_VOIDS


def members_of(session: Session, pairing_ids: Collection[int]) -> Members:
    """Who plays in these heats."""
    query = select(EventHeatEntry).where(EventHeatEntry.pairing_id.in_(pairing_ids))
    query = query.order_by(EventHeatEntry.pairing_id, EventHeatEntry.position)
    found: dict[int, list[EventHeatEntry]] = defaultdict(list)
    for row in session.scalars(query.execution_options(populate_existing=True)):
        found[row.pairing_id].append(row)
    return found


def as_heat(row: EventPairing, members: Members) -> Heat:
    """The row of a heat as a value."""
    return Heat(row.number, row.round, tuple(one.entry_id for one in members[row.id]), row.playoff)


def outcome_of(row: EventPairing, members: Members) -> HeatOutcome | None:
    """How it ended; None while it is played."""
    there = members[row.id]
    points = tuple(one.points for one in there if one.points is not None)
    wins = tuple(one.wins for one in there if one.wins is not None)
    return HeatOutcome(points, wins) if len(points) == len(wins) == len(there) else None


def heats_of(session: Session, event_id: int, stage: int) -> tuple[tuple[Heat, ...], dict[int, HeatOutcome]]:
    """The heats of a stage, and the outcomes of those that are over."""
    query = select(EventPairing).where(EventPairing.event_id == event_id, EventPairing.stage == stage)
    rows = session.scalars(query.order_by(EventPairing.number).execution_options(populate_existing=True)).all()
    members = members_of(session, [row.id for row in rows])
    done = {row.number: ended for row in rows if (ended := outcome_of(row, members)) is not None}
    return tuple(as_heat(row, members) for row in rows), done


def add(session: Session, event: Event, found: Sequence[Heat]) -> None:
    """Begins heats of the current stage."""
    rows = [
        EventPairing(
            event_id=event.id, stage=event.stage, number=one.number, round=one.round, part="", playoff=one.playoff
        )
        for one in found
    ]
    session.add_all(rows)
    session.flush()
    session.add_all(
        EventHeatEntry(pairing_id=row.id, position=position, entry_id=entry)
        for row, heat in zip(rows, found, strict=True)
        for position, entry in enumerate(heat.entrants)
    )
    session.flush()
    live.publish(session, event.game, "event", event.id)


def played(session: Session, rows: Sequence[EventPairing]) -> dict[int, list[HeatMatch]]:
    """Heat's id -> its matches by game."""
    number = type_coerce(Match.pairing_game, SmallInteger)  # never null in an event's match
    past = Match.finished_at <= EventPairing.resumed_at
    query = (
        select(EventPairing.id, number, Match.id, Match.state, EventEntry.id, func.min(SeatResult.rank), past)
        .join(Match, Match.pairing_id == EventPairing.id)
        .join(MatchSeat, MatchSeat.match_id == Match.id)
        .join(
            EventEntry,
            (EventEntry.event_id == EventPairing.event_id) & (EventEntry.submission_id == MatchSeat.submission_id),
        )
        .outerjoin(SeatResult, (SeatResult.match_id == MatchSeat.match_id) & (SeatResult.seat == MatchSeat.seat))
        .where(EventPairing.id.in_([row.id for row in rows]))
        .group_by(EventPairing.id, Match.id, EventEntry.id)
        .order_by(EventPairing.id, Match.pairing_game, Match.id)
    )
    ranks: dict[tuple[int, int, int, MatchState, bool], dict[int, int | None]] = defaultdict(dict)
    for pairing_id, game, match_id, state, entry, rank, is_past in session.execute(query):
        ranks[pairing_id, game, match_id, state, bool(is_past)][entry] = rank
    found: dict[int, list[HeatMatch]] = defaultdict(list)
    for (pairing_id, game, match_id, state, is_past), there in ranks.items():
        over = {one: rank for one, rank in there.items() if rank is not None}
        known = over if len(over) == len(there) else None
        found[pairing_id].append(HeatMatch(game, state, frozenset(there), is_past, match_id, known))
    return found


def in_order(there: Sequence[HeatMatch]) -> list[Mapping[int, int]]:
    """The games from the first to the one before the first that is not over."""
    ranks = {one.game: one.ranks for one in there if one.ranks is not None}
    found: list[Mapping[int, int]] = []
    while (one := ranks.get(len(found))) is not None:
        found.append(one)
    return found


def leave_out(session: Session, event: Event, known: Table) -> None:
    """Makes void what is queued with those who are out, so that it is played without them; where nobody is left to
    play with, the heat ends.
    """
    if not known.out:
        return
    unfinished = (EventPairing.event_id == event.id) & (EventPairing.stage == event.stage)
    unfinished &= EventPairing.state != PairingState.DONE
    rows = session.scalars(select(EventPairing).where(unfinished).execution_options(populate_existing=True)).all()
    members = members_of(session, [row.id for row in rows])
    there = played(session, [row for row in rows if row.state == PairingState.STUCK])
    for row in rows:
        was_about_them = row.state == PairingState.STUCK and not is_stuck(there.get(row.id, ()), known.out)
        left = {one.entry_id for one in members[row.id]} - known.out
        if was_about_them or (row.state == PairingState.WAITING and len(left) < 2):
            row.state = PairingState.PLAYING
    session.flush()
    versions = [version for one in known.out if (version := known.entries[one].submission_id) is not None]
    matches.void_queued_of_pairings(session, [row.id for row in rows], LEFT_OUT, submission_ids=versions)


def end(
    session: Session,
    stage: Stage,
    known: Table,
    playing: Sequence[EventPairing],
    there: Mapping[int, Sequence[HeatMatch]],
) -> set[int]:
    """Writes down the outcomes of the heats that are decided. Returns: their ids."""
    members = members_of(session, [row.id for row in playing])
    ended = set()
    for row in playing:
        results = in_order(there.get(row.id, ()))
        outcome = partial(heats.outcome, as_heat(row, members), results, games=stage.games, mixed=stage.mixed)
        done = outcome()
        # As in a pairing: what runs by now still counts.
        if done is None and all(one.state.is_over for one in there.get(row.id, ())):
            done = outcome(out=known.out)
        if done is not None:
            for one, points, wins in zip(members[row.id], done.points, done.wins, strict=True):
                one.points, one.wins = points, wins
            ended.add(row.id)
    return ended


def fill(session: Session, event: Event, known: Table, playing: Sequence[EventPairing], wanted: int) -> int:
    """Queues matches of the heats that are being played, then of those that wait. Returns how many."""
    waiting = (EventPairing.event_id == event.id) & (EventPairing.stage == event.stage)
    waiting &= EventPairing.state == PairingState.WAITING
    following = session.scalars(select(EventPairing).where(waiting).order_by(EventPairing.number)).all()
    members = members_of(session, [row.id for row in (*playing, *following)])
    there = played(session, playing)
    queued = 0
    for row in (*playing, *following):
        if queued >= wanted:
            break
        row.state = PairingState.PLAYING
        heat = as_heat(row, members)
        queued += _queue(session, event, known, row, heat=heat, there=there.get(row.id, ()), wanted=wanted - queued)
    session.flush()
    return queued


def _queue(
    session: Session,
    event: Event,
    known: Table,
    row: EventPairing,
    *,
    heat: Heat,
    there: Sequence[HeatMatch],
    wanted: int,
) -> int:
    """Queues the next games of a heat, at most `wanted`. Returns how many."""
    game, stage = find_game(event.game), Stage.read(event.stages[row.stage])
    present = frozenset(heat.entrants) - known.out
    if len(present) < 2:
        return 0
    known_games = {one.game for one in there if one.state != MatchState.VOID}
    missing = [number for number in range(stage.games) if number not in known_games][:wanted]
    for number in missing:
        order = heats.order(heat, number, present)
        trial = heats.trial_of(heat, number, paired=is_paired(game) and not stage.mixed)
        seed = draws.seed(event.secret, row.stage, row.number, trial)
        versions = {one: known.entries[one].submission_id or 0 for one in order}
        matches.schedule(
            session,
            game=event.game,
            kind=MatchKind.EVENT,
            submission_ids=[versions[one] for one in heats.seated(game, stage, order, seed)],
            seed=seed,
            league=event.league,
            pairing_id=row.id,
            pairing_game=number,
            held=event.held,
        )
    return len(missing)
