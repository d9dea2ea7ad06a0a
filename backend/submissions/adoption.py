"""A guest who signs in brings their things to the account, and its ladders keep to the limit of bots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.accounts import life as accounts
from hexarena.backend.duels import life as duels
from hexarena.backend.events import life as events
from hexarena.backend.ladder import standings
from hexarena.backend.matches.quotas import Quotas
from hexarena.backend.models import (
    PENDING,
    Bot,
    Event,
    NoticeKind,
    Standing,
    Submission,
    SubmissionState,
    User,
    UserKind,
)
from hexarena.backend.submissions.life import take_off


def adopt(session: Session, account: User, guest: User | None, quotas: Quotas) -> None:
    """Moves all that is a guest's to an account that exists, in this transaction, and ends the guest.

    Where the account then has more bots on a ladder than it may, the best ones stay; their owner can restore another
    one when there is room for it. Of an event's entries the first ones stay. `guest`: nothing is moved if it is
    somebody else, or nobody.
    """
    if guest is None or guest.kind != UserKind.GUEST:
        return
    entered = lock_for(session, account, guest)
    ladders = list(session.scalars(select(Submission.game).where(_on_its_ladder(guest)).distinct()))
    accounts.adopt(session, account, guest)
    for event in entered:
        events.withdraw_excess(session, event, account.id)
    _take_off_excess(session, account, quotas, ladders)
    standings.resume_oldest(session, account.id)
    standings.publish_owner(session, account.id)


def lock_for(session: Session, account: User, guest: User | None) -> list[Event]:
    """Locks what goes before users, for whoever locks one of them before `adopt`. Returns the guest's open events."""
    if guest is None or guest.kind != UserKind.GUEST:
        return []
    _lock_ladders(session, account.id, guest.id)
    duels.lock_all_of(session, guest.id)
    return events.lock_open_events_of(session, guest.id)


def _lock_ladders(session: Session, *owner_ids: int) -> None:
    """Those of their bots, before anything else of theirs: a refit has its ladder when it writes to their owners."""
    games = select(Bot.game).where(Bot.owner_id.in_(owner_ids)).distinct()
    for game in sorted(session.scalars(games)):
        standings.lock_ladder(session, game)


def _take_off_excess(session: Session, user: User, quotas: Quotas, ladders: Collection[str]) -> None:
    if not quotas.bots_each:
        return
    best_first = (
        select(Submission)
        .outerjoin(Standing, Standing.submission_id == Submission.id)
        .where(_on_its_ladder(user), Submission.game.in_(ladders))
        .order_by(
            Submission.game,
            (Submission.state == SubmissionState.LIVE).desc(),
            Standing.league.desc().nulls_last(),
            Standing.rating.desc().nulls_last(),
            Submission.id,
        )
        .with_for_update(of=Submission)
    )
    staying: defaultdict[str, set[int | None]] = defaultdict(set)
    excess: list[Submission] = []
    for one in session.scalars(best_first):
        bots = staying[one.game]
        if one.bot_id in bots or len(bots) < quotas.bots_each:
            bots.add(one.bot_id)
        else:
            excess.append(one)
    why = f"With your guest's bots you had more than {quotas.bots_each} on this ladder. The best ones stayed."
    live = [one.id for one in excess if one.state == SubmissionState.LIVE]
    take_off(session, excess, why)
    for submission_id in live:
        notices.stopped(session, submission_id, NoticeKind.DISABLED)


def _on_its_ladder(user: User) -> ColumnElement[bool]:
    here = Submission.state.in_([SubmissionState.LIVE, *PENDING])
    return (Submission.user_id == user.id) & Submission.bot_id.is_not(None) & here
