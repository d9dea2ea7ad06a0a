"""Bans: a user may no longer play or submit, and their bots leave the ladders and the events that are not over."""

from __future__ import annotations

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.duels import life as duels
from hexarena.backend.errors import Conflict, NotFound
from hexarena.backend.events import life as events
from hexarena.backend.ladder import standings
from hexarena.backend.matches import life as matches
from hexarena.backend.models import (
    PENDING,
    Bot,
    ClassOrganiser,
    EntryState,
    Event,
    EventEntry,
    EventOrganiser,
    EventState,
    Submission,
    SubmissionState,
    User,
    UserKind,
    UserRole,
    UserSession,
)
from hexarena.backend.submissions.life import take_off

PEOPLE = (UserKind.ACCOUNT, UserKind.GUEST)
WHY = "Its owner is banned."


def ban(session: Session, organiser: User, user_id: int, reason: str) -> User:
    """Ends all that a user does here. Results stay, and so do their bots, off the ladder. Again: the reason changes.

    `reason`: the user can read it. Raises: NotFound, Conflict (oneself, or an organiser).
    """
    # Refits lock a ladder before its standings; whoever takes bots off does, too.
    bots = session.execute(select(Bot.id, Bot.game).where(Bot.owner_id == user_id)).all()
    for game in sorted({bot.game for bot in bots}):
        standings.lock_ladder(session, game)
    duels.cancel_all_of(session, user_id)
    events.lock_unfinished_of_bots(session, [bot.id for bot in bots])
    user = _locked(session, user_id)
    if user.role == UserRole.ORGANISER:
        raise Conflict("An organiser cannot be banned.", expected="a user; take the role first", got="an organiser")
    first = user.banned_at is None
    if first:
        user.banned_at = func.now()
    user.ban_reason = reason
    session.flush()
    session.execute(delete(UserSession).where(UserSession.user_id == user.id))
    if first:
        _take_off(session, user)
    _disqualify(session, organiser, user, reason)
    audit.record(session, organiser, "ban", person=user.name, person_id=user.id, reason=reason)
    return user


def unban(session: Session, organiser: User, user_id: int) -> User:
    """The user may take part again, and can restore their own versions. Idempotent. Raises: NotFound."""
    user = _locked(session, user_id)
    if user.banned_at is not None:
        user.banned_at = user.ban_reason = None
        session.flush()
        audit.record(session, organiser, "unban", person=user.name, person_id=user.id)
    return user


def _locked(session: Session, user_id: int) -> User:
    query = select(User).where(User.id == user_id, User.kind.in_(PEOPLE)).with_for_update()
    user = session.scalar(query.execution_options(populate_existing=True))
    if user is None:
        raise NotFound(f"There is no account {user_id}.")
    return user


def _take_off(session: Session, user: User) -> None:
    versions = select(Submission).join(Bot, Bot.id == Submission.bot_id).where(Bot.owner_id == user.id)
    leaving = versions.where(Submission.state.in_({SubmissionState.LIVE, *PENDING})).order_by(Submission.id)
    locked = leaving.with_for_update(of=Submission).execution_options(populate_existing=True)
    submissions = session.scalars(locked).all()
    take_off(session, submissions, WHY)
    matches.void_queued_with(session, [one.id for one in submissions], WHY)
    matches.void_queued_asked_for(session, user.id, "The user who asked for it is banned.")
    # The user may have begun one until they were locked.
    duels.cancel_all_of(session, user.id)
    for table in (ClassOrganiser, EventOrganiser):
        session.execute(delete(table).where(table.user_id == user.id))


def _disqualify(session: Session, organiser: User, user: User, reason: str) -> None:
    open_events = select(EventEntry.event_id, EventEntry.id).join(Event, Event.id == EventEntry.event_id)
    mine = open_events.where(EventEntry.user_id == user.id, EventEntry.state == EntryState.ENTERED)
    for event_id, entry_id in session.execute(
        mine.where(Event.state.in_((EventState.OPEN, EventState.PLAYING))).order_by(EventEntry.id)
    ).all():
        events.disqualify(session, organiser, event_id, entry_id, reason)
