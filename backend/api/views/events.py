"""Events, from rows to what goes over HTTP."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from fastapi import Path
from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.accounts import owners
from hexarena.backend.api import views
from hexarena.backend.api.schemas import Rerun, events as schemas
from hexarena.backend.api.schemas.events import Phase
from hexarena.backend.duels.fixtures import is_paired
from hexarena.backend.errors import NotFound
from hexarena.backend.events import (
    brackets,
    draws,
    games,
    heat_rows,
    heats,
    life,
    organisers,
    playing,
    stages,
    tables,
)
from hexarena.backend.events.forms import BadStage, Form, Stage
from hexarena.backend.ladder import standings
from hexarena.backend.models import (
    Bot,
    EntryState,
    Event,
    EventEntry,
    EventPairing,
    EventStanding,
    EventState,
    Match,
    MatchSeat,
    MatchState,
    PairingState,
    Standing,
    Submission,
    SubmissionState,
)
from hexarena.games.catalogue import all_games, find_game

MOST_PAIRINGS = 3_000
SHOWN_WINNERS = 3
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
    placed = EventEntry.event_id.in_(ids) & EventEntry.place.is_not(None) & ~EventEntry.outside_prizes
    best = select(EventEntry.id, by_place.label("prize_place")).where(placed).subquery()
    query = select(EventEntry, best.c.prize_place).join(best, best.c.id == EventEntry.id)
    query = query.where(best.c.prize_place <= SHOWN_WINNERS).order_by(best.c.prize_place)
    found: dict[int, list[schemas.EventWinner]] = {}
    for one, place in session.execute(query.options(joinedload(EventEntry.bot).joinedload(Bot.owner))):
        found.setdefault(one.event_id, []).append(
            schemas.EventWinner(place=place, bot_id=one.bot_id, bot=one.bot.name, owner=one.bot.owner.name)
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
        wanted, paired = playing.stages_of(event), is_paired(find_game(event.game))
        in_heat = playing.in_heat(event)
        counts = stages.most_games(
            wanted, entrants, paired=paired, prizes=event.prizes, in_heat=in_heat, outside=outside
        )
        return sum(counts)
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
    live = _live_versions(session, rows) if event.frozen_at is None else {}
    mine = owners.owned_by(session, viewer_id)
    prizes = {} if hidden else prize_places(rows)
    return [
        _entrant(
            row,
            row.submission or live.get(row.bot_id),
            row.user_id in mine,
            place=None if hidden else row.place,
            prize_place=prizes.get(row.id),
        )
        for row in rows
    ]


def prize_places(rows: Sequence[EventEntry]) -> dict[int, int]:
    """Entry -> its place for the prizes, of all entries of an event; empty before it is over."""
    ranked = sorted((row.place, row.id) for row in rows if row.place is not None)
    return stages.prize_places([one for _, one in ranked], {row.id for row in rows if row.outside_prizes})


def _live_versions(session: Session, rows: Sequence[EventEntry]) -> dict[int, Submission]:
    bots = [row.bot_id for row in rows]
    query = select(Submission).where(Submission.bot_id.in_(bots), Submission.state == SubmissionState.LIVE)
    return {one.bot_id: one for one in session.scalars(query) if one.bot_id is not None}


def _entrant(
    row: EventEntry, version: Submission | None, mine: bool, *, place: int | None, prize_place: int | None
) -> schemas.EventEntrant:
    known = row.rating is not None and row.deviation is not None
    low, high = standings.interval(row.rating or 0.0, row.deviation or 0.0) if known else (None, None)
    return schemas.EventEntrant(
        id=row.id,
        bot_id=row.bot_id,
        bot=row.bot.name,
        owner=row.bot.owner.name,
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
    current = _live_versions(session, rows) if event.frozen_at is None else {}
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
    low, high = (None, None) if found is None else standings.interval(found.rating, found.deviation)
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


# --- Stages -----------------------------------------------------------------------------------------------------------


def stage_state(session: Session, event: Event, index: int, *, organises: bool) -> schemas.EventStageState:
    """The state of a stage. Where results are held back: who takes part, and nothing else. Raises: NotFound."""
    if not 0 <= index < len(event.stages):
        expected = f"a stage from 0 to {len(event.stages) - 1}"
        raise NotFound(f"This event has no stage {index}.", expected=expected, got=str(index))
    stage = playing.stages_of(event)[index]
    if event.frozen_at is None or index > event.stage or (is_hidden(event, organises) and index > 0):
        return _empty(index, stage)
    state = playing.states_of(session, event, index)[-1]
    if is_hidden(event, organises):
        state = replace(state, pairings=(), outcomes={}, heats=(), heat_outcomes={})
    return _stage_view(session, event, index, state)


def _empty(index: int, stage: Stage) -> schemas.EventStageState:
    return schemas.EventStageState(
        index=index,
        stage=stage_view(stage),
        entrants=[],
        over=False,
        tie_breaks=[*tie_breaks(stage)],
        groups=[],
        nodes=[],
        pairings=[],
        more_pairings=False,
        advance=0,
        table=[],
        heats=[],
    )


def tie_breaks(stage: Stage) -> Sequence[str]:
    """What decides, in this order."""
    if stage.form == Form.LADDER:
        return tables.LADDER_TIES
    if stage.form == Form.HEATS:
        return heats.TIES
    if stage.form == Form.KNOCKOUT:
        return ("games", "as many games again, until one leads", "seeding")
    return tables.SWISS_TIES if stage.form == Form.SWISS else tables.ROBIN_TIES


def _stage_view(session: Session, event: Event, index: int, state: stages.State) -> schemas.EventStageState:
    query = select(EventPairing).where(EventPairing.event_id == event.id, EventPairing.stage == index)
    rows = session.scalars(query.order_by(EventPairing.number).limit(MOST_PAIRINGS + 1)).all() if state.pairings else []
    of_heats = session.scalars(query.order_by(EventPairing.number)).all() if state.heats else []
    members = heat_rows.members_of(session, [row.id for row in of_heats])
    shown = rows[:MOST_PAIRINGS]
    swiss = state.stage.form == Form.SWISS
    advance = 0 if state.prizes or index + 1 == len(event.stages) else state.stage.advance
    return schemas.EventStageState(
        index=index,
        stage=stage_view(state.stage),
        entrants=list(state.entrants),
        over=event.stage > index or event.state == EventState.DONE,
        tie_breaks=[*tie_breaks(state.stage)],
        groups=[
            schemas.EventGroup(name=name, advance=advance, rows=[_row(row, swiss=swiss) for row in lines])
            for name, lines in stages.standings(state).items()
        ],
        nodes=_nodes(state, {row.number: row.id for row in rows}),
        pairings=[schemas.EventPairingInfo(**pairing_fields(row)) for row in shown],
        more_pairings=len(rows) > len(shown),
        advance=advance,
        table=[_heat_row(row) for row in stages.heat_table(state)] if state.stage.form == Form.HEATS else [],
        heats=[schemas.EventHeat(**_heat_fields(row, members)) for row in of_heats],
    )


def _heat_row(row: heats.Row) -> schemas.HeatRow:
    return schemas.HeatRow(
        entry=row.entrant,
        place=row.place,
        played=row.played,
        won=row.won,
        points=float(row.points),
        met=float(row.met),
        playoffs=[float(one) for one in row.playoffs],
        decided_by=row.decided_by,
    )


def _heat_fields(row: EventPairing, members: heat_rows.Members) -> dict[str, Any]:
    """A heat, without its games."""
    heat, done = heat_rows.as_heat(row, members), heat_rows.outcome_of(row, members)
    places = None if done is None else heats.places(done)
    return {
        "id": row.id,
        "number": row.number,
        "round": row.round,
        "playoff": row.playoff,
        "state": row.state,
        "entrants": [
            schemas.HeatEntrant(
                entry=entry,
                place=None if places is None else places[index],
                points=None if done is None else float(heats.share(heat, done.points[index])),
                won=None if done is None else done.wins[index],
            )
            for index, entry in enumerate(heat.entrants)
        ],
    }


def heat_detail(session: Session, event: Event, heat_id: int, *, organises: bool) -> schemas.EventHeatDetail:
    """A heat with its games. Raises: NotFound, also where results are held back."""
    row = session.get(EventPairing, heat_id)
    if row is None or row.event_id != event.id or row.first_id is not None or is_hidden(event, organises):
        raise NotFound(f"There is no heat {heat_id} in this event.")
    members = heat_rows.members_of(session, [row.id])
    played = [one for one in heat_rows.played(session, [row]).get(row.id, []) if one.state != MatchState.VOID]
    ids = [one.match_id for one in played]
    seeds = dict(session.execute(select(Match.id, Match.seed).where(Match.id.in_(ids))).all())
    seats, again = _seats(session, event, ids), _reruns(session, row)
    return schemas.EventHeatDetail(
        **_heat_fields(row, members),
        stage=row.stage,
        planned=playing.stages_of(event)[row.stage].games,
        games=[
            schemas.HeatGame(
                number=one.game + 1,
                match_id=one.match_id,
                state=one.state,
                seed=views.shown_seed(event.game, seeds[one.match_id], over=one.state.is_over),
                seats=seats[one.match_id],
                places=None if one.ranks is None else _places(one.ranks, seats[one.match_id]),
                reruns=again.get(one.game, []),
            )
            for one in played
        ],
    )


def _reruns(session: Session, row: EventPairing) -> dict[int | None, list[Rerun]]:
    """Game of a pairing or heat, from 0 -> the matches in whose place others were played, in order."""
    query = select(Match.pairing_game, Match.rerun_of, Match.rerun_reason)
    query = query.where(Match.pairing_id == row.id, Match.rerun_of.is_not(None)).order_by(Match.rerun_of)
    found: dict[int | None, list[Rerun]] = {}
    for game, first, reason in session.execute(query):
        found.setdefault(game, []).append(Rerun(match=first or 0, reason=reason or ""))
    return found


def _seats(session: Session, event: Event, match_ids: Sequence[int]) -> dict[int, list[int]]:
    """Match -> its entrants in the order of their first seats."""
    query = select(MatchSeat.match_id, EventEntry.id).join(
        EventEntry, EventEntry.submission_id == MatchSeat.submission_id
    )
    query = query.where(MatchSeat.match_id.in_(match_ids), EventEntry.event_id == event.id)
    query = query.group_by(MatchSeat.match_id, EventEntry.id).order_by(func.min(MatchSeat.seat))
    found: dict[int, list[int]] = {one: [] for one in match_ids}
    for match_id, entry in session.execute(query):
        found[match_id].append(entry)
    return found


def _places(ranks: Mapping[int, int], seats: Sequence[int]) -> list[int]:
    return [1 + sum(other < ranks[one] for other in ranks.values()) for one in seats]


def _row(row: tables.Row, *, swiss: bool) -> schemas.TableRow:
    return schemas.TableRow(
        entry=row.entrant,
        place=row.place,
        played=row.played,
        won=row.won,
        drawn=row.drawn,
        lost=row.lost,
        points=row.points / 2,
        direct=None if swiss else row.second / 2,
        buchholz=row.second / 2 if swiss else None,
        berger=row.berger / 4,
        playoffs=[one / 2 for one in row.playoffs],
        decided_by=row.decided_by,
        rating=row.rating,
        deviation=row.deviation,
        sure=row.sure,
    )


def _nodes(state: stages.State, pairing_ids: Mapping[int, int]) -> list[schemas.BracketNode]:
    if state.stage.form != Form.KNOCKOUT or len(state.entrants) < 2:
        return []
    nodes = stages.bracket_of(state)
    held = brackets.resolve(nodes, state.entrants, stages.winners(state))
    return [
        schemas.BracketNode(
            number=node.number,
            part=node.part,
            round=node.round,
            first_from=schemas.BracketSource(kind=node.first.kind, index=node.first.at),
            second_from=schemas.BracketSource(kind=node.second.kind, index=node.second.at),
            first=held[node.number].first,
            second=held[node.number].second,
            bye=held[node.number].walks_over,
            pairing=pairing_ids.get(node.number),
        )
        for node in nodes
    ]


def pairing_fields(row: EventPairing) -> dict[str, Any]:
    """A pairing, without its games."""
    return {
        "id": row.id,
        "number": row.number,
        "round": row.round,
        "part": row.part,
        "playoff": row.playoff,
        "first": row.first_id,
        "second": row.second_id,
        "state": row.state,
        "first_points": None if row.first is None else row.first / 2,
        "second_points": None if row.second is None else row.second / 2,
        "first_wins": row.first_wins,
        "second_wins": row.second_wins,
        "winner": row.winner_id,
    }


def pairing_detail(session: Session, event: Event, pairing_id: int, *, organises: bool) -> schemas.EventPairingDetail:
    """A pairing with its games. Raises: NotFound, also where results are held back."""
    row = session.get(EventPairing, pairing_id)
    if row is None or row.event_id != event.id or row.first_id is None or is_hidden(event, organises):
        raise NotFound(f"There is no pairing {pairing_id} in this event.")
    stage = playing.stages_of(event)[row.stage]
    played = playing.played_games(session, event, [row])[row.id]
    counted = None if row.first is None or row.second is None else (row.first + row.second) // 2
    matches = select(Match.pairing_game, Match.id, Match.seed).where(Match.pairing_id == row.id)
    of_game = {
        game: (number, seed) for game, number, seed in session.execute(matches.where(Match.state != MatchState.VOID))
    }
    again = _reruns(session, row)
    return schemas.EventPairingDetail(
        **pairing_fields(row),
        stage=row.stage,
        best_of=games.planned(stage, paired=playing.plays_both_seats(event)),
        games=[
            schemas.EventGame(
                number=one.game + 1,
                match_id=of_game[one.game][0],
                state=one.state,
                swapped=games.is_swapped(playing.as_pairing(row), one.game),
                seed=views.shown_seed(event.game, of_game[one.game][1], over=one.state.is_over),
                counts=counted is None or one.game < counted,
                first_points=None if one.points is None else one.points / 2,
                reruns=again.get(one.game, []),
            )
            for one in played
            if one.state != MatchState.VOID
        ],
    )
