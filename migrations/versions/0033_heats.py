"""heats: rows of `event_pairing` without a first and a second entry, whose entries are in a table of their own

Pairings stay as they are.
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for column in ("first_id", "second_id"):
        op.alter_column("event_pairing", column, existing_type=sa.BigInteger(), nullable=True)
    op.create_check_constraint(
        op.f("ck_event_pairing_a_pair_or_a_heat"), "event_pairing", "(first_id IS NULL) = (second_id IS NULL)"
    )
    _done("first_id IS NULL OR (state = 'done') = (first IS NOT NULL)")
    op.create_table(
        "event_heat_entry",
        sa.Column("pairing_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        sa.Column("entry_id", sa.BigInteger(), nullable=False),
        sa.Column("points", sa.BigInteger()),
        sa.Column("wins", sa.BigInteger()),
        sa.PrimaryKeyConstraint("pairing_id", "position", name=op.f("pk_event_heat_entry")),
        sa.ForeignKeyConstraint(
            ["pairing_id"],
            ["event_pairing.id"],
            name=op.f("fk_event_heat_entry_pairing_id_event_pairing"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["entry_id"], ["event_entry.id"], name=op.f("fk_event_heat_entry_entry_id_event_entry")
        ),
        sa.UniqueConstraint("pairing_id", "entry_id", name=op.f("uq_event_heat_entry_pairing_id_entry_id")),
        sa.CheckConstraint("(points IS NULL) = (wins IS NULL)", name=op.f("ck_event_heat_entry_counted_together")),
        sa.CheckConstraint("position >= 0", name=op.f("ck_event_heat_entry_counts_from_zero")),
    )
    op.create_index("ix_event_heat_entry_entry_id", "event_heat_entry", ["entry_id"])


def _done(means: str) -> None:
    op.drop_constraint(op.f("ck_event_pairing_done_has_an_outcome"), "event_pairing", type_="check")
    op.create_check_constraint(op.f("ck_event_pairing_done_has_an_outcome"), "event_pairing", means)


def downgrade() -> None:
    # An older version can read no event that has heats, be they played or not.
    op.execute(
        "DELETE FROM match USING event_pairing, event WHERE event_pairing.id = match.pairing_id"
        """ AND event.id = event_pairing.event_id AND event.stages @> '[{"form": "heats"}]'"""
    )
    op.drop_table("event_heat_entry")
    op.execute("""DELETE FROM event WHERE stages @> '[{"form": "heats"}]'""")
    _done("(state = 'done') = (first IS NOT NULL)")
    op.drop_constraint(op.f("ck_event_pairing_a_pair_or_a_heat"), "event_pairing", type_="check")
    for column in ("first_id", "second_id"):
        op.alter_column("event_pairing", column, existing_type=sa.BigInteger(), nullable=False)
