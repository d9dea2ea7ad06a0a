"""A guest who signs in to an account: what is locked, and in which order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import select, text

from hexarena.backend.ladder import standings
from hexarena.backend.matches.quotas import NO_QUOTAS
from hexarena.backend.models import Bot, User, UserKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions.adoption import adopt
from tests.backend.ladder.ladders import GAME, enter
from tests.conftest import wait_until

WAITING = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")


def test_whoever_brings_bots_along_waits_for_the_ladder_before_he_locks_their_owners(database: Database) -> None:
    """A refit has the ladder when it writes notices to owners: the other way round, each waits for the other."""
    with database.transaction() as session:
        guest = User(kind=UserKind.GUEST, name="guest")
        account = User(kind=UserKind.ACCOUNT, name="Zoë", name_key="zoe")
        session.add_all([guest, account])
        session.flush()
        enter(session, guest, "brought along")
        guest_id, account_id = guest.id, account.id

    def sign_in() -> None:
        with database.transaction() as session:
            adopt(session, session.get_one(User, account_id), session.get_one(User, guest_id), NO_QUOTAS)

    def is_waiting() -> bool:
        with database.transaction() as session:
            return bool(session.scalar(WAITING))

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            standings.lock_ladder(session, GAME.id)
            done = pool.submit(sign_in)
            wait_until(lambda: is_waiting() or done.done(), "he waits for the ladder")
            assert not done.done()
            owners = select(User.id).where(User.id.in_((guest_id, account_id))).with_for_update(nowait=True)
            assert len(session.scalars(owners).all()) == 2
        done.result()
    with database.transaction() as session:
        assert session.scalars(select(Bot.owner_id).where(Bot.name == "brought along")).all() == [account_id]
        assert session.get(User, guest_id) is None
