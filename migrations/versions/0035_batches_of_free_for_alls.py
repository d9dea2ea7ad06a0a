"""batches of free-for-alls: which of the bots in a match are its opponents"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("batch", sa.Column("opponents", JSONB(), server_default="[]", nullable=False))


def downgrade() -> None:
    op.drop_column("batch", "opponents")
