"""Assignments: a deadline, the rungs to be stronger than, and the ledger of late days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.classes import life
from hexarena.backend.errors import Conflict, Invalid, NotFound
from hexarena.backend.models import (
    Assignment,
    AssignmentRung,
    Bot,
    Class,
    ClassMember,
    Extension,
    League,
    Mark,
    Submission,
    SubmissionState,
    User,
)
from hexarena.backend.runtime.db import notify

MOST_RUNGS = 12
MOST_ASSIGNMENTS = 100
MOST_HOURS = 24 * 365


@dataclass(frozen=True, slots=True)
class MarkedOwner:
    """Who gets a mark: a team, or a student in none. `owner_id`: of the bots. `members`: ids of members."""

    owner_id: int
    members: tuple[int, ...]


def marked_owners(session: Session, class_id: int) -> list[MarkedOwner]:
    """All of a class, by owner."""
    found: dict[int, list[int]] = {}
    for row in session.scalars(select(ClassMember).where(ClassMember.class_id == class_id).order_by(ClassMember.id)):
        found.setdefault(row.team_id or row.user_id, []).append(row.id)
    return [MarkedOwner(owner_id, tuple(found[owner_id])) for owner_id in sorted(found)]


def create(
    session: Session, user: User, class_id: int, *, name: str, deadline: datetime, bots: Sequence[int]
) -> Assignment:
    """A new assignment. `bots`: of the rungs, the easiest first; each with the version that is on the ladder now.

    None: the bosses of all leagues. Raises: NotFound, Invalid, Conflict.
    """
    found = life.own(session, user, class_id, lock=True)
    count = session.scalar(select(func.count()).where(Assignment.class_id == found.id)) or 0
    if count >= MOST_ASSIGNMENTS:
        raise Conflict("The class has too many assignments.", expected=f"at most {MOST_ASSIGNMENTS}", got=str(count))
    if session.scalar(select(func.now() >= deadline)):
        raise Invalid("The deadline is over.", expected="a time to come", got=deadline.isoformat())
    rungs = _rungs(session, found, list(dict.fromkeys(bots)) or _bosses(session, found))
    row = Assignment(class_id=found.id, name=_tidy(name), deadline=deadline, next_at=deadline)
    session.add(row)
    session.flush()
    session.add_all(
        AssignmentRung(assignment_id=row.id, position=position, name=f"{bot} v{version.version}"[:40],
                       submission_id=version.id)
        for position, (bot, version) in enumerate(rungs, start=1)
    )  # fmt: skip
    session.flush()
    session.refresh(row)
    audit.record(session, user, "create assignment", None, class_id=found.id, assignment=row.id)
    return row


def _tidy(name: str) -> str:
    tidy = " ".join(name.split())
    if not 1 <= len(tidy) <= 80:
        raise Invalid("An assignment has a name.", expected="1 to 80 characters", got=f"{len(tidy)}")
    return tidy


def _bosses(session: Session, found: Class) -> list[int]:
    query = select(League.boss_bot_id).where(League.game == found.game, League.boss_bot_id.is_not(None))
    return [bot_id for bot_id in session.scalars(query.order_by(League.position)) if bot_id is not None]


def _rungs(session: Session, found: Class, bots: Sequence[int]) -> list[tuple[str, Submission]]:
    if not 1 <= len(bots) <= MOST_RUNGS:
        raise Invalid("An assignment has rungs.", expected=f"1 to {MOST_RUNGS} bots", got=f"{len(bots)}")
    query = select(Bot.name, Submission).join(Submission, Submission.bot_id == Bot.id)
    live = query.where(Bot.id.in_(bots), Bot.game == found.game, Submission.state == SubmissionState.LIVE)
    versions = {version.bot_id: (name, version) for name, version in session.execute(live)}
    for bot_id in bots:
        if bot_id not in versions:
            expected = f"bots that are on the ladder of {found.game}"
            raise NotFound(f"Bot {bot_id} cannot be a rung.", expected=expected, got=f"bot {bot_id}")
    return [versions[bot_id] for bot_id in bots]


def by_id(session: Session, found: Class, assignment_id: int, *, lock: bool = False) -> Assignment:
    """An assignment of the class. Raises: NotFound."""
    query = select(Assignment).where(Assignment.id == assignment_id, Assignment.class_id == found.id)
    row = session.scalar((query.with_for_update() if lock else query).execution_options(populate_existing=True))
    if row is None:
        raise NotFound(f"There is no assignment {assignment_id} in this class.")
    return row


def of_class(session: Session, class_id: int) -> Sequence[Assignment]:
    """All, the earliest deadline first."""
    query = select(Assignment).where(Assignment.class_id == class_id)
    return session.scalars(query.order_by(Assignment.deadline, Assignment.id)).all()


def rungs(session: Session, assignment_id: int) -> Sequence[AssignmentRung]:
    """From the easiest."""
    query = select(AssignmentRung).where(AssignmentRung.assignment_id == assignment_id)
    return session.scalars(query.order_by(AssignmentRung.position)).all()


def move(session: Session, user: User, class_id: int, assignment_id: int, deadline: datetime) -> Assignment:
    """Gives an assignment another deadline, as long as it has no marks. Raises: NotFound, Conflict, Invalid."""
    row = by_id(session, life.own(session, user, class_id, lock=True), assignment_id, lock=True)
    if row.marked_at is not None:
        raise Conflict("It has marks already.", expected="an extension for those who need it", got=row.name)
    if session.scalar(select(func.now() >= deadline)):
        raise Invalid("The deadline is over.", expected="a time to come", got=deadline.isoformat())
    was, row.deadline, row.next_at = row.deadline, deadline, deadline
    session.flush()
    moved = {"assignment": row.id, "from": was.isoformat(), "to": deadline.isoformat()}
    audit.record(session, user, "move deadline", None, class_id=class_id, **moved)
    return row


def remove(session: Session, user: User, class_id: int, assignment_id: int) -> None:
    """Deletes an assignment with its marks. Raises: NotFound."""
    row = by_id(session, life.own(session, user, class_id, lock=True), assignment_id, lock=True)
    life.end_games(session, Mark.assignment_id == row.id)
    session.execute(delete(Assignment).where(Assignment.id == row.id))
    session.expunge(row)
    audit.record(session, user, "delete assignment", None, class_id=class_id, assignment=assignment_id)


# --- Late days --------------------------------------------------------------------------------------------------------


def extend(
    session: Session, user: User, class_id: int, assignment_id: int, *, owner_id: int, hours: int, reason: str
) -> Extension:
    """Gives a team or a student more time, or takes some back: a row of the ledger, which is never changed.

    Raises: NotFound, Invalid (the sum would be below 0).
    """
    found = life.own(session, user, class_id, lock=True)
    row = by_id(session, found, assignment_id, lock=True)
    if owner_id not in {one.owner_id for one in marked_owners(session, found.id)}:
        raise NotFound(f"There is no team or student {owner_id} in this class.", expected="an owner_id of its members")
    tidy = " ".join(reason.split())[:400]
    if not tidy or hours == 0 or abs(hours) > MOST_HOURS:
        expected = f"a reason, and 1 to {MOST_HOURS} hours, or as many less"
        raise Invalid("This extension cannot be given.", expected=expected, got=f"{hours} h, {tidy!r}"[:80])
    total = extensions(session, row.id).get(owner_id, 0) + hours
    if total < 0:
        raise Invalid("Late days cannot be fewer than none.", expected=f"at least {hours - total} h", got=f"{hours} h")
    new = Extension(assignment_id=row.id, owner_id=owner_id, hours=hours, reason=tidy, by_id=user.id)
    session.add(new)
    due = row.deadline + timedelta(hours=total)
    if row.next_at is None or row.next_at > due:
        row.next_at = due
    session.flush()
    session.refresh(new)
    given = {"assignment": row.id, "owner": owner_id, "hours": hours, "reason": tidy}
    audit.record(session, user, "extend deadline", None, class_id=class_id, **given)
    return new


def extensions(session: Session, assignment_id: int) -> Mapping[int, int]:
    """Owner -> hours that they have beyond the deadline of the others."""
    query = select(Extension.owner_id, func.sum(Extension.hours)).where(Extension.assignment_id == assignment_id)
    return {owner_id: int(hours) for owner_id, hours in session.execute(query.group_by(Extension.owner_id))}


def ledger(session: Session, assignment_id: int) -> Sequence[tuple[Extension, str]]:
    """(row, the name of who gave it), oldest first."""
    query = select(Extension, User.name).join(User, User.id == Extension.by_id)
    found = session.execute(query.where(Extension.assignment_id == assignment_id).order_by(Extension.id))
    return [(row, name) for row, name in found]


def request_marks(session: Session, assignment_id: int) -> None:
    """Has the marks made as soon as the matches for them are over."""
    session.execute(update(Assignment).where(Assignment.id == assignment_id).values(next_at=func.now()))
    notify(session, "hexarena_jobs")
