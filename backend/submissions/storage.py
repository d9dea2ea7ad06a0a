"""How much source code a person stores, and whether more fits.

Counted are distinct sources: of all versions, and of drafts of the last day, since a practice match stores its code as
well, and nobody can remove it; and the code in the editor that is kept for accounts.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from hexarena.backend.errors import Quota, TooMany
from hexarena.backend.matches.quotas import Quotas, lock_network
from hexarena.backend.matches.shares import OF_NETWORK, is_of_network
from hexarena.backend.models import EditorDraft, Source, Submission, SubmissionState, User

DRAFTS = timedelta(days=1)
LATER_S = 3600.0


def stored_bytes(session: Session, user: User) -> int:
    """What counts of the user's own."""
    return _stored(session, Submission.user_id == user.id, EditorDraft.user_id == user.id)


def check(session: Session, user: User, quotas: Quotas, *, sha256: str, size: int) -> None:
    """Raises TooMany if the user, or all who count for their network, would store too much with this source."""
    other = Submission.source_sha256 != sha256
    if most := quotas.bytes_of(user):
        stored = _stored(session, other & (Submission.user_id == user.id), EditorDraft.user_id == user.id)
        _require_room("You", Quota("bytes-of-yours", most, unit="content-bytes"), stored, size)
    _check_network(session, user, quotas, size, submissions=other)


def check_draft(session: Session, user: User, quotas: Quotas, *, game: str, language: str, size: int) -> None:
    """Raises TooMany if the user, or all who count for their network, would store too much with this many bytes as
    this draft.
    """
    this = (EditorDraft.user_id == user.id) & (EditorDraft.game == game) & (EditorDraft.language == language)
    if most := quotas.bytes_of(user):
        stored = _stored(session, Submission.user_id == user.id, (EditorDraft.user_id == user.id) & ~this)
        _require_room("You", Quota("bytes-of-yours", most, unit="content-bytes"), stored, size)
    _check_network(session, user, quotas, size, drafts=~this)


def _check_network(
    session: Session,
    user: User,
    quotas: Quotas,
    size: int,
    *,
    submissions: ColumnElement[bool] | None = None,
    drafts: ColumnElement[bool] | None = None,
) -> None:
    """`submissions`, `drafts`: those that count beside what is now to be stored; None: all."""
    if not quotas.network_bytes or not is_of_network(user):
        return
    lock_network(session, user)
    neighbours = select(User.id).where(User.network == user.network, User.kind.in_(OF_NETWORK))
    theirs = Submission.user_id.in_(neighbours), EditorDraft.user_id.in_(neighbours)
    stored = _stored(
        session,
        theirs[0] if submissions is None else theirs[0] & submissions,
        theirs[1] if drafts is None else theirs[1] & drafts,
    )
    of_network = Quota("bytes-of-network", quotas.network_bytes, unit="content-bytes")
    _require_room("The guests and new accounts of your network", of_network, stored, size)


def _require_room(who: str, quota: Quota, stored: int, size: int) -> None:
    if stored + size > quota.most:
        raise TooMany(
            f"{who} stored too much source code. Practice matches count for a day, submitted versions for ever.",
            expected=f"at most {quota.most:,} bytes in all",
            got=f"{stored:,} bytes, and {size:,} more",
            retry_s=LATER_S,
            quota=quota,
        )


def _stored(session: Session, submissions: ColumnElement[bool], drafts: ColumnElement[bool]) -> int:
    """Bytes of the sources of these submissions, each counted once, and of these drafts in the editor."""
    counted = (Submission.state != SubmissionState.DRAFT) | (Submission.created_at > func.now() - DRAFTS)
    distinct = select(Submission.source_sha256).where(submissions, counted).distinct()
    sources = select(func.sum(func.octet_length(Source.body))).where(Source.sha256.in_(distinct)).scalar_subquery()
    edited = select(func.sum(func.octet_length(EditorDraft.source))).where(drafts).scalar_subquery()
    return int(session.execute(select(func.coalesce(sources, 0) + func.coalesce(edited, 0))).scalar_one())
