"""Deleting what is one's own: the code of a version, a bot, an account.

Code, drafts, logs and names go, also those on rosters and in the audit log. Results stay, of a bot called "deleted",
so that the ratings of others do not move.
The dispatcher deletes stored texts (`erase_some`), from a list that this transaction writes: nothing is forgotten when
a process dies.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, delete, exists, func, insert, literal, null, select, text, update
from sqlalchemy.orm import Session

from hexarena.backend import audit, notices
from hexarena.backend.accounts import owners
from hexarena.backend.duels import life as duels
from hexarena.backend.errors import Conflict, NotFound
from hexarena.backend.events import life as events
from hexarena.backend.ladder import standings
from hexarena.backend.matches import life as matches, shares
from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.matches.store import refused
from hexarena.backend.models import (
    DELETED,
    PENDING,
    Bot,
    Class,
    ClassMember,
    ClassOrganiser,
    EditorDraft,
    Erasure,
    EventOrganiser,
    Job,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Notice,
    OidcIdentity,
    Result,
    Source,
    Submission,
    SubmissionState,
    Token,
    User,
    UserKind,
    UserRole,
    UserSession,
    Webhook,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions.life import take_off

BY_OWNER = "Deleted by its owner."
CODE_DELETED = "The code of one of its bots was deleted by its owner."
AT_ONCE = 500


def delete_source(session: Session, user: User, submission_id: int) -> Submission:
    """Deletes the code, note, tag and logs of an old version. Idempotent. Raises: NotFound, Conflict (it is in use)."""
    found = session.get(Submission, submission_id)
    if found is None or not owners.owns(session, user.id, found.user_id):
        raise NotFound(f"You have no submission {submission_id}.")
    standings.lock_ladder(session, found.game)
    duels.end_for_deleted_code(session, [submission_id])
    events.lock_unfinished_of_bots(session, [found.bot_id or 0])
    locked = select(Submission).where(Submission.id == submission_id).with_for_update()
    submission = session.scalars(locked.execution_options(populate_existing=True)).one()
    if submission.state in {SubmissionState.LIVE, SubmissionState.DRAFT, *PENDING}:
        raise Conflict(
            f"The code of this version is in use: it is {submission.state}.",
            expected="a version that is no longer on the ladder",
            got=f"version {submission.version}, which is {submission.state}",
        )
    events.check_not_playing(session, submission_id)
    matches.void_queued_with(session, [submission_id], CODE_DELETED)
    _forget_code(session, Submission.id == submission_id)
    session.refresh(submission)
    return submission


def delete_bot(session: Session, user: User, bot_id: int) -> None:
    """Takes a bot off the ladder and deletes its name, and the code and logs of all its versions.

    Raises: NotFound (also for somebody else's).
    """
    bot = session.scalar(select(Bot).where(Bot.id == bot_id, Bot.owner_id.in_(owners.owned_by(session, user.id))))
    if bot is None or bot.is_deleted:
        raise NotFound(f"You have no bot {bot_id}.")
    standings.lock_ladder(session, bot.game)
    # Rounds of duels lock these before the versions that they seat; those begun meanwhile end with the bot.
    ids = session.scalars(select(Submission.id).where(Submission.bot_id == bot_id)).all()
    duels.end_for_deleted_code(session, ids)
    events.lock_unfinished_of_bots(session, [bot_id])
    session.scalars(select(Bot.id).where(Bot.id == bot_id).with_for_update()).one()
    _end_bots(session, [bot_id])


def delete_account(session: Session, user: User) -> None:
    """Deletes all that is the user's; a nameless row is left for their results.

    Raises: Conflict (the last organiser, or one who has a class).
    """
    games = session.scalars(select(Submission.game).where(Submission.user_id == user.id).distinct()).all()
    for game in sorted(games):
        standings.lock_ladder(session, game)
    duels.cancel_all_of(session, user.id)
    bots = session.scalars(select(Bot.id).where(Bot.owner_id == user.id)).all()
    events.lock_unfinished_of_bots(session, bots)
    if user.role == UserRole.ORGANISER:
        # Beside a refit, which may write notices to them.
        organisers = select(User.id).where(User.role == UserRole.ORGANISER).order_by(User.id)
        if len(session.scalars(organisers.with_for_update(key_share=True)).all()) < 2:
            raise Conflict(
                "You are the only organiser.", expected="another organiser first: `hexarena user role NAME organiser`"
            )
    session.scalars(select(User.id).where(User.id == user.id).with_for_update()).one()
    # From here on nobody hands them a class, and they begin no duel.
    if (name := session.scalar(select(Class.name).where(Class.organiser_id == user.id).limit(1))) is not None:
        raise Conflict("You still have a class.", expected="to delete your classes, or hand them over, first", got=name)
    duels.cancel_all_of(session, user.id)
    # Matches before versions, as at a match's end.
    _delete_practice(session, user.id)
    _end_bots(session, session.scalars(select(Bot.id).where(Bot.owner_id == user.id)).all())
    for table in (UserSession, Token, OidcIdentity, Webhook, Notice, EditorDraft, ClassOrganiser, EventOrganiser):
        session.execute(delete(table).where(table.user_id == user.id))
    _leave_roster(session, user)
    audit.forget_person(session, user)
    # Results stay as they are: a guest's rate nobody else, even when the guest is gone.
    user.was_guest = user.kind == UserKind.GUEST
    user.kind, user.role, user.name, user.name_key = UserKind.DELETED, UserRole.USER, DELETED, None
    user.password_hash = user.email = user.network = None
    session.flush()


def _leave_roster(session: Session, user: User) -> None:
    """The line has their name and mail address. Marks stay, and so do the bots of their team."""
    row = session.scalar(select(ClassMember).where(ClassMember.user_id == user.id).with_for_update())
    if row is not None:
        audit.record(session, user, "delete account", None, class_id=row.class_id, member=row.id)
        session.delete(row)
        session.flush()
        owners.teams_changed(session)


def _end_bots(session: Session, bot_ids: Sequence[int]) -> None:
    if not bot_ids:
        return
    versions = select(Submission).where(Submission.bot_id.in_(bot_ids)).order_by(Submission.id).with_for_update()
    submissions = session.scalars(versions.execution_options(populate_existing=True)).all()
    ids = [one.id for one in submissions]
    duels.end_for_deleted_code(session, ids)
    events.end_for_deleted_code(session, ids)
    events.forget_bots(session, bot_ids)
    take_off(session, submissions, BY_OWNER)
    matches.void_queued_with(session, ids, CODE_DELETED)
    _forget_code(session, Submission.bot_id.in_(bot_ids))
    notices.forget(session, ids)
    audit.forget_bots(session, bot_ids)
    # Nobody can give a bot a name with a #: it neither is taken nor can be submitted to.
    renamed = {"name": func.concat(DELETED, " #", Bot.id), "name_key": None}
    session.execute(update(Bot).where(Bot.id.in_(bot_ids)).values(renamed))


def _forget_code(session: Session, which: ColumnElement[bool]) -> None:
    """Deletes code, notes and seat logs of these versions."""
    ids = select(Submission.id).where(which)
    logs = (
        select(Result.replay_key, MatchSeat.seat)
        .join(MatchSeat, MatchSeat.match_id == Result.match_id)
        .where(MatchSeat.submission_id.in_(ids))
    )
    session.execute(insert(Erasure).from_select(["replay_key", "seat"], logs))
    hashes = session.scalars(select(Submission.source_sha256).where(which)).all()
    session.execute(
        update(Submission)
        .where(which)
        .values(source_sha256=None, note="", tag=None, build_log=None)
        .execution_options(synchronize_session=False)
    )
    _delete_unused(session, {one for one in hashes if one is not None})


def _delete_practice(session: Session, user_id: int) -> None:
    """Practice matches and their drafts, whole. What is being played is charged: nobody computes for nothing.

    Earlier versions let others play on from such a match, so that drafts may have seats in practice of theirs.
    """
    drafts = (Submission.user_id == user_id) & (Submission.state == SubmissionState.DRAFT)
    seated = select(MatchSeat.match_id).where(MatchSeat.submission_id.in_(select(Submission.id).where(drafts)))
    mine = (Match.kind == MatchKind.PRACTICE) & ((Match.requested_by_id == user_id) | Match.id.in_(seated))
    running = select(Job.share, Job.match_id).join(Match, Match.id == Job.match_id)
    for share, match_id in session.execute(running.where(mine, Match.state == MatchState.RUNNING)).all():
        shares.charge(session, share, match_id, cpu_s=None)
    stored = select(Result.replay_key, null()).join(Match, Match.id == Result.match_id).where(mine)
    session.execute(insert(Erasure).from_select(["replay_key", "seat"], stored))
    session.execute(delete(Match).where(mine).execution_options(synchronize_session=False))
    gone = delete(Submission).where(drafts).returning(Submission.source_sha256)
    hashes = session.scalars(gone.execution_options(synchronize_session=False)).all()
    _delete_unused(session, {one for one in hashes if one is not None})


def _delete_unused(session: Session, hashes: Collection[str]) -> None:
    """Code that nobody else has submitted, too."""
    if hashes:
        used = exists(select(literal(1)).where(Submission.source_sha256 == Source.sha256))
        unused = delete(Source).where(Source.sha256.in_(hashes), ~used)
        session.execute(unused.execution_options(synchronize_session=False))


def erase_some(database: Database, blobs: Blobs) -> int:
    """Deletes some of the stored texts that must go. Returns how many.

    What the store refuses to delete is tried again after all others. No transaction is open meanwhile: a store may
    answer slowly. Several may do this at once. Raises: StoreError.
    """
    with database.transaction() as session:
        rows = session.scalars(select(Erasure).order_by(Erasure.id).limit(AT_ONCE)).all()
    kept = {row.id for row in refused(blobs, rows, lambda row: blobs.erase(row.replay_key, row.seat))}
    done = [row.id for row in rows if row.id not in kept]
    if rows:
        with database.transaction() as session:
            session.execute(delete(Erasure).where(Erasure.id.in_(done)))
            last = update(Erasure).where(Erasure.id.in_(kept)).values(id=text("DEFAULT"))
            session.execute(last.execution_options(synchronize_session=False))
    return len(done)
