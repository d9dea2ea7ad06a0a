"""moderation: announcements, ladders and events that stand still, people who are banned; notices of events"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

STANDS_STILL = (
    ("user", "banned_at", "ban_reason", "bans_have_reasons"),
    ("event", "paused_at", "paused_reason", "pauses_have_reasons"),
    ("ladder", "frozen_at", "frozen_reason", "frozen_ladders_have_reasons"),
)
KINDS = ("promoted", "demoted", "overtaken", "disabled", "failed", "duel", "webhook")
OF_EVENTS = ("frozen", "out", "placed")


def _notices_are(kinds: tuple[str, ...], **checks: str) -> None:
    op.drop_constraint(op.f("ck_notice_kind"), "notice", type_="check")
    op.drop_constraint(op.f("ck_notice_overtaken_by"), "notice", type_="check")
    op.create_check_constraint(op.f("ck_notice_kind"), "notice", f"kind IN ({_quoted(kinds)})")
    for name, check in checks.items():
        op.create_check_constraint(op.f(f"ck_notice_{name}"), "notice", check)


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(map(repr, words))


def _upgrade_notices() -> None:
    op.add_column("notice", sa.Column("event_id", sa.BigInteger(), nullable=True))
    op.add_column("notice", sa.Column("reason", sa.String(400), nullable=True))
    op.create_foreign_key(op.f("fk_notice_event_id_event"), "notice", "event", ["event_id"], ["id"], ondelete="CASCADE")
    op.create_index("ix_notice_event_id", "notice", ["event_id"], postgresql_where=sa.text("event_id IS NOT NULL"))
    _notices_are(
        (*KINDS, *OF_EVENTS),
        overtaken_by="(kind = 'overtaken') = (other_id IS NOT NULL)",
        has_a_place="(kind IN ('overtaken', 'placed')) = (place IS NOT NULL)",
        of_an_event=f"(kind IN ({_quoted(OF_EVENTS)})) = (event_id IS NOT NULL)",
    )


def _downgrade_notices() -> None:
    op.execute("DELETE FROM notice WHERE event_id IS NOT NULL")
    for name in ("has_a_place", "of_an_event"):
        op.drop_constraint(op.f(f"ck_notice_{name}"), "notice", type_="check")
    _notices_are(KINDS, overtaken_by="(kind = 'overtaken') = (other_id IS NOT NULL AND place IS NOT NULL)")
    op.drop_index("ix_notice_event_id", "notice")
    op.drop_column("notice", "reason")
    op.drop_column("notice", "event_id")


def upgrade() -> None:
    _upgrade_notices()
    for table, since, reason, check in STANDS_STILL:
        op.add_column(table, sa.Column(since, sa.DateTime(timezone=True), nullable=True))
        op.add_column(table, sa.Column(reason, sa.String(400), nullable=True))
        op.create_check_constraint(op.f(f"ck_{table}_{check}"), table, f"({since} IS NULL) = ({reason} IS NULL)")
    op.create_table(
        "announcement",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("message", sa.String(400), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=True),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_by_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_announcement")),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_announcement_event_id_event"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["created_by_id"], ["user.id"], name=op.f("fk_announcement_created_by_id_user")),
        sa.CheckConstraint("message <> ''", name=op.f("ck_announcement_says_something")),
    )
    op.create_index(
        "ix_announcement_not_withdrawn", "announcement", ["id"], postgresql_where=sa.text("withdrawn_at IS NULL")
    )
    op.create_index(
        "ix_announcement_event_id", "announcement", ["event_id"], postgresql_where=sa.text("event_id IS NOT NULL")
    )


def downgrade() -> None:
    _downgrade_notices()
    op.drop_table("announcement")
    for table, since, reason, check in STANDS_STILL:
        op.drop_constraint(op.f(f"ck_{table}_{check}"), table, type_="check")
        op.drop_column(table, reason)
        op.drop_column(table, since)
