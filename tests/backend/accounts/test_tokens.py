"""Whose tokens and invitations count, for how long, and how many there may be."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, update
from sqlalchemy.orm import Session

from hexarena.backend.accounts import invites, tokens
from hexarena.backend.accounts.permissions import Scope
from hexarena.backend.errors import Conflict, Forbidden
from hexarena.backend.models import Invite, User, UserKind, UserRole
from hexarena.backend.runtime.db import Database


def account(session: Session, name: str) -> User:
    user = User(kind=UserKind.ACCOUNT, name=name, name_key=name)
    session.add(user)
    session.flush()
    return user


def test_tokens_are_named_and_listed_for_each_account(database: Database) -> None:
    with database.transaction() as session:
        ada, grace = account(session, "ada"), account(session, "grace")
        first, second = (tokens.create(session, ada, name, [Scope.READ])[0].id for name in ("laptop", "desk"))
        other = tokens.create(session, grace, "laptop", [Scope.READ])[0].id
        assert [one.id for one in tokens.list_of(session, ada.id)] == [second, first]
        assert [one.id for one in tokens.list_of(session, grace.id)] == [other]


def test_an_account_has_a_limited_number_of_tokens(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST", 2)
    with database.transaction() as session:
        ada = account(session, "ada")
        for name in ("laptop", "desk"):
            tokens.create(session, ada, name, [Scope.READ])
        with pytest.raises(Conflict) as refused:
            tokens.create(session, ada, "another", [Scope.READ])
        expected = "fewer than 2 tokens; delete one that you no longer use"
        assert (refused.value.expected, refused.value.got) == (expected, "2")
        tokens.create(session, account(session, "grace"), "another", [Scope.READ])


def test_an_invitation_ends_with_its_days(database: Database) -> None:
    with database.transaction() as session:
        invite, code = invites.create(session, uses=2, days=1, note="", role=UserRole.USER)
        assert invites.redeem(session, code) == UserRole.USER
        assert invites.list_all(session) == [invite]
        session.execute(update(Invite).values(expires_at=func.now() - timedelta(seconds=1)))
        assert invites.list_all(session) == []
        with pytest.raises(Forbidden):
            invites.redeem(session, code)
