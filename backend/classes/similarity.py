"""Similarity reports: which versions of a class are compared, and the rows that the comparison is stored in.

The comparison itself runs in a worker's sandbox (`worker/similar`). Two codes are never compared within a team: what a
student has, and what their team has, is one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.classes import assignments, life, marking, organisers
from hexarena.backend.errors import Conflict, Invalid, NotFound
from hexarena.backend.models import (
    Bot,
    Class,
    ClassMember,
    SimilarityReport,
    SimilarityState,
    Source,
    Standing,
    Submission,
    SubmissionState,
    User,
)
from hexarena.backend.runtime.db import notify

KEPT = 10
"""Reports of a class; older ones are deleted."""
MOST_EARLIER = 20
MOST_ATTEMPTS = 3
UNFINISHED = (SimilarityState.QUEUED, SimilarityState.RUNNING)
INTERRUPTED = (
    f"The comparison was interrupted {MOST_ATTEMPTS} times. Try again; if that does not help, see the worker's log."
)


@dataclass(frozen=True, slots=True)
class Code:
    """A version to be compared. `group`: the team, or the student in none."""

    submission_id: int
    group: int
    language: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Work:
    """A report to be made. `earlier`: (language, body) of code that does not count."""

    report_id: int
    token: UUID
    game: str
    codes: Sequence[Code]
    earlier: Sequence[tuple[str, bytes]]


# --- For organisers ---------------------------------------------------------------------------------------------------


def request(
    session: Session, user: User, class_id: int, *, assignment_id: int | None, earlier: Sequence[int]
) -> SimilarityReport:
    """Asks for a report. `earlier`: classes of the same game that the user organises, too, whose code does not count.

    Raises: NotFound, Invalid, Conflict (one is being made).
    """
    found = life.own(session, user, class_id, lock=True)
    if assignment_id is not None:
        assignments.by_id(session, found, assignment_id)
    chosen = sorted(set(earlier))
    if len(chosen) > MOST_EARLIER:
        raise Invalid("These are too many classes.", expected=f"at most {MOST_EARLIER}", got=f"{len(chosen)}")
    for one in chosen:
        other = life.own(session, user, one)
        if other.id == found.id or other.game != found.game:
            expected = f"other classes of {found.game}"
            raise Invalid(f"Class {one} cannot be an earlier year of this class.", expected=expected, got=other.name)
    running = select(SimilarityReport.id).where(
        SimilarityReport.class_id == found.id, SimilarityReport.state.in_(UNFINISHED)
    )
    if (busy := session.scalar(running)) is not None:
        raise Conflict("A report of this class is being made.", expected="to wait for it", got=f"report {busy}")
    row = SimilarityReport(class_id=found.id, assignment_id=assignment_id, earlier=chosen)
    session.add(row)
    session.flush()
    session.refresh(row)
    kept = select(SimilarityReport.id).where(SimilarityReport.class_id == found.id)
    newest = kept.order_by(SimilarityReport.id.desc()).limit(KEPT)
    session.execute(
        delete(SimilarityReport).where(SimilarityReport.class_id == found.id, SimilarityReport.id.not_in(newest))
    )
    audit.record(session, user, "compare sources", None, class_id=found.id, assignment=assignment_id, earlier=chosen)
    notify(session, "hexarena_jobs")
    return row


def of_class(session: Session, class_id: int) -> Sequence[SimilarityReport]:
    """All reports, newest first."""
    query = select(SimilarityReport).where(SimilarityReport.class_id == class_id)
    return session.scalars(query.order_by(SimilarityReport.id.desc())).all()


def by_id(session: Session, found: Class, report_id: int) -> SimilarityReport:
    """A report of the class. Raises: NotFound."""
    row = session.get(SimilarityReport, report_id)
    if row is None or row.class_id != found.id:
        raise NotFound(f"There is no report {report_id} in this class.")
    return row


# --- For workers ------------------------------------------------------------------------------------------------------


def is_any_unfinished() -> ColumnElement[bool]:
    """Whether a report waits or is being made."""
    return exists(select(SimilarityReport.id).where(SimilarityReport.state.in_(UNFINISHED)))


def due(session: Session) -> int | None:
    """The report to be made next: the oldest, one at a time. Gives up those that were interrupted too often."""
    lost = (SimilarityReport.state == SimilarityState.RUNNING) & (SimilarityReport.lease_until < func.now())
    hopeless = lost & (SimilarityReport.attempts >= MOST_ATTEMPTS)
    session.execute(update(SimilarityReport).where(hopeless).values(**_ended(INTERRUPTED)))
    held = (SimilarityReport.state == SimilarityState.RUNNING) & (SimilarityReport.lease_until >= func.now())
    if session.scalar(select(SimilarityReport.id).where(held).limit(1)) is not None:
        return None
    waiting = or_(SimilarityReport.state == SimilarityState.QUEUED, lost)
    return session.scalar(select(SimilarityReport.id).where(waiting).order_by(SimilarityReport.id).limit(1))


def claim(session: Session, report_id: int, *, seconds: float) -> Work | None:
    """Takes a report that nobody works on, with all that it is made from. None: it is gone, done or taken."""
    row = session.scalar(
        select(SimilarityReport).where(SimilarityReport.id == report_id).with_for_update(skip_locked=True)
    )
    now = session.execute(select(func.now())).scalar_one()
    taken = row is not None and row.lease_until is not None and row.lease_until >= now
    if row is None or row.state not in UNFINISHED or taken:
        return None
    found, token = session.get_one(Class, row.class_id), uuid4()
    versions = _versions(session, found, row.assignment_id, now)
    codes = [Code(one, group, language, body) for one, group, language, body in _bodies(session, versions)]
    earlier: list[tuple[str, bytes]] = []
    for class_id in row.earlier:
        other = session.get(Class, class_id)
        if other is not None and organisers.everybody(session, other) & organisers.everybody(session, found):
            theirs = _bodies(session, _versions(session, other, None, now, ever=True))
            earlier += [(language, body) for _, _, language, body in theirs]
    row.state, row.token, row.lease_until = SimilarityState.RUNNING, token, now + timedelta(seconds=seconds)
    row.attempts, row.done, row.total = row.attempts + 1, 0, len(codes)
    return Work(row.id, token, found.game, codes, earlier)


def _versions(
    session: Session, found: Class, assignment_id: int | None, now: datetime, *, ever: bool = False
) -> dict[int, int]:
    """Version -> group. Those of an assignment's deadlines, else those on the ladder. `ever`: all that ever were."""
    hours = {} if assignment_id is None else assignments.extensions(session, assignment_id)
    row = None if assignment_id is None else assignments.by_id(session, found, assignment_id)
    people = select(ClassMember.user_id, ClassMember.team_id).where(ClassMember.class_id == found.id)
    group_of: dict[int, int] = {}
    for user_id, team_id in session.execute(people):
        group_of[user_id] = team_id or user_id
        if team_id is not None:
            group_of[team_id] = team_id
    versions: dict[int, int] = {}
    bots = select(Bot.id, Bot.owner_id).where(Bot.owner_id.in_(group_of), Bot.game == found.game)
    for bot_id, owner_id in session.execute(bots.order_by(Bot.id)).all():
        group = group_of[owner_id]
        if row is not None:
            due_at = min(now, row.deadline + timedelta(hours=hours.get(group, 0)))
            version = marking.version_at(session, bot_id, due_at)
            ids: Sequence[int] = [] if version is None else [version]
        else:
            query = select(Submission.id).where(Submission.bot_id == bot_id)
            live = query.where(Submission.state == SubmissionState.LIVE)
            was = query.join(Standing, Standing.submission_id == Submission.id)
            ids = session.scalars(was if ever else live).all()
        versions.update((one, group) for one in ids)
    return versions


