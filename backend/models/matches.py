"""Matches: who has which seat, the queue, and how they ended."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
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
    from hexarena.backend.models.events import Event, EventPairing
    from hexarena.backend.models.practice import InPerson
    from hexarena.backend.models.submissions import Submission


class MatchKind(StrEnum):
    """Only `placement`, `promotion` and `ladder` matches are rated. `marking`: for the marks of an assignment.

    `event ladder`: of an event that is open, among its entrants; `event`: of its final.
    """

    PRACTICE = "practice"
    CHECK = "check"
    DUEL = "duel"
    EVENT = "event"
    EVENT_LADDER = "event ladder"
    MARKING = "marking"
    PLACEMENT = "placement"
    PROMOTION = "promotion"
    LADDER = "ladder"


RATED = (MatchKind.PLACEMENT, MatchKind.PROMOTION, MatchKind.LADDER)


class MatchState(StrEnum):
    """`void`: does not count; docs/architecture.md lists the reasons."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    VOID = "void"

    @property
    def is_over(self) -> bool:
        """Whether nothing of it will change any more, unless somebody annuls it."""
        return self in (MatchState.DONE, MatchState.VOID)


class Match(Base):
    """One playing of a game. A result exists exactly when it is done; a job while it is not over.

    `duel_game`: the number of a duel's fixture, from 0. Only void matches may be played again. `fork_of`: the match
    that it plays on from after `fork_turn`; that one may be deleted. `pairing_game`: the number of the game in an
    event's pairing, from 0. `held`: its event's results are for organisers only. `mark_id`: the mark that a `marking`
    match was played for; null once its class is deleted. `rerun_of`: the void match in whose place it is played.
    `event_id`: the event whose own ladder it is of.
    """

    __tablename__ = "match"

    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    kind: Mapped[MatchKind] = mapped_column(one_of(MatchKind, "kind"))
    state: Mapped[MatchState] = mapped_column(one_of(MatchState, "state"))
    seed: Mapped[int]
    league: Mapped[int] = mapped_column(SmallInteger)
    requested_by_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    duel_id: Mapped[int | None]
    duel_game: Mapped[int | None] = mapped_column(SmallInteger)
    fork_of: Mapped[int | None]
    fork_turn: Mapped[int | None] = mapped_column(SmallInteger)
    pairing_id: Mapped[int | None] = mapped_column(ForeignKey("event_pairing.id"))
    pairing_game: Mapped[int | None] = mapped_column(SmallInteger)
    mark_id: Mapped[int | None] = mapped_column(ForeignKey("mark.id", ondelete="SET NULL"))
    held: Mapped[bool] = mapped_column(server_default="false")
    rerun_of: Mapped[int | None] = mapped_column(ForeignKey("match.id"))
    rerun_reason: Mapped[str | None] = mapped_column(String(400))
    event_id: Mapped[int | None] = mapped_column(ForeignKey("event.id"))
    void_reason: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    seats: Mapped[list[MatchSeat]] = relationship(lazy="raise", viewonly=True, order_by="MatchSeat.seat")
    result: Mapped[Result | None] = relationship(lazy="raise", viewonly=True)
    void_attempts: Mapped[list[VoidAttempt]] = relationship(lazy="raise", viewonly=True, order_by="VoidAttempt.attempt")
    in_person: Mapped[InPerson | None] = relationship(lazy="raise", viewonly=True)
    pairing: Mapped[EventPairing | None] = relationship(lazy="raise", viewonly=True)
    event: Mapped[Event | None] = relationship(lazy="raise", viewonly=True)
    rerun: Mapped[Match | None] = relationship(lazy="raise", viewonly=True, uselist=False, foreign_keys=[rerun_of])

    __table_args__ = (
        ForeignKeyConstraint(["duel_id", "game"], ["duel.id", "duel.game"]),
        UniqueConstraint("id", "state"),
        UniqueConstraint("id", "game"),
        CheckConstraint("(kind = 'duel') = (duel_id IS NOT NULL)", name="of_a_duel"),
        CheckConstraint("(duel_id IS NULL) = (duel_game IS NULL)", name="numbered_in_its_duel"),
        CheckConstraint("duel_game >= 0", name="duel_game_counts_from_zero"),
        CheckConstraint("(kind = 'event') = (pairing_id IS NOT NULL)", name="of_an_event"),
        CheckConstraint("(pairing_id IS NULL) = (pairing_game IS NULL)", name="numbered_in_its_pairing"),
        CheckConstraint("pairing_id IS NOT NULL OR NOT held", name="held_by_its_event"),
        CheckConstraint("kind = 'marking' OR mark_id IS NULL", name="of_a_mark"),
        CheckConstraint("(kind = 'event ladder') = (event_id IS NOT NULL)", name="of_an_events_ladder"),
        CheckConstraint("(fork_of IS NULL) = (fork_turn IS NULL)", name="forked_at_a_turn"),
        CheckConstraint("(rerun_of IS NULL) = (rerun_reason IS NULL)", name="reruns_have_reasons"),
        CheckConstraint("rerun_of < id", name="rerun_of_an_earlier_one"),
        CheckConstraint("(state = 'void') = (void_reason IS NOT NULL)", name="void_is_explained"),
        CheckConstraint("(state IN ('done', 'void')) = (finished_at IS NOT NULL)", name="over_has_an_end"),
        CheckConstraint("state NOT IN ('running', 'done') OR started_at IS NOT NULL", name="running_has_a_start"),
        Index("ix_match_game_id", "game", "id"),
        Index("ix_match_kind_id", "kind", "id"),
        Index("ix_match_game_kind_id", "game", "kind", "id"),
        Index("ix_match_seed_id", "seed", "id"),
        Index("ix_match_created_at", "created_at"),
        Index(
            "ix_match_requested_by_id", "requested_by_id", "id", postgresql_where=text("requested_by_id IS NOT NULL")
        ),
        Index("ix_match_duel_id", "duel_id", "duel_game", postgresql_where=text("duel_id IS NOT NULL")),
        Index("ix_match_pairing_id", "pairing_id", "pairing_game", postgresql_where=text("pairing_id IS NOT NULL")),
        Index("ix_match_rerun_of", "rerun_of", postgresql_where=text("rerun_of IS NOT NULL")),
        Index("ix_match_event_id", "event_id", "state", "id", postgresql_where=text("event_id IS NOT NULL")),
        Index("ix_match_mark_id", "mark_id", "state", postgresql_where=text("mark_id IS NOT NULL")),
        {"postgresql_partition_by": "RANGE (id)"},
    )


