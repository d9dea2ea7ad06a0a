"""The final of an event, as the dispatcher plays it: versions are frozen, pairings played, stages follow each other.

Theory of operation. What a stage plays next follows from its pairings and their outcomes (`events.stages`), and how a
pairing ended from its games in order (`events.games`); so it is with heats, whose rows are in `events.heat_rows`.
Whoever calls `advance_all`, and whenever, comes to the same final. It locks the event's row, sees everything that is
committed, and can be repeated; of several dispatchers one at a time advances an event. A few matches are always in the
queue, those of the earliest pairings first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import structlog
from sqlalchemy import ColumnElement, SmallInteger, exists, func, literal, select, type_coerce, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.duels.fixtures import is_paired
from hexarena.backend.events import draws, games, heat_rows, heats, ladder, stages, versions
from hexarena.backend.events.forms import Form, Outcome, Pairing, Prior, Stage, TooLong
from hexarena.backend.events.heat_rows import MOST_VOIDS, GameMatch, Table
from hexarena.backend.matches import life as matches, live
from hexarena.backend.models import (
    PENDING,
    EntryState,
    Event,
    EventEntry,
    EventPairing,
    EventState,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    NoticeKind,
    PairingState,
    SeatResult,
    Standing,
    Submission,
)
from hexarena.backend.rating import sprt
from hexarena.backend.runtime import locks
from hexarena.backend.runtime.db import computing
from hexarena.games.catalogue import all_games, find_game

log = structlog.get_logger()
LEAST_AHEAD = 4
"""Matches of an event in the queue, at least, however few workers there are."""
AHEAD_PER_SLOT = 2
NO_VERSION = "No version of it could play at the deadline."
LEFT = "It left when the versions were frozen."
FAILED = "It fails by an error of the arena's own, which is in the dispatcher's log. It is tried again and again."
DECIDED = "The pairing was decided without this match."


def is_any_due() -> ColumnElement[bool]:
    """Whether there is an event to bring on."""
    return exists(select(Event.id).where(_is_due()))


def _is_due() -> ColumnElement[bool]:
    unfinished = Event.state.in_((EventState.OPEN, EventState.PLAYING))  # has an index
    over = (Event.state == EventState.PLAYING) | (Event.deadline <= func.now())
    return unfinished & over & Event.paused_at.is_(None)


def advance_all(session: Session, slots: int) -> int:
    """Brings every event on that has something to do. Returns how many matches it queued.

    `slots`: how many matches the workers can play at once.
    """
    query = select(Event).where(_is_due()).order_by(Event.id).with_for_update(skip_locked=True)
    queued = 0
    for event in session.scalars(query.execution_options(populate_existing=True)).all():
        try:
            with session.begin_nested():
                queued += _advance(session, event, slots)
            if event.problem == FAILED:
                _report(session, event, None)
        except DBAPIError:
            raise
        except Exception:
            # Our bug: neither the other events nor the arena's matches wait for it.
            log.exception("an event cannot continue", event_id=event.id)
            _report(session, event, FAILED)
    return queued


def _advance(session: Session, event: Event, slots: int) -> int:
    """Returns how many of its matches were queued."""
    if event.game not in all_games():
        _report(session, event, "Its game is no longer part of this arena.")
    elif event.state == EventState.PLAYING or freeze(session, event):
        return _play(session, event, max(LEAST_AHEAD, AHEAD_PER_SLOT * slots))
    return 0


def _report(session: Session, event: Event, problem: str | None) -> None:
    """Says why an event cannot continue; None: that it can."""
    if event.problem != problem:
        event.problem = problem
        session.flush()
        live.publish(session, event.game, "event", event.id)


# --- The deadline -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Frozen:
    """A version at the deadline, as a ladder knows it. `rating`, `deviation`: Elo; null where it has none."""

    submission_id: int
    league: int | None
    rating: float | None
    deviation: float | None

    @property
    def strength(self) -> tuple[float, float]:
        """Sorts the best first: by league, then by rating; who has none comes last."""
        return (1.0, 0.0) if self.league is None or self.rating is None else (-self.league, -self.rating)


def freeze(session: Session, event: Event) -> bool:
    """Freezes each entry's version once every upload is checked that came before the deadline. False: not yet.

    An upload counts that was received in time, however long its build takes.
    """
    if session.scalar(select(locks.is_held_since(locks.AdvisoryLock.UPLOADS, literal(event.deadline)))):
        return False
    entries = session.scalars(
        select(EventEntry).where(EventEntry.event_id == event.id, EventEntry.state == EntryState.ENTERED)
    ).all()
    bots = [entry.bot_id for entry in entries]
    in_time = Submission.bot_id.in_(bots) & (Submission.created_at <= event.deadline)
    pending = select(func.count()).select_from(Submission).where(in_time, Submission.state.in_(PENDING))
    if session.scalar(pending):
        _report(session, event, "Uploads that came before the deadline are still being checked.")
        return False
    columns = (Submission.bot_id, Submission.id, Standing.league, Standing.rating, Standing.deviation)
    chosen = select(*columns).outerjoin(Standing, Standing.submission_id == Submission.id)
    chosen = chosen.where(Submission.id.in_(versions.to_freeze(event, bots, is_over=True)))
    frozen = {row.bot_id: Frozen(*row[1:]) for row in session.execute(chosen)}
    seeded = [entry for entry in entries if entry.bot_id in frozen]
    try:
        most_games(event, len(seeded), sum(one.outside_prizes for one in seeded))
    except TooLong as error:
        wanted = f"expected {error.expected}; got {error.got}"
        _report(session, event, f"Its stages are too long for so many bots: {wanted}. An organiser must choose others.")
        return False
    _leave_out(session, [entry for entry in entries if entry.bot_id not in frozen])
    if event.ladder:
        frozen = _by_own_ladder(session, event, frozen)
    seeded.sort(key=lambda one: (*frozen[one.bot_id].strength, one.id))
    for seed, entry in enumerate(seeded, start=1):
        entry.submission_id, entry.seed = frozen[entry.bot_id].submission_id, seed
        entry.rating, entry.deviation = frozen[entry.bot_id].rating, frozen[entry.bot_id].deviation
    event.state, event.frozen_at, event.problem = EventState.PLAYING, func.clock_timestamp(), None
    session.flush()
    for entry in seeded:
        notices.of_event(session, frozen[entry.bot_id].submission_id, NoticeKind.FROZEN, event.id)
    live.publish(session, event.game, "event", event.id)
    return True


def _leave_out(session: Session, entries: Sequence[EventEntry]) -> None:
    """These have no version that could be frozen, and their owners are told."""
    for entry in entries:
        entry.state, entry.reason = EntryState.OUT, NO_VERSION
        notices.out_of_event(session, entry, NO_VERSION)


def _by_own_ladder(session: Session, event: Event, frozen: Mapping[int, Frozen]) -> dict[int, Frozen]:
    """Bot -> its version as the ladder of the event's own knows it, where a stage plays that on; else as it was.

    That ladder ends in any case.
    """
    from hexarena.backend.events import ladder_fit  # noqa: PLC0415 - scipy takes long to load, and few events end

    lines = ladder_fit.close(session, event, [one.submission_id for one in frozen.values()])
    if not lines or all(stage.form != Form.LADDER for stage in stages_of(event)):
        return dict(frozen)
    found = {}
    for bot, one in frozen.items():
        line = lines.get(one.submission_id)
        rating, deviation = (None, None) if line is None else (line.rating, line.deviation)
        found[bot] = replace(one, league=ladder.LEAGUE, rating=rating, deviation=deviation)
    return found


# --- The final --------------------------------------------------------------------------------------------------------


def stages_of(event: Event) -> list[Stage]:
    """The event's stages as values."""
    return [Stage.read(one) for one in event.stages]


