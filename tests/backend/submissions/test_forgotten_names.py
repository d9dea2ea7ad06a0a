"""Who is deleted is no longer named where others wrote him down; what was done to him stays in the log."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.classes import life, rosters
from hexarena.backend.models import AuditEntry, Bot, Class, ClassMember, Submission, User, UserKind, UserRole
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import deletion, export
from tests.backend.ladder.ladders import enter


def new_account(session: Session, name: str, role: UserRole = UserRole.USER) -> User:
    user = User(kind=UserKind.ACCOUNT, role=role, name=name, name_key=name.lower())
    session.add(user)
    session.flush()
    return user


def details(session: Session) -> list[dict[str, object]]:
    """Of all entries, oldest first."""
    session.expire_all()
    return list(session.scalars(select(AuditEntry.detail).order_by(AuditEntry.id)))


def test_the_log_keeps_what_was_done_to_somebody_but_not_his_name(database: Database) -> None:
    with database.transaction() as session:
        olga, bob, eve = (new_account(session, name) for name in ("Olga", "Bob", "Eve"))
        audit.record(session, olga, "ban", person="Bob", person_id=bob.id, reason="Spam.")
        audit.record(session, olga, "name organiser", None, who="Bobby", who_id=bob.id)
        audit.record(session, olga, "name organiser", None, who="Bob")  # from before there were ids
        audit.record(session, olga, "ban", person="Bob", person_id=eve.id, reason="Eve was called Bob.")
        audit.record(session, olga, "ban", person="Eve", person_id=eve.id, reason="Spam.")
        before = details(session)
        deletion.delete_account(session, bob)
        after = details(session)
        assert after[:3] == [
            {"person": "deleted", "person_id": bob.id, "reason": "Spam."},
            {"who": "deleted", "who_id": bob.id},
            {"who": "deleted"},
        ]
        assert after[3:] == before[3:]
        deletion.delete_account(session, olga)
        assert {name for _, name in audit.entries(session)} == {"deleted"}, "nor who did it"


def test_a_deleted_bot_is_not_named_there_either(database: Database) -> None:
    with database.transaction() as session:
        bob = new_account(session, "Bob")
        versions = [enter(session, bob, name) for name in ("Pet", "Other")]
        of_versions = select(Bot).join(Submission, Submission.bot_id == Bot.id).where(Submission.id.in_(versions))
        bots = session.scalars(of_versions.order_by(Bot.id)).all()
        for bot in bots:
            audit.record(session, None, "disqualify", None, bot=bot.name, bot_id=bot.id, reason="It cheats.")
        deletion.delete_bot(session, bob, bots[0].id)
        assert [one["bot"] for one in details(session)] == ["deleted", "Other"]


def test_a_student_who_deletes_his_account_leaves_the_roster_and_his_archive_has_said_so(database: Database) -> None:
    roster = b"name,mail\nAda King,ada@uni.example\nBob Ray,bob@uni.example\n"
    with database.transaction() as session:
        olga = new_account(session, "Olga", UserRole.ORGANISER)
        found = life.create(session, olga, game="yavalath", name="Bots 101")
        life.import_roster(session, olga, found.id, rosters.read(roster), days=14)
        ada = session.scalars(select(User).join(ClassMember).where(ClassMember.name == "Ada King")).one()
        assert export._account(session, ada)["class"]["mail_or_id"] == "ada@uni.example"
        deletion.delete_account(session, ada)
        assert [one.name for one in life.members(session, found.id)] == ["Bob Ray"]
        assert export._account(session, ada)["class"] is None
        assert session.scalar(select(func.count()).select_from(Class)) == 1
        entry, by = audit.entries(session)[0]
        assert (entry.action, entry.detail["class_id"], by) == ("delete account", found.id, "deleted")
        stored = str(session.execute(text("SELECT array_agg(t::text) FROM class_member t")).scalar_one())
        stored += str(session.execute(text("SELECT array_agg(t::text) FROM audit_entry t")).scalar_one())
        assert "Ada King" not in stored
        assert "ada@" not in stored


@pytest.mark.parametrize(
    "change",
    [
        'detail = detail || \'{"person": "Eve"}\'',
        'detail = detail || \'{"reason": "deleted"}\'',
        'detail = detail || \'{"who": "deleted"}\'',
        "detail = detail - 'person'",
        "action = 'unban'",
        "user_id = NULL",
        "at = now() + interval '1 day'",
    ],
)
def test_the_database_takes_no_other_change_of_the_log(database: Database, change: str) -> None:
    with database.transaction() as session:
        olga = new_account(session, "Olga")
        audit.record(session, olga, "ban", person="Bob", person_id=olga.id, reason="Spam.")
    with pytest.raises(DBAPIError, match="never changed"), database.transaction() as session:
        session.execute(text(f"UPDATE audit_entry SET {change}"))  # noqa: S608 - ours
    with pytest.raises(DBAPIError, match="never changed"), database.transaction() as session:
        session.execute(text("DELETE FROM audit_entry"))
