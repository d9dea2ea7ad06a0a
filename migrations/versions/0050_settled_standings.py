"""standings that refits leave as they are, since they left the ladder before the season began"""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("standing", sa.Column("settled", sa.Boolean(), server_default="false", nullable=False))


def downgrade() -> None:
    op.drop_column("standing", "settled")
