"""match counts: kept, in place of counting a million rows for each look at a game"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "match_count",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("part", sa.SmallInteger(), nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game", "part", name=op.f("pk_match_count")),
    )
    op.execute(
        "INSERT INTO match_count (game, part, matches) SELECT game, 0, count(*) FROM match "
        "WHERE state = 'done' AND kind NOT IN ('practice', 'duel') GROUP BY game"
    )


def downgrade() -> None:
    op.drop_table("match_count")
