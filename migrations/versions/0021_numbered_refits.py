"""numbered refits: a process that remembers a ladder asks only for the tallies that are new to it"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("refits", "recount"):
        op.add_column("ladder", sa.Column(name, sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("pair_tally", sa.Column("refit", sa.BigInteger(), server_default="0", nullable=False))
    op.drop_index("ix_pair_tally_game", "pair_tally")
    op.create_index("ix_pair_tally_game_refit", "pair_tally", ["game", "refit"])


def downgrade() -> None:
    op.drop_index("ix_pair_tally_game_refit", "pair_tally")
    op.create_index("ix_pair_tally_game", "pair_tally", ["game"])
    op.drop_column("pair_tally", "refit")
    for name in ("recount", "refits"):
        op.drop_column("ladder", name)
