"""webhooks: addresses that notices are posted to, and each message to them"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

KINDS = ("promoted", "demoted", "overtaken", "disabled", "failed", "duel")
STATES = ("pending", "delivered", "failed")


def _notices_are(kinds: tuple[str, ...], without_submission: str) -> None:
    op.drop_constraint(op.f("ck_notice_kind"), "notice")
    op.drop_constraint(op.f("ck_notice_of_a_submission"), "notice")
    op.create_check_constraint(op.f("ck_notice_kind"), "notice", f"kind IN ({', '.join(map(repr, kinds))})")
    op.create_check_constraint(
        op.f("ck_notice_of_a_submission"), "notice", f"({without_submission}) = (submission_id IS NULL)"
    )


def upgrade() -> None:
    _notices_are((*KINDS, "webhook"), "kind IN ('duel', 'webhook')")
    op.create_table(
        "webhook",
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.String(2000), nullable=False),
        sa.Column("kinds", JSONB(none_as_null=True), nullable=True),
        sa.Column("salt", sa.String(64), nullable=False),
        sa.Column("secret_sha256", sa.String(64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("disabled_why", sa.String(200), nullable=True),
        sa.CheckConstraint(
            "(disabled_at IS NULL) = (disabled_why IS NULL)", name=op.f("ck_webhook_disabled_for_a_reason")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_webhook_user_id_user"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_webhook")),
    )
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("notice_id", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("body", sa.String(), nullable=True),
        sa.Column(
            "state",
            sa.Enum(*STATES, native_enum=False, create_constraint=True, length=16, name="state"),
            server_default="pending",
            nullable=False,
        ),
        sa.Column("next_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("sending", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("tries", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("failures", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status", sa.BigInteger(), nullable=True),
        sa.Column("problem", sa.String(400), nullable=True),
        sa.Column("excerpt", sa.String(1000), nullable=True),
        sa.CheckConstraint("state = 'pending' OR NOT sending", name=op.f("ck_webhook_delivery_sent_while_pending")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["webhook.user_id"], name=op.f("fk_webhook_delivery_user_id_webhook"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["notice_id"], ["notice.id"], name=op.f("fk_webhook_delivery_notice_id_notice"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_delivery")),
    )
    op.create_index("ix_webhook_delivery_user_id", "webhook_delivery", ["user_id", "id"])
    op.create_index(
        "ix_webhook_delivery_notice_id",
        "webhook_delivery",
        ["notice_id"],
        postgresql_where=sa.text("notice_id IS NOT NULL"),
    )
    op.create_index(
        "ix_webhook_delivery_next_at", "webhook_delivery", ["next_at"], postgresql_where=sa.text("state = 'pending'")
    )
    op.create_index("ix_webhook_delivery_at", "webhook_delivery", ["at"])


def downgrade() -> None:
    op.drop_table("webhook_delivery")
    op.drop_table("webhook")
    op.execute("DELETE FROM notice WHERE kind = 'webhook'")
    _notices_are(KINDS, "kind = 'duel'")
