"""top rules: one level of rules on the ladder, equal matches count once, equal code is one competitor"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

TRIED_ANEW = """
UPDATE standing SET league_from = 0, trial = 'open'
WHERE game IN (SELECT game FROM league GROUP BY game HAVING min(rules_level) < max(rules_level))
AND NOT EXISTS (
    SELECT FROM submission JOIN league ON league.boss_bot_id = submission.bot_id
    WHERE submission.id = standing.submission_id
)
"""
"""In games whose lower leagues played by simpler rules. Results by these stay in the history and rate nobody."""

SHARED = """
UPDATE standing SET {column} = first.id
FROM submission, (
    SELECT game, language, source_sha256, min(standing.submission_id) AS id
    FROM standing JOIN submission USING (game) WHERE submission.id = standing.submission_id
    AND source_sha256 IS NOT NULL GROUP BY game, language, source_sha256
) AS first
WHERE submission.id = standing.{column} AND first.game = submission.game
AND first.language = submission.language AND first.source_sha256 = submission.source_sha256
"""


def upgrade() -> None:
    op.add_column("result", sa.Column("repeat", sa.Boolean(), server_default="false", nullable=False))
    op.create_index("ix_result_digest", "result", ["digest"])
    op.add_column("pair_tally", sa.Column("repeats", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("standing", sa.Column("entered_with", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("standing", sa.Column("spent", sa.Boolean(), server_default="false", nullable=False))
    op.add_column("user", sa.Column("was_guest", sa.Boolean(), server_default="false", nullable=False))
    op.create_check_constraint(op.f("ck_pair_tally_repeats"), "pair_tally", "repeats >= 0")
    # Bots stay in their leagues and are tried anew; any that is too weak for its league falls back.
    op.execute(TRIED_ANEW)
    for column in ("competitor_id", "parent_id"):
        op.execute(SHARED.format(column=column))
    op.execute("UPDATE standing SET parent_id = NULL WHERE parent_id >= submission_id OR parent_id >= competitor_id")
    op.execute("UPDATE ladder SET stale = true")
    op.drop_column("league", "rules_level")


def downgrade() -> None:
    op.add_column("league", sa.Column("rules_level", sa.SmallInteger(), server_default="1", nullable=False))
    op.alter_column("league", "rules_level", server_default=None)
    op.execute("UPDATE ladder SET stale = true")
    op.drop_constraint(op.f("ck_pair_tally_repeats"), "pair_tally")
    op.drop_column("user", "was_guest")
    op.drop_column("standing", "spent")
    op.drop_column("standing", "entered_with")
    op.drop_column("pair_tally", "repeats")
    op.drop_index("ix_result_digest", "result")
    op.drop_column("result", "repeat")