def table_of(session: Session, event: Event) -> Table:
    """The entries whose versions are frozen."""
    query = select(EventEntry).where(EventEntry.event_id == event.id, EventEntry.seed.is_not(None))
    rows = session.scalars(query.order_by(EventEntry.seed).execution_options(populate_existing=True)).all()
    return Table({one.id: one for one in rows}, frozenset(one.id for one in rows if one.state != EntryState.ENTERED))


def plays_both_seats(event: Event) -> bool:
    """Whether each seed is played in both seats; nobody can ask a game that is gone."""
    return is_paired(find_game(event.game)) if event.game in all_games() else True


def in_heat(event: Event) -> int:
    """How many teams, mostly of one entrant, may play in a heat; of a game that is gone nothing more is played."""
    return max(find_game(event.game).ladder_entrants) if event.game in all_games() else 2


def team_seats(event: Event) -> int:
    """Of its game."""
    return find_game(event.game).team_seats if event.game in all_games() else 1


def most_games(event: Event, entrants: int, outside: int = 0) -> list[int]:
    """Games of each stage at most; see `stages.most_games`. Raises: TooLong."""
    return stages.most_games(
        stages_of(event),
        entrants,
        paired=plays_both_seats(event),
        prizes=event.prizes,
        in_heat=in_heat(event),
        team_seats=team_seats(event),
        outside=outside,
    )