class SlotPurpose(StrEnum):
    """What at most one match is: a game of a duel or of a pairing of an event, unless it is void; a match's rerun."""

    DUEL_GAME = "duel game"
    PAIRING_GAME = "pairing game"
    RERUN = "rerun"


class MatchSlot(Base):
    """What at most one match is, kept by a trigger of `match`: its partitions can have no such constraint themselves.

    `subject_id`: the duel, the pairing, or the match that was void. `number`: of the game there, from 0.
    """

    __tablename__ = "match_slot"

    purpose: Mapped[SlotPurpose] = mapped_column(one_of(SlotPurpose, "purpose"), primary_key=True)
    subject_id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("match.id", ondelete="CASCADE"))

    __table_args__ = (Index("ix_match_slot_match_id", "match_id"),)


class MatchCount(Base):
    """How many matches of a game are done that everybody may see, kept by those who end them (`matches.life`).

    The sum over `part`: matches that end at the same time seldom wait for each other's row.
    """

    __tablename__ = "match_count"

    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    part: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    matches: Mapped[int]


class MatchSeat(Base):
    """Which submission has which seat. Both belong to the match's game."""

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
        {"postgresql_partition_by": "RANGE (match_id)"},
    )


class Job(Base):
    """A match that is not over: the queue of record. `token` and `lease_until`: the current lease.

    `not_before`: a pause after an attempt on an overloaded machine. `share`: whom fairness counts it for, null where
    nobody asked for it. `asleep`: a bot of it sleeps, so that it has lent out its slot, or, without a lease, it is
    paused for a person's reply. `slot_wanted`: somebody who holds no slot waits, so that it should lend out its own, or
    has done so. `paused_attempt`: the last attempt that ended in such a pause; 0: none.
    """

    __tablename__ = "job"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id", ondelete="CASCADE"), primary_key=True)
    priority: Mapped[int] = mapped_column(SmallInteger)
    token: Mapped[UUID | None]
    lease_until: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    not_before: Mapped[datetime | None]
    share: Mapped[str | None] = mapped_column(String(40))
    asleep: Mapped[bool] = mapped_column(server_default="false")
    slot_wanted: Mapped[bool] = mapped_column(server_default="false")
    paused_attempt: Mapped[int] = mapped_column(SmallInteger, server_default="0")

    __table_args__ = (
        CheckConstraint("(token IS NULL) = (lease_until IS NULL)", name="lease_has_a_holder"),
        CheckConstraint("attempts >= 0", name="attempts"),
        Index("ix_job_priority", "priority", "match_id"),
        Index("ix_job_share", "share", postgresql_where=text("share IS NOT NULL")),
    )


