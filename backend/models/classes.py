"""Classes: rosters, teams, assignments, marks and similarity reports."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    SmallInteger,
    String,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column, relationship

from hexarena.backend.models.base import Base, one_of

if TYPE_CHECKING:
    from hexarena.backend.models.accounts import User
    from hexarena.backend.models.submissions import Submission


class Class(Base):
    """Students of one course who write bots for one game (`backend/classes`).

    `organiser_id`: only they, and those of `ClassOrganiser`, see who is who. `named`: how many at the top of the
    class's board are shown with their names to the whole class.
    """

    __tablename__ = "class"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    name: Mapped[str] = mapped_column(String(80))
    organiser_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    named: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        CheckConstraint("name <> ''", name="named"),
        CheckConstraint("named >= 0", name="counts"),
        Index("ix_class_organiser_id", "organiser_id", "id"),
    )


class ClassOrganiser(Base):
    """Who may organise a class besides whom it belongs to."""

    __tablename__ = "class_organiser"

    class_id: Mapped[int] = mapped_column(ForeignKey("class.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)

    __table_args__ = (Index("ix_class_organiser_user_id", "user_id"),)


class ClassTeam(Base):
    """Students of a class who share bots. The bots' owner is the user `user_id`, of the kind `team`."""

    __tablename__ = "class_team"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    class_id: Mapped[int] = mapped_column(ForeignKey("class.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    user: Mapped[User] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (UniqueConstraint("user_id", "class_id"), Index("ix_class_team_class_id", "class_id"))


class ClassMember(Base):
    """A student of a class: a line of its roster, and the account that was made for it.

    `key`: their mail address or number, as the roster has it; `key_folded`: the same for equal ones. `group`: what the
    roster says. `code_sha256`: of the code that they sign in with the first time; null once it was used.
    """

    __tablename__ = "class_member"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    class_id: Mapped[int] = mapped_column(ForeignKey("class.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    team_id: Mapped[int | None]
    key: Mapped[str] = mapped_column(String(254))
    key_folded: Mapped[str] = mapped_column(String(600))
    name: Mapped[str] = mapped_column(String(120))
    group: Mapped[str] = mapped_column(String(60), server_default="")
    code_sha256: Mapped[str | None] = mapped_column(String(64), unique=True)
    code_expires_at: Mapped[datetime | None]
    signed_in_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    user: Mapped[User] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        UniqueConstraint("class_id", "key_folded"),
        UniqueConstraint("user_id"),
        ForeignKeyConstraint(["team_id", "class_id"], ["class_team.user_id", "class_team.class_id"]),
        CheckConstraint("name <> '' AND key <> ''", name="named"),
        CheckConstraint("(code_sha256 IS NULL) = (code_expires_at IS NULL)", name="codes_expire"),
        Index("ix_class_member_team_id", "team_id", postgresql_where=text("team_id IS NOT NULL")),
    )


class Assignment(Base):
    """What a class has to reach until a deadline: rungs to be stronger than.

    `marked_at`: the last time. `next_at`: when marks are made next, unless uploads that came in time are still being
    checked, or matches for the marks are in the queue; null: when an organiser asks for it.
    """

    __tablename__ = "assignment"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    class_id: Mapped[int] = mapped_column(ForeignKey("class.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(80))
    deadline: Mapped[datetime]
    marked_at: Mapped[datetime | None]
    next_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        CheckConstraint("name <> ''", name="named"),
        Index("ix_assignment_class_id", "class_id", "id"),
        Index("ix_assignment_next_at", "next_at", postgresql_where=text("next_at IS NOT NULL")),
    )


class AssignmentRung(Base):
    """A version to be stronger than. It stays the same, whatever its owner submits later. `position`: from 1."""

    __tablename__ = "assignment_rung"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))

    __table_args__ = (
        UniqueConstraint("assignment_id", "submission_id"),
        CheckConstraint("position > 0", name="counts_from_one"),
        Index("ix_assignment_rung_submission_id", "submission_id"),
    )


class Extension(Base):
    """Late days for a student or a team: the sum of their rows counts. `owner_id`: of the bots, a user or a team."""

    __tablename__ = "extension"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id", ondelete="CASCADE"))
    owner_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    hours: Mapped[int]
    reason: Mapped[str] = mapped_column(String(400))
    by_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        CheckConstraint("hours <> 0 AND reason <> ''", name="says_why"),
        Index("ix_extension_assignment_id", "assignment_id", "owner_id"),
        Index("ix_extension_owner_id", "owner_id"),
        Index("ix_extension_by_id", "by_id"),
    )


class Mark(Base):
    """A student's or a team's mark of an assignment. `owner_id`: of the bots, a user or a team.

    `members`: ids of the members whose mark it is. `submission_id`: the version that was live at `due_at`, their own
    deadline; null where there was none, and `problem` says so. `rating`, `deviation`: at that time, Elo. `games`: rated
    ones until then; `extra_games`: played for the mark. `rungs`: see `classes.marking.RungMark`.
    """

    __tablename__ = "mark"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id", ondelete="CASCADE"))
    owner_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    members: Mapped[list[int]] = mapped_column(JSONB)
    due_at: Mapped[datetime]
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id"))
    problem: Mapped[str | None] = mapped_column(String(400))
    rating: Mapped[float | None]
    deviation: Mapped[float | None]
    games: Mapped[int] = mapped_column(server_default="0")
    extra_games: Mapped[int] = mapped_column(server_default="0")
    rungs: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    marked_at: Mapped[datetime] = mapped_column(server_default=func.now())
    submission: Mapped[Submission | None] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        UniqueConstraint("assignment_id", "owner_id"),
        CheckConstraint("(submission_id IS NULL) = (problem IS NOT NULL)", name="missing_is_explained"),
        CheckConstraint("(submission_id IS NULL) = (rating IS NULL)", name="rated"),
        Index("ix_mark_submission_id", "submission_id", postgresql_where=text("submission_id IS NOT NULL")),
        Index("ix_mark_owner_id", "owner_id"),
    )


