"""jobs whose slot is wanted for somebody who holds none"""

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("job", sa.Column("slot_wanted", sa.Boolean(), server_default="false", nullable=False))


def downgrade() -> None:
    op.drop_column("job", "slot_wanted")
