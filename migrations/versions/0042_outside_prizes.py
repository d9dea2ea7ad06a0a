"""entrants of an event that are outside the prizes: house bots, from the next freeze on

Finals that have begun keep the rule that they began with.
"""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("outside_prizes", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("event_entry", column)
    op.execute(
        'UPDATE event_entry SET outside_prizes = true FROM event, bot, "user" '
        "WHERE event.id = event_entry.event_id AND event.state = 'open' "
        'AND bot.id = event_entry.bot_id AND "user".id = bot.owner_id AND "user".kind = \'house\''
    )


def downgrade() -> None:
    op.drop_column("event_entry", "outside_prizes")
