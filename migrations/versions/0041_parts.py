"""which parts of the arena are up besides the workers, and whether they keep ending"""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "part",
        sa.Column("name", sa.String(20), primary_key=True),
        sa.Column("host", sa.String(100), primary_key=True),
        sa.Column("starts", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("problem", sa.String(300), nullable=True),
    )


def downgrade() -> None:
    op.drop_table("part")
