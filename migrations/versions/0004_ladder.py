"""the full-history ladder: its terms, tallies, leagues and history; a rating change is what one match did by itself"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

KINDS = ("practice", "check", "duel", "placement", "promotion", "ladder")
OLD_KINDS = ("practice", "check", "placement", "ladder")
STATES = ("draft", "queued", "building", "checking", "live", "superseded", "failed", "disabled")


def _one_of(column: str, values: tuple[str, ...]) -> str:
    return f"{column} IN ({', '.join(repr(value) for value in values)})"


def _constrain(table: str, name: str, condition: str) -> None:
    op.drop_constraint(op.f(f"ck_{table}_{name}"), table, type_="check")
    op.create_check_constraint(op.f(f"ck_{table}_{name}"), table, condition)


def upgrade() -> None:
    _constrain("match", "kind", _one_of("kind", KINDS))
    _constrain("submission", "state", _one_of("state", STATES))
    _constrain("submission", "failure_is_explained", "state NOT IN ('failed', 'disabled') OR problem IS NOT NULL")
    op.alter_column("league", "boss_bot_id", nullable=True)
    _tables()
    _standings()
    op.drop_constraint(op.f("ck_seat_result_rated_or_not"), "seat_result", type_="check")
    op.alter_column("seat_result", "rating_before", new_column_name="rating")
    op.alter_column("seat_result", "rating_after", new_column_name="rating_change")
    op.execute("UPDATE seat_result SET rating_change = rating_change - rating")
    op.create_check_constraint(
        op.f("ck_seat_result_change_of_a_rating"), "seat_result", "rating_change IS NULL OR rating IS NOT NULL"
    )


def _tables() -> None:
    op.create_table(
        "ladder",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("stale", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("refitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("refit_s", sa.Double(), server_default="0", nullable=False),
        sa.Column("results", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("seat_elo", sa.Double(), server_default="0", nullable=False),
        sa.Column("draw_nu", sa.Double(), server_default="0", nullable=False),
        sa.Column("dispersion", sa.Double(), server_default="1", nullable=False),
        sa.Column("matchup_variance", sa.Double(), server_default="0", nullable=False),
        sa.Column("prior_variance", sa.Double(), server_default="3", nullable=False),
        sa.PrimaryKeyConstraint("game", name=op.f("pk_ladder")),
    )
    op.execute("INSERT INTO ladder (game) SELECT DISTINCT game FROM league")
    op.create_table(
        "pending_result",
        sa.Column("match_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name=op.f("fk_pending_result_match_id_match"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_pending_result")),
    )
    op.create_index("ix_pending_result_game", "pending_result", ["game"])
    op.create_table(
        "pair_tally",
        sa.Column("first_id", sa.BigInteger(), nullable=False),
        sa.Column("second_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("games", sa.BigInteger(), nullable=False),
        sa.Column("half_points", sa.BigInteger(), nullable=False),
        sa.Column("draws", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("first_id <> second_id", name=op.f("ck_pair_tally_of_two")),
        sa.CheckConstraint(
            "games > 0 AND half_points BETWEEN draws AND 2 * games - draws", name=op.f("ck_pair_tally_adds_up")
        ),
        sa.ForeignKeyConstraint(
            ["first_id", "game"],
            ["submission.id", "submission.game"],
            name=op.f("fk_pair_tally_first_id_game_submission"),
        ),
        sa.ForeignKeyConstraint(
            ["second_id", "game"],
            ["submission.id", "submission.game"],
            name=op.f("fk_pair_tally_second_id_game_submission"),
        ),
        sa.PrimaryKeyConstraint("first_id", "second_id", name=op.f("pk_pair_tally")),
    )
    op.create_index("ix_pair_tally_game", "pair_tally", ["game"])
    op.create_table(
        "standing_history",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("submission_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.Column("deviation", sa.Double(), nullable=False),
        sa.Column("games", sa.BigInteger(), nullable=False),
        sa.Column("wins", sa.BigInteger(), nullable=False),
        sa.Column("draws", sa.BigInteger(), nullable=False),
        sa.Column("losses", sa.BigInteger(), nullable=False),
        sa.Column("league", sa.SmallInteger(), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission_id", "game"],
            ["submission.id", "submission.game"],
            name=op.f("fk_standing_history_submission_id_game_submission"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_standing_history")),
    )
    op.create_index(
        "ix_standing_history_submission_id", "standing_history", ["submission_id", sa.literal_column("id DESC")]
    )
    op.create_index("ix_standing_history_game_at", "standing_history", ["game", "at"])


def _standings() -> None:
    op.add_column("standing", sa.Column("node_id", sa.BigInteger(), nullable=True))
    op.execute("UPDATE standing SET node_id = submission_id")
    op.alter_column("standing", "node_id", nullable=False)
    op.add_column("standing", sa.Column("parent_id", sa.BigInteger(), nullable=True))
    for column in ("node_id", "parent_id"):
        name = op.f(f"fk_standing_{column}_game_submission")
        op.create_foreign_key(name, "standing", "submission", [column, "game"], ["id", "game"])
    op.add_column("standing", sa.Column("deviation", sa.Double(), server_default="300", nullable=False))
    op.add_column("standing", sa.Column("variance", sa.Double(), server_default="3", nullable=False))
    op.add_column("standing", sa.Column("league", sa.SmallInteger(), server_default="1", nullable=False))
    op.add_column("standing", sa.Column("league_from", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("standing", sa.Column("placing", sa.Boolean(), server_default="true", nullable=False))
    op.add_column("standing", sa.Column("trial", sa.String(length=16), server_default="open", nullable=False))
    op.add_column("standing", sa.Column("beats_boss", sa.Double(), nullable=True))
    op.add_column("standing", sa.Column("above_next", sa.Double(), nullable=True))
    op.add_column("standing", sa.Column("games_left", sa.BigInteger(), nullable=True))
    op.add_column("standing", sa.Column("faults_running", sa.SmallInteger(), server_default="0", nullable=False))
    op.add_column(
        "standing",
        sa.Column("active_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
    )
    op.create_check_constraint(op.f("ck_standing_trial"), "standing", _one_of("trial", ("open", "stays")))
    op.create_check_constraint(op.f("ck_standing_league_counts_from_one"), "standing", "league > 0")
    op.create_check_constraint(op.f("ck_standing_deviation"), "standing", "deviation >= 0")
    op.drop_index("ix_standing_game_rating", "standing")
    columns = ("league", "rating", "submission_id")
    op.create_index(
        "ix_standing_game_rating", "standing", ["game", *(sa.literal_column(f"{column} DESC") for column in columns)]
    )
    op.create_index("ix_standing_node_id", "standing", ["node_id"])
    # Older versions are the parents of newer ones.
    op.execute(
        "UPDATE standing SET parent_id = older.parent_id FROM ("
        "  SELECT submission.id, lag(submission.id) OVER (PARTITION BY bot_id ORDER BY version) AS parent_id"
        "  FROM submission JOIN standing ON standing.submission_id = submission.id"
        ") AS older WHERE older.id = standing.submission_id"
    )


def downgrade() -> None:
    op.drop_constraint(op.f("ck_seat_result_change_of_a_rating"), "seat_result", type_="check")
    op.execute("UPDATE seat_result SET rating = NULL WHERE rating_change IS NULL")
    op.execute("UPDATE seat_result SET rating_change = rating_change + rating")
    op.alter_column("seat_result", "rating_change", new_column_name="rating_after")
    op.alter_column("seat_result", "rating", new_column_name="rating_before")
    op.create_check_constraint(
        op.f("ck_seat_result_rated_or_not"), "seat_result", "(rating_before IS NULL) = (rating_after IS NULL)"
    )
    op.drop_index("ix_standing_node_id", "standing")
    op.drop_index("ix_standing_game_rating", "standing")
    op.create_index(
        "ix_standing_game_rating",
        "standing",
        ["game", sa.literal_column("rating DESC"), sa.literal_column("submission_id DESC")],
    )
    for name in ("trial", "league_counts_from_one", "deviation"):
        op.drop_constraint(op.f(f"ck_standing_{name}"), "standing", type_="check")
    for column in [
        "node_id",
        "parent_id",
        "deviation",
        "variance",
        "league",
        "league_from",
        "placing",
        "trial",
        "beats_boss",
        "above_next",
        "games_left",
        "faults_running",
        "active_at",
    ]:
        op.drop_column("standing", column)
    op.drop_table("standing_history")
    op.drop_table("pair_tally")
    op.drop_table("pending_result")
    op.drop_table("ladder")
    op.execute(
        "UPDATE league SET boss_bot_id = (SELECT min(id) FROM bot WHERE bot.game = league.game) WHERE boss_bot_id IS NULL"
    )
    op.alter_column("league", "boss_bot_id", nullable=False)
    op.execute("UPDATE submission SET state = 'failed' WHERE state = 'disabled'")
    _constrain("submission", "failure_is_explained", "state <> 'failed' OR problem IS NOT NULL")
    _constrain("submission", "state", _one_of("state", STATES[:-1]))
    op.execute("DELETE FROM match WHERE kind = 'duel'")
    op.execute("UPDATE match SET kind = 'placement' WHERE kind = 'promotion'")
    _constrain("match", "kind", _one_of("kind", OLD_KINDS))
