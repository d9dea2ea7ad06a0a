"""batches: the code in the editor against several bots"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "batch",
        sa.Column("submission_id", sa.BigInteger(), nullable=False),
        sa.Column("seeds", sa.SmallInteger(), nullable=False),
        sa.CheckConstraint("seeds > 0", name=op.f("ck_batch_has_seeds")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_batch_submission_id_submission"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_batch")),
    )


def downgrade() -> None:
    op.drop_table("batch")
