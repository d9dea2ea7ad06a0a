"""a submission's check match, which was looked for among all of its matches"""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submission", sa.Column("check_match_id", sa.BigInteger()))
    op.execute(
        "UPDATE submission SET check_match_id = newest.match_id FROM ("
        "SELECT match_seat.submission_id, max(match.id) AS match_id FROM match "
        "JOIN match_seat ON match_seat.match_id = match.id AND match_seat.seat = 0 "
        "WHERE match.kind = 'check' GROUP BY match_seat.submission_id"
        ") newest WHERE newest.submission_id = submission.id"
    )


def downgrade() -> None:
    op.drop_column("submission", "check_match_id")
