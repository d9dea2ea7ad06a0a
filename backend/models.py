"""The tables. Constraints make wrong states impossible; migrations/ is the only way in which they change.

Append-only: source, submission (but for its state), match_seat, void_attempt, result, seat_result, event.
Small and changing: user, bot, standing, job (the queue of record: a row for each match that is not over), worker.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    Enum,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    LargeBinary,
    SmallInteger,
    String,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.schema import MetaData
from sqlalchemy.types import UserDefinedType

from backend.sources import ARCHIVE_BYTES

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class TransactionId(UserDefinedType[str]):
    """Postgres' xid8: the number of the transaction that wrote a row."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """The column's type in DDL."""
        return "xid8"


class Base(DeclarativeBase):
    """What all tables share."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {int: BigInteger, datetime: DateTime(timezone=True), dict[str, Any]: JSONB}  # noqa: RUF012


class UserKind(StrEnum):
    """`local`: the one user of an arena without walls (HEXARENA_SANDBOX=none)."""

    GUEST = "guest"
    LOCAL = "local"
    HOUSE = "house"
    ACCOUNT = "account"


class SubmissionState(StrEnum):
    """`draft`: the code of a practice run, never on the ladder. Exactly one `live` for each bot that is on it."""

    DRAFT = "draft"
    QUEUED = "queued"
    BUILDING = "building"
    CHECKING = "checking"
    LIVE = "live"
    SUPERSEDED = "superseded"
    FAILED = "failed"


PENDING = (SubmissionState.QUEUED, SubmissionState.BUILDING, SubmissionState.CHECKING)


class MatchKind(StrEnum):
    """Only `placement` and `ladder` matches are rated."""

    PRACTICE = "practice"
    CHECK = "check"
    PLACEMENT = "placement"
    LADDER = "ladder"


RATED = (MatchKind.PLACEMENT, MatchKind.LADDER)


class MatchState(StrEnum):
    """`void`: does not count, because we failed, or because a bot of it did not build."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    VOID = "void"


def _one_of(kind: type[StrEnum], name: str) -> Enum:
    """Text that must be one of the values."""
    return Enum(
        kind,
        native_enum=False,
        create_constraint=True,
        length=16,
        name=name,
        values_callable=lambda members: [member.value for member in members],
    )


class User(Base):
    """Somebody who owns bots."""

    __tablename__ = "user"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    kind: Mapped[UserKind] = mapped_column(_one_of(UserKind, "kind"))
    name: Mapped[str] = mapped_column(String(40))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        Index("uq_user_single_kind", "kind", unique=True, postgresql_where=text("kind IN ('house', 'local')")),
    )


class Source(Base):
    """A source file, or a zip of several as `sources.pack` writes it, kept once for each content."""

    __tablename__ = "source"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    body: Mapped[bytes] = mapped_column(LargeBinary)

    __table_args__ = (CheckConstraint(f"octet_length(body) <= {ARCHIVE_BYTES}", name="size"),)


class Bot(Base):
    """A user's entrant in one game. Its code is that of its live submission."""

    __tablename__ = "bot"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    owner_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    name: Mapped[str] = mapped_column(String(40))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    owner: Mapped[User] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        CheckConstraint("name <> ''", name="named"),
        UniqueConstraint("id", "game"),
        Index("uq_bot_game_name", "game", text("lower(name)"), unique=True),
        Index("ix_bot_owner_id", "owner_id"),
    )


