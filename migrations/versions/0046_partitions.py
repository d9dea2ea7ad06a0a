"""partitions of what grows with the matches; what only one match may be, in a table of its own

An arena's rows stay where they are: its tables become the first partitions. Foreign keys to them are checked again,
which takes some 20 s for a million matches.
"""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

KEYS = {
    "match": "id",
    "match_seat": "match_id",
    "result": "match_id",
    "seat_result": "match_id",
    "standing_history": "id",
}
NUMBERED = ("match", "standing_history")
WIDTH = 10_000_000
NAMES = ", ".join(f"'{table}'::regclass" for table in KEYS)
# A partition's share of a foreign key has a parent.
FOREIGN_KEYS = f"""
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE contype = 'f' AND conparentid = 0 AND {{column}} IN ({NAMES}) ORDER BY conrelid::regclass::text, conname
"""  # noqa: S608
INDEXES = """
    SELECT name.relname, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON '), pg_get_constraintdef(pg_constraint.oid)
    FROM pg_index
    JOIN pg_class name ON name.oid = indexrelid
    LEFT JOIN pg_constraint ON conindid = indexrelid AND contype IN ('p', 'u')
    WHERE indrelid = CAST(:table AS regclass) ORDER BY indisprimary DESC, name.relname
"""
SLOTS = {
    "duel game": ("duel_id", "duel_game", "state <> 'void'"),
    "pairing game": ("pairing_id", "pairing_game", "state <> 'void'"),
    "rerun": ("rerun_of", "0", "true"),
}
KEEP_SLOTS = """
    CREATE FUNCTION keep_match_slots() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp AS $$
    BEGIN
        IF NEW.state = 'void' THEN
            DELETE FROM match_slot WHERE match_id = NEW.id AND purpose <> 'rerun';
        ELSIF TG_OP = 'INSERT' OR OLD.state = 'void' THEN
            INSERT INTO match_slot (purpose, subject_id, number, match_id)
                SELECT 'duel game', NEW.duel_id, NEW.duel_game, NEW.id WHERE NEW.duel_id IS NOT NULL
                UNION ALL
                SELECT 'pairing game', NEW.pairing_id, NEW.pairing_game, NEW.id WHERE NEW.pairing_id IS NOT NULL;
        END IF;
        IF TG_OP = 'INSERT' AND NEW.rerun_of IS NOT NULL THEN
            INSERT INTO match_slot (purpose, subject_id, number, match_id) VALUES ('rerun', NEW.rerun_of, 0, NEW.id);
        END IF;
        RETURN NULL;
    END
    $$
"""
TRIGGER = """
    CREATE TRIGGER keep_match_slots AFTER INSERT OR UPDATE OF state ON match FOR EACH ROW
    WHEN (NEW.duel_id IS NOT NULL OR NEW.pairing_id IS NOT NULL OR NEW.rerun_of IS NOT NULL)
    EXECUTE FUNCTION keep_match_slots()
"""


def upgrade() -> None:
    op.drop_index("uq_match_duel_id", "match")
    op.drop_index("uq_match_pairing_id", "match")
    op.drop_index("uq_match_rerun_of", "match")
    op.create_index("ix_match_rerun_of", "match", ["rerun_of"], postgresql_where=sa.text("rerun_of IS NOT NULL"))
    again = _drop_foreign_keys("confrelid")
    outside = _foreign_keys("conrelid")
    for table in KEYS:
        _partition(table)
    for table, name, definition in [*again, *outside]:
        op.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
    _make_slots()
    if op.get_bind().scalar(sa.text("SELECT EXISTS (SELECT FROM match)")):
        for table in KEYS:
            op.execute(f"ANALYZE {table}")


def downgrade() -> None:
    op.execute("DROP TRIGGER keep_match_slots ON match")
    op.execute("DROP FUNCTION keep_match_slots")
    op.drop_table("match_slot")
    again = sorted({*_drop_foreign_keys("confrelid"), *_drop_foreign_keys("conrelid")})
    for table in KEYS:
        _make_whole(table)
    for table, name, definition in again:
        op.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
    op.drop_index("ix_match_rerun_of", "match")
    for name, columns, condition in (
        ("uq_match_rerun_of", ["rerun_of"], "rerun_of IS NOT NULL"),
        ("uq_match_pairing_id", ["pairing_id", "pairing_game"], "pairing_id IS NOT NULL AND state <> 'void'"),
        ("uq_match_duel_id", ["duel_id", "duel_game"], "duel_id IS NOT NULL AND state <> 'void'"),
    ):
        op.create_index(name, "match", columns, unique=True, postgresql_where=sa.text(condition))


