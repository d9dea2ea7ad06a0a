"""classes: rosters, teams that own bots, assignments and their marks"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0027"
down_revision = "0025"
branch_labels = None
depends_on = None

KINDS = ("practice", "check", "duel", "event", "marking", "placement", "promotion", "ladder")
OLD_KINDS = tuple(kind for kind in KINDS if kind != "marking")
USERS = ("guest", "local", "house", "account", "deleted", "team")
OLD_USERS = tuple(kind for kind in USERS if kind != "team")


def upgrade() -> None:
    _allow("user", USERS)
    _allow("match", KINDS)
    _classes()
    _members()
    _assignments()
    _extensions()
    _marks()
    op.add_column("match", sa.Column("mark_id", sa.BigInteger()))
    op.create_foreign_key(op.f("fk_match_mark_id_mark"), "match", "mark", ["mark_id"], ["id"], ondelete="SET NULL")
    op.create_check_constraint(op.f("ck_match_of_a_mark"), "match", "kind = 'marking' OR mark_id IS NULL")
    of_mark = sa.text("mark_id IS NOT NULL")
    op.create_index("ix_match_mark_id", "match", ["mark_id", "state"], postgresql_where=of_mark)


def _allow(table: str, kinds: tuple[str, ...]) -> None:
    op.drop_constraint(op.f(f"ck_{table}_kind"), table, type_="check")
    op.create_check_constraint(op.f(f"ck_{table}_kind"), table, f"kind IN ({', '.join(map(repr, kinds))})")


def _identity() -> sa.Column[object]:
    return sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False)


def _number(name: str, *, nullable: bool = False, default: str | None = None) -> sa.Column[object]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable, server_default=default)


def _text(name: str, length: int, *, nullable: bool = False, default: str | None = None) -> sa.Column[object]:
    return sa.Column(name, sa.String(length), nullable=nullable, server_default=default)


def _time(name: str, *, now: bool = False, nullable: bool = False) -> sa.Column[object]:
    default = sa.text("now()") if now else None
    return sa.Column(name, sa.DateTime(timezone=True), server_default=default, nullable=nullable)


def _key(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=op.f(f"pk_{table}"))


def _refers(
    table: str, column: str, other: str, key: str = "id", ondelete: str | None = None
) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{other}")
    return sa.ForeignKeyConstraint([column], [f"{other}.{key}"], name=name, ondelete=ondelete)


def _unique(table: str, *columns: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint(*columns, name=op.f(f"uq_{table}_{'_'.join(columns)}"))


def _check(table: str, name: str, what: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(what, name=op.f(f"ck_{table}_{name}"))


def _classes() -> None:
    op.create_table(
        "class",
        _identity(),
        _text("game", 40),
        _text("name", 80),
        _number("organiser_id"),
        sa.Column("named", sa.SmallInteger(), server_default="0", nullable=False),
        _time("created_at", now=True),
        _key("class", "id"),
        _refers("class", "organiser_id", "user"),
        _check("class", "named", "name <> ''"),
        _check("class", "counts", "named >= 0"),
    )
    op.create_index("ix_class_organiser_id", "class", ["organiser_id", "id"])
    op.create_table(
        "class_team",
        _number("user_id"),
        _number("class_id"),
        _time("created_at", now=True),
        _key("class_team", "user_id"),
        _refers("class_team", "user_id", "user"),
        _refers("class_team", "class_id", "class", ondelete="CASCADE"),
        _unique("class_team", "user_id", "class_id"),
    )
    op.create_index("ix_class_team_class_id", "class_team", ["class_id"])


def _members() -> None:
    op.create_table(
        "class_member",
        _identity(),
        _number("class_id"),
        _number("user_id"),
        _number("team_id", nullable=True),
        _text("key", 254),
        _text("key_folded", 600),
        _text("name", 120),
        _text("group", 60, default=""),
        _text("code_sha256", 64, nullable=True),
        _time("code_expires_at", nullable=True),
        _time("signed_in_at", nullable=True),
        _time("created_at", now=True),
        _key("class_member", "id"),
        _refers("class_member", "class_id", "class", ondelete="CASCADE"),
        _refers("class_member", "user_id", "user"),
        sa.ForeignKeyConstraint(
            ["team_id", "class_id"],
            ["class_team.user_id", "class_team.class_id"],
            name=op.f("fk_class_member_team_id_class_id_class_team"),
        ),
        _unique("class_member", "class_id", "key_folded"),
        _unique("class_member", "user_id"),
        _unique("class_member", "code_sha256"),
        _check("class_member", "named", "name <> '' AND key <> ''"),
        _check("class_member", "codes_expire", "(code_sha256 IS NULL) = (code_expires_at IS NULL)"),
    )
    in_team = sa.text("team_id IS NOT NULL")
    op.create_index("ix_class_member_team_id", "class_member", ["team_id"], postgresql_where=in_team)


def _assignments() -> None:
    op.create_table(
        "assignment",
        _identity(),
        _number("class_id"),
        _text("name", 80),
        _time("deadline"),
        _time("marked_at", nullable=True),
        _time("next_at", nullable=True),
        _time("created_at", now=True),
        _key("assignment", "id"),
        _refers("assignment", "class_id", "class", ondelete="CASCADE"),
        _check("assignment", "named", "name <> ''"),
    )
    op.create_index("ix_assignment_class_id", "assignment", ["class_id", "id"])
    due = sa.text("next_at IS NOT NULL")
    op.create_index("ix_assignment_next_at", "assignment", ["next_at"], postgresql_where=due)
    op.create_table(
        "assignment_rung",
        _number("assignment_id"),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        _text("name", 40),
        _number("submission_id"),
        _key("assignment_rung", "assignment_id", "position"),
        _refers("assignment_rung", "assignment_id", "assignment", ondelete="CASCADE"),
        _refers("assignment_rung", "submission_id", "submission"),
        _unique("assignment_rung", "assignment_id", "submission_id"),
        _check("assignment_rung", "counts_from_one", "position > 0"),
    )
    op.create_index("ix_assignment_rung_submission_id", "assignment_rung", ["submission_id"])


def _extensions() -> None:
    op.create_table(
        "extension",
        _identity(),
        _number("assignment_id"),
        _number("owner_id"),
        _number("hours"),
        _text("reason", 400),
        _number("by_id"),
        _time("at", now=True),
        _key("extension", "id"),
        _refers("extension", "assignment_id", "assignment", ondelete="CASCADE"),
        _refers("extension", "owner_id", "user"),
        _refers("extension", "by_id", "user"),
        _check("extension", "says_why", "hours <> 0 AND reason <> ''"),
    )
    op.create_index("ix_extension_assignment_id", "extension", ["assignment_id", "owner_id"])
    for column in ("owner_id", "by_id"):
        op.create_index(f"ix_extension_{column}", "extension", [column])
    op.execute(
        "CREATE TRIGGER never_changed BEFORE UPDATE ON extension FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )


def _marks() -> None:
    op.create_table(
        "mark",
        _identity(),
        _number("assignment_id"),
        _number("owner_id"),
        sa.Column("members", postgresql.JSONB(), nullable=False),
        _time("due_at"),
        _number("submission_id", nullable=True),
        _text("problem", 400, nullable=True),
        sa.Column("rating", sa.Float()),
        sa.Column("deviation", sa.Float()),
        _number("games", default="0"),
        _number("extra_games", default="0"),
        sa.Column("rungs", postgresql.JSONB(), server_default="[]", nullable=False),
        _time("marked_at", now=True),
        _key("mark", "id"),
        _refers("mark", "assignment_id", "assignment", ondelete="CASCADE"),
        _refers("mark", "owner_id", "user"),
        _refers("mark", "submission_id", "submission"),
        _unique("mark", "assignment_id", "owner_id"),
        _check("mark", "missing_is_explained", "(submission_id IS NULL) = (problem IS NOT NULL)"),
        _check("mark", "rated", "(submission_id IS NULL) = (rating IS NULL)"),
    )
    played = sa.text("submission_id IS NOT NULL")
    op.create_index("ix_mark_submission_id", "mark", ["submission_id"], postgresql_where=played)
    op.create_index("ix_mark_owner_id", "mark", ["owner_id"])


def downgrade() -> None:
    """Teams stay as accounts that nobody can sign in to, so that their bots keep an owner."""
    op.execute("DELETE FROM match WHERE kind = 'marking'")
    op.drop_constraint(op.f("ck_match_of_a_mark"), "match", type_="check")
    op.drop_column("match", "mark_id")
    for table in ("mark", "extension", "assignment_rung", "assignment", "class_member", "class_team", "class"):
        op.drop_table(table)
    op.execute("UPDATE \"user\" SET kind = 'account' WHERE kind = 'team'")
    _allow("match", OLD_KINDS)
    _allow("user", OLD_USERS)