class Submission(Base):
    """One immutable upload of source. Only its state, and what we found out about it, changes."""

    __tablename__ = "submission"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    game: Mapped[str] = mapped_column(String(40))
    bot_id: Mapped[int | None]
    version: Mapped[int | None]
    language: Mapped[str] = mapped_column(String(20))
    source_sha256: Mapped[str] = mapped_column(ForeignKey("source.sha256"))
    note: Mapped[str] = mapped_column(String(200), server_default="")
    state: Mapped[SubmissionState] = mapped_column(_one_of(SubmissionState, "state"))
    problem: Mapped[str | None]
    build_log: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    bot: Mapped[Bot | None] = relationship(lazy="raise", viewonly=True)
    user: Mapped[User] = relationship(lazy="raise", viewonly=True)
    source: Mapped[Source] = relationship(lazy="raise", viewonly=True)
    standing: Mapped[Standing | None] = relationship(lazy="raise", viewonly=True)

    @property
    def title(self) -> str:
        """What a match calls it. Needs `bot` to be loaded."""
        return "your code" if self.bot is None else self.bot.name

    __table_args__ = (
        ForeignKeyConstraint(["bot_id", "game"], ["bot.id", "bot.game"]),
        UniqueConstraint("bot_id", "version"),
        UniqueConstraint("id", "game"),
        CheckConstraint("(bot_id IS NULL) = (version IS NULL)", name="versioned"),
        CheckConstraint("(bot_id IS NULL) = (state = 'draft')", name="draft_has_no_bot"),
        CheckConstraint("version > 0", name="version_counts_from_one"),
        CheckConstraint("state <> 'failed' OR problem IS NOT NULL", name="failure_is_explained"),
        Index("uq_submission_live", "bot_id", unique=True, postgresql_where=text("state = 'live'")),
        Index("ix_submission_user_id", "user_id", "id"),
    )


class League(Base):
    """A rung of a game's ladder, guarded by a boss. `position` counts from 1, the lowest."""

    __tablename__ = "league"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    position: Mapped[int] = mapped_column(SmallInteger)
    name: Mapped[str] = mapped_column(String(40))
    rules_level: Mapped[int] = mapped_column(SmallInteger)
    boss_bot_id: Mapped[int]

    __table_args__ = (
        UniqueConstraint("game", "position"),
        UniqueConstraint("game", "name"),
        ForeignKeyConstraint(["boss_bot_id", "game"], ["bot.id", "bot.game"]),
        CheckConstraint("position > 0", name="counts_from_one"),
    )


class Match(Base):
    """One playing of a game. A result exists exactly when it is done; a job while it is not over."""

    __tablename__ = "match"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    kind: Mapped[MatchKind] = mapped_column(_one_of(MatchKind, "kind"))
    state: Mapped[MatchState] = mapped_column(_one_of(MatchState, "state"))
    seed: Mapped[int]
    league: Mapped[int] = mapped_column(SmallInteger)
    requested_by_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    void_reason: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    seats: Mapped[list[MatchSeat]] = relationship(lazy="raise", viewonly=True, order_by="MatchSeat.seat")
    result: Mapped[Result | None] = relationship(lazy="raise", viewonly=True)
    void_attempts: Mapped[list[VoidAttempt]] = relationship(lazy="raise", viewonly=True, order_by="VoidAttempt.attempt")

    __table_args__ = (
        UniqueConstraint("id", "state"),
        UniqueConstraint("id", "game"),
        CheckConstraint("(state = 'void') = (void_reason IS NOT NULL)", name="void_is_explained"),
        CheckConstraint("(state IN ('done', 'void')) = (finished_at IS NOT NULL)", name="over_has_an_end"),
        CheckConstraint("state NOT IN ('running', 'done') OR started_at IS NOT NULL", name="running_has_a_start"),
        Index("ix_match_game_id", "game", "id"),
        Index(
            "ix_match_requested_by_id", "requested_by_id", "id", postgresql_where=text("requested_by_id IS NOT NULL")
        ),
    )


class MatchSeat(Base):
    """Who sits where. Seat and submission are of the match's game."""

    __tablename__ = "match_seat"

    match_id: Mapped[int] = mapped_column(primary_key=True)
    seat: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    submission_id: Mapped[int]
    game: Mapped[str] = mapped_column(String(40))
    match: Mapped[Match] = relationship(lazy="raise", viewonly=True)
    submission: Mapped[Submission] = relationship(lazy="raise", viewonly=True)
    result: Mapped[SeatResult | None] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        ForeignKeyConstraint(["match_id", "game"], ["match.id", "match.game"], ondelete="CASCADE"),
        ForeignKeyConstraint(["submission_id", "game"], ["submission.id", "submission.game"]),
        CheckConstraint("seat >= 0", name="counts_from_zero"),
        Index("ix_match_seat_submission_id", "submission_id", text("match_id DESC")),
    )


