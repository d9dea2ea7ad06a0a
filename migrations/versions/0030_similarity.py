"""similarity reports of classes"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number, time = sa.BigInteger(), sa.DateTime(timezone=True)
    op.create_table(
        "similarity_report",
        sa.Column("id", number, sa.Identity(always=True), nullable=False),
        sa.Column("class_id", number, nullable=False),
        sa.Column("assignment_id", number, nullable=True),
        sa.Column("earlier", JSONB(), server_default="[]", nullable=False),
        sa.Column("state", sa.String(16), server_default="queued", nullable=False),
        sa.Column("done", number, server_default="0", nullable=False),
        sa.Column("total", number, server_default="0", nullable=False),
        sa.Column("attempts", number, server_default="0", nullable=False),
        sa.Column("token", sa.Uuid(), nullable=True),
        sa.Column("lease_until", time, nullable=True),
        sa.Column("problem", sa.String(400), nullable=True),
        sa.Column("sources", JSONB(), server_default="[]", nullable=False),
        sa.Column("pairs", JSONB(), server_default="[]", nullable=False),
        sa.Column("created_at", time, server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", time, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_similarity_report")),
        sa.ForeignKeyConstraint(
            ["class_id"], ["class.id"], name=op.f("fk_similarity_report_class_id_class"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["assignment_id"],
            ["assignment.id"],
            name=op.f("fk_similarity_report_assignment_id_assignment"),
            ondelete="CASCADE",
        ),
        sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name=op.f("ck_similarity_report_state")),
        sa.CheckConstraint(
            "(state = 'failed') = (problem IS NOT NULL)", name=op.f("ck_similarity_report_failure_is_explained")
        ),
        sa.CheckConstraint(
            "(state = 'running') = (token IS NOT NULL AND lease_until IS NOT NULL)",
            name=op.f("ck_similarity_report_leased"),
        ),
        sa.CheckConstraint(
            "(state IN ('done', 'failed')) = (finished_at IS NOT NULL)", name=op.f("ck_similarity_report_ends")
        ),
    )
    op.create_index(
        "uq_similarity_report_unfinished",
        "similarity_report",
        ["class_id"],
        unique=True,
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )
    op.create_index("ix_similarity_report_class_id", "similarity_report", ["class_id", "id"])
    op.create_index(
        "ix_similarity_report_assignment_id",
        "similarity_report",
        ["assignment_id"],
        postgresql_where=sa.text("assignment_id IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_table("similarity_report")
