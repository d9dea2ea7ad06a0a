"""first schema"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from hexarena.backend.models import TransactionId

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("tx", TransactionId(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("subject_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_index("ix_event_at", "event", ["at"], unique=False)
    op.create_index("ix_event_tx_id", "event", ["tx", "id"], unique=False)
    op.create_table(
        "source",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("octet_length(body) <= 100000", name=op.f("ck_source_size")),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_source")),
    )
    op.create_table(
        "user",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column(
            "kind",
            sa.Enum(
                "guest", "local", "house", "account", name="kind", native_enum=False, create_constraint=True, length=16
            ),
            nullable=False,
        ),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user")),
    )
    op.create_index(
        "uq_user_single_kind", "user", ["kind"], unique=True, postgresql_where=sa.text("kind IN ('house', 'local')")
    )
    op.create_table(
        "worker",
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("slots", sa.SmallInteger(), nullable=False),
        sa.Column("sandbox", sa.String(length=200), nullable=False),
        sa.Column("languages", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_worker")),
    )
    op.create_table(
        "bot",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("owner_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("name <> ''", name=op.f("ck_bot_named")),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], name=op.f("fk_bot_owner_id_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bot")),
        sa.UniqueConstraint("id", "game", name=op.f("uq_bot_id_game")),
    )
    op.create_index("ix_bot_owner_id", "bot", ["owner_id"], unique=False)
    op.create_index("uq_bot_game_name", "bot", ["game", sa.literal_column("lower(name)")], unique=True)
    op.create_table(
        "match",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column(
            "kind",
            sa.Enum(
                "practice",
                "check",
                "placement",
                "ladder",
                name="kind",
                native_enum=False,
                create_constraint=True,
                length=16,
            ),
            nullable=False,
        ),
        sa.Column(
            "state",
            sa.Enum(
                "queued", "running", "done", "void", name="state", native_enum=False, create_constraint=True, length=16
            ),
            nullable=False,
        ),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("league", sa.SmallInteger(), nullable=False),
        sa.Column("requested_by_id", sa.BigInteger(), nullable=True),
        sa.Column("void_reason", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(state = 'void') = (void_reason IS NOT NULL)", name=op.f("ck_match_void_is_explained")),
        sa.CheckConstraint(
            "(state IN ('done', 'void')) = (finished_at IS NOT NULL)", name=op.f("ck_match_over_has_an_end")
        ),
        sa.CheckConstraint(
            "state NOT IN ('running', 'done') OR started_at IS NOT NULL", name=op.f("ck_match_running_has_a_start")
        ),
        sa.ForeignKeyConstraint(["requested_by_id"], ["user.id"], name=op.f("fk_match_requested_by_id_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match")),
        sa.UniqueConstraint("id", "game", name=op.f("uq_match_id_game")),
        sa.UniqueConstraint("id", "state", name=op.f("uq_match_id_state")),
    )
    op.create_index("ix_match_game_id", "match", ["game", "id"], unique=False)
    op.create_index(
        "ix_match_requested_by_id",
        "match",
        ["requested_by_id", "id"],
        unique=False,
        postgresql_where=sa.text("requested_by_id IS NOT NULL"),
    )
    op.create_table(
        "job",
        sa.Column("match_id", sa.BigInteger(), nullable=False),
        sa.Column("priority", sa.SmallInteger(), nullable=False),
        sa.Column("token", sa.Uuid(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.CheckConstraint("(token IS NULL) = (lease_until IS NULL)", name=op.f("ck_job_lease_has_a_holder")),
        sa.CheckConstraint("attempts >= 0", name=op.f("ck_job_attempts")),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_job_match_id_match"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_job")),
    )
    op.create_index("ix_job_priority", "job", ["priority", "match_id"], unique=False)
    op.create_table(
        "league",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("rules_level", sa.SmallInteger(), nullable=False),
        sa.Column("boss_bot_id", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("position > 0", name=op.f("ck_league_counts_from_one")),
        sa.ForeignKeyConstraint(
            ["boss_bot_id", "game"], ["bot.id", "bot.game"], name=op.f("fk_league_boss_bot_id_game_bot")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_league")),
        sa.UniqueConstraint("game", "name", name=op.f("uq_league_game_name")),
        sa.UniqueConstraint("game", "position", name=op.f("uq_league_game_position")),
    )
    op.create_table(
        "result",
        sa.Column("match_id", sa.BigInteger(), nullable=False),
        sa.Column("match_state", sa.String(length=16), server_default="done", nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("turns", sa.BigInteger(), nullable=False),
        sa.Column("faults", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), nullable=False),
        sa.Column("worker", sa.String(length=100), nullable=False),
        sa.Column("cpu_ms", sa.Double(), nullable=False),
        sa.Column("replay_key", sa.String(length=100), nullable=False),
        sa.Column("rules_version", sa.String(length=20), nullable=False),
        sa.CheckConstraint("match_state = 'done'", name=op.f("ck_result_only_of_done_matches")),
        sa.ForeignKeyConstraint(
            ["match_id", "match_state"],
            ["match.id", "match.state"],
            name=op.f("fk_result_match_id_match_state_match"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_result")),
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("bot_id", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.BigInteger(), nullable=True),
        sa.Column("language", sa.String(length=20), nullable=False),
        sa.Column("source_sha256", sa.String(length=64), nullable=False),
        sa.Column("note", sa.String(length=200), server_default="", nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "draft",
                "queued",
                "building",
                "checking",
                "live",
                "superseded",
                "failed",
                name="state",
                native_enum=False,
                create_constraint=True,
                length=16,
            ),
            nullable=False,
        ),
        sa.Column("problem", sa.String(), nullable=True),
        sa.Column("build_log", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("(bot_id IS NULL) = (state = 'draft')", name=op.f("ck_submission_draft_has_no_bot")),
        sa.CheckConstraint("state <> 'failed' OR problem IS NOT NULL", name=op.f("ck_submission_failure_is_explained")),
        sa.CheckConstraint("(bot_id IS NULL) = (version IS NULL)", name=op.f("ck_submission_versioned")),
        sa.CheckConstraint("version > 0", name=op.f("ck_submission_version_counts_from_one")),
        sa.ForeignKeyConstraint(["bot_id", "game"], ["bot.id", "bot.game"], name=op.f("fk_submission_bot_id_game_bot")),
        sa.ForeignKeyConstraint(["source_sha256"], ["source.sha256"], name=op.f("fk_submission_source_sha256_source")),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_submission_user_id_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
        sa.UniqueConstraint("bot_id", "version", name=op.f("uq_submission_bot_id_version")),
        sa.UniqueConstraint("id", "game", name=op.f("uq_submission_id_game")),
    )
    op.create_index("ix_submission_user_id", "submission", ["user_id", "id"], unique=False)
    op.create_index(
        "uq_submission_live", "submission", ["bot_id"], unique=True, postgresql_where=sa.text("state = 'live'")
    )
    op.create_table(
        "match_seat",
        sa.Column("match_id", sa.BigInteger(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("submission_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.CheckConstraint("seat >= 0", name=op.f("ck_match_seat_counts_from_zero")),
        sa.ForeignKeyConstraint(
            ["match_id", "game"],
            ["match.id", "match.game"],
            name=op.f("fk_match_seat_match_id_game_match"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id", "game"],
            ["submission.id", "submission.game"],
            name=op.f("fk_match_seat_submission_id_game_submission"),
        ),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_match_seat")),
    )
    op.create_index(
        "ix_match_seat_submission_id", "match_seat", ["submission_id", sa.literal_column("match_id DESC")], unique=False
    )
    op.create_table(
        "standing",
        sa.Column("submission_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.Column("games", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("wins", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("draws", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("losses", sa.BigInteger(), server_default="0", nullable=False),
        sa.CheckConstraint("games = wins + draws + losses", name=op.f("ck_standing_games_add_up")),
        sa.ForeignKeyConstraint(
            ["submission_id", "game"],
            ["submission.id", "submission.game"],
            name=op.f("fk_standing_submission_id_game_submission"),
        ),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_standing")),
    )
    op.create_index(
        "ix_standing_game_rating",
        "standing",
        ["game", sa.literal_column("rating DESC"), sa.literal_column("submission_id DESC")],
        unique=False,
    )
    op.create_table(
        "seat_result",
        sa.Column("match_id", sa.BigInteger(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("rank", sa.SmallInteger(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("fault", sa.String(length=16), nullable=True),
        sa.Column("rating_before", sa.Double(), nullable=True),
        sa.Column("rating_after", sa.Double(), nullable=True),
        sa.CheckConstraint(
            "(rating_before IS NULL) = (rating_after IS NULL)", name=op.f("ck_seat_result_rated_or_not")
        ),
        sa.CheckConstraint("rank >= 0", name=op.f("ck_seat_result_rank_counts_from_zero")),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["match_seat.match_id", "match_seat.seat"],
            name=op.f("fk_seat_result_match_id_seat_match_seat"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["match_id"], ["result.match_id"], name=op.f("fk_seat_result_match_id_result"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seat_result")),
    )


def downgrade() -> None:
    op.drop_table("seat_result")
    op.drop_index("ix_standing_game_rating", table_name="standing")
    op.drop_table("standing")
    op.drop_index("ix_match_seat_submission_id", table_name="match_seat")
    op.drop_table("match_seat")
    op.drop_index("uq_submission_live", table_name="submission", postgresql_where=sa.text("state = 'live'"))
    op.drop_index("ix_submission_user_id", table_name="submission")
    op.drop_table("submission")
    op.drop_table("result")
    op.drop_table("league")
    op.drop_index("ix_job_priority", table_name="job")
    op.drop_table("job")
    op.drop_index(
        "ix_match_requested_by_id", table_name="match", postgresql_where=sa.text("requested_by_id IS NOT NULL")
    )
    op.drop_index("ix_match_game_id", table_name="match")
    op.drop_table("match")
    op.drop_index("uq_bot_game_name", table_name="bot")
    op.drop_index("ix_bot_owner_id", table_name="bot")
    op.drop_table("bot")
    op.drop_table("worker")
    op.drop_index("uq_user_single_kind", table_name="user", postgresql_where=sa.text("kind IN ('house', 'local')"))
    op.drop_table("user")
    op.drop_table("source")
    op.drop_index("ix_event_tx_id", table_name="event")
    op.drop_index("ix_event_at", table_name="event")
    op.drop_table("event")
