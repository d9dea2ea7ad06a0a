"""Events, from rows to what goes over HTTP."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from fastapi import Path
from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.accounts import owners
from hexarena.backend.api.schemas import events as schemas
from hexarena.backend.api.schemas.events import Phase
from hexarena.backend.errors import NotFound
from hexarena.backend.events import draws, life, organisers, playing, stages, versions
from hexarena.backend.events.forms import BadStage, Stage
from hexarena.backend.ladder import boards
from hexarena.backend.models import (
    Bot,
    EntryState,
    Event,
    EventEntry,
    EventPairing,
    EventStanding,
    EventState,
    Match,
    MatchState,
    PairingState,
    Standing,
    Submission,
)
from hexarena.games.catalogue import all_games

SHOWN_WINNERS = 3
PLACED = EventEntry.place.is_not(None) & (EventEntry.state != EntryState.OUT)
"""Of an event that is over: who is out is ranked, too, but takes no prize and no certificate."""


StagePath = Path(ge=0, le=99)


def phase_of(event: Event, now: datetime) -> Phase:
    """The event's state in the words of its page."""
    match event.state:
        case EventState.PLAYING:
            return "playing"
        case EventState.DONE:
            return "done"
        case EventState.CANCELLED:
            return "cancelled"
    if now < event.opens_at:
        return "announced"
    return "open" if now < event.deadline else "freezing"


def phase_now(event: Event) -> Phase:
    """The phase that it is in."""
    return phase_of(event, datetime.now(UTC))


def is_hidden(event: Event, organises: bool) -> bool:
    """Whether results are held back from the viewer."""
    return event.held and not organises


def infos(session: Session, events: Sequence[Event], organised: Collection[int]) -> list[schemas.EventInfo]:
    """Events in a list. `organised`: those that the viewer organises."""
    ids = [event.id for event in events]
    entered = EventEntry.event_id.in_(ids) & (EventEntry.state == EntryState.ENTERED)
    counted = select(EventEntry.event_id, func.count(), func.count().filter(EventEntry.outside_prizes))
    counts = {
        event_id: (bots, outside)
        for event_id, bots, outside in session.execute(counted.where(entered).group_by(EventEntry.event_id))
    }
    played = _games_played(session, ids)
    winners = _winners(session, ids)
    found = []
    for event in events:
        bots, outside = counts.get(event.id, (0, 0))
        fields = _info(event, bots, outside, played.get(event.id, 0), winners, event.id in organised)
        found.append(schemas.EventInfo(**fields))
    return found


def _games_played(session: Session, ids: Collection[int]) -> dict[int, int]:
    done = select(EventPairing.event_id, func.sum(EventPairing.first + EventPairing.second) / 2)
    done = done.where(EventPairing.event_id.in_(ids), EventPairing.state == PairingState.DONE)
    done = done.where(EventPairing.first_id.is_not(None))
    found = {event_id: int(count or 0) for event_id, count in session.execute(done.group_by(EventPairing.event_id))}
    of_heats = select(EventPairing.event_id, func.count()).join(Match, Match.pairing_id == EventPairing.id)
    of_heats = of_heats.where(EventPairing.event_id.in_(ids), EventPairing.first_id.is_(None))
    of_heats = of_heats.where(Match.state == MatchState.DONE).group_by(EventPairing.event_id)
    for event_id, count in session.execute(of_heats):
        found[event_id] = found.get(event_id, 0) + count
    return found


def _winners(session: Session, ids: Collection[int]) -> dict[int, list[schemas.EventWinner]]:
    by_place = func.row_number().over(partition_by=EventEntry.event_id, order_by=EventEntry.place)
    placed = EventEntry.event_id.in_(ids) & PLACED & ~EventEntry.outside_prizes
    best = select(EventEntry.id, by_place.label("prize_place")).where(placed).subquery()
    query = select(EventEntry, best.c.prize_place).join(best, best.c.id == EventEntry.id)
    query = query.where(best.c.prize_place <= SHOWN_WINNERS).order_by(best.c.prize_place)
    found: dict[int, list[schemas.EventWinner]] = {}
    for one, place in session.execute(query.options(joinedload(EventEntry.bot).joinedload(Bot.owner))):
        found.setdefault(one.event_id, []).append(
            schemas.EventWinner(place=place, bot_id=one.bot_id, bot=one.bot.name, owner=one.bot.owner_name)
        )
    return found


