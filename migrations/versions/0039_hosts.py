"""hosts elsewhere that workers join from; versions of toolchains, and how far clocks are off"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "host",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("secret_sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.String(length=40), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host")),
        sa.UniqueConstraint("name", name=op.f("uq_host_name")),
        sa.UniqueConstraint("secret_sha256", name=op.f("uq_host_secret_sha256")),
    )
    op.add_column("worker", sa.Column("host_id", sa.BigInteger(), nullable=True))
    op.add_column(
        "worker",
        sa.Column("toolchains", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
    )
    op.add_column("worker", sa.Column("clock_off_s", sa.Float(), server_default="0", nullable=False))
    op.create_foreign_key(op.f("fk_worker_host_id_host"), "worker", "host", ["host_id"], ["id"], ondelete="CASCADE")
    op.create_index("ix_worker_host_id", "worker", ["host_id"])
    op.add_column("result", sa.Column("toolchains", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("result", "toolchains")
    op.drop_index("ix_worker_host_id", "worker")
    op.drop_constraint(op.f("fk_worker_host_id_host"), "worker", type_="foreignkey")
    op.drop_column("worker", "clock_off_s")
    op.drop_column("worker", "toolchains")
    op.drop_column("worker", "host_id")
    op.drop_table("host")