def states_of(session: Session, event: Event, upto: int | None = None) -> list[stages.State]:
    """The stages that have begun, with what is known of them. `upto`: the last one; by default the current one."""
    entries = table_of(session, event).entries
    entrants: Sequence[int] = list(entries)
    outside = frozenset(one for one, row in entries.items() if row.outside_prizes)
    priors = {one: prior for one, row in entries.items() if (prior := Prior.of(row.rating, row.deviation)) is not None}
    paired = plays_both_seats(event)
    found: list[stages.State] = []
    all_stages = stages_of(event)
    last = event.stage if upto is None else min(upto, event.stage)
    for index, stage in enumerate(all_stages[: last + 1]):
        if found:
            entrants = stages.advancing(found[-1])
        prizes = event.prizes if index == len(all_stages) - 1 else 0
        most = heats.most(stage, in_heat(event), team_seats(event))
        left = frozenset(one for one, row in entries.items() if row.out_stage is not None and row.out_stage <= index)
        state = stages.State(
            stage, tuple(entrants), (), {}, paired, prizes, priors, in_heat=most, outside=outside, left=left
        )
        if stage.form == Form.HEATS:
            rows, done = heat_rows.heats_of(session, event.id, index)
            found.append(replace(state, heats=rows, heat_outcomes=done))
        else:
            pairings, outcomes = _pairings_of(session, event.id, index)
            found.append(replace(state, pairings=pairings, outcomes=outcomes))
    return found


def _pairings_of(session: Session, event_id: int, stage: int) -> tuple[tuple[Pairing, ...], dict[int, Outcome]]:
    query = select(EventPairing).where(EventPairing.event_id == event_id, EventPairing.stage == stage)
    rows = session.scalars(query.order_by(EventPairing.number).execution_options(populate_existing=True)).all()
    return tuple(map(as_pairing, rows)), {row.number: done for row in rows if (done := outcome_of(row)) is not None}


def as_pairing(row: EventPairing) -> Pairing:
    """The row of a pairing, which is no heat, as a value."""
    first, second = both(row)
    return Pairing(row.number, row.round, row.part, first, second, row.playoff)


def both(row: EventPairing) -> tuple[int, int]:
    """The two of a pairing. Raises: ValueError, for a heat."""
    if row.first_id is None or row.second_id is None:
        raise ValueError(f"expected a pairing of two; got the heat {row.id}")
    return row.first_id, row.second_id


def outcome_of(row: EventPairing) -> Outcome | None:
    """How it ended; None while it is played."""
    if row.first is None or row.second is None or row.first_wins is None or row.second_wins is None:
        return None
    return Outcome(row.first, row.second, row.first_wins, row.second_wins, row.winner_id)


