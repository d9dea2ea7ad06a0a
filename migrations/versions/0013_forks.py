"""forks: matches that play on from a turn of another one"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("match", sa.Column("fork_of", sa.BigInteger(), nullable=True))
    op.add_column("match", sa.Column("fork_turn", sa.SmallInteger(), nullable=True))
    op.create_check_constraint(op.f("ck_match_forked_at_a_turn"), "match", "(fork_of IS NULL) = (fork_turn IS NULL)")


def downgrade() -> None:
    op.drop_constraint(op.f("ck_match_forked_at_a_turn"), "match", type_="check")
    op.drop_column("match", "fork_turn")
    op.drop_column("match", "fork_of")
