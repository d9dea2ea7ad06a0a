"""the stage in which an entrant of an event goes out"""

import sqlalchemy as sa
from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Unknown of those who are out already: finals that have begun go on as they would have.
    op.add_column("event_entry", sa.Column("out_stage", sa.SmallInteger(), nullable=True))
    op.create_check_constraint(
        op.f("ck_event_entry_out_in_a_stage"), "event_entry", "out_stage IS NULL OR state = 'out'"
    )


def downgrade() -> None:
    op.drop_column("event_entry", "out_stage")