class SimilarityState(StrEnum):
    """How far a similarity report is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class SimilarityReport(Base):
    """Which sources of a class are alike. `assignment_id`: those of its deadlines; null: those on the ladder then.

    `earlier`: ids of classes whose code does not count. `token`, `lease_until`: who works on it. `done` of `total`:
    sources that were read. `sources`, `pairs`: see `classes.similarity`; without code, which stays in `source`.
    """

    __tablename__ = "similarity_report"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    class_id: Mapped[int] = mapped_column(ForeignKey("class.id", ondelete="CASCADE"))
    assignment_id: Mapped[int | None] = mapped_column(ForeignKey("assignment.id", ondelete="CASCADE"))
    earlier: Mapped[list[int]] = mapped_column(JSONB, server_default="[]")
    state: Mapped[SimilarityState] = mapped_column(one_of(SimilarityState, "state"), server_default="queued")
    done: Mapped[int] = mapped_column(server_default="0")
    total: Mapped[int] = mapped_column(server_default="0")
    attempts: Mapped[int] = mapped_column(server_default="0")
    token: Mapped[UUID | None]
    lease_until: Mapped[datetime | None]
    problem: Mapped[str | None] = mapped_column(String(400))
    sources: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    pairs: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("(state = 'failed') = (problem IS NOT NULL)", name="failure_is_explained"),
        CheckConstraint("(state = 'running') = (token IS NOT NULL AND lease_until IS NOT NULL)", name="leased"),
        CheckConstraint("(state IN ('done', 'failed')) = (finished_at IS NOT NULL)", name="ends"),
        Index(
            "uq_similarity_report_unfinished",
            "class_id",
            unique=True,
            postgresql_where=text("state IN ('queued', 'running')"),
        ),
        Index("ix_similarity_report_class_id", "class_id", "id"),
        Index(
            "ix_similarity_report_assignment_id",
            "assignment_id",
            postgresql_where=text("assignment_id IS NOT NULL"),
        ),
    )
