"""Annulling a match of an event: its pairing is reopened, played on and decided again, while nothing rests on it.

Theory of operation. What an event plays next follows from how its pairings ended, so a pairing can be decided anew only
as long as no other one has begun because of how it ended. In a knockout those are the nodes behind it in the bracket;
one of them that is known, but has not begun, is forgotten, and comes back with whoever wins. In a table everything
played in an earlier round decides what comes next.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from hexarena.backend.errors import Conflict
from hexarena.backend.events import brackets, playing, stages
from hexarena.backend.events.forms import Form
from hexarena.backend.ladder import standings
from hexarena.backend.matches import life as matches, live
from hexarena.backend.models import (
    Event,
    EventEntry,
    EventHeatEntry,
    EventPairing,
    EventState,
    Match,
    MatchState,
    PairingState,
)


def annul(session: Session, match_id: int, why: str, *, reopens: bool = False) -> None:
    """Makes any finished match void, as `matches.life.annul` does; the pairing of an event plays it again.

    `why`: a sentence, shown to everybody. `reopens`: even an event that is over continues. Raises: NotFound; Conflict,
    when the match has no result, or others rest on how its pairing ended.
    """
    lock_event(session, match_id)
    match = matches.locked(session, match_id)
    if match.state == MatchState.DONE and match.pairing_id is not None:
        _reopen_pairing(session, match.pairing_id, reopens=reopens)
    matches.annul(session, match_id, why)


def lock_event(session: Session, match_id: int) -> None:
    """Locks the ladder, then the event of a match, as all do who change both; the match itself comes after them."""
    row = session.execute(select(Match.game, Match.pairing_id).where(Match.id == match_id)).one_or_none()
    if row is not None and row.pairing_id is not None:
        standings.lock_ladder(session, row.game)
        of_pairing = select(EventPairing.event_id).where(EventPairing.id == row.pairing_id).scalar_subquery()
        session.scalars(select(Event.id).where(Event.id == of_pairing).with_for_update()).all()


def _reopen_pairing(session: Session, pairing_id: int, *, reopens: bool) -> None:
    """Raises: Conflict, where others rest on how it ended."""
    pairing = session.scalars(select(EventPairing).where(EventPairing.id == pairing_id)).one()
    held = select(Event).where(Event.id == pairing.event_id).with_for_update()
    event = session.scalars(held.execution_options(populate_existing=True)).one()
    session.refresh(pairing)
    if pairing.state != PairingState.DONE:
        return
    is_open = event.state == EventState.PLAYING or (reopens and event.state == EventState.DONE)
    if not is_open or event.stage != pairing.stage or _is_used(session, event, pairing):
        expected = "a match of a pairing that nothing rests on yet"
        got = "a final that has moved on"
        raise Conflict("This match can no longer be annulled or rerun.", expected=expected, got=got)
    if event.state == EventState.DONE:
        event.state, event.finished_at = EventState.PLAYING, None
        session.execute(update(EventEntry).where(EventEntry.event_id == event.id).values(place=None))
    pairing.state, pairing.finished_at, pairing.winner_id = PairingState.PLAYING, None, None
    pairing.first = pairing.second = pairing.first_wins = pairing.second_wins = None
    of_heat = EventHeatEntry.pairing_id == pairing.id
    session.execute(update(EventHeatEntry).where(of_heat).values(points=None, wins=None))
    session.flush()
    live.publish(session, event.game, "event", event.id)


def _is_used(session: Session, event: Event, pairing: EventPairing) -> bool:
    """Whether a pairing has begun that rests on this one. Forgets those of a bracket that have not."""
    of_stage = (EventPairing.event_id == event.id) & (EventPairing.stage == pairing.stage)
    rests = of_stage & _rests(session, event, pairing)
    if playing.stages_of(event)[pairing.stage].form != Form.KNOCKOUT:
        return session.scalar(select(EventPairing.id).where(rests).limit(1)) is not None
    begun = rests & (EventPairing.state != PairingState.WAITING)
    if session.scalar(select(EventPairing.id).where(begun).limit(1)) is not None:
        return True
    session.execute(delete(EventPairing).where(rests).execution_options(synchronize_session=False))
    return False


def _rests(session: Session, event: Event, pairing: EventPairing) -> ColumnElement[bool]:
    """Of the pairings of its stage: those that it decides about."""
    form = playing.stages_of(event)[pairing.stage].form
    if form == Form.KNOCKOUT:
        nodes = stages.bracket_of(playing.states_of(session, event, pairing.stage)[-1])
        return EventPairing.number.in_(brackets.resting_on(nodes, pairing.number))
    if form in {Form.ROUND_ROBIN, Form.GROUPS}:
        # Their rounds are all known from the beginning. All play-offs of a kind begin at the same time.
        return EventPairing.playoff > pairing.playoff
    return EventPairing.round > pairing.round
