"""room for zips of several source files"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_constraint(op.f("ck_source_size"), "source")
    op.create_check_constraint(op.f("ck_source_size"), "source", "octet_length(body) <= 1200000")


def downgrade() -> None:
    # What is larger stays: a submission is never lost, and old code only cannot build it.
    op.drop_constraint(op.f("ck_source_size"), "source")
    op.execute("ALTER TABLE source ADD CONSTRAINT ck_source_size CHECK (octet_length(body) <= 100000) NOT VALID")
