"""Invitations: codes to sign up with, for arenas that are not open to everybody."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from hexarena.backend.accounts.secrets import new_code, sha256_of
from hexarena.backend.errors import Forbidden, NotFound
from hexarena.backend.models import Invite, UserRole


def create(session: Session, *, uses: int, days: int, note: str, role: UserRole) -> tuple[Invite, str]:
    """A new invitation and its code, which is shown only now."""
    code = new_code()
    invite = Invite(
        code_sha256=sha256_of(code),
        note=" ".join(note.split())[:200],
        role=role,
        uses_left=uses,
        expires_at=func.now() + timedelta(days=days),
    )
    session.add(invite)
    session.flush()
    session.refresh(invite)
    return invite, code


def redeem(session: Session, code: str) -> UserRole:
    """Uses a code once. Returns the role that it gives. Raises: Forbidden."""
    tidy = code.strip().lower()
    valid = (Invite.code_sha256 == sha256_of(tidy)) & (Invite.uses_left > 0) & (Invite.expires_at > func.now())
    used = update(Invite).where(valid).values(uses_left=Invite.uses_left - 1).returning(Invite)
    invite = session.scalar(used)
    if invite is None:
        raise Forbidden(
            "This invitation is not valid: it does not exist, was used up, or has expired.",
            expected="a code like abcd-efgh-jkmn from your organiser",
            got=code[:40],
        )
    return invite.role


def list_all(session: Session) -> list[Invite]:
    """All that are still valid, newest first."""
    valid = (Invite.uses_left > 0) & (Invite.expires_at > func.now())
    return list(session.scalars(select(Invite).where(valid).order_by(Invite.id.desc())))


def revoke(session: Session, invite_id: int) -> None:
    """Ends an invitation. Raises: NotFound."""
    if session.scalar(delete(Invite).where(Invite.id == invite_id).returning(Invite.id)) is None:
        raise NotFound(f"There is no invitation {invite_id}.")
