"""A match is played again because an organiser says so: the same versions in the same seats with the same seed.

Theory of operation. The first match becomes void, as if it were annulled, and the rerun is a match like any other, of
the same kind: a refit, a duel, the stage of an event or its own ladder counts it where it counted the first one. All of
it is one transaction under the first match's lock, and a match has at most one rerun, so two organisers at once make
one. The seed stays: anyone who could draw another one could draw until they liked the result, and the seeds of an
event's final follow from its secret.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.errors import Conflict
from hexarena.backend.events import ladder as own_ladders, reopening
from hexarena.backend.ladder import seasons
from hexarena.backend.matches import life as matches, shares
from hexarena.backend.models import (
    RATED,
    Duel,
    DuelState,
    EntryState,
    Event,
    EventEntry,
    EventPairing,
    EventState,
    Ladder,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Submission,
    User,
)
from hexarena.games.catalogue import all_games

RERUN = frozenset({*RATED, MatchKind.EVENT, MatchKind.EVENT_LADDER, MatchKind.DUEL, MatchKind.MARKING})
"""Kinds that count for something. Practice can be run again by whoever asked for it; a check decides once."""
AGAIN_BY_ITSELF = frozenset({MatchKind.EVENT, MatchKind.DUEL})
"""Kinds whose void matches are played again without an organiser."""


def may_be_rerun(match: Match) -> bool:
    """Whether it says so itself; what it counts for may have moved on. `match.rerun` and `match.event` are loaded."""
    over = match.event is not None and match.event.state != EventState.OPEN
    return not over and _refusal(match, None if match.rerun is None else match.rerun.id) is None


def rerun(session: Session, user: User | None, match_id: int, reason: str, **detail: str) -> Match:
    """Plays a match again in place of itself; ladder, duel or event then count the rerun instead. Returns: the rerun.

    `user`: None on the command line. `reason`: a sentence, shown on both pages. `detail`: more for the audit log. An
    event that is over continues until the rerun is; while one is paused, the rerun waits (`matches.queue`). Raises:
    NotFound; Conflict, where the match is not over, has a rerun, or can no longer count.
    """
    reopening.lock_event(session, match_id)
    first = matches.locked(session, match_id)
    refusal = _refusal(first, session.scalar(select(Match.id).where(Match.rerun_of == first.id)))
    if refusal is not None:
        raise refusal
    versions = _versions(session, first)
    if first.kind in RATED:
        _check_ladder(session, first)
    if first.state == MatchState.DONE:
        reopening.annul(session, first.id, reason, reopens=True)
    # By now duel and event are locked: nobody stops them or puts a bot out any more.
    event = _event(session, first, versions)
    if first.duel_id is not None:
        _check_duel(session, first.duel_id)
    again = matches.schedule(
        session,
        game=first.game,
        kind=first.kind,
        submission_ids=versions,
        seed=first.seed,
        league=first.league,
        requested_by_id=first.requested_by_id,
        duel_id=first.duel_id,
        duel_game=first.duel_game,
        pairing_id=first.pairing_id,
        pairing_game=first.pairing_game,
        mark_id=first.mark_id,
        event_id=first.event_id,
        share=None if first.event_id is None else shares.share_of_event(first.event_id),
        priority=min(matches.PRIORITY[first.kind], matches.PRIORITY[MatchKind.PLACEMENT]),
        held=first.pairing_id is not None and event is not None and event.held,
        rerun_of=first.id,
        rerun_reason=reason,
    )
    event_id = None if event is None else event.id
    audit.record(session, user, "rerun match", event_id, match=first.id, rerun=again.id, reason=reason, **detail)
    return again


def _refusal(first: Match, again: int | None) -> Conflict | None:
    """Why a match of this kind and in this state is not rerun. `again`: its rerun, if there is one."""
    if first.kind not in RERUN:
        expected = "a match of a ladder, an event, a duel or for marks"
        return Conflict("This match cannot be rerun.", expected=expected, got=f"a {first.kind} match")
    if first.state not in {MatchState.DONE, MatchState.VOID}:
        return Conflict("This match is not over.", expected="one that is done or void", got=str(first.state))
    if first.kind in RATED and (game := all_games().get(first.game)) is not None and first.league != game.top_level:
        # Ladders of before have such matches in their history.
        expected = f"a match by the full game's rules, level {game.top_level}"
        return Conflict("This match rates nobody.", expected=expected, got=f"one by those of level {first.league}")
    if again is not None:
        return Conflict(f"Match {first.id} has a rerun already.", expected="a match without one", got=f"match {again}")
    if first.state == MatchState.VOID and first.kind in AGAIN_BY_ITSELF:
        expected = "a match that is done: void ones are played again by themselves, as far as they are needed"
        return Conflict("This match cannot be rerun.", expected=expected, got=f"a void {first.kind} match")
    if first.kind == MatchKind.MARKING and first.mark_id is None:
        return Conflict("This match no longer counts for a mark.", expected="a match of a class that is still there")
    return None


def _versions(session: Session, first: Match) -> list[int]:
    """Seat -> submission."""
    if first.game not in all_games():
        expected = "a game that can be played"
        raise Conflict("Its game is no longer part of this arena.", expected=expected, got=first.game)
    query = select(Submission.id, Submission.source_sha256).join(MatchSeat, MatchSeat.submission_id == Submission.id)
    seats = session.execute(query.where(MatchSeat.match_id == first.id).order_by(MatchSeat.seat)).all()
    if any(source is None for _, source in seats):
        raise Conflict("The code of one of its bots was deleted.", expected="versions whose code is still there")
    return [submission_id for submission_id, _ in seats]


def _check_ladder(session: Session, first: Match) -> None:
    reason = session.scalar(select(Ladder.frozen_reason).where(Ladder.game == first.game))
    if reason is not None:
        raise Conflict("Its ladder is frozen.", expected="a ladder that plays", got=f"frozen: {reason}")
    if first.id <= (session.scalar(select(seasons.began_after(first.game))) or 0):
        raise Conflict("Its season is over.", expected="a match of the current season", got="one of an earlier season")


def _check_duel(session: Session, duel_id: int) -> None:
    state = session.scalar(select(Duel.state).where(Duel.id == duel_id))
    if state != DuelState.RUNNING:
        raise Conflict("Its duel was stopped.", expected="a running duel", got=f"one that is {state}")


def _event(session: Session, first: Match, versions: list[int]) -> Event | None:
    """The event that counts it, which then is locked; None if none does."""
    if first.event_id is not None:
        return _open_event(session, first.event_id, versions)
    return None if first.pairing_id is None else _playing_event(session, first.pairing_id, versions)


def _open_event(session: Session, event_id: int, versions: list[int]) -> Event:
    """The event of whose own ladder the match is."""
    query = select(Event).where(Event.id == event_id).with_for_update()
    event = session.scalars(query.execution_options(populate_existing=True)).one()
    if session.scalar(select(Event.id).where(Event.id == event_id, own_ladders.is_open())) is None:
        raise Conflict("The event's ladder is over or off.", expected="a ladder that is played", got=event.name)
    current = {one.submission_id for one in own_ladders.entrants(session, event)}
    if not current.issuperset(versions):
        expected = "versions with which their owners take part now"
        raise Conflict("This match no longer counts for the event's ladder.", expected=expected, got="an earlier one")
    return event


def _playing_event(session: Session, pairing_id: int, versions: list[int]) -> Event:
    query = select(Event).join(EventPairing, EventPairing.event_id == Event.id).where(EventPairing.id == pairing_id)
    event = session.scalars(query).one()
    if event.state != EventState.PLAYING:
        raise Conflict("Its event is over.", expected="an event that is playing", got=f"one that is {event.state}")
    out = select(EventEntry.reason).where(EventEntry.event_id == event.id, EventEntry.state == EntryState.OUT)
    reason = session.scalar(out.where(EventEntry.submission_id.in_(versions)).limit(1))
    if reason is not None:
        raise Conflict("One of its bots is out of the event.", expected="bots that still play", got=reason)
    return event
