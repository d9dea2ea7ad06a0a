"""duels: one version against another until a sequential test decides"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "duel",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("requested_by_id", sa.BigInteger(), nullable=False),
        sa.Column("one_id", sa.BigInteger(), nullable=False),
        sa.Column("other_id", sa.BigInteger(), nullable=False),
        sa.Column("league", sa.SmallInteger(), nullable=False),
        sa.Column("preset", sa.String(length=16), nullable=False),
        sa.Column("paired", sa.Boolean(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("most_games", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=16), server_default="running", nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=True),
        sa.Column("counts", JSONB(), nullable=False),
        sa.Column("trials", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("wins", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("draws", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("losses", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("digests", JSONB(), server_default="[]", nullable=False),
        sa.Column("void_reason", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('running', 'done', 'cancelled', 'void')", name=op.f("ck_duel_state")),
        sa.CheckConstraint("one_id <> other_id", name=op.f("ck_duel_of_two")),
        sa.CheckConstraint("preset IN ('quick', 'normal', 'fine')", name=op.f("ck_duel_preset")),
        sa.CheckConstraint(
            "most_games BETWEEN 1 AND 2000 AND NOT (paired AND most_games % 2 = 1)", name=op.f("ck_duel_most_games")
        ),
        sa.CheckConstraint("verdict IN ('stronger', 'not stronger', 'open')", name=op.f("ck_duel_verdict")),
        sa.CheckConstraint("(state = 'done') = (verdict IS NOT NULL)", name=op.f("ck_duel_done_has_a_verdict")),
        sa.CheckConstraint("(state = 'void') = (void_reason IS NOT NULL)", name=op.f("ck_duel_void_is_explained")),
        sa.CheckConstraint("(state = 'running') = (finished_at IS NULL)", name=op.f("ck_duel_over_has_an_end")),
        sa.CheckConstraint(
            "jsonb_array_length(counts) = CASE WHEN paired THEN 5 ELSE 3 END", name=op.f("ck_duel_counts")
        ),
        sa.CheckConstraint(
            "wins >= 0 AND draws >= 0 AND losses >= 0"
            " AND wins + draws + losses = trials * CASE WHEN paired THEN 2 ELSE 1 END"
            " AND wins + draws + losses <= most_games",
            name=op.f("ck_duel_games_add_up"),
        ),
        sa.ForeignKeyConstraint(["requested_by_id"], ["user.id"], name=op.f("fk_duel_requested_by_id_user")),
        sa.ForeignKeyConstraint(
            ["one_id", "game"], ["submission.id", "submission.game"], name=op.f("fk_duel_one_id_game_submission")
        ),
        sa.ForeignKeyConstraint(
            ["other_id", "game"], ["submission.id", "submission.game"], name=op.f("fk_duel_other_id_game_submission")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_duel")),
        sa.UniqueConstraint("id", "game", name=op.f("uq_duel_id_game")),
    )
    op.create_index("ix_duel_running", "duel", ["id"], postgresql_where=sa.text("state = 'running'"))
    op.create_index("ix_duel_requested_by_id", "duel", ["requested_by_id", "id"])
    op.create_index("ix_duel_game_id", "duel", ["game", "id"])
    op.add_column("result", sa.Column("digest", sa.String(length=64), nullable=True))
    op.add_column("match", sa.Column("duel_id", sa.BigInteger(), nullable=True))
    op.add_column("match", sa.Column("duel_game", sa.SmallInteger(), nullable=True))
    op.create_foreign_key(op.f("fk_match_duel_id_game_duel"), "match", "duel", ["duel_id", "game"], ["id", "game"])
    checks = {
        "of_a_duel": "(kind = 'duel') = (duel_id IS NOT NULL)",
        "numbered_in_its_duel": "(duel_id IS NULL) = (duel_game IS NULL)",
        "duel_game_counts_from_zero": "duel_game >= 0",
    }
    for name, condition in checks.items():
        op.create_check_constraint(op.f(f"ck_match_{name}"), "match", condition)
    in_duel = "duel_id IS NOT NULL"
    op.create_index("ix_match_duel_id", "match", ["duel_id", "duel_game"], postgresql_where=sa.text(in_duel))
    op.create_index(
        "uq_match_duel_id",
        "match",
        ["duel_id", "duel_game"],
        unique=True,
        postgresql_where=sa.text(f"{in_duel} AND state <> 'void'"),
    )


def downgrade() -> None:
    # Without their duel they would say nothing.
    op.execute("DELETE FROM match WHERE kind = 'duel'")
    op.drop_column("match", "duel_game")
    op.drop_column("match", "duel_id")
    op.drop_table("duel")
    op.drop_column("result", "digest")
