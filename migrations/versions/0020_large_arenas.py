"""large arenas: indexes for boards at a date and for a bot's tallies; the fit of large ladders, kept"""

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
    op.create_index("ix_pair_tally_second_id", "pair_tally", ["second_id"])
    op.create_table(
        "ladder_fit",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("arrays", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["ladder.game"], name=op.f("fk_ladder_fit_game_ladder"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game", name=op.f("pk_ladder_fit")),
    )


def downgrade() -> None:
    op.drop_table("ladder_fit")
    op.drop_index("ix_pair_tally_second_id", "pair_tally")
    op.drop_index("ix_standing_history_submission_id_at", "standing_history")