def _play(session: Session, event: Event, ahead: int) -> int:
    """Counts what was played, begins what can be played, and queues `ahead` matches. Returns how many were new."""
    known = table_of(session, event)
    _put_out(known, event.stage)
    while True:
        waiting, some_ended = _settle(session, event, known)
        if some_ended and known.out:
            continue  # what a knockout plays next may be forfeited at once
        if not _has_nothing_open(session, event):
            return _fill(session, event, known, ahead - waiting)
        if not _begin(session, event):
            return 0


def _settle(session: Session, event: Event, known: Table) -> tuple[int, bool]:
    """Ends what is decided, by games or forfeits, and adds what a knockout can play then. Returns: as `_count`."""
    form = stages_of(event)[event.stage].form
    if form == Form.HEATS:
        heat_rows.leave_out(session, event, known)
    else:
        _forfeit(session, event, known)
    waiting, some_ended = _count(session, event, known)
    if some_ended and form == Form.KNOCKOUT:
        _add(session, event, stages.due(states_of(session, event)[-1]))
    return waiting, some_ended


def _put_out(known: Table, stage: int) -> None:
    """Who was withdrawn while its version was frozen is out like others, on pages and in the published file."""
    for one in known.entries.values():
        if one.state == EntryState.WITHDRAWN:
            one.state, one.reason, one.out_stage = EntryState.OUT, LEFT, stage


def _forfeit(session: Session, event: Event, known: Table) -> None:
    """Lets the pairings of those who are out end: what nobody has begun to play of them is void."""
    if not known.out:
        return
    with_out = EventPairing.first_id.in_(known.out) | EventPairing.second_id.in_(known.out)
    unfinished = _open(event) & with_out & (EventPairing.state != PairingState.DONE)
    if ids := session.scalars(select(EventPairing.id).where(unfinished)).all():
        session.execute(update(EventPairing).where(EventPairing.id.in_(ids)).values(state=PairingState.PLAYING))
        matches.void_queued_of_pairings(session, ids, DECIDED)


def _open(event: Event) -> ColumnElement[bool]:
    return (EventPairing.event_id == event.id) & (EventPairing.stage == event.stage)


@dataclass(frozen=True, slots=True)
class PairingMatch(GameMatch):
    """A match of a pairing. `points`: half points of the first entrant, None while it is not over."""

    points: int | None


def _count(session: Session, event: Event, known: Table) -> tuple[int, bool]:
    """Ends the pairings that are decided. Returns how many matches of the others wait or are being played, and whether
    any pairing ended.
    """
    playing = _playing(session, event)
    ended, played = _ended(session, event, known, playing)
    waiting, decided = 0, []
    for row in playing:
        there = played[row.id]
        if row.id in ended:
            row.state, row.finished_at = PairingState.DONE, func.clock_timestamp()
            decided.append(row.id)
            continue
        if heat_rows.is_stuck(there, known.out):
            row.state = PairingState.STUCK
        waiting += sum(one.state in {MatchState.QUEUED, MatchState.RUNNING} for one in there)
    session.flush()
    if decided:
        matches.void_queued_of_pairings(session, decided, DECIDED)
        live.publish(session, event.game, "event", event.id)
    if event.problem is not None or any(row.state == PairingState.STUCK for row in playing):
        _report(session, event, _problem(session, event))
    return waiting, bool(decided)


def _problem(session: Session, event: Event) -> str | None:
    """What an organiser must decide about; None: nothing."""
    stuck = select(EventPairing.number).where(_open(event), EventPairing.state == PairingState.STUCK)
    numbers = ", ".join(str(number + 1) for number in session.scalars(stuck.order_by(EventPairing.number)))
    what = "heat" if stages_of(event)[event.stage].form == Form.HEATS else "pairing"
    void = f"Matches of {what} {numbers} were void {MOST_VOIDS + 1} times. An organiser must decide."
    return void if numbers else None


