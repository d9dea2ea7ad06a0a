"""quotas of events: versions a day, and the largest source"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("versions_a_day", "source_bytes"):
        op.add_column("event", sa.Column(name, sa.BigInteger()))
        op.create_check_constraint(op.f(f"ck_event_{name}"), "event", f"{name} > 0")


def downgrade() -> None:
    for name in ("source_bytes", "versions_a_day"):
        op.drop_constraint(op.f(f"ck_event_{name}"), "event", type_="check")
        op.drop_column("event", name)
