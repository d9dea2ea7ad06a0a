"""Many accounts at once, beside those that people make themselves."""

from __future__ import annotations

import pytest

from hexarena.backend.accounts import importing, life as accounts
from hexarena.backend.accounts.importing import Newcomer
from hexarena.backend.errors import Conflict
from hexarena.backend.runtime.db import Database

PEOPLE = [Newcomer(2, "Ada", "correct horse", "ada@example.org", "organiser"), Newcomer(3, "Grace", "battery staple")]


def test_all_are_made_and_can_sign_in(database: Database) -> None:
    hashed = list(importing.hashes(PEOPLE))
    with database.transaction() as session:
        assert importing.make(session, PEOPLE, hashed) == ["Ada", "Grace"]
    with database.transaction() as session:
        ada = accounts.sign_in(session, name="ada", password="correct horse")
        grace = accounts.sign_in(session, name="Grace", password="battery staple")
        assert (ada.role, ada.email, ada.network) == ("organiser", "ada@example.org", None)
        assert (grace.role, grace.email) == ("user", None)


def test_somebody_signs_up_between_check_and_making(database: Database) -> None:
    """The check takes no lock: whoever signs up meanwhile need not wait, and takes the name."""
    with database.transaction() as checking:
        importing.check(checking, PEOPLE)
        with database.transaction() as session:
            accounts.sign_up(session, None, name="grace", password="correct horse")
    with pytest.raises(Conflict, match="line 3, 'Grace': This name is taken"), database.transaction() as session:
        importing.make(session, PEOPLE, ["", ""])
    with database.transaction() as session:
        assert accounts.named(session, "grace").name == "grace"


def test_names_that_nobody_can_have_are_told_like_others(database: Database) -> None:
    people = [Newcomer(2, "A\0da", "correct horse"), Newcomer(3, "", "correct horse"), PEOPLE[1]]
    with pytest.raises(Conflict, match="2 of 3 rows") as raised, database.transaction() as session:
        importing.check(session, people)
    assert "line 2, 'A\\x00da': This name cannot be used." in str(raised.value)


def test_many_problems_are_counted_and_the_first_ones_told(database: Database) -> None:
    people = [Newcomer(number, "Ada", "correct horse") for number in range(2, 30)]
    with pytest.raises(Conflict) as raised, database.transaction() as session:
        importing.check(session, people)
    told = str(raised.value)
    assert "27 of 28 rows" in told
    assert "line 3," in told
    assert "line 2," not in told
    assert "… and 7 more" in told
