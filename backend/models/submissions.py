"""Bots, and the code that was submitted for them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    LargeBinary,
    String,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from hexarena.backend.models.base import Base, one_of
from hexarena.backend.runtime.sizes import ARCHIVE_BYTES

if TYPE_CHECKING:
    from hexarena.backend.models.accounts import User
    from hexarena.backend.models.ladder import Standing


DELETED = "deleted"
"""What a deleted account is called, and the owner of a deleted bot."""


class SubmissionState(StrEnum):
    """`draft`: code of a practice match, never on the ladder. A bot on the ladder has exactly one `live` submission.

    `disabled`: taken off the ladder after too many consecutive matches that ended in a fault of its own.
    """

    DRAFT = "draft"
    QUEUED = "queued"
    BUILDING = "building"
    CHECKING = "checking"
    LIVE = "live"
    SUPERSEDED = "superseded"
    FAILED = "failed"
    DISABLED = "disabled"


PERSON = "person"
"""In place of a language, where a person plays and no code."""
PENDING = (SubmissionState.QUEUED, SubmissionState.BUILDING, SubmissionState.CHECKING)


class Source(Base):
    """A source file, or a zip of several as `sources.pack` writes it, kept once for each content."""

    __tablename__ = "source"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    body: Mapped[bytes] = mapped_column(LargeBinary)

    __table_args__ = (CheckConstraint(f"octet_length(body) <= {ARCHIVE_BYTES}", name="size"),)


class Bot(Base):
    """A user's entrant in one game. Its code is that of its live submission.

    `name_key`: `accounts.names.key_of` the name; null where the bot is deleted.
    """

    __tablename__ = "bot"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    owner_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    name: Mapped[str] = mapped_column(String(40))
    name_key: Mapped[str | None] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    owner: Mapped[User] = relationship(lazy="raise", viewonly=True)

    @property
    def is_deleted(self) -> bool:
        """Whether its owner deleted it: nobody is told whose it was."""
        return self.name_key is None

    @property
    def owner_name(self) -> str:
        """What everybody may read. Needs `owner`."""
        return DELETED if self.is_deleted else self.owner.name

    __table_args__ = (
        CheckConstraint("name <> ''", name="named"),
        UniqueConstraint("id", "game"),
        Index("uq_bot_game_name", "game", text("lower(name)"), unique=True),
        Index("ix_bot_game_name_key", "game", "name_key"),
        Index("ix_bot_owner_id", "owner_id"),
    )


def title_of(language: str, bot: str | None, owner: str) -> str:
    """What a match calls a submission. `bot`, `owner`: their names; None for code that belongs to no bot."""
    if language == PERSON:
        return owner
    return "your code" if bot is None else bot


class Submission(Base):
    """One immutable upload of source. Only its state, the findings about it and its owner's note and tag change.

    `tag`: a short name for the version, which no other of the bot has. `source_sha256`: null once its owner has deleted
    the code; it can then never play again. `language`: PERSON for a seat that a person plays, which is a draft without
    code. `check_match_id`: its newest check match; no foreign key, since seats refer to submissions.
    """

    __tablename__ = "submission"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    game: Mapped[str] = mapped_column(String(40))
    bot_id: Mapped[int | None]
    version: Mapped[int | None]
    language: Mapped[str] = mapped_column(String(20))
    source_sha256: Mapped[str | None] = mapped_column(ForeignKey("source.sha256"))
    note: Mapped[str] = mapped_column(String(200), server_default="")
    tag: Mapped[str | None] = mapped_column(String(24))
    state: Mapped[SubmissionState] = mapped_column(one_of(SubmissionState, "state"))
    problem: Mapped[str | None]
    build_log: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    check_match_id: Mapped[int | None]
    bot: Mapped[Bot | None] = relationship(lazy="raise", viewonly=True)
    user: Mapped[User] = relationship(lazy="raise", viewonly=True)
    source: Mapped[Source | None] = relationship(lazy="raise", viewonly=True)
    standing: Mapped[Standing | None] = relationship(
        lazy="raise", viewonly=True, primaryjoin="foreign(Standing.submission_id) == Submission.id"
    )

    @property
    def title(self) -> str:
        """What a match calls it. Needs `bot` to be loaded, and `user` for a person."""
        bot = None if self.bot is None else self.bot.name
        return title_of(self.language, bot, self.user.name if self.language == PERSON else "")

    @property
    def owner_name(self) -> str:
        """What everybody may read. Needs `bot` and `user`."""
        return DELETED if self.bot is not None and self.bot.is_deleted else self.user.name

    __table_args__ = (
        ForeignKeyConstraint(["bot_id", "game"], ["bot.id", "bot.game"]),
        UniqueConstraint("bot_id", "version"),
        UniqueConstraint("id", "game"),
        CheckConstraint("(bot_id IS NULL) = (version IS NULL)", name="versioned"),
        CheckConstraint("(bot_id IS NULL) = (state = 'draft')", name="draft_has_no_bot"),
        CheckConstraint("version > 0", name="version_counts_from_one"),
        CheckConstraint(
            "source_sha256 IS NOT NULL OR state IN ('superseded', 'failed', 'disabled') OR language = 'person'",
            name="plays_with_its_code",
        ),
        Index("ix_submission_source_sha256", "source_sha256"),
        CheckConstraint("state NOT IN ('failed', 'disabled') OR problem IS NOT NULL", name="failure_is_explained"),
        CheckConstraint("tag <> ''", name="tagged"),
        Index("uq_submission_tag", "bot_id", text("lower(tag)"), unique=True, postgresql_where=text("tag IS NOT NULL")),
        Index("uq_submission_live", "bot_id", unique=True, postgresql_where=text("state = 'live'")),
        Index("ix_submission_user_id", "user_id", "id"),
        Index(
            "ix_submission_game_created_at",
            "game",
            "created_at",
            postgresql_include=["id"],
            postgresql_where=text("bot_id IS NOT NULL"),
        ),
    )


class EditorDraft(Base):
    """What an account is writing in the editor, so that another computer continues. `revision`: counts changes.

    `source`: None once it was discarded.
    """

    __tablename__ = "editor_draft"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)
    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    language: Mapped[str] = mapped_column(String(20), primary_key=True)
    source: Mapped[str | None]
    revision: Mapped[int]
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
