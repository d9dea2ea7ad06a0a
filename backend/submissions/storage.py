"""How much source code a person stores, and whether more fits.

Counted are distinct sources: of all versions, and of drafts of the last day, since a practice match stores its code as
well, and nobody can remove it; and the code in the editor that is kept for accounts.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import ColumnElement, Select, bindparam, func, select
from sqlalchemy.orm import Session

from hexarena.backend.errors import Quota, TooMany
from hexarena.backend.matches.quotas import Quotas, lock_network
from hexarena.backend.matches.shares import OF_NETWORK, is_of_network
from hexarena.backend.models import EditorDraft, Source, Submission, SubmissionState, User

DRAFTS = timedelta(days=1)
LATER_S = 3600.0

_NEIGHBOURS = select(User.id).where(User.network == bindparam("network"), User.kind.in_(OF_NETWORK))


def _bytes_of(submissions: ColumnElement[bool], drafts: ColumnElement[bool]) -> Select[int]:
    """Bytes of the sources of these submissions, each counted once, and of these drafts in the editor; of both without
    what is to be stored anew: the source `but_sha256`, and the draft of `user` in `but_game` and `but_language`.
    """
    counted = (Submission.state != SubmissionState.DRAFT) | (Submission.created_at > func.now() - DRAFTS)
    others = Submission.source_sha256 != bindparam("but_sha256")
    distinct = select(Submission.source_sha256).where(submissions, counted, others).distinct()
    sources = select(func.sum(func.octet_length(Source.body))).where(Source.sha256.in_(distinct)).scalar_subquery()
    anew = (
        (EditorDraft.user_id == bindparam("user"))
        & (EditorDraft.game == bindparam("but_game"))
        & (EditorDraft.language == bindparam("but_language"))
    )
    edited = select(func.sum(func.octet_length(EditorDraft.source))).where(drafts, ~anew).scalar_subquery()
    return select(func.coalesce(sources, 0) + func.coalesce(edited, 0))


# Made once: to make one takes as long as to run it.
_OWN = _bytes_of(Submission.user_id == bindparam("user"), EditorDraft.user_id == bindparam("user"))
_OF_NETWORK = _bytes_of(Submission.user_id.in_(_NEIGHBOURS), EditorDraft.user_id.in_(_NEIGHBOURS))


def stored_bytes(session: Session, user: User) -> int:
    """What counts of the user's own."""
    return _sum(session, _OWN, user)


def check(session: Session, user: User, quotas: Quotas, *, sha256: str, size: int) -> None:
    """Raises TooMany if the user, or all who count for their network, would store too much with this source."""
    _check(session, user, quotas, size, but_sha256=sha256)


def check_draft(session: Session, user: User, quotas: Quotas, *, game: str, language: str, size: int) -> None:
    """Raises TooMany if the user, or all who count for their network, would store too much with this many bytes as
    this draft.
    """
    _check(session, user, quotas, size, but_game=game, but_language=language)


def _check(session: Session, user: User, quotas: Quotas, size: int, **but: str) -> None:
    """`but`: what is to be stored anew; see `_bytes_of`."""
    if most := quotas.bytes_of(user):
        _require_room(
            "You", Quota("bytes-of-yours", most, unit="content-bytes"), _sum(session, _OWN, user, **but), size
        )
    if quotas.network_bytes and is_of_network(user):
        lock_network(session, user)
        of_network = Quota("bytes-of-network", quotas.network_bytes, unit="content-bytes")
        stored = _sum(session, _OF_NETWORK, user, **but)
        _require_room("The guests and new accounts of your network", of_network, stored, size)


def _sum(session: Session, query: Select[int], user: User, **but: str) -> int:
    values = {"but_sha256": "", "but_game": "", "but_language": "", **but, "user": user.id, "network": user.network}
    return int(session.execute(query, values).scalar_one())


def _require_room(who: str, quota: Quota, stored: int, size: int) -> None:
    if stored + size > quota.most:
        raise TooMany(
            f"{who} stored too much source code. Practice matches count for a day, submitted versions for ever.",
            expected=f"at most {quota.most:,} bytes in all",
            got=f"{stored:,} bytes, and {size:,} more",
            retry_s=LATER_S,
            quota=quota,
        )
