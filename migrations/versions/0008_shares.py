"""shares: whom a match is counted for, what each used, which matches sleep, and the network of a guest"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "usage",
        sa.Column("share", sa.String(length=40), nullable=False),
        sa.Column("minute", sa.DateTime(timezone=True), nullable=False),
        sa.Column("slot_s", sa.Double(), nullable=False),
        sa.Column("cpu_s", sa.Double(), nullable=False),
        sa.CheckConstraint("slot_s >= 0 AND cpu_s >= 0", name=op.f("ck_usage_seconds")),
        sa.PrimaryKeyConstraint("share", "minute", name=op.f("pk_usage")),
    )
    op.create_index("ix_usage_minute", "usage", ["minute"])
    op.add_column("user", sa.Column("network", sa.String(length=32), nullable=True))
    op.create_index("ix_user_network", "user", ["network"], postgresql_where=sa.text("network IS NOT NULL"))
    op.add_column("job", sa.Column("share", sa.String(length=40), nullable=True))
    op.add_column("job", sa.Column("asleep", sa.Boolean(), server_default="false", nullable=False))
    op.create_index("ix_job_share", "job", ["share"], postgresql_where=sa.text("share IS NOT NULL"))
    op.add_column("worker", sa.Column("spare", sa.SmallInteger(), server_default="0", nullable=False))
    op.execute(
        "UPDATE job SET share = 'u:' || coalesce(match.requested_by_id, duel.requested_by_id)"
        " FROM match LEFT JOIN duel ON duel.id = match.duel_id WHERE match.id = job.match_id"
    )


def downgrade() -> None:
    op.drop_column("worker", "spare")
    op.drop_index("ix_job_share", "job")
    op.drop_column("job", "asleep")
    op.drop_column("job", "share")
    op.drop_index("ix_user_network", "user")
    op.drop_column("user", "network")
    op.drop_table("usage")