def _info(
    event: Event,
    entrants: int,
    outside: int,
    played: int,
    winners: Mapping[int, list[schemas.EventWinner]],
    organises: bool,
) -> dict[str, Any]:
    hidden = is_hidden(event, organises)
    return {
        "id": event.id,
        "game": event.game,
        "name": event.name,
        "phase": phase_now(event),
        "opens_at": event.opens_at,
        "deadline": event.deadline,
        "frozen_at": event.frozen_at,
        "finished_at": event.finished_at,
        "entrants": entrants,
        "invited": event.code_sha256 is not None,
        "by_list": event.listed is not None,
        "stages": [stage_view(one) for one in playing.stages_of(event)],
        "stage": event.stage,
        "held": event.held,
        "hidden": hidden,
        "problem": event.problem,
        "paused_reason": event.paused_reason,
        "games": played,
        "most_games": _most_games(event, entrants, outside),
        "winners": [] if hidden else winners.get(event.id, []),
    }


def _most_games(event: Event, entrants: int, outside: int) -> int:
    if event.game not in all_games() or entrants < 2:
        return 0
    try:
        return sum(playing.most_games(event, entrants, outside))
    except BadStage:
        return 0


def stage_view(stage: Stage) -> schemas.EventStage:
    """The options of a stage."""
    return schemas.EventStage.model_validate(stage.as_json())


def find(session: Session, event_id: int) -> Event:
    """Raises: NotFound."""
    event = session.get(Event, event_id)
    if event is None:
        raise NotFound(f"There is no event {event_id}.")
    return event


def detail(session: Session, event: Event, viewer_id: int | None, *, organises: bool) -> schemas.EventDetail:
    """An event's page, without its stages."""
    (info,) = infos(session, [event], [event.id] if organises else [])
    shows_secret = event.state == EventState.DONE and not info.hidden
    return schemas.EventDetail(
        **info.model_dump(),
        about=event.about,
        ladder=event.ladder,
        bots_each=event.bots_each,
        languages=event.languages,
        versions_a_day=event.versions_a_day,
        source_bytes=event.source_bytes,
        prizes=event.prizes,
        commitment=draws.commitment(event.secret),
        secret=event.secret.hex() if shows_secret else None,
        now=datetime.now(UTC),
        organised=organises,
        organisers=[
            schemas.EventOrganiser(id=user_id, name=name) for user_id, name in organisers.of_event(session, event.id)
        ],
        listed=event.listed if organises else None,
        may_enter=organises or life.is_listed(session, event, viewer_id),
        entries=entrants(session, event, viewer_id, hidden=info.hidden),
    )


def entrants(session: Session, event: Event, viewer_id: int | None, *, hidden: bool) -> list[schemas.EventEntrant]:
    """By place, seed, or when they entered; without those that withdrew."""
    query = select(EventEntry).where(EventEntry.event_id == event.id, EventEntry.state != EntryState.WITHDRAWN)
    query = query.options(joinedload(EventEntry.bot).joinedload(Bot.owner), joinedload(EventEntry.submission))
    order = [EventEntry.seed.nulls_last(), EventEntry.id]
    rows = session.scalars(query.order_by(*([] if hidden else [EventEntry.place.nulls_last()]), *order)).all()
    current = _current_versions(session, event, rows)
    mine = owners.owned_by(session, viewer_id)
    prizes = {} if hidden else prize_places(rows)
    return [
        _entrant(
            row,
            row.submission or current.get(row.bot_id),
            row.user_id in mine,
            place=None if hidden else row.place,
            prize_place=prizes.get(row.id),
        )
        for row in rows
    ]


def prize_places(rows: Sequence[EventEntry]) -> dict[int, int]:
    """Entry -> its place for the prizes, of all entries of an event; empty before it is over.

    Who is out has none. Out entrants are last in the ranking, so that no other place depends on that.
    """
    ranked = sorted((row.place, row.id) for row in rows if row.place is not None and row.state != EntryState.OUT)
    return stages.prize_places([one for _, one in ranked], {row.id for row in rows if row.outside_prizes})


