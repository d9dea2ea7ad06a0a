"""workers tell how much room their disks have"""

import sqlalchemy as sa
from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("worker", sa.Column("disk_free_bytes", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("worker", "disk_free_bytes")
