"""What people and other programs are notified of."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Identity, Index, String, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column, relationship

from hexarena.backend.models.base import Base, one_of

if TYPE_CHECKING:
    from hexarena.backend.models.classes import Assignment
    from hexarena.backend.models.duels import Duel
    from hexarena.backend.models.events import Event
    from hexarena.backend.models.submissions import Submission


class Announcement(Base):
    """An announcement. `event_id`: only on the page of this event. `until`: null: until withdrawn."""

    __tablename__ = "announcement"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    message: Mapped[str] = mapped_column(String(400))
    event_id: Mapped[int | None] = mapped_column(ForeignKey("event.id", ondelete="CASCADE"))
    until: Mapped[datetime | None]
    withdrawn_at: Mapped[datetime | None]
    created_by_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        CheckConstraint("message <> ''", name="says_something"),
        Index("ix_announcement_not_withdrawn", "id", postgresql_where=text("withdrawn_at IS NULL")),
        Index("ix_announcement_event_id", "event_id", postgresql_where=text("event_id IS NOT NULL")),
    )


class NoticeKind(StrEnum):
    """What happened to a bot of the user's. `duel`: to a duel that the user began. `webhook`: theirs was switched off.

    Of an event: `frozen`: this version plays its final. `out`: the bot is out of it. `placed`: it is over.
    `marked`: an assignment of the user's class was.
    """

    PROMOTED = "promoted"
    DEMOTED = "demoted"
    OVERTAKEN = "overtaken"
    DISABLED = "disabled"
    FAILED = "failed"
    DUEL = "duel"
    WEBHOOK = "webhook"
    FROZEN = "frozen"
    OUT = "out"
    PLACED = "placed"
    MARKED = "marked"


class Notice(Base):
    """Something that happened to a user's bot, duel, webhook or assignment.

    `other_id`: the submission that overtook; `place`: the new one, or that in an event. `league`: the name of the one
    that was entered. `reason`: why it is out of an event.
    """

    __tablename__ = "notice"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    kind: Mapped[NoticeKind] = mapped_column(one_of(NoticeKind, "kind"))
    seen: Mapped[bool] = mapped_column(server_default="false")
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id", ondelete="CASCADE"))
    other_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id", ondelete="CASCADE"))
    duel_id: Mapped[int | None] = mapped_column(ForeignKey("duel.id", ondelete="CASCADE"))
    event_id: Mapped[int | None] = mapped_column(ForeignKey("event.id", ondelete="CASCADE"))
    assignment_id: Mapped[int | None] = mapped_column(ForeignKey("assignment.id", ondelete="CASCADE"))
    league: Mapped[str | None] = mapped_column(String(40))
    place: Mapped[int | None]
    reason: Mapped[str | None] = mapped_column(String(400))
    submission: Mapped[Submission | None] = relationship(lazy="raise", viewonly=True, foreign_keys=[submission_id])
    other: Mapped[Submission | None] = relationship(lazy="raise", viewonly=True, foreign_keys=[other_id])
    duel: Mapped[Duel | None] = relationship(lazy="raise", viewonly=True)
    event: Mapped[Event | None] = relationship(lazy="raise", viewonly=True)
    assignment: Mapped[Assignment | None] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        CheckConstraint("(kind = 'duel') = (duel_id IS NOT NULL)", name="of_a_duel"),
        CheckConstraint("(kind IN ('duel', 'webhook', 'marked')) = (submission_id IS NULL)", name="of_a_submission"),
        CheckConstraint("(kind = 'overtaken') = (other_id IS NOT NULL)", name="overtaken_by"),
        CheckConstraint("(kind IN ('overtaken', 'placed')) = (place IS NOT NULL)", name="has_a_place"),
        CheckConstraint("(kind IN ('frozen', 'out', 'placed')) = (event_id IS NOT NULL)", name="of_an_event"),
        CheckConstraint("(kind = 'marked') = (assignment_id IS NOT NULL)", name="of_an_assignment"),
        CheckConstraint("(kind IN ('promoted', 'demoted')) = (league IS NOT NULL)", name="entered_a_league"),
        Index("ix_notice_user_id", "user_id", "id"),
        Index("ix_notice_event_id", "event_id", postgresql_where=text("event_id IS NOT NULL")),
        Index("ix_notice_assignment_id", "assignment_id", postgresql_where=text("assignment_id IS NOT NULL")),
        Index("ix_notice_submission_id", "submission_id", postgresql_where=text("submission_id IS NOT NULL")),
        Index("ix_notice_other_id", "other_id", postgresql_where=text("other_id IS NOT NULL")),
        Index("ix_notice_duel_id", "duel_id", postgresql_where=text("duel_id IS NOT NULL")),
        Index("ix_notice_at", "at"),
    )


class Webhook(Base):
    """An address of an account's own that its notices are posted to. `kinds`: of notices; null: all.

    The secret follows from `salt` and the arena's key (`webhooks.life`); its SHA-256 shows whether the key is still the
    same. `failing_since`: the first failure after the last success. `disabled_why`: why nothing is sent any more.
    """

    __tablename__ = "webhook"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)
    url: Mapped[str] = mapped_column(String(2000))
    kinds: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    salt: Mapped[str] = mapped_column(String(64))
    secret_sha256: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    failing_since: Mapped[datetime | None]
    disabled_at: Mapped[datetime | None]
    disabled_why: Mapped[str | None] = mapped_column(String(200))

    __table_args__ = (CheckConstraint("(disabled_at IS NULL) = (disabled_why IS NULL)", name="disabled_for_a_reason"),)


class DeliveryState(StrEnum):
    """`pending`: it is sent at `next_at`, for the first time or again. `failed`: it was given up."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class WebhookDelivery(Base):
    """A message to a webhook. `notice_id`: null for a test. `body`: written when it is first sent, then the same.

    `sending`: leased until `next_at`. `tries`: leases, by which a process that comes late differs from the one that has
    the lease now. `failures`: since it was last queued. `status`, `problem`, `excerpt`: how the last try ended.
    """

    __tablename__ = "webhook_delivery"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("webhook.user_id", ondelete="CASCADE"))
    message_id: Mapped[UUID] = mapped_column(server_default=text("gen_random_uuid()"))
    type: Mapped[str] = mapped_column(String(40))
    notice_id: Mapped[int | None] = mapped_column(ForeignKey("notice.id", ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    body: Mapped[str | None]
    state: Mapped[DeliveryState] = mapped_column(one_of(DeliveryState, "state"), server_default="pending")
    next_at: Mapped[datetime] = mapped_column(server_default=func.now())
    sending: Mapped[bool] = mapped_column(server_default="false")
    tries: Mapped[int] = mapped_column(server_default="0")
    failures: Mapped[int] = mapped_column(server_default="0")
    tried_at: Mapped[datetime | None]
    status: Mapped[int | None]
    problem: Mapped[str | None] = mapped_column(String(400))
    excerpt: Mapped[str | None] = mapped_column(String(1000))

    __table_args__ = (
        CheckConstraint("state = 'pending' OR NOT sending", name="sent_while_pending"),
        Index("ix_webhook_delivery_user_id", "user_id", "id"),
        Index("ix_webhook_delivery_notice_id", "notice_id", postgresql_where=text("notice_id IS NOT NULL")),
        Index("ix_webhook_delivery_next_at", "next_at", postgresql_where=text("state = 'pending'")),
        Index("ix_webhook_delivery_at", "at"),
    )


class ChangeRow(Base):
    """Something that changed, for pages. Readers follow `id`: see `matches.live`."""

    __tablename__ = "change"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    game: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(16))
    subject_id: Mapped[int]

    __table_args__ = (Index("ix_change_at", "at"),)
