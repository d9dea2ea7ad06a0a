"""matches that a rule of retention passed, since they could not be deleted yet"""

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "retention_passed",
        sa.Column("rule", sa.String(20), nullable=False),
        sa.Column("match_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("rule", "match_id", name=op.f("pk_retention_passed")),
    )


def downgrade() -> None:
    op.drop_table("retention_passed")
