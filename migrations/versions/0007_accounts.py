"""accounts: names that are unique, passwords, identities, sessions, tokens, invitations; code can be deleted"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from hexarena.backend.accounts.names import key_of

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

KINDS = "kind IN ('guest', 'local', 'house', 'account')"
KINDS_NOW = "kind IN ('guest', 'local', 'house', 'account', 'deleted')"
NOW = sa.text("now()")


def upgrade() -> None:
    _kinds(KINDS_NOW)
    op.add_column("user", sa.Column("role", sa.String(length=16), server_default="user", nullable=False))
    op.create_check_constraint(op.f("ck_user_role"), "user", "role IN ('user', 'organiser')")
    op.create_check_constraint(
        op.f("ck_user_organisers_have_accounts"), "user", "role = 'user' OR kind IN ('account', 'local')"
    )
    op.add_column("user", sa.Column("name_key", sa.String(length=200), nullable=True))
    op.add_column("user", sa.Column("password_hash", sa.String(length=200), nullable=True))
    op.add_column("user", sa.Column("email", sa.String(length=254), nullable=True))
    op.add_column("bot", sa.Column("name_key", sa.String(length=200), nullable=True))
    _fill_keys()
    op.create_index("uq_user_name_key", "user", ["name_key"], unique=True)
    op.create_index("ix_bot_game_name_key", "bot", ["game", "name_key"])
    op.alter_column("submission", "source_sha256", nullable=True)
    op.create_check_constraint(
        op.f("ck_submission_plays_with_its_code"),
        "submission",
        "source_sha256 IS NOT NULL OR state IN ('superseded', 'failed', 'disabled')",
    )
    op.create_index("ix_submission_source_sha256", "submission", ["source_sha256"])
    op.create_table(
        "oidc_identity",
        sa.Column("provider", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        _user_id("oidc_identity"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=NOW, nullable=False),
        sa.PrimaryKeyConstraint("provider", "subject", name=op.f("pk_oidc_identity")),
    )
    op.create_index("ix_oidc_identity_user_id", "oidc_identity", ["user_id"])
    op.create_table(
        "user_session",
        _id(),
        _user_id("user_session"),
        sa.Column("secret_sha256", sa.String(length=64), nullable=False),
        sa.Column("browser", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=NOW, nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), server_default=NOW, nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_session")),
        sa.UniqueConstraint("secret_sha256", name=op.f("uq_user_session_secret_sha256")),
    )
    op.create_index("ix_user_session_user_id", "user_session", ["user_id"])
    op.create_index("ix_user_session_expires_at", "user_session", ["expires_at"])
    op.create_table(
        "token",
        _id(),
        _user_id("token"),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("scopes", JSONB(), nullable=False),
        sa.Column("secret_sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=NOW, nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("uses", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("secret_sha256", name=op.f("uq_token_secret_sha256")),
        sa.UniqueConstraint("user_id", "name", name=op.f("uq_token_user_id_name")),
    )
    op.create_table(
        "invite",
        _id(),
        sa.Column("code_sha256", sa.String(length=64), nullable=False),
        sa.Column("note", sa.String(length=200), server_default="", nullable=False),
        sa.Column("role", sa.String(length=16), server_default="user", nullable=False),
        sa.Column("uses_left", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=NOW, nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("role IN ('user', 'organiser')", name=op.f("ck_invite_role")),
        sa.CheckConstraint("uses_left >= 0", name=op.f("ck_invite_uses_left")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invite")),
        sa.UniqueConstraint("code_sha256", name=op.f("uq_invite_code_sha256")),
    )
    op.create_table(
        "erasure",
        _id(),
        sa.Column("replay_key", sa.String(length=100), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erasure")),
    )


def downgrade() -> None:
    for table in ("erasure", "invite", "token", "user_session", "oidc_identity"):
        op.drop_table(table)
    # Older code cannot do without: a version whose code was deleted gets an empty one, a deleted user is a guest.
    op.execute("INSERT INTO source (sha256, body) VALUES (repeat('0', 64), '') ON CONFLICT DO NOTHING")
    op.execute("UPDATE submission SET source_sha256 = repeat('0', 64) WHERE source_sha256 IS NULL")
    op.execute("UPDATE \"user\" SET kind = 'guest' WHERE kind = 'deleted'")
    op.drop_index("ix_submission_source_sha256", "submission")
    op.drop_constraint(op.f("ck_submission_plays_with_its_code"), "submission", type_="check")
    op.alter_column("submission", "source_sha256", nullable=False)
    op.drop_index("ix_bot_game_name_key", "bot")
    op.drop_column("bot", "name_key")
    op.drop_index("uq_user_name_key", "user")
    op.drop_constraint(op.f("ck_user_organisers_have_accounts"), "user", type_="check")
    for column in ("email", "password_hash", "name_key", "role"):
        op.drop_column("user", column)
    _kinds(KINDS)


def _kinds(kinds: str) -> None:
    op.drop_constraint(op.f("ck_user_kind"), "user", type_="check")
    op.create_check_constraint(op.f("ck_user_kind"), "user", kinds)


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False)


def _user_id(table: str) -> sa.Column[int]:
    return sa.Column(
        "user_id",
        sa.BigInteger(),
        sa.ForeignKey("user.id", name=op.f(f"fk_{table}_user_id_user"), ondelete="CASCADE"),
        nullable=False,
    )


def _fill_keys() -> None:
    """Of users with names too near to each other, the oldest gets the key; the house's comes first."""
    connection = op.get_bind()
    kept: dict[str, int] = {}
    users = sa.text("SELECT id, name FROM \"user\" WHERE kind IN ('house', 'account') ORDER BY kind <> 'house', id")
    for user_id, name in connection.execute(users):
        kept.setdefault(key_of(name), user_id)
    if kept:
        rows = [{"id": user_id, "key": key} for key, user_id in kept.items()]
        connection.execute(sa.text('UPDATE "user" SET name_key = :key WHERE id = :id'), rows)
    bots = [{"id": row.id, "key": key_of(row.name)} for row in connection.execute(sa.text("SELECT id, name FROM bot"))]
    if bots:
        connection.execute(sa.text("UPDATE bot SET name_key = :key WHERE id = :id"), bots)
