"""the audit log: nothing of a row can be changed but the name of somebody, or of a bot, who is deleted"""

from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

REFUSE = """
CREATE FUNCTION refuse_all_but_forgetting() RETURNS trigger LANGUAGE plpgsql AS
$$
DECLARE key text;
BEGIN
  IF (NEW.id, NEW.at, NEW.user_id, NEW.action, NEW.event_id)
      IS DISTINCT FROM (OLD.id, OLD.at, OLD.user_id, OLD.action, OLD.event_id)
      OR NEW.detail - '{person,who,bot}'::text[] <> OLD.detail - '{person,who,bot}'::text[] THEN
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME;
  END IF;
  FOREACH key IN ARRAY '{person,who,bot}'::text[] LOOP
    IF NEW.detail -> key IS DISTINCT FROM OLD.detail -> key
        AND NOT (OLD.detail ? key AND NEW.detail ->> key IS NOT DISTINCT FROM 'deleted') THEN
      RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME;
    END IF;
  END LOOP;
  RETURN NEW;
END
$$
"""


def upgrade() -> None:
    op.execute(REFUSE)
    op.execute("DROP TRIGGER never_changed ON audit_entry")
    _create("never_deleted BEFORE DELETE OR TRUNCATE", "STATEMENT", "refuse_change")
    _create("never_changed BEFORE UPDATE", "ROW", "refuse_all_but_forgetting")


def downgrade() -> None:
    op.execute("DROP TRIGGER never_changed ON audit_entry")
    op.execute("DROP TRIGGER never_deleted ON audit_entry")
    op.execute("DROP FUNCTION refuse_all_but_forgetting")
    _create("never_changed BEFORE UPDATE OR DELETE OR TRUNCATE", "STATEMENT", "refuse_change")


def _create(when: str, each: str, function: str) -> None:
    op.execute(f"CREATE TRIGGER {when} ON audit_entry FOR EACH {each} EXECUTE FUNCTION {function}()")
