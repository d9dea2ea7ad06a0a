"""Matches in person: a person has a seat, and replies in the browser, with no clock.

Theory of operation. The rows are the truth: `in_person` says what the match waits for, and holds the reply until its
turn is played; `in_person_turn` has each turn that was played. A worker plays on until the person is asked. It keeps
the bots for a moment, frozen, in case the reply comes soon; then it pauses the match: the job has no lease any more,
and is not ready before the reply comes, or the person was away for too long. Whichever worker claims it next repeats
the turns from the rows (`games.ghosts`) and plays on. A worker that was killed leaves the same rows behind, so its
death needs no case of its own.

Whoever locks both rows locks that of `in_person` first, then the job's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

import orjson
from sqlalchemy import Select, bindparam, func, select, update
from sqlalchemy.orm import Session

from hexarena.backend.errors import Conflict
from hexarena.backend.matches import shares
from hexarena.backend.matches.life import ClaimedMatch
from hexarena.backend.models import InPerson, InPersonTurn, Job, Match, MatchState
from hexarena.backend.runtime.db import notify
from hexarena.games.ghosts import Recorded, Said
from hexarena.games.lines import seen_by
from hexarena.games.referee import Turn


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person did when asked. `line`: "" for whoever resigned."""

    line: str
    resigned: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a match in person is: whether it has a header, the turn that the person is asked for, turns played."""

    state: MatchState
    begun: bool
    turn: int | None
    played: int


def hold(session: Session, claimed: ClaimedMatch) -> bool:
    """Locks the match for its worker. False: the lease is lost."""
    session.execute(select(InPerson.seat).where(InPerson.match_id == claimed.match_id).with_for_update())
    held = select(Job.match_id).where(Job.match_id == claimed.match_id, Job.token == claimed.token)
    return session.scalar(held.with_for_update()) is not None


def begin(session: Session, match_id: int, header: str) -> None:
    """Stores the first line of the replay, unless an earlier attempt did. The caller holds the match."""
    new = (InPerson.match_id == match_id) & InPerson.header.is_(None)
    session.execute(update(InPerson).where(new).values(header=header))
    notify(session, "hexarena_events")


def ask(session: Session, match_id: int, turn: int, prompt: str, *, patience_s: float) -> Answer | None:
    """Asks the person for a turn; None while there is no answer. Asking again changes nothing. The caller holds the
    match. `patience_s`: how long it waits before it is abandoned.
    """
    new = (InPerson.match_id == match_id) & InPerson.turn.is_distinct_from(turn)
    until = func.clock_timestamp() + timedelta(seconds=patience_s)
    asked = {"turn": turn, "prompt": prompt, "until": until, "reply": None}
    session.execute(update(InPerson).where(new).values(asked))
    notify(session, "hexarena_events")
    return answer(session, match_id)


def answer(session: Session, match_id: int) -> Answer | None:
    """What the person did, if anything."""
    row = session.execute(select(InPerson.reply, InPerson.resigned).where(InPerson.match_id == match_id)).one()
    if row.reply is not None:
        return Answer(row.reply)
    return Answer("", resigned=True) if row.resigned else None


def pause(session: Session, claimed: ClaimedMatch, *, cpu_s: float) -> Answer | None:
    """Ends the attempt: the match waits without a worker, or is played on with the answer that came meanwhile.

    The caller holds the match. `cpu_s`: what its bots used in this attempt.
    """
    came = answer(session, claimed.match_id)
    if came is not None:
        return came
    until = select(InPerson.until).where(InPerson.match_id == claimed.match_id).scalar_subquery()
    rest = {"token": None, "lease_until": None, "asleep": True, "not_before": until}
    this = update(Job).where(Job.match_id == claimed.match_id)
    share = session.scalar(this.values(rest | {"paused_attempt": claimed.attempt}).returning(Job.share))
    shares.charge(session, share, claimed.match_id, cpu_s=cpu_s, thought=True)
    notify(session, "hexarena_jobs")
    return None


def expect_reply(session: Session, match_id: int, turn: int) -> None:
    """Locks the match, if it waits for a reply to this turn. Raises: Conflict."""
    row = session.scalars(_locked(match_id)).one()
    if row.resigned:
        raise Conflict("You have resigned.", expected="a match that you still play")
    if row.turn is None:
        raise Conflict("The bots are thinking. It is not your turn yet.", expected="a reply when you are asked")
    if row.turn != turn:
        raise Conflict("This turn is over.", expected=f"a reply to turn {row.turn}", got=f"one to turn {turn}")
    if row.reply is not None:
        raise Conflict(f"Turn {turn} has your reply already.", expected="one reply a turn")


def reply(session: Session, match_id: int, line: str) -> None:
    """Answers for the person. The caller has called `expect_reply`, and read the line as the referee will."""
    session.execute(update(InPerson).where(InPerson.match_id == match_id).values(reply=line))
    _wake(session, match_id)


def resign(session: Session, match_id: int) -> None:
    """Ends the match the next time that the person is asked. Idempotent."""
    row = session.scalars(_locked(match_id)).one()
    row.resigned = True
    _wake(session, match_id)


def _locked(match_id: int) -> Select[InPerson]:
    """As it is now: the caller may have read it before somebody else changed it."""
    query = select(InPerson).where(InPerson.match_id == match_id).with_for_update()
    return query.execution_options(populate_existing=True)


def _wake(session: Session, match_id: int) -> None:
    session.flush()
    paused = (Job.match_id == match_id) & Job.lease_until.is_(None) & Job.asleep
    session.execute(update(Job).where(paused).values(not_before=None))
    notify(session, "hexarena_jobs")
    notify(session, "hexarena_replies")
    notify(session, "hexarena_events")


class PersonsSeat(NamedTuple):
    """The seat that a person plays. `is_abandoned`: they were asked, and stayed away for too long."""

    seat: int
    is_abandoned: bool


_ABANDONED = (InPerson.until < func.clock_timestamp()) & InPerson.reply.is_(None) & ~InPerson.resigned
_PERSONS_SEAT = select(InPerson.seat, func.coalesce(_ABANDONED, False)).where(
    InPerson.match_id == bindparam("this_match")
)


def seat_of(session: Session, match_id: int) -> PersonsSeat | None:
    """None where bots play alone."""
    found = session.execute(_PERSONS_SEAT, {"this_match": match_id}).first()
    return None if found is None else PersonsSeat(*found)


# --- Turns -----------------------------------------------------------------------------------------------------------


def add_turn(session: Session, match_id: int, turn: Turn, line: str) -> None:
    """Stores a turn that was played. The caller holds the match."""
    faults = {fault.seat: fault for fault in turn.faults}
    said = [
        [one.seat, one.reply, *([faults[one.seat].kind, faults[one.seat].message] if one.seat in faults else [])]
        for one in turn.exchanges
    ]
    # ASCII, as a reply may hold what PostgreSQL cannot: NUL, half a surrogate pair.
    session.add(InPersonTurn(match_id=match_id, turn=turn.number, line=line.rstrip("\n"), said=json.dumps(said)))
    nothing = {"turn": None, "prompt": None, "until": None, "reply": None}
    asked = (InPerson.match_id == match_id) & (InPerson.turn == turn.number)
    session.execute(update(InPerson).where(asked).values(nothing))
    notify(session, "hexarena_events")


def past(session: Session, match_id: int, seats: int) -> Recorded:
    """The turns that were played."""
    query = select(InPersonTurn).where(InPersonTurn.match_id == match_id).order_by(InPersonTurn.turn)
    turns = session.scalars(query).all()
    said: list[list[Said]] = [[] for _ in range(seats)]
    for turn in turns:
        for seat, line, *fault in json.loads(turn.said):
            said[seat].append(Said(line, *(fault if line is None else ())))
    return Recorded(len(turns), tuple(map(tuple, said)), tuple(orjson.loads(turn.line) for turn in turns))


def progress(session: Session, match_id: int) -> Progress | None:
    """How far it is. None for a match that is none in person, or that is gone."""
    played = select(func.count()).select_from(InPersonTurn).where(InPersonTurn.match_id == match_id).scalar_subquery()
    query = select(Match.state, InPerson.header.is_not(None), InPerson.turn, played)
    row = session.execute(query.join(InPerson, InPerson.match_id == Match.id).where(Match.id == match_id)).one_or_none()
    return None if row is None else Progress(*row)


def seen_lines(session: Session, match_id: int) -> Sequence[str]:
    """The replay so far, of a game that hides something: what the person's seat sees of it."""
    seat = session.scalar(select(InPerson.seat).where(InPerson.match_id == match_id))
    return [seen_by(seat, line).rstrip("\n") for line in lines(session, match_id)]


def lines(session: Session, match_id: int) -> Sequence[str]:
    """The replay so far."""
    header = session.scalar(select(InPerson.header).where(InPerson.match_id == match_id))
    query = select(InPersonTurn.line).where(InPersonTurn.match_id == match_id).order_by(InPersonTurn.turn)
    return [] if header is None else [header.rstrip("\n"), *session.scalars(query)]
