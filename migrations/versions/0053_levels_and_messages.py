"""ladders know the level of the rules whose results they count; what a bot only says makes no other match"""

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Where it is unknown, the next start counts all results again (`submissions.seeding`).
    op.add_column("ladder", sa.Column("level", sa.BigInteger(), nullable=True))
    # The digests that are there keep their meaning: they are those of whole records.
    op.add_column("result", sa.Column("record_digest", sa.String(64), nullable=True))


def downgrade() -> None:
    op.execute("UPDATE result SET digest = record_digest WHERE record_digest IS NOT NULL")
    op.drop_column("result", "record_digest")
    op.drop_column("ladder", "level")
