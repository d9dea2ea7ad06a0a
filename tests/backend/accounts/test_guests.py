"""What a guest may have, and what only accounts have."""

from __future__ import annotations

from hexarena.backend.accounts.life import OF_GUESTS
from hexarena.backend.models import Base

OF_ACCOUNTS = {
    "announcement.created_by_id",
    "audit_entry.user_id",
    "class.organiser_id",
    "class_member.user_id",
    "class_team.user_id",
    "event.created_by_id",
    "extension.by_id",
    "extension.owner_id",
    "mark.owner_id",
}


def test_whatever_a_guest_may_have_moves_to_the_account_that_he_signs_in_to() -> None:
    """Who has a row that refers to him cannot be removed: signing in would fail."""
    referring = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.tables.values()
        for column in table.columns
        for key in column.foreign_keys
        if key.column.table.name == "user" and key.ondelete != "CASCADE"
    }
    moved = {f"{one.class_.__tablename__}.{one.key}" for one in OF_GUESTS}
    assert referring - moved == OF_ACCOUNTS
