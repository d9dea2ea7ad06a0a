"""match filters: an index for each way to look for matches"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

ENDING = "regexp_replace(reason, '(seat|team) [0-9]+(''s)? ', '', 'g')"


def upgrade() -> None:
    op.create_index("ix_match_kind_id", "match", ["kind", "id"])
    op.create_index("ix_match_game_kind_id", "match", ["game", "kind", "id"])
    op.create_index("ix_match_seed_id", "match", ["seed", "id"])
    op.create_index("ix_match_created_at", "match", ["created_at"])
    op.create_index("ix_result_ending", "result", [sa.text(ENDING), "match_id"])
    op.create_index(
        "ix_seat_result_fault", "seat_result", ["fault", "match_id"], postgresql_where=sa.text("fault IS NOT NULL")
    )


def downgrade() -> None:
    op.drop_index("ix_seat_result_fault", "seat_result")
    op.drop_index("ix_result_ending", "result")
    for name in ("created_at", "seed_id", "game_kind_id", "kind_id"):
        op.drop_index(f"ix_match_{name}", "match")
