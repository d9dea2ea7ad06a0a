"""The ladder of an event's own, while it is open: its entrants' live versions meet each other, and nobody else.

Theory of operation. A match of it counts as long as all its versions are the live ones of entrants: a new version
begins with no evidence, and an entrant that leaves takes its matches along. So the standings are a function of the
entries and the results by the deadline, rated by the same fit as a game's ladder; `Event.ladder_stamp` says what they
were rated from, and a process that finds another one rates them again. Pairs come from the game's ladder's own pairing.

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
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, select, true
from sqlalchemy.orm import Session

from hexarena.backend.events import versions
from hexarena.backend.ladder.rules import HOUSE
from hexarena.backend.matches import life as matches
from hexarena.backend.models import (
    EntryState,
    Event,
    EventEntry,
    EventState,
    Job,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Standing,
    Submission,
    SubmissionState,
    User,
    UserKind,
)

LEAGUE = 1
NO_LONGER = "It can no longer count for the event's ladder."


@dataclass(frozen=True, slots=True)
class EntrantVersion:
    """A live version of an entrant. `competitor_id`: equal for the same code. `owner_id`: HOUSE for house bots."""

    submission_id: int
    competitor_id: int
    owner_id: int


def is_open() -> ColumnElement[bool]:
    """Whether an event has a ladder of its own that is played now."""
    in_time = (Event.opens_at <= func.now()) & (Event.deadline > func.now())
    return Event.ladder & (Event.state == EventState.OPEN) & in_time


def entrants(session: Session, event: Event, able: Collection[str] = ()) -> tuple[EntrantVersion, ...]:
    """The live versions that play, in the order of their submissions. `able`: languages that workers can run; none:
    all.
    """
    entered = (EventEntry.event_id == event.id) & (EventEntry.state == EntryState.ENTERED)
    live_bots = select(EventEntry.bot_id).where(entered)
    which = Submission.bot_id.in_(live_bots) & (Submission.state == SubmissionState.LIVE) & versions.allowed(event)
    return versions_that(session, which & (Submission.language.in_(able) if able else true()))


def versions_that(session: Session, which: ColumnElement[bool]) -> tuple[EntrantVersion, ...]:
    query = (
        select(Submission.id, Standing.competitor_id, Submission.user_id, User.kind)
        .join(Standing, Standing.submission_id == Submission.id)
        .join(User, User.id == Submission.user_id)
        .where(which)
        .order_by(Submission.id)
    )
    return tuple(
        EntrantVersion(submission_id, competitor_id, HOUSE if kind == UserKind.HOUSE else user_id)
        for submission_id, competitor_id, user_id, kind in session.execute(query)
    )


def stamp_of(session: Session, event: Event, there: Sequence[EntrantVersion]) -> str:
    """Differs whenever the standings may: who plays, or what counts."""
    done = (Match.event_id == event.id) & (Match.state == MatchState.DONE)
    results = session.execute(select(func.count(), func.sum(Match.id)).where(done)).one()
    return hashlib.sha256(repr((tuple(there), tuple(results))).encode()).hexdigest()


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
