"""The stages of an event: tables, brackets, pairings and heats, from rows to what goes over HTTP."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend.api import views
from hexarena.backend.api.schemas import Rerun, events as schemas
from hexarena.backend.api.views.events import is_hidden, stage_view
from hexarena.backend.errors import NotFound
from hexarena.backend.events import brackets, games, heat_rows, heats, playing, stages, tables
from hexarena.backend.events.forms import Form, Stage
from hexarena.backend.models import Event, EventEntry, EventPairing, EventState, Match, MatchSeat, MatchState

MOST_PAIRINGS = 3_000


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
    advancing = frozenset(stages.advancing(state)) if advance else frozenset()
    return schemas.EventStageState(
        index=index,
        stage=stage_view(state.stage),
        entrants=list(state.entrants),
        over=event.stage > index or event.state == EventState.DONE,
        tie_breaks=[*tie_breaks(state.stage)],
        groups=[
            schemas.EventGroup(name=name, advance=advance, rows=[_row(row, advancing, swiss=swiss) for row in lines])
            for name, lines in stages.standings(state).items()
        ],
        nodes=_nodes(state, {row.number: row.id for row in rows}),
        pairings=[schemas.EventPairingInfo(**pairing_fields(row)) for row in shown],
        more_pairings=len(rows) > len(shown),
        advance=advance,
        table=[_heat_row(row, advancing) for row in stages.heat_table(state)] if state.stage.form == Form.HEATS else [],
        heats=[schemas.EventHeat(**_heat_fields(row, members)) for row in of_heats],
    )


def _heat_row(row: heats.Row, advancing: Collection[int]) -> schemas.HeatRow:
    return schemas.HeatRow(
        entry=row.entrant,
        place=row.place,
        advances=row.entrant in advancing,
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


def _row(row: tables.Row, advancing: Collection[int], *, swiss: bool) -> schemas.TableRow:
    return schemas.TableRow(
        entry=row.entrant,
        place=row.place,
        advances=row.entrant in advancing,
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
