"""places in matches of more than two, and the field of duels in such games

Ladders of games that may have such matches are counted anew at their next refit, which fills the table.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "place_count",
        sa.Column("competitor_id", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("competitor_id", "place", name=op.f("pk_place_count")),
        sa.ForeignKeyConstraint(
            ["competitor_id"],
            ["standing.submission_id"],
            name=op.f("fk_place_count_competitor_id_standing"),
            ondelete="CASCADE",
        ),
        sa.CheckConstraint("place > 0", name=op.f("ck_place_count_counts_from_one")),
    )
    op.add_column("duel", sa.Column("field", JSONB(), server_default="[]", nullable=False))
    op.execute("UPDATE ladder SET stale = true WHERE game NOT IN ('ants', 'tryangle', 'yavalath')")


def downgrade() -> None:
    op.drop_column("duel", "field")
    op.drop_table("place_count")
