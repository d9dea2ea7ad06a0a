"""whose rating a match changed, so that the matches that moved a bot most are found by an index"""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seat_result", sa.Column("submission_id", sa.BigInteger()))
    op.execute(
        "UPDATE seat_result SET submission_id = match_seat.submission_id FROM match_seat "
        "WHERE match_seat.match_id = seat_result.match_id AND match_seat.seat = seat_result.seat "
        "AND seat_result.rating_change IS NOT NULL"
    )
    op.create_check_constraint(
        op.f("ck_seat_result_change_of_a_submission"),
        "seat_result",
        "(rating_change IS NULL) = (submission_id IS NULL)",
    )
    op.create_index(
        "ix_seat_result_submission_id_change",
        "seat_result",
        ["submission_id", sa.text("abs(rating_change) DESC"), "match_id"],
        postgresql_where=sa.text("rating_change IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_seat_result_submission_id_change", "seat_result")
    op.drop_constraint(op.f("ck_seat_result_change_of_a_submission"), "seat_result")
    op.drop_column("seat_result", "submission_id")
