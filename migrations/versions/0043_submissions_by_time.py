"""which versions there were at a time, for the board as it was then"""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_submission_game_created_at",
        "submission",
        ["game", "created_at"],
        postgresql_include=["id"],
        postgresql_where=sa.text("bot_id IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_submission_game_created_at", "submission")
