"""notices to students: marks of an assignment are there"""

import sqlalchemy as sa
from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None

KINDS = ("promoted", "demoted", "overtaken", "disabled", "failed", "duel", "webhook", "frozen", "out", "placed")


def _notices_are(kinds: tuple[str, ...], without_submission: tuple[str, ...]) -> None:
    for name in ("kind", "of_a_submission"):
        op.drop_constraint(op.f(f"ck_notice_{name}"), "notice", type_="check")
    op.create_check_constraint(op.f("ck_notice_kind"), "notice", f"kind IN ({_quoted(kinds)})")
    check = f"(kind IN ({_quoted(without_submission)})) = (submission_id IS NULL)"
    op.create_check_constraint(op.f("ck_notice_of_a_submission"), "notice", check)


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(map(repr, words))


def upgrade() -> None:
    op.add_column("notice", sa.Column("assignment_id", sa.BigInteger(), nullable=True))
    op.create_foreign_key(
        op.f("fk_notice_assignment_id_assignment"),
        "notice",
        "assignment",
        ["assignment_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.create_index(
        "ix_notice_assignment_id", "notice", ["assignment_id"], postgresql_where=sa.text("assignment_id IS NOT NULL")
    )
    _notices_are((*KINDS, "marked"), ("duel", "webhook", "marked"))
    op.create_check_constraint(
        op.f("ck_notice_of_an_assignment"), "notice", "(kind = 'marked') = (assignment_id IS NOT NULL)"
    )


def downgrade() -> None:
    op.execute("DELETE FROM notice WHERE assignment_id IS NOT NULL")
    op.drop_constraint(op.f("ck_notice_of_an_assignment"), "notice", type_="check")
    _notices_are(KINDS, ("duel", "webhook"))
    op.drop_index("ix_notice_assignment_id", "notice")
    op.drop_column("notice", "assignment_id")
