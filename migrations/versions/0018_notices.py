"""notices: what happened to users' bots and duels"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0016"
branch_labels = None
depends_on = None

KINDS = ("promoted", "demoted", "overtaken", "disabled", "failed", "duel")


def upgrade() -> None:
    op.create_table(
        "notice",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column(
            "kind", sa.Enum(*KINDS, native_enum=False, create_constraint=True, length=16, name="kind"), nullable=False
        ),
        sa.Column("seen", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("submission_id", sa.BigInteger(), nullable=True),
        sa.Column("other_id", sa.BigInteger(), nullable=True),
        sa.Column("duel_id", sa.BigInteger(), nullable=True),
        sa.Column("league", sa.String(40), nullable=True),
        sa.Column("place", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("(kind = 'duel') = (duel_id IS NOT NULL)", name=op.f("ck_notice_of_a_duel")),
        sa.CheckConstraint("(kind = 'duel') = (submission_id IS NULL)", name=op.f("ck_notice_of_a_submission")),
        sa.CheckConstraint(
            "(kind = 'overtaken') = (other_id IS NOT NULL AND place IS NOT NULL)", name=op.f("ck_notice_overtaken_by")
        ),
        sa.CheckConstraint(
            "(kind IN ('promoted', 'demoted')) = (league IS NOT NULL)", name=op.f("ck_notice_entered_a_league")
        ),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_notice_{column}_{table}"), ondelete="CASCADE"
            )
            for column, table in (
                ("user_id", "user"),
                ("submission_id", "submission"),
                ("other_id", "submission"),
                ("duel_id", "duel"),
            )
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice")),
    )
    op.create_index("ix_notice_user_id", "notice", ["user_id", "id"])
    for column in ("submission_id", "other_id", "duel_id"):
        op.create_index(f"ix_notice_{column}", "notice", [column], postgresql_where=sa.text(f"{column} IS NOT NULL"))
    op.create_index("ix_notice_at", "notice", ["at"])


def downgrade() -> None:
    op.drop_table("notice")
