"""seasons of ladders"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number, time, real = sa.BigInteger(), sa.DateTime(timezone=True), sa.Float()
    op.create_table(
        "season",
        sa.Column("id", number, sa.Identity(always=True), nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("number", number, nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("after_match_id", number, nullable=False),
        sa.Column("started_at", time, nullable=False),
        sa.Column("ended_at", time, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_season")),
        sa.ForeignKeyConstraint(["game"], ["ladder.game"], name=op.f("fk_season_game_ladder"), ondelete="CASCADE"),
        sa.UniqueConstraint("game", "number", name=op.f("uq_season_game_number")),
        sa.CheckConstraint("number > 0", name=op.f("ck_season_counts_from_one")),
        sa.CheckConstraint("ended_at >= started_at", name=op.f("ck_season_ends_later")),
    )
    op.create_index("uq_season_current", "season", ["game"], unique=True, postgresql_where=sa.text("ended_at IS NULL"))
    op.create_table(
        "season_standing",
        sa.Column("season_id", number, nullable=False),
        sa.Column("submission_id", number, nullable=False),
        sa.Column("rank", number, nullable=True),
        sa.Column("rating", real, nullable=False),
        sa.Column("deviation", real, nullable=False),
        sa.Column("games", number, nullable=False),
        sa.Column("wins", number, nullable=False),
        sa.Column("draws", number, nullable=False),
        sa.Column("losses", number, nullable=False),
        sa.Column("league", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("season_id", "submission_id", name=op.f("pk_season_standing")),
        sa.ForeignKeyConstraint(
            ["season_id"], ["season.id"], name=op.f("fk_season_standing_season_id_season"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_season_standing_submission_id_submission")
        ),
        sa.CheckConstraint("games = wins + draws + losses", name=op.f("ck_season_standing_games_add_up")),
    )
    op.create_index("uq_season_standing_rank", "season_standing", ["season_id", "rank"], unique=True)
    op.create_index("ix_season_standing_submission_id", "season_standing", ["submission_id"])


def downgrade() -> None:
    op.drop_table("season_standing")
    op.drop_table("season")
