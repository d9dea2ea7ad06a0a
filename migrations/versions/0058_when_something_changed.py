"""changes are noted with the moment at which they come, not with that at which their transaction began"""

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.alter_column("change", "at", server_default=sa.text("clock_timestamp()"))


def downgrade() -> None:
    op.alter_column("change", "at", server_default=sa.text("now()"))
