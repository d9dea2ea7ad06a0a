"""events: lists of those who may enter, organisers of one event, how sure the ratings were at the deadline"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("event", sa.Column("listed", postgresql.JSONB(none_as_null=True), nullable=True))
    op.create_check_constraint(op.f("ck_event_code_or_list"), "event", "code_sha256 IS NULL OR listed IS NULL")
    op.add_column("event_entry", sa.Column("deviation", sa.Float(), nullable=True))
    op.create_table(
        "event_organiser",
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_event_organiser_event_id_event"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_event_organiser_user_id_user"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", "user_id", name=op.f("pk_event_organiser")),
    )
    op.create_index("ix_event_organiser_user_id", "event_organiser", ["user_id"])


def downgrade() -> None:
    op.drop_table("event_organiser")
    op.drop_column("event_entry", "deviation")
    op.drop_constraint(op.f("ck_event_code_or_list"), "event", type_="check")
    op.drop_column("event", "listed")
