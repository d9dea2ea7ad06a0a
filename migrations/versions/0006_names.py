"""names: candidate and baseline of a duel; a standing's competitor, and its consecutive faults"""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

COLUMNS = (
    ("standing", "node_id", "competitor_id"),
    ("standing", "faults_running", "consecutive_faults"),
    ("duel", "one_id", "candidate_id"),
    ("duel", "other_id", "baseline_id"),
)
CONSTRAINTS = (
    ("standing", "fk_standing_node_id_game_submission", "fk_standing_competitor_id_game_submission"),
    ("duel", "fk_duel_one_id_game_submission", "fk_duel_candidate_id_game_submission"),
    ("duel", "fk_duel_other_id_game_submission", "fk_duel_baseline_id_game_submission"),
)
INDEXES = (("ix_standing_node_id", "ix_standing_competitor_id"),)


def upgrade() -> None:
    for table, old, new in COLUMNS:
        op.alter_column(table, old, new_column_name=new)
    for table, old, new in CONSTRAINTS:
        op.execute(f"ALTER TABLE {table} RENAME CONSTRAINT {old} TO {new}")
    for old, new in INDEXES:
        op.execute(f"ALTER INDEX {old} RENAME TO {new}")


def downgrade() -> None:
    for old, new in INDEXES:
        op.execute(f"ALTER INDEX {new} RENAME TO {old}")
    for table, old, new in CONSTRAINTS:
        op.execute(f"ALTER TABLE {table} RENAME CONSTRAINT {new} TO {old}")
    for table, old, new in COLUMNS:
        op.alter_column(table, new, new_column_name=old)
