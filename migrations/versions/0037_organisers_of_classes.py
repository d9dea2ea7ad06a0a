"""organisers of classes: who was named for one, besides whom it belongs to"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "class_organiser",
        sa.Column("class_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_id"], ["class.id"], name=op.f("fk_class_organiser_class_id_class"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_class_organiser_user_id_user"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("class_id", "user_id", name=op.f("pk_class_organiser")),
    )
    op.create_index("ix_class_organiser_user_id", "class_organiser", ["user_id"])


def downgrade() -> None:
    op.drop_table("class_organiser")