def _bodies(session: Session, versions: dict[int, int]) -> list[tuple[int, int, str, bytes]]:
    """(version, group, language, body) of those whose code is not deleted."""
    query = select(Submission.id, Submission.language, Source.body).join(
        Source, Source.sha256 == Submission.source_sha256
    )
    rows = session.execute(query.where(Submission.id.in_(versions)).order_by(Submission.id))
    return [(one, versions[one], language, body) for one, language, body in rows]


def _mine(work: Work) -> Any:
    return (SimilarityReport.id == work.report_id) & (SimilarityReport.token == work.token)


def renew(session: Session, work: Work, *, done: int, seconds: float) -> bool:
    """Says how many sources were read, and keeps the lease. False: it is lost, or the report is gone."""
    until = func.now() + timedelta(seconds=seconds)
    kept = update(SimilarityReport).where(_mine(work)).values(done=done, lease_until=until)
    return session.execute(kept.returning(SimilarityReport.id)).first() is not None


def finish(session: Session, work: Work, sources: Sequence[dict[str, Any]], pairs: Sequence[dict[str, Any]]) -> bool:
    """Stores a report. False: somebody else has it by now.

    A source: `submission`, `group`, `language`, `tokens`, `own`, `problem`. A pair: see `worker.similar.matching`;
    `one` and `other` are submissions.
    """
    values = _ended(None) | {"sources": list(sources), "pairs": list(pairs), "done": len(work.codes)}
    stored = update(SimilarityReport).where(_mine(work)).values(**values)
    return session.execute(stored.returning(SimilarityReport.id)).first() is not None


def fail(session: Session, work: Work, problem: str) -> None:
    """Ends a report without a result."""
    session.execute(update(SimilarityReport).where(_mine(work)).values(**_ended(problem[:400])))


def _ended(problem: str | None) -> dict[str, Any]:
    state = SimilarityState.DONE if problem is None else SimilarityState.FAILED
    return {"state": state, "problem": problem, "token": None, "lease_until": None, "finished_at": func.now()}
