"""events: contests with a final; what pages are told of is a row of `change` from now on; the organisers' audit log"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

KINDS = ("practice", "check", "duel", "event", "placement", "promotion", "ladder")
OLD_KINDS = tuple(kind for kind in KINDS if kind != "event")
UNCHANGEABLE = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME; END $$
"""


def upgrade() -> None:
    _rename("event", "change")
    _events()
    _entries()
    _pairings()
    _audit()
    _matches()


def _rename(old: str, new: str) -> None:
    op.rename_table(old, new)
    op.execute(f"ALTER TABLE {new} RENAME CONSTRAINT pk_{old} TO pk_{new}")
    op.execute(f"ALTER SEQUENCE {old}_id_seq RENAME TO {new}_id_seq")
    for column in ("tx_id", "at"):
        op.execute(f"ALTER INDEX ix_{old}_{column} RENAME TO ix_{new}_{column}")


def _kinds(kinds: tuple[str, ...]) -> None:
    op.drop_constraint(op.f("ck_match_kind"), "match", type_="check")
    op.create_check_constraint(op.f("ck_match_kind"), "match", f"kind IN ({', '.join(map(repr, kinds))})")


def _time(name: str, *, now: bool = False, nullable: bool = False) -> sa.Column[object]:
    default = sa.text("now()") if now else None
    return sa.Column(name, sa.DateTime(timezone=True), server_default=default, nullable=nullable)


def _one_of(name: str, *values: str) -> sa.Column[object]:
    return sa.Column(
        name,
        sa.Enum(*values, name=name, native_enum=False, create_constraint=False, length=16),
        server_default=values[0],
        nullable=False,
    )


def _identity() -> sa.Column[object]:
    return sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False)


