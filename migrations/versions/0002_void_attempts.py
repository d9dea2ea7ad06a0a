"""attempts that do not count, a pause before the next one, and how much the workers' machines have to do"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "void_attempt",
        sa.Column("match_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.CheckConstraint("attempt > 0", name=op.f("ck_void_attempt_counts_from_one")),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name=op.f("fk_void_attempt_match_id_match"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", "attempt", name=op.f("pk_void_attempt")),
    )
    op.add_column("job", sa.Column("not_before", sa.DateTime(timezone=True), nullable=True))
    op.add_column("worker", sa.Column("late_s", sa.Double(), server_default="0", nullable=False))
    op.add_column("worker", sa.Column("cpu_wait", sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column("worker", "cpu_wait")
    op.drop_column("worker", "late_s")
    op.drop_column("job", "not_before")
    op.drop_table("void_attempt")
