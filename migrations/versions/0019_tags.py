"""tags: short names for versions"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submission", sa.Column("tag", sa.String(24), nullable=True))
    op.create_check_constraint(op.f("ck_submission_tagged"), "submission", "tag <> ''")
    op.create_index(
        "uq_submission_tag",
        "submission",
        ["bot_id", sa.text("lower(tag)")],
        unique=True,
        postgresql_where=sa.text("tag IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("uq_submission_tag", "submission")
    op.drop_constraint(op.f("ck_submission_tagged"), "submission", type_="check")
    op.drop_column("submission", "tag")
