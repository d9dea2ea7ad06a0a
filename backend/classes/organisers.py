"""Who organises a class: the organiser whom it belongs to, and those named for this class alone.

Those who are named may do all that the owner may with the class, and name and remove each other; but only the owner
may delete it or hand it over.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.accounts.named import account_named
from hexarena.backend.classes import life
from hexarena.backend.errors import Conflict
from hexarena.backend.models import Class, ClassMember, ClassOrganiser, User

MOST = 20
"""Who are named for one class."""


def of_class(session: Session, class_id: int) -> Sequence[tuple[int, str]]:
    """(user, name) of those who were named for it, by name."""
    query = select(User.id, User.name).join(ClassOrganiser, ClassOrganiser.user_id == User.id)
    rows = session.execute(query.where(ClassOrganiser.class_id == class_id).order_by(User.name))
    return [(user_id, name) for user_id, name in rows]


def everybody(session: Session, found: Class) -> frozenset[int]:
    """All who organise it."""
    return frozenset({found.organiser_id, *(user_id for user_id, _ in of_class(session, found.id))})


def name(session: Session, by: User, class_id: int, user_name: str) -> None:
    """Somebody organises this class from now on. Idempotent. Raises: NotFound, Conflict."""
    found = life.own(session, by, class_id, lock=True)
    user = account_named(session, user_name)
    there = of_class(session, found.id)
    if user.id == found.organiser_id or user.id in dict(there):
        return
    student = select(ClassMember.id).where(ClassMember.class_id == found.id, ClassMember.user_id == user.id)
    if session.scalar(student) is not None:
        expected = "somebody who is not on its roster"
        raise Conflict("A student of the class cannot organise it.", expected=expected, got=user.name)
    if len(there) >= MOST:
        raise Conflict(f"{MOST} people organise this class already.", expected="one of them to be removed first")
    session.add(ClassOrganiser(class_id=found.id, user_id=user.id))
    session.flush()
    audit.record(session, by, "name organiser of a class", None, class_id=found.id, who=user.name, who_id=user.id)


def remove(session: Session, by: User, class_id: int, user_id: int) -> None:
    """Somebody organises it no longer; one may remove oneself. Idempotent. Raises: NotFound."""
    found = life.own(session, by, class_id, lock=True)
    row = session.get(ClassOrganiser, (found.id, user_id))
    if row is None:
        return
    user = session.get_one(User, user_id)
    session.delete(row)
    session.flush()
    audit.record(session, by, "remove organiser of a class", None, class_id=found.id, who=user.name, who_id=user.id)
