"""board at a date: an index from which the last line of each version is read"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_standing_history_submission_id_at",
        "standing_history",
        ["submission_id", sa.text("at DESC"), sa.text("id DESC")],
        postgresql_include=["league", "rating", "live"],
    )


def downgrade() -> None:
    op.drop_index("ix_standing_history_submission_id_at", "standing_history")