def _current_versions(session: Session, event: Event, rows: Sequence[EventEntry]) -> dict[int, Submission]:
    """Bot -> the version that would be frozen now; empty once that is done."""
    if event.frozen_at is not None:
        return {}
    is_over = event.deadline <= datetime.now(UTC)
    chosen = versions.to_freeze(event, [row.bot_id for row in rows], is_over=is_over)
    found = session.scalars(select(Submission).where(Submission.id.in_(chosen)))
    return {one.bot_id: one for one in found if one.bot_id is not None}


def _entrant(
    row: EventEntry, version: Submission | None, mine: bool, *, place: int | None, prize_place: int | None
) -> schemas.EventEntrant:
    known = row.rating is not None and row.deviation is not None
    low, high = boards.interval(row.rating or 0.0, row.deviation or 0.0) if known else (None, None)
    return schemas.EventEntrant(
        id=row.id,
        bot_id=row.bot_id,
        bot=row.bot.name,
        owner=row.bot.owner_name,
        mine=mine,
        state=row.state,
        reason=row.reason,
        seed=row.seed,
        version=None if version is None else version.version,
        submission_id=None if version is None else version.id,
        language=None if version is None else version.language,
        source_sha256=None if version is None or row.seed is None else version.source_sha256,
        rating=row.rating,
        low=low,
        high=high,
        place=place,
        outside_prizes=row.outside_prizes,
        prize_place=prize_place,
    )


def ladder(session: Session, event: Event) -> schemas.EventLadder:
    """The ladder of an event's own. Raises: NotFound, where it has none."""
    if not event.ladder:
        raise NotFound(f"Event {event.id} has no ladder of its own.", expected="an event with one", got=event.name)
    entered = (EventEntry.event_id == event.id) & (EventEntry.state == EntryState.ENTERED)
    rows = session.scalars(select(EventEntry).where(entered).options(joinedload(EventEntry.submission))).all()
    current = _current_versions(session, event, rows)
    stored = session.scalars(select(EventStanding).where(EventStanding.event_id == event.id))
    known = {one.submission_id: one for one in stored if one.games}
    lines = []
    for row in rows:
        version = row.submission or current.get(row.bot_id)
        lines.append((row, version, None if version is None else known.get(version.id)))
    shared = _same_code(session, {row.id: version.id for row, version, _ in lines if version is not None})
    lines.sort(key=lambda line: (line[2] is None, -line[2].rating if line[2] else 0.0, line[0].id))
    unfinished = select(Match.state, func.count()).where(Match.event_id == event.id).group_by(Match.state)
    counts = dict(session.execute(unfinished.where(Match.state.in_((MatchState.QUEUED, MatchState.RUNNING)))).all())
    return schemas.EventLadder(
        items=[_ladder_row(place, *line, shared.get(line[0].id, [])) for place, line in enumerate(lines, start=1)],
        over=phase_now(event) not in {"announced", "open"},
        waiting=counts.get(MatchState.QUEUED, 0),
        running=counts.get(MatchState.RUNNING, 0),
    )


def _same_code(session: Session, versions: Mapping[int, int]) -> dict[int, list[int]]:
    """Entry -> the other entries whose version has the same code. `versions`: entry -> its submission."""
    query = select(Standing.submission_id, Standing.competitor_id).where(Standing.submission_id.in_(versions.values()))
    competitor = dict(session.execute(query).all())
    alike: dict[int, list[int]] = {}
    for entry, version in versions.items():
        if version in competitor:
            alike.setdefault(competitor[version], []).append(entry)
    return {one: [other for other in there if other != one] for there in alike.values() for one in there}


def _ladder_row(
    place: int,
    row: EventEntry,
    version: Submission | None,
    found: EventStanding | None,
    shared_with: list[int],
) -> schemas.EventLadderRow:
    low, high = (None, None) if found is None else boards.interval(found.rating, found.deviation)
    return schemas.EventLadderRow(
        entry=row.id,
        place=None if found is None else place,
        version=None if version is None else version.version,
        submission_id=None if version is None else version.id,
        rating=None if found is None else found.rating,
        low=low,
        high=high,
        games=0 if found is None else found.games,
        wins=0 if found is None else found.wins,
        draws=0 if found is None else found.draws,
        losses=0 if found is None else found.losses,
        shared_with=shared_with,
    )
