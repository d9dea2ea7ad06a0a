"""the board of each day, so that the board at any time is read from one of them and the lines of a day

Those of days that are over are made by the dispatcher.
"""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "daily_board",
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lines", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["ladder.game"], name=op.f("fk_daily_board_game_ladder"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game", "at", name=op.f("pk_daily_board")),
    )


def downgrade() -> None:
    op.drop_table("daily_board")
