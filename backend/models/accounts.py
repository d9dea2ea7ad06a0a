"""People, and how they sign in."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey, Identity, Index, SmallInteger, String, UniqueConstraint, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from hexarena.backend.models.base import Base, one_of


class UserKind(StrEnum):
    """`local`: the only user of an arena without isolation (HEXARENA_SANDBOX=none). `deleted`: only results are left.

    `team`: of students of a class. Nobody signs in as a team: its members act for it (`accounts.owners`).
    """

    GUEST = "guest"
    LOCAL = "local"
    HOUSE = "house"
    ACCOUNT = "account"
    DELETED = "deleted"
    TEAM = "team"


class UserRole(StrEnum):
    """What an account may do beyond its own things (`accounts.permissions`)."""

    USER = "user"
    ORGANISER = "organiser"


class User(Base):
    """Somebody who owns bots.

    `name_key`: `accounts.names.key_of` the name, unique; null for guests that never chose one, for those who are
    deleted, and for those whose name was too near to another. `password_hash`: null where they sign in otherwise.
    `network`: the key of the network that a guest first wrote from, or that an account which is new counts for
    (`matches.shares`). `was_guest`: of somebody who is deleted. `created_at`: of an account that was a guest, when they
    signed up.
    """

    __tablename__ = "user"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    kind: Mapped[UserKind] = mapped_column(one_of(UserKind, "kind"))
    role: Mapped[UserRole] = mapped_column(one_of(UserRole, "role"), server_default="user")
    name: Mapped[str] = mapped_column(String(40))
    name_key: Mapped[str | None] = mapped_column(String(200))
    password_hash: Mapped[str | None] = mapped_column(String(200))
    email: Mapped[str | None] = mapped_column(String(254))
    network: Mapped[str | None] = mapped_column(String(32))
    was_guest: Mapped[bool] = mapped_column(server_default="false")
    banned_at: Mapped[datetime | None]
    ban_reason: Mapped[str | None] = mapped_column(String(400))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        CheckConstraint("role = 'user' OR kind IN ('account', 'local')", name="organisers_have_accounts"),
        CheckConstraint("(banned_at IS NULL) = (ban_reason IS NULL)", name="bans_have_reasons"),
        Index("uq_user_name_key", "name_key", unique=True),
        Index("uq_user_single_kind", "kind", unique=True, postgresql_where=text("kind IN ('house', 'local')")),
        Index("ix_user_network", "network", postgresql_where=text("network IS NOT NULL")),
    )


class OidcIdentity(Base):
    """An account's identity at an OpenID provider. `provider`: its id in the settings."""

    __tablename__ = "oidc_identity"

    provider: Mapped[str] = mapped_column(String(40), primary_key=True)
    subject: Mapped[str] = mapped_column(String(255), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (Index("ix_oidc_identity_user_id", "user_id"),)


class UserSession(Base):
    """An account that is signed in in one browser. Of its secret only the SHA-256 is kept."""

    __tablename__ = "user_session"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    secret_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    browser: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]

    __table_args__ = (Index("ix_user_session_user_id", "user_id"), Index("ix_user_session_expires_at", "expires_at"))


class Token(Base):
    """A personal token for scripts. Of its secret only the SHA-256 is kept. `uses`: requests that it was used for."""

    __tablename__ = "token"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(60))
    scopes: Mapped[list[str]] = mapped_column(JSONB)
    secret_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    used_at: Mapped[datetime | None]
    uses: Mapped[int] = mapped_column(server_default="0")

    __table_args__ = (UniqueConstraint("user_id", "name"),)


class Invite(Base):
    """A code to sign up with. Of it only the SHA-256 is kept. `uses_left`: accounts that it can still make."""

    __tablename__ = "invite"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    code_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    note: Mapped[str] = mapped_column(String(200), server_default="")
    role: Mapped[UserRole] = mapped_column(one_of(UserRole, "role"), server_default="user")
    uses_left: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]

    __table_args__ = (CheckConstraint("uses_left >= 0", name="uses_left"),)


class Erasure(Base):
    """A stored text that must go because its owner deleted it, or its match was annulled.

    The dispatcher deletes it, then the row.

    `seat`: only the log of that seat; null: all that the match stored.
    """

    __tablename__ = "erasure"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    replay_key: Mapped[str] = mapped_column(String(100))
    seat: Mapped[int | None] = mapped_column(SmallInteger)
