"""lessons: who tried which, with which draft"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "lesson_attempt",
        sa.Column("submission_id", sa.BigInteger(), nullable=False),
        sa.Column("lesson", sa.SmallInteger(), nullable=False),
        sa.CheckConstraint("lesson > 0", name=op.f("ck_lesson_attempt_lesson_counts_from_one")),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submission.id"],
            name=op.f("fk_lesson_attempt_submission_id_submission"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_lesson_attempt")),
    )


def downgrade() -> None:
    op.drop_table("lesson_attempt")
