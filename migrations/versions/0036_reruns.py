"""reruns: matches that are played in place of another one, for a reason"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("match", sa.Column("rerun_of", sa.BigInteger()))
    op.add_column("match", sa.Column("rerun_reason", sa.String(400)))
    op.create_foreign_key(op.f("fk_match_rerun_of_match"), "match", "match", ["rerun_of"], ["id"])
    op.create_check_constraint(
        op.f("ck_match_reruns_have_reasons"), "match", "(rerun_of IS NULL) = (rerun_reason IS NULL)"
    )
    op.create_check_constraint(op.f("ck_match_rerun_of_an_earlier_one"), "match", "rerun_of < id")
    op.create_index(
        "uq_match_rerun_of", "match", ["rerun_of"], unique=True, postgresql_where=sa.text("rerun_of IS NOT NULL")
    )


def downgrade() -> None:
    op.drop_column("match", "rerun_reason")
    op.drop_column("match", "rerun_of")