def _make_slots() -> None:
    op.create_table(
        "match_slot",
        sa.Column("purpose", sa.String(16), nullable=False),
        sa.Column("subject_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.SmallInteger(), nullable=False),
        sa.Column("match_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("purpose", "subject_id", "number", name=op.f("pk_match_slot")),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name=op.f("fk_match_slot_match_id_match"), ondelete="CASCADE"
        ),
        sa.CheckConstraint(
            f"purpose IN ({', '.join(repr(purpose) for purpose in SLOTS)})", name=op.f("ck_match_slot_purpose")
        ),
    )
    op.create_index("ix_match_slot_match_id", "match_slot", ["match_id"])
    for purpose, (subject, number, condition) in SLOTS.items():
        op.execute(
            "INSERT INTO match_slot (purpose, subject_id, number, match_id) "  # noqa: S608
            f"SELECT '{purpose}', {subject}, {number}, id FROM match WHERE {subject} IS NOT NULL AND {condition}"
        )
    op.execute(KEEP_SLOTS)
    op.execute(TRIGGER)


def _foreign_keys(column: str) -> list[tuple[str, str, str]]:
    """Those that refer to one of the tables (`confrelid`), or begin there (`conrelid`)."""
    return [tuple(row) for row in op.get_bind().execute(sa.text(FOREIGN_KEYS.format(column=column)))]


def _drop_foreign_keys(column: str) -> list[tuple[str, str, str]]:
    found = _foreign_keys(column)
    for table, name, _ in found:
        op.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
    return found


def _indexes(table: str) -> list[tuple[str, str, str | None]]:
    """Name, definition, and as a constraint, if it is one."""
    return [tuple(row) for row in op.get_bind().execute(sa.text(INDEXES), {"table": table})]


def _partition(table: str) -> None:
    key, first, indexes = KEYS[table], f"{table}_from_0", _indexes(table)
    last = _last_id(table) if table in NUMBERED else _last_id("match")
    if table in NUMBERED:
        op.execute(f"ALTER TABLE {table} ALTER id DROP IDENTITY")
    op.execute(f"ALTER TABLE {table} RENAME TO {first}")
    for number, (name, _, _) in enumerate(indexes):
        op.execute(f'ALTER INDEX "{name}" RENAME TO {first}_{number}')
    op.execute(
        f"CREATE TABLE {table} (LIKE {first} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) "
        f"PARTITION BY RANGE ({key})"
    )
    end = (last // WIDTH + 1) * WIDTH
    op.execute(f"ALTER TABLE {table} ATTACH PARTITION {first} FOR VALUES FROM (MINVALUE) TO ({end})")
    _make_indexes(table, indexes)
    if table in NUMBERED:
        op.execute(f"CREATE SEQUENCE {table}_id_seq OWNED BY {table}.id")
        op.execute(f"ALTER TABLE {table} ALTER id SET DEFAULT nextval('{table}_id_seq')")
        _continue(table, last)


def _make_whole(table: str) -> None:
    indexes, last = _indexes(table), _last_id(table) if table in NUMBERED else 0
    if table in NUMBERED:
        op.execute(f"ALTER TABLE {table} ALTER id DROP DEFAULT")
    op.execute(f"CREATE TABLE whole (LIKE {table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)")
    op.execute(f"INSERT INTO whole SELECT * FROM {table}")  # noqa: S608
    op.execute(f"DROP TABLE {table}")
    op.execute(f"ALTER TABLE whole RENAME TO {table}")
    _make_indexes(table, indexes)
    if table in NUMBERED:
        op.execute(f"ALTER TABLE {table} ALTER id ADD GENERATED ALWAYS AS IDENTITY")
        _continue(table, last)


def _make_indexes(table: str, indexes: list[tuple[str, str, str | None]]) -> None:
    """A partition's own index that is the same becomes a part of it, and is not built anew."""
    for name, definition, constraint in indexes:
        op.execute(definition if constraint is None else f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {constraint}')


def _last_id(table: str) -> int:
    """0, if none was handed out."""
    found = sa.text("SELECT pg_sequence_last_value(pg_get_serial_sequence(:table, 'id')::regclass)")
    return int(op.get_bind().scalar(found, {"table": table}) or 0)


def _continue(table: str, last: int) -> None:
    op.get_bind().execute(
        sa.text("SELECT setval(pg_get_serial_sequence(:table, 'id'), :last, :called)"),
        {"table": table, "last": max(last, 1), "called": last > 0},
    )
