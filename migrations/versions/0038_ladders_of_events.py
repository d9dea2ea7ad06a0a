"""ladders of events: matches among the entrants of an event that is open, and how they stand"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

KINDS = ("practice", "check", "duel", "event", "event ladder", "marking", "placement", "promotion", "ladder")
OLD_KINDS = tuple(kind for kind in KINDS if kind != "event ladder")


def upgrade() -> None:
    _allow(KINDS)
    # Events that are there keep what they were announced with: no ladder.
    op.add_column("event", sa.Column("ladder", sa.Boolean(), nullable=False, server_default="false"))
    op.add_column("event", sa.Column("ladder_stamp", sa.String(64)))
    op.add_column("match", sa.Column("event_id", sa.BigInteger()))
    op.create_foreign_key(op.f("fk_match_event_id_event"), "match", "event", ["event_id"], ["id"])
    op.create_check_constraint(
        op.f("ck_match_of_an_events_ladder"), "match", "(kind = 'event ladder') = (event_id IS NOT NULL)"
    )
    of_event = sa.text("event_id IS NOT NULL")
    op.create_index("ix_match_event_id", "match", ["event_id", "state", "id"], postgresql_where=of_event)
    _standings()


def _allow(kinds: tuple[str, ...]) -> None:
    op.drop_constraint(op.f("ck_match_kind"), "match", type_="check")
    op.create_check_constraint(op.f("ck_match_kind"), "match", f"kind IN ({', '.join(map(repr, kinds))})")


def _standings() -> None:
    op.create_table(
        "event_standing",
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("submission_id", sa.BigInteger(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("games", "wins", "draws", "losses")),
        sa.CheckConstraint("games = wins + draws + losses", name=op.f("ck_event_standing_counts")),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_event_standing_event_id_event"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_event_standing_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("event_id", "submission_id", name=op.f("pk_event_standing")),
    )
    op.create_index("ix_event_standing_submission_id", "event_standing", ["submission_id"])


def downgrade() -> None:
    op.drop_table("event_standing")
    of_ladders = "SELECT id FROM match WHERE kind = 'event ladder'"
    for table in ("job", "void_attempt", "seat_result", "result", "match_seat"):
        op.execute(f"DELETE FROM {table} WHERE match_id IN ({of_ladders})")  # noqa: S608 - fixed names
    op.execute("DELETE FROM match WHERE kind = 'event ladder'")
    op.drop_column("match", "event_id")
    op.drop_column("event", "ladder_stamp")
    op.drop_column("event", "ladder")
    _allow(OLD_KINDS)
