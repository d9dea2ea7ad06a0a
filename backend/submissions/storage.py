"""How much source code a person stores, and whether more fits.

Counted are distinct sources: of all versions, and of drafts of the last day, since a practice match stores its code as
well, and nobody can remove it; and the code in the editor that is kept for accounts.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from hexarena.backend.errors import Quota, TooMany
from hexarena.backend.matches.quotas import Quotas
from hexarena.backend.models import EditorDraft, Source, Submission, SubmissionState, User, UserKind

DRAFTS = timedelta(days=1)
LATER_S = 3600.0


def stored_bytes(session: Session, user: User) -> int:
    """What counts of the user's own."""
    return _sum(session, Submission.user_id == user.id) + _in_editor(session, EditorDraft.user_id == user.id)


def check(session: Session, user: User, quotas: Quotas, *, sha256: str, size: int) -> None:
    """Raises TooMany if the user, or the guests of the user's network, would store too much with this source."""
    other = Submission.source_sha256 != sha256
    if most := quotas.bytes_of(user):
        stored = _sum(session, other & (Submission.user_id == user.id))
        stored += _in_editor(session, EditorDraft.user_id == user.id)
        _require_room("You", Quota("bytes-of-yours", most, unit="content-bytes"), stored, size)
    if user.kind == UserKind.GUEST and user.network is not None and quotas.network_bytes:
        neighbours = select(User.id).where(User.network == user.network, User.kind == UserKind.GUEST)
        stored = _sum(session, other & Submission.user_id.in_(neighbours))
        of_network = Quota("bytes-of-network", quotas.network_bytes, unit="content-bytes")
        _require_room("The guests of your network", of_network, stored, size)


def check_draft(session: Session, user: User, quotas: Quotas, *, game: str, language: str, size: int) -> None:
    """Raises TooMany if the user would store too much with so many bytes as this draft."""
    if most := quotas.bytes_of(user):
        this = (EditorDraft.game == game) & (EditorDraft.language == language)
        stored = _sum(session, Submission.user_id == user.id)
        stored += _in_editor(session, (EditorDraft.user_id == user.id) & ~this)
        _require_room("You", Quota("bytes-of-yours", most, unit="content-bytes"), stored, size)


def _require_room(who: str, quota: Quota, stored: int, size: int) -> None:
    if stored + size > quota.most:
        raise TooMany(
            f"{who} stored too much source code. Practice matches count for a day, submitted versions for ever.",
            expected=f"at most {quota.most:,} bytes in all",
            got=f"{stored:,} bytes, and {size:,} more",
            retry_s=LATER_S,
            quota=quota,
        )


def _sum(session: Session, whose: ColumnElement[bool]) -> int:
    counted = (Submission.state != SubmissionState.DRAFT) | (Submission.created_at > func.now() - DRAFTS)
    distinct = select(Submission.source_sha256).where(whose, counted).distinct()
    total = select(func.sum(func.octet_length(Source.body))).where(Source.sha256.in_(distinct))
    return int(session.scalar(total) or 0)


def _in_editor(session: Session, whose: ColumnElement[bool]) -> int:
    return int(session.scalar(select(func.sum(func.octet_length(EditorDraft.source))).where(whose)) or 0)