def _ended(
    session: Session, event: Event, known: Table, playing: Sequence[EventPairing]
) -> tuple[set[int], Mapping[int, Sequence[GameMatch]]]:
    """The pairings or heats that are decided, with their outcome in their rows, and the games of all."""
    stage, paired = stages_of(event)[event.stage], is_paired(find_game(event.game))
    if stage.form == Form.HEATS:
        of_heats = heat_rows.played(session, playing)
        return heat_rows.end(session, stage, known, playing, of_heats), of_heats
    played, ended = played_games(session, event, playing), set()
    for row in playing:
        points, better = _in_order(played[row.id]), known.better(*both(row))
        outcome = partial(games.outcome, stage, as_pairing(row), points, paired=paired, better_seed=better)
        done = outcome()
        # What runs by now still counts, so that whoever has all games comes to the same outcome.
        if done is None and known.out & set(both(row)) and all(one.state.is_over for one in played[row.id]):
            done = outcome(forfeits=known.out)
        if done is not None:
            row.first, row.second = done.first, done.second
            row.first_wins, row.second_wins, row.winner_id = done.first_wins, done.second_wins, done.winner
            ended.add(row.id)
    return ended, played


def _playing(session: Session, event: Event) -> Sequence[EventPairing]:
    query = select(EventPairing).where(_open(event), EventPairing.state == PairingState.PLAYING)
    return session.scalars(query.order_by(EventPairing.number).execution_options(populate_existing=True)).all()


def played_games(session: Session, event: Event, rows: Iterable[EventPairing]) -> dict[int, list[PairingMatch]]:
    """Pairing -> its matches by game."""
    first, second = EventEntry.__table__.alias("first"), EventEntry.__table__.alias("second")
    of_first = func.min(SeatResult.rank).filter(MatchSeat.submission_id == first.c.submission_id)
    of_second = func.min(SeatResult.rank).filter(MatchSeat.submission_id == second.c.submission_id)
    past = Match.finished_at <= func.coalesce(EventPairing.resumed_at, event.created_at)
    number = type_coerce(Match.pairing_game, SmallInteger)  # never null in an event's match
    pairs = {row.id: frozenset(both(row)) for row in rows}
    query = (
        select(EventPairing.id, number, Match.state, of_first, of_second, past)
        .join(Match, Match.pairing_id == EventPairing.id)
        .join(MatchSeat, MatchSeat.match_id == Match.id)
        .join(first, first.c.id == EventPairing.first_id)
        .join(second, second.c.id == EventPairing.second_id)
        .outerjoin(SeatResult, (SeatResult.match_id == MatchSeat.match_id) & (SeatResult.seat == MatchSeat.seat))
        .where(EventPairing.id.in_(pairs))
        .group_by(EventPairing.id, Match.id)
        .order_by(EventPairing.id, Match.pairing_game, Match.id)
    )
    found: dict[int, list[PairingMatch]] = defaultdict(list)
    for pairing_id, game, state, rank, other_rank, is_past in session.execute(query):
        known = None if rank is None or other_rank is None else round(2 * sprt.points(rank, other_rank))
        found[pairing_id].append(PairingMatch(game, state, pairs[pairing_id], bool(is_past), known))
    return found


def _in_order(there: Sequence[PairingMatch]) -> list[int]:
    """Half points of the games from the first to the one before the first that is not over."""
    points = {one.game: one.points for one in there if one.points is not None}
    found: list[int] = []
    while (one := points.get(len(found))) is not None:
        found.append(one)
    return found


def _has_nothing_open(session: Session, event: Event) -> bool:
    """Whether all pairings of the stage that are known have ended."""
    unfinished = select(EventPairing.state).where(_open(event), EventPairing.state != PairingState.DONE).limit(1)
    return session.scalar(unfinished) is None


