"""the store of replays that belongs to this database, and how far old ones were deleted"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "arena_identity",
        sa.Column("one", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("id", sa.String(36), nullable=False),
        sa.CheckConstraint("one", name=op.f("ck_arena_identity_one_row")),
        sa.PrimaryKeyConstraint("one", name=op.f("pk_arena_identity")),
    )
    op.create_table(
        "retention",
        sa.Column("rule", sa.String(20), nullable=False),
        sa.Column("match_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("rule", name=op.f("pk_retention")),
    )


def downgrade() -> None:
    op.drop_table("retention")
    op.drop_table("arena_identity")
