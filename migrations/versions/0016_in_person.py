"""in person: matches in which a person has a seat, turn by turn"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

WITH_CODE = "source_sha256 IS NOT NULL OR state IN ('superseded', 'failed', 'disabled')"


def upgrade() -> None:
    op.create_table(
        "in_person",
        sa.Column("match_id", sa.BigInteger(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("header", sa.String(), nullable=True),
        sa.Column("turn", sa.SmallInteger(), nullable=True),
        sa.Column("prompt", sa.String(), nullable=True),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reply", sa.String(), nullable=True),
        sa.Column("resigned", sa.Boolean(), server_default="false", nullable=False),
        sa.CheckConstraint("seat >= 0", name=op.f("ck_in_person_counts_from_zero")),
        sa.CheckConstraint(
            "(turn IS NULL) = (prompt IS NULL) AND (turn IS NULL) = (until IS NULL)",
            name=op.f("ck_in_person_asked_with_a_prompt"),
        ),
        sa.CheckConstraint("reply IS NULL OR turn IS NOT NULL", name=op.f("ck_in_person_replies_when_asked")),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name=op.f("fk_in_person_match_id_match"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_in_person")),
    )
    op.create_table(
        "in_person_turn",
        sa.Column("match_id", sa.BigInteger(), nullable=False),
        sa.Column("turn", sa.SmallInteger(), nullable=False),
        sa.Column("line", sa.String(), nullable=False),
        sa.Column("said", sa.String(), nullable=False),
        sa.CheckConstraint("turn > 0", name=op.f("ck_in_person_turn_counts_from_one")),
        sa.ForeignKeyConstraint(
            ["match_id"], ["in_person.match_id"], name=op.f("fk_in_person_turn_match_id_in_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", "turn", name=op.f("pk_in_person_turn")),
    )
    op.add_column("job", sa.Column("paused_attempt", sa.SmallInteger(), server_default="0", nullable=False))
    op.drop_constraint(op.f("ck_submission_plays_with_its_code"), "submission", type_="check")
    op.create_check_constraint(
        op.f("ck_submission_plays_with_its_code"), "submission", f"{WITH_CODE} OR language = 'person'"
    )


def downgrade() -> None:
    op.execute("DELETE FROM match WHERE id IN (SELECT match_id FROM in_person)")
    op.execute("DELETE FROM submission WHERE language = 'person'")
    op.drop_constraint(op.f("ck_submission_plays_with_its_code"), "submission", type_="check")
    op.create_check_constraint(op.f("ck_submission_plays_with_its_code"), "submission", WITH_CODE)
    op.drop_column("job", "paused_attempt")
    op.drop_table("in_person_turn")
    op.drop_table("in_person")
