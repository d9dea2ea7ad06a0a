"""Notices to owners: bots that were promoted, fell back, were overtaken, disabled or failed, or that play in an event,
duels that ended, webhooks that were switched off, assignments that were marked.

A notice is written in the transaction of what it reports, so none is lost and none reports what was rolled back; so is
its delivery to the reader's webhook.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.accounts import owners
from hexarena.backend.matches import live
from hexarena.backend.models import Bot, Duel, EventEntry, Notice, NoticeKind, Submission, User, UserKind
from hexarena.backend.webhooks import queue

SHOWN = 50
"""The newest ones are listed."""
KEEP = timedelta(days=90)
OVERTAKEN_AGAIN = timedelta(days=1)
"""A bot is overtaken and overtakes again all day long: its owner gets one notice, with the newest place."""
NOTIFIED = (UserKind.ACCOUNT, UserKind.GUEST, UserKind.LOCAL)


def moved(session: Session, submission_id: int, *, league: str, up: bool) -> None:
    """A version entered another league."""
    kind = NoticeKind.PROMOTED if up else NoticeKind.DEMOTED
    _notify_owner(session, submission_id, kind, league=league)


def stopped(session: Session, submission_id: int, kind: NoticeKind) -> None:
    """A version was disabled, or failed; `Submission.problem` says why."""
    _notify_owner(session, submission_id, kind)


def of_event(
    session: Session,
    submission_id: int,
    kind: NoticeKind,
    event_id: int,
    *,
    place: int | None = None,
    reason: str | None = None,
) -> None:
    """The final of an event has this version now, no longer, or has placed it."""
    _notify_owner(session, submission_id, kind, event_id=event_id, place=place, reason=reason)


def out_of_event(session: Session, entry: EventEntry, reason: str) -> None:
    """An entry of an event plays no more. Its owner is told by the version that played, or else the newest."""
    newest = select(func.max(Submission.id)).where(Submission.bot_id == entry.bot_id)
    version = entry.submission_id or session.scalar(newest)
    if version is not None:
        of_event(session, version, NoticeKind.OUT, entry.event_id, reason=reason)


def _notify_owner(session: Session, submission_id: int, kind: NoticeKind, **detail: str | int | None) -> None:
    for user_id, game in _owners(session, submission_id):
        _add(session, game, Notice(user_id=user_id, kind=kind, submission_id=submission_id, **detail))


def _owners(session: Session, submission_id: int) -> list[tuple[int, str]]:
    """Who is notified of what happens to a version, and its game: its owner, or the members of the owning team."""
    version = select(Submission.user_id, Submission.game).where(Submission.id == submission_id)
    owner_id, game = session.execute(version).one()
    people = owners.acting_for(session, [owner_id])[owner_id]
    known = select(User.id).where(User.id.in_(people), User.kind.in_(NOTIFIED)).order_by(User.id)
    return [(user_id, game) for user_id in session.scalars(known)]


def places_told(session: Session, event_id: int) -> dict[int, int | None]:
    """Version -> the place in an event that its owners heard of last."""
    placed = select(Notice.submission_id, Notice.place).where(Notice.event_id == event_id)
    rows = session.execute(placed.where(Notice.kind == NoticeKind.PLACED).order_by(Notice.id)).all()
    return {submission_id: place for submission_id, place in rows if submission_id is not None}


def decided(session: Session, duel: Duel) -> None:
    """A duel ended, and not by its owner's hand."""
    _add(session, duel.game, Notice(user_id=duel.requested_by_id, kind=NoticeKind.DUEL, duel_id=duel.id))


def marked(session: Session, user_ids: Collection[int], game: str, assignment_id: int) -> None:
    """These people have a mark of an assignment now."""
    known = select(User.id).where(User.id.in_(user_ids), User.kind.in_(NOTIFIED)).order_by(User.id)
    for user_id in session.scalars(known).all():
        _add(session, game, Notice(user_id=user_id, kind=NoticeKind.MARKED, assignment_id=assignment_id))


def webhook_off(session: Session, user_id: int) -> None:
    """A user's webhook was switched off; `Webhook.disabled_why` says why."""
    _add(session, "", Notice(user_id=user_id, kind=NoticeKind.WEBHOOK))


def overtaken(session: Session, submission_id: int, by: int, place: int) -> None:
    """The submission `by` has passed this one, which now has this place. Repeats within a day are one notice."""
    bot = select(Submission.bot_id).where(Submission.id == submission_id).scalar_subquery()
    recent = session.scalars(
        select(Notice)
        .join(Submission, Submission.id == Notice.submission_id)
        .where(Notice.kind == NoticeKind.OVERTAKEN, Submission.bot_id == bot)
        .where(Notice.at > func.now() - OVERTAKEN_AGAIN)
        .order_by(Notice.id)
    ).all()
    newest_of = {one.user_id: one for one in recent}
    unseen = [one for one in newest_of.values() if not one.seen and (one.other_id, one.place) != (by, place)]
    for one in unseen:
        one.other_id, one.place = by, place
    if unseen:
        session.flush()
        game = session.scalars(select(Submission.game).where(Submission.id == submission_id)).one()
        live.publish_all(session, game, "notice", [one.id for one in unseen])
    if recent:
        return
    for user_id, game in _owners(session, submission_id):
        new = Notice(user_id=user_id, kind=NoticeKind.OVERTAKEN, submission_id=submission_id, other_id=by, place=place)
        _add(session, game, new)


def _add(session: Session, game: str, notice: Notice) -> None:
    session.add(notice)
    session.flush()
    live.publish(session, game, "notice", notice.id)
    if notice.kind != NoticeKind.WEBHOOK:
        queue.queue(session, notice)


def newest(session: Session, user_id: int, *, ids: Sequence[int] | None = None) -> Sequence[Notice]:
    """A user's notices, newest first, with all that their texts need. `ids`: these alone."""
    bot = joinedload(Submission.bot).joinedload(Bot.owner)
    query = (
        select(Notice)
        .where(Notice.user_id == user_id)
        .options(
            joinedload(Notice.submission).options(bot),
            joinedload(Notice.other).options(bot),
            joinedload(Notice.event),
            joinedload(Notice.assignment),
            joinedload(Notice.duel).joinedload(Duel.candidate).joinedload(Submission.bot),
            joinedload(Notice.duel).joinedload(Duel.baseline).joinedload(Submission.bot),
        )
        .order_by(Notice.id.desc())
        .limit(SHOWN)
        .execution_options(populate_existing=True)
    )
    return session.scalars(query if ids is None else query.where(Notice.id.in_(ids))).all()


def count_unseen(session: Session, user_id: int) -> int:
    """How many a user has not seen, of all of them."""
    unseen = select(func.count()).select_from(Notice).where(Notice.user_id == user_id, ~Notice.seen)
    return session.scalar(unseen) or 0


def mark_seen(session: Session, user_id: int, up_to: int) -> None:
    """Marks a user's notices as seen, up to this one. Idempotent."""
    session.execute(update(Notice).where(Notice.user_id == user_id, Notice.id <= up_to, ~Notice.seen).values(seen=True))


def forget(session: Session, submission_ids: Sequence[int]) -> None:
    """Deletes the notices about these submissions, since their owner deleted their bot."""
    about = or_(Notice.submission_id.in_(submission_ids), Notice.other_id.in_(submission_ids))
    session.execute(delete(Notice).where(about))


def prune(session: Session) -> None:
    """Deletes old notices."""
    session.execute(delete(Notice).where(Notice.at < func.now() - KEEP))