class Job(Base):
    """A match that is not over: the queue of record. `token` and `lease_until` belong to whoever has it now.

    `not_before`: a pause after an attempt on a machine that had too much to do.
    """

    __tablename__ = "job"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id", ondelete="CASCADE"), primary_key=True)
    priority: Mapped[int] = mapped_column(SmallInteger)
    token: Mapped[UUID | None]
    lease_until: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    not_before: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("(token IS NULL) = (lease_until IS NULL)", name="lease_has_a_holder"),
        CheckConstraint("attempts >= 0", name="attempts"),
        Index("ix_job_priority", "priority", "match_id"),
    )


class VoidAttempt(Base):
    """A start of a match that does not count, because we failed. `attempt` counts from 1; `reason` is for everybody."""

    __tablename__ = "void_attempt"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id", ondelete="CASCADE"), primary_key=True)
    attempt: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    reason: Mapped[str]
    ended_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())

    __table_args__ = (CheckConstraint("attempt > 0", name="counts_from_one"),)


class Result(Base):
    """How a match ended. Its key makes it count once; its foreign key allows it only for matches that are done."""

    __tablename__ = "result"

    match_id: Mapped[int] = mapped_column(primary_key=True)
    match_state: Mapped[str] = mapped_column(String(16), server_default="done")
    reason: Mapped[str]
    turns: Mapped[int]
    faults: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    attempt: Mapped[int] = mapped_column(SmallInteger)
    worker: Mapped[str] = mapped_column(String(100))
    cpu_ms: Mapped[float]
    replay_key: Mapped[str] = mapped_column(String(100))
    rules_version: Mapped[str] = mapped_column(String(20))

    __table_args__ = (
        CheckConstraint("match_state = 'done'", name="only_of_done_matches"),
        ForeignKeyConstraint(["match_id", "match_state"], ["match.id", "match.state"], ondelete="CASCADE"),
    )


class SeatResult(Base):
    """A seat's part of a result. Ratings are those before and after it, where the match is rated."""

    __tablename__ = "seat_result"

    match_id: Mapped[int] = mapped_column(ForeignKey("result.match_id", ondelete="CASCADE"), primary_key=True)
    seat: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    rank: Mapped[int] = mapped_column(SmallInteger)
    score: Mapped[float]
    fault: Mapped[str | None] = mapped_column(String(16))
    rating_before: Mapped[float | None]
    rating_after: Mapped[float | None]

    __table_args__ = (
        ForeignKeyConstraint(["match_id", "seat"], ["match_seat.match_id", "match_seat.seat"], ondelete="CASCADE"),
        CheckConstraint("rank >= 0", name="rank_counts_from_zero"),
        CheckConstraint("(rating_before IS NULL) = (rating_after IS NULL)", name="rated_or_not"),
    )


class Standing(Base):
    """A submission's strength and what it is made of. Superseded ones keep theirs."""

    __tablename__ = "standing"

    submission_id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    rating: Mapped[float]
    games: Mapped[int] = mapped_column(server_default="0")
    wins: Mapped[int] = mapped_column(server_default="0")
    draws: Mapped[int] = mapped_column(server_default="0")
    losses: Mapped[int] = mapped_column(server_default="0")

    __table_args__ = (
        ForeignKeyConstraint(["submission_id", "game"], ["submission.id", "submission.game"]),
        CheckConstraint("games = wins + draws + losses", name="games_add_up"),
        Index("ix_standing_game_rating", "game", text("rating DESC"), text("submission_id DESC")),
    )


class Event(Base):
    """Something that pages want to hear of. Readers follow (`tx`, `id`): ids alone may commit out of order."""

    __tablename__ = "event"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    tx: Mapped[str] = mapped_column(TransactionId(), server_default=text("pg_current_xact_id()"))
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    game: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(16))
    subject_id: Mapped[int]

    __table_args__ = (Index("ix_event_tx_id", "tx", "id"), Index("ix_event_at", "at"))


class Worker(Base):
    """A sign of life from each worker.

    `late_s`: how late its timer fired at worst in the last seconds. `cpu_wait`: the share of that time in which
    something on its machine waited for a CPU, 0 to 1; null where the kernel does not say.
    """

    __tablename__ = "worker"

    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    slots: Mapped[int] = mapped_column(SmallInteger)
    sandbox: Mapped[str] = mapped_column(String(200))
    languages: Mapped[list[str]] = mapped_column(JSONB)
    late_s: Mapped[float] = mapped_column(server_default="0")
    cpu_wait: Mapped[float | None]