def _begin(session: Session, event: Event) -> bool:
    """The next pairings of the stage, or the next stage. False: the event is over."""
    with computing(session):
        state = states_of(session, event)[-1]
        if found := stages.due(state):
            _add(session, event, found)
            return True
        if heats := stages.due_heats(state):
            heat_rows.add(session, event, heats)
            return True
    if event.stage + 1 < len(event.stages):
        event.stage += 1
        session.flush()
        live.publish(session, event.game, "event", event.id)
        return True
    _finish(session, event)
    return False


def _add(session: Session, event: Event, found: Sequence[Pairing]) -> None:
    if not found:
        return
    session.add_all(
        EventPairing(
            event_id=event.id,
            stage=event.stage,
            number=one.number,
            round=one.round,
            part=one.part,
            playoff=one.playoff,
            first_id=one.first,
            second_id=one.second,
        )
        for one in found
    )
    session.flush()
    live.publish(session, event.game, "event", event.id)


def _finish(session: Session, event: Event) -> None:
    known = table_of(session, event)
    for place, entry_id in enumerate(stages.final_ranking(states_of(session, event), known.out), start=1):
        known.entries[entry_id].place = place
    event.state, event.finished_at, event.problem = EventState.DONE, func.clock_timestamp(), None
    session.flush()
    if not event.held:
        tell_places(session, event)
    live.publish(session, event.game, "event", event.id)


def tell_places(session: Session, event: Event) -> None:
    """Notifies the owners of all who have a place, and have not heard of it before a rerun."""
    told = notices.places_told(session, event.id)
    placed = select(EventEntry).where(EventEntry.event_id == event.id, EventEntry.place.is_not(None))
    for entry in session.scalars(placed.order_by(EventEntry.place)).all():
        if entry.submission_id is not None and told.get(entry.submission_id) != entry.place:
            notices.of_event(session, entry.submission_id, NoticeKind.PLACED, event.id, place=entry.place)


def _fill(session: Session, event: Event, known: Table, wanted: int) -> int:
    """Queues matches of the pairings that are being played, then of those that wait. Returns how many."""
    queued = 0
    playing = _playing(session, event)
    if stages_of(event)[event.stage].form == Form.HEATS:
        return heat_rows.fill(session, event, known, playing, wanted)
    played = played_games(session, event, playing)
    for row in playing:
        queued += _queue(session, event, known, row, there=played[row.id], wanted=wanted - queued)
    while queued < wanted:
        query = select(EventPairing).where(_open(event), EventPairing.state == PairingState.WAITING)
        following = session.scalars(query.order_by(EventPairing.number).limit(1)).first()
        if following is None:
            break
        following.state = PairingState.PLAYING
        session.flush()
        queued += _queue(session, event, known, following, there=[], wanted=wanted - queued)
    return queued


def _queue(
    session: Session, event: Event, known: Table, row: EventPairing, *, there: Sequence[PairingMatch], wanted: int
) -> int:
    """Queues the next games of a pairing, at most `wanted`. Returns how many."""
    if known.out & set(both(row)):
        return 0
    game = find_game(event.game)
    stage, paired = stages_of(event)[event.stage], is_paired(game)
    known_games = {one.game for one in there if one.state != MatchState.VOID}
    planned = games.planned(stage, paired=paired)
    done = len(_in_order(there))
    limit = planned if done < planned else min(games.most(stage, paired=paired), done + (2 if paired else 1))
    missing = [number for number in range(limit) if number not in known_games][: max(0, wanted)]
    for number in missing:
        seed = draws.seed(event.secret, row.stage, row.number, games.trial_of(number, paired=paired))
        pair = tuple(known.entries[one].submission_id or 0 for one in both(row))
        seated = pair[::-1] if games.is_swapped(as_pairing(row), number) else pair
        matches.schedule(
            session,
            game=event.game,
            kind=MatchKind.EVENT,
            submission_ids=game.seated(seated, seed),
            seed=seed,
            league=event.league,
            pairing_id=row.id,
            pairing_game=number,
            held=event.held,
        )
    return len(missing)