def _events() -> None:
    op.create_table(
        "event",
        _identity(),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("about", sa.String(4000), server_default="", nullable=False),
        _one_of("state", "open", "playing", "done", "cancelled"),
        sa.Column("created_by_id", sa.BigInteger(), nullable=False),
        _time("opens_at", now=True),
        _time("deadline"),
        sa.Column("code_sha256", sa.String(64)),
        sa.Column("bots_each", sa.SmallInteger(), server_default="1", nullable=False),
        sa.Column("languages", postgresql.JSONB(none_as_null=True)),
        sa.Column("stages", postgresql.JSONB(), nullable=False),
        sa.Column("stage", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("prizes", sa.SmallInteger(), server_default="3", nullable=False),
        sa.Column("held", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("league", sa.SmallInteger(), nullable=False),
        sa.Column("problem", sa.String()),
        _time("created_at", now=True),
        _time("frozen_at", nullable=True),
        _time("finished_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.ForeignKeyConstraint(["created_by_id"], ["user.id"], name=op.f("fk_event_created_by_id_user")),
        sa.CheckConstraint("state IN ('open', 'playing', 'done', 'cancelled')", name=op.f("ck_event_state")),
        sa.CheckConstraint("name <> ''", name=op.f("ck_event_named")),
        sa.CheckConstraint("octet_length(secret) = 32", name=op.f("ck_event_secret")),
        sa.CheckConstraint("bots_each > 0 AND prizes >= 0 AND stage >= 0", name=op.f("ck_event_counts")),
        sa.CheckConstraint("jsonb_array_length(stages) > 0", name=op.f("ck_event_has_stages")),
        sa.CheckConstraint("deadline > opens_at", name=op.f("ck_event_opens_before_its_deadline")),
        sa.CheckConstraint(
            "state NOT IN ('playing', 'done') OR frozen_at IS NOT NULL", name=op.f("ck_event_plays_frozen_versions")
        ),
        sa.CheckConstraint(
            "(state IN ('done', 'cancelled')) = (finished_at IS NOT NULL)", name=op.f("ck_event_over_has_an_end")
        ),
    )
    unfinished = sa.text("state IN ('open', 'playing')")
    op.create_index("ix_event_unfinished", "event", ["id"], postgresql_where=unfinished)
    op.create_index("ix_event_deadline", "event", [sa.text("deadline DESC"), sa.text("id DESC")])


def _entries() -> None:
    op.create_table(
        "event_entry",
        _identity(),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("bot_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        _one_of("state", "entered", "withdrawn", "out"),
        sa.Column("reason", sa.String(400)),
        _time("entered_at", now=True),
        sa.Column("submission_id", sa.BigInteger()),
        sa.Column("seed", sa.SmallInteger()),
        sa.Column("rating", sa.Double()),
        sa.Column("place", sa.SmallInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_entry")),
        sa.UniqueConstraint("event_id", "bot_id", name=op.f("uq_event_entry_event_id_bot_id")),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_event_entry_event_id_event"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_event_entry_bot_id_bot")),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_event_entry_user_id_user")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_event_entry_submission_id_submission")
        ),
        sa.CheckConstraint("state IN ('entered', 'withdrawn', 'out')", name=op.f("ck_event_entry_state")),
        sa.CheckConstraint("(submission_id IS NULL) = (seed IS NULL)", name=op.f("ck_event_entry_frozen_is_seeded")),
        sa.CheckConstraint("state <> 'out' OR reason IS NOT NULL", name=op.f("ck_event_entry_out_is_explained")),
    )
    op.create_index("ix_event_entry_bot_id", "event_entry", ["bot_id"])
    op.create_index("ix_event_entry_user_id", "event_entry", ["user_id"])
    frozen = sa.text("submission_id IS NOT NULL")
    op.create_index("ix_event_entry_submission_id", "event_entry", ["submission_id"], postgresql_where=frozen)


def _pairings() -> None:
    op.create_table(
        "event_pairing",
        _identity(),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("stage", sa.SmallInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("round", sa.SmallInteger(), nullable=False),
        sa.Column("part", sa.String(8), nullable=False),
        sa.Column("playoff", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("first_id", sa.BigInteger(), nullable=False),
        sa.Column("second_id", sa.BigInteger(), nullable=False),
        _one_of("state", "waiting", "playing", "stuck", "done"),
        *(sa.Column(name, sa.BigInteger()) for name in ("first", "second", "first_wins", "second_wins", "winner_id")),
        _time("resumed_at", nullable=True),
        _time("finished_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_pairing")),
        sa.UniqueConstraint("event_id", "stage", "number", name=op.f("uq_event_pairing_event_id_stage_number")),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_event_pairing_event_id_event"), ondelete="CASCADE"
        ),
        *(
            sa.ForeignKeyConstraint([name], ["event_entry.id"], name=op.f(f"fk_event_pairing_{name}_event_entry"))
            for name in ("first_id", "second_id", "winner_id")
        ),
        sa.CheckConstraint("state IN ('waiting', 'playing', 'stuck', 'done')", name=op.f("ck_event_pairing_state")),
        sa.CheckConstraint("first_id <> second_id", name=op.f("ck_event_pairing_of_two")),
        sa.CheckConstraint("(state = 'done') = (first IS NOT NULL)", name=op.f("ck_event_pairing_done_has_an_outcome")),
        sa.CheckConstraint(
            "(state = 'done') = (finished_at IS NOT NULL)", name=op.f("ck_event_pairing_done_has_an_end")
        ),
    )
    op.create_index("ix_event_pairing_state", "event_pairing", ["event_id", "state", "stage", "number"])
    op.create_index("ix_event_pairing_first_id", "event_pairing", ["first_id"])
    op.create_index("ix_event_pairing_second_id", "event_pairing", ["second_id"])


def _audit() -> None:
    op.create_table(
        "audit_entry",
        _identity(),
        _time("at", now=True),
        sa.Column("user_id", sa.BigInteger()),
        sa.Column("action", sa.String(40), nullable=False),
        sa.Column("event_id", sa.BigInteger()),
        sa.Column("detail", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entry")),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_audit_entry_user_id_user")),
    )
    op.create_index("ix_audit_entry_event_id", "audit_entry", ["event_id", "id"])
    op.create_index("ix_audit_entry_user_id", "audit_entry", ["user_id"])
    op.execute(UNCHANGEABLE)
    op.execute(
        "CREATE TRIGGER never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )


def _matches() -> None:
    _kinds(KINDS)
    op.add_column("match", sa.Column("pairing_id", sa.BigInteger()))
    op.add_column("match", sa.Column("pairing_game", sa.SmallInteger()))
    op.add_column("match", sa.Column("held", sa.Boolean(), server_default="false", nullable=False))
    op.create_foreign_key(op.f("fk_match_pairing_id_event_pairing"), "match", "event_pairing", ["pairing_id"], ["id"])
    op.create_check_constraint(op.f("ck_match_of_an_event"), "match", "(kind = 'event') = (pairing_id IS NOT NULL)")
    op.create_check_constraint(
        op.f("ck_match_numbered_in_its_pairing"), "match", "(pairing_id IS NULL) = (pairing_game IS NULL)"
    )
    op.create_check_constraint(op.f("ck_match_held_by_its_event"), "match", "pairing_id IS NOT NULL OR NOT held")
    of_pairing = sa.text("pairing_id IS NOT NULL")
    op.create_index("ix_match_pairing_id", "match", ["pairing_id", "pairing_game"], postgresql_where=of_pairing)
    op.create_index(
        "uq_match_pairing_id",
        "match",
        ["pairing_id", "pairing_game"],
        unique=True,
        postgresql_where=sa.text("pairing_id IS NOT NULL AND state <> 'void'"),
    )


def downgrade() -> None:
    op.execute("DELETE FROM match WHERE kind = 'event'")
    for name in ("of_an_event", "numbered_in_its_pairing", "held_by_its_event"):
        op.drop_constraint(op.f(f"ck_match_{name}"), "match", type_="check")
    for name in ("held", "pairing_game", "pairing_id"):
        op.drop_column("match", name)
    _kinds(OLD_KINDS)
    op.drop_table("audit_entry")
    op.execute("DROP FUNCTION refuse_change")
    for table in ("event_pairing", "event_entry", "event"):
        op.drop_table(table)
    _rename("change", "event")