class Usage(Base):
    """What a share's matches that ended in a minute used: seconds of the workers' slots, CPU seconds of the bots."""

    __tablename__ = "usage"

    share: Mapped[str] = mapped_column(String(40), primary_key=True)
    minute: Mapped[datetime] = mapped_column(primary_key=True)
    slot_s: Mapped[float]
    cpu_s: Mapped[float]

    __table_args__ = (
        CheckConstraint("slot_s >= 0 AND cpu_s >= 0", name="seconds"),
        Index("ix_usage_minute", "minute"),
    )


class VoidAttempt(Base):
    """An attempt at a match that does not count, because we failed. `attempt` counts from 1; `reason` is public."""

    __tablename__ = "void_attempt"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id", ondelete="CASCADE"), primary_key=True)
    attempt: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    reason: Mapped[str]
    ended_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())

    __table_args__ = (CheckConstraint("attempt > 0", name="counts_from_one"),)


class Result(Base):
    """How a match ended. Its key makes it unique; its foreign key allows it only for matches that are done.

    `digest`: equal for matches that are equal, reply by reply, but for messages; null for results from before there
    were digests. `record_digest`: with the messages, where that is another one.
    `repeat`: a refit found that an earlier match of the same competitors was equal, so this one counts for nothing.
    `toolchains`: language -> the versions of the programs that built and ran its bots; null before these were kept.
    """

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
    digest: Mapped[str | None] = mapped_column(String(64))
    record_digest: Mapped[str | None] = mapped_column(String(64))
    repeat: Mapped[bool] = mapped_column(server_default="false")
    toolchains: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))

    __table_args__ = (
        Index("ix_result_digest", "digest"),
        CheckConstraint("match_state = 'done'", name="only_of_done_matches"),
        ForeignKeyConstraint(["match_id", "match_state"], ["match.id", "match.state"], ondelete="CASCADE"),
        {"postgresql_partition_by": "RANGE (match_id)"},
    )


result_ending = func.regexp_replace(Result.reason, text(r"'(seat|team) [0-9]+(''s)? '"), text("''"), text("'g'"))
"""How a match ended, whoever it was: "made a line of 4" of "seat 1 made a line of 4"."""
Index("ix_result_ending", result_ending, Result.match_id)


class SeatResult(Base):
    """A seat's part of a result.

    `rating`: of its submission when a refit counted the match; null before that, and where it is not rated.
    `rating_change`: the effect of this match alone on the rating, Elo, to first order; null where no model gives it.
    `submission_id`: whose rating that was, as the seat says, too: an index finds the matches that moved it most.
    """

    __tablename__ = "seat_result"

    match_id: Mapped[int] = mapped_column(ForeignKey("result.match_id", ondelete="CASCADE"), primary_key=True)
    seat: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    rank: Mapped[int] = mapped_column(SmallInteger)
    score: Mapped[float]
    fault: Mapped[str | None] = mapped_column(String(16))
    rating: Mapped[float | None]
    rating_change: Mapped[float | None]
    submission_id: Mapped[int | None]

    __table_args__ = (
        ForeignKeyConstraint(["match_id", "seat"], ["match_seat.match_id", "match_seat.seat"], ondelete="CASCADE"),
        CheckConstraint("rank >= 0", name="rank_counts_from_zero"),
        Index("ix_seat_result_fault", "fault", "match_id", postgresql_where=text("fault IS NOT NULL")),
        CheckConstraint("rating_change IS NULL OR rating IS NOT NULL", name="change_of_a_rating"),
        CheckConstraint("(rating_change IS NULL) = (submission_id IS NULL)", name="change_of_a_submission"),
        Index(
            "ix_seat_result_submission_id_change",
            "submission_id",
            text("abs(rating_change) DESC"),
            "match_id",
            postgresql_where=text("rating_change IS NOT NULL"),
        ),
        {"postgresql_partition_by": "RANGE (match_id)"},
    )


class Retention(Base):
    """Up to which match a rule has deleted what is old: `matches/retention.py`."""

    __tablename__ = "retention"

    rule: Mapped[str] = mapped_column(String(20), primary_key=True)
    match_id: Mapped[int]


class RetentionPassed(Base):
    """A match before that one from which a rule has not deleted what it must: it was not over, or the store refused."""

    __tablename__ = "retention_passed"

    rule: Mapped[str] = mapped_column(String(20), primary_key=True)
    match_id: Mapped[int] = mapped_column(primary_key=True)
