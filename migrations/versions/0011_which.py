"""which: duels that only ask which of two versions to choose"""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

CHECKS = {
    "preset": ("preset IN ('quick', 'normal', 'fine')", "preset IN ('quick', 'normal', 'fine', 'which')"),
    "verdict": (
        "verdict IN ('stronger', 'not stronger', 'open')",
        "verdict IN ('stronger', 'not stronger', 'weaker', 'open')",
    ),
}


def upgrade() -> None:
    for column, (_, new) in CHECKS.items():
        op.drop_constraint(op.f(f"ck_duel_{column}"), "duel")
        op.create_check_constraint(op.f(f"ck_duel_{column}"), "duel", new)


def downgrade() -> None:
    op.execute("DELETE FROM match WHERE duel_id IN (SELECT id FROM duel WHERE preset = 'which')")
    op.execute("DELETE FROM duel WHERE preset = 'which'")
    for column, (old, _) in CHECKS.items():
        op.drop_constraint(op.f(f"ck_duel_{column}"), "duel")
        op.create_check_constraint(op.f(f"ck_duel_{column}"), "duel", old)
