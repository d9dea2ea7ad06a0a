"""standings know what their code was, also once it is deleted"""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("standing", sa.Column("code_sha256", sa.String(64), nullable=True))
    op.execute(
        "UPDATE standing SET code_sha256 = submission.source_sha256 FROM submission "
        "WHERE submission.id = standing.submission_id"
    )
    op.create_index("ix_standing_code_sha256", "standing", ["code_sha256"])


def downgrade() -> None:
    op.drop_index("ix_standing_code_sha256", "standing")
    op.drop_column("standing", "code_sha256")
