"""when a duel goes on whose user used up the CPU time of a day"""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("duel", sa.Column("paused_until", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("duel", "paused_until")
