"""readers follow changes by id: whoever writes some holds a lock that says so, and transactions are not looked at"""

import sqlalchemy as sa
from alembic import op

from hexarena.backend.models import TransactionId

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

# The lock's first number is `AdvisoryLock.CHANGES`; its second one is the last id that anybody had got before it.
BEFORE_CHANGES = """
    CREATE FUNCTION before_changes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp AS $$
    BEGIN
        IF coalesce(current_setting('hexarena.writes_changes', true), '') = '' THEN
            PERFORM pg_advisory_xact_lock_shared(
                1751480423, (coalesce(pg_sequence_last_value('change_id_seq'), 0) % 2147483648)::int);
            PERFORM set_config('hexarena.writes_changes', '1', true);
        END IF;
        RETURN NULL;
    END
    $$
"""
TRIGGER = "CREATE TRIGGER before_changes BEFORE INSERT ON change FOR EACH STATEMENT EXECUTE FUNCTION before_changes()"


def upgrade() -> None:
    op.execute(BEFORE_CHANGES)
    op.execute(TRIGGER)
    op.drop_index("ix_change_tx_id", "change")
    op.drop_column("change", "tx")


def downgrade() -> None:
    default = sa.text("pg_current_xact_id()")
    op.add_column("change", sa.Column("tx", TransactionId(), server_default=default, nullable=False))
    op.create_index("ix_change_tx_id", "change", ["tx", "id"])
    op.execute("DROP TRIGGER before_changes ON change")
    op.execute("DROP FUNCTION before_changes()")
