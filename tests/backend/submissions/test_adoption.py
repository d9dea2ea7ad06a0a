"""A guest who signs in to an account: what is locked, and in which order."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend.duels import life as duels
from hexarena.backend.ladder import standings
from hexarena.backend.matches.quotas import NO_QUOTAS
from hexarena.backend.models import Bot, Duel, Submission, SubmissionState, User, UserKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions.adoption import adopt
from tests.backend.ladder.ladders import GAME, enter
from tests.conftest import PATIENCE_S, is_anybody_waiting, wait_until


def a_guest_and_an_account(session: Session) -> tuple[User, int]:
    guest = User(kind=UserKind.GUEST, name="guest")
    account = User(kind=UserKind.ACCOUNT, name="Zoë", name_key="zoe")
    session.add_all([guest, account])
    session.flush()
    return guest, account.id


def sign_in(database: Database, account_id: int, guest_id: int) -> None:
    with database.transaction() as session:
        adopt(session, session.get_one(User, account_id), session.get_one(User, guest_id), NO_QUOTAS)


def test_whoever_brings_bots_along_waits_for_the_ladder_before_he_locks_their_owners(database: Database) -> None:
    """A refit has the ladder when it writes notices to owners: the other way round, each waits for the other."""
    with database.transaction() as session:
        guest, account_id = a_guest_and_an_account(session)
        enter(session, guest, "brought along")
        guest_id = guest.id

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            standings.lock_ladder(session, GAME.id)
            done = pool.submit(sign_in, database, account_id, guest_id)
            wait_until(lambda: is_anybody_waiting(database) or done.done(), "he waits for the ladder")
            assert not done.done()
            owners = select(User.id).where(User.id.in_((guest_id, account_id))).with_for_update(nowait=True)
            assert len(session.scalars(owners).all()) == 2
        done.result()
    with database.transaction() as session:
        assert session.scalars(select(Bot.owner_id).where(Bot.name == "brought along")).all() == [account_id]
        assert session.get(User, guest_id) is None


def test_whoever_signs_in_as_his_duel_ends_locks_it_before_he_locks_himself(database: Database) -> None:
    """A round has the duel when it tells its owner of the end: the other way round, each waits for the other."""
    with database.transaction() as session:
        guest, account_id = a_guest_and_an_account(session)
        live = select(Submission.id).where(Submission.game == GAME.id, Submission.state == SubmissionState.LIVE)
        one, other = session.scalars(live.limit(2)).all()
        duel = duels.start(
            session,
            guest,
            game=GAME,
            candidate_id=one,
            baseline_id=other,
            preset="quick",
            games=40,
            league=GAME.top_level,
            seed=1,
        )
        guest_id, duel_id = guest.id, duel.id

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            session.scalars(select(Duel.id).where(Duel.id == duel_id).with_for_update()).one()
            done = pool.submit(sign_in, database, account_id, guest_id)
            wait_until(lambda: is_anybody_waiting(database) or done.done(), "he waits for the duel")
            assert not done.done()
            session.scalars(select(User.id).where(User.id == guest_id).with_for_update(nowait=True)).one()
        done.result()
    with database.transaction() as session:
        assert session.get_one(Duel, duel_id).requested_by_id == account_id


def test_whoever_signs_up_in_another_tab_meanwhile_keeps_the_account(database: Database) -> None:
    with database.transaction() as session:
        guest, account_id = a_guest_and_an_account(session)
        guest_id = guest.id

    def sign_in_having_seen_a_guest() -> None:
        with database.transaction() as session:
            account, guest = session.get_one(User, account_id), session.get_one(User, guest_id)
            assert guest.kind == UserKind.GUEST
            seen.set()
            adopt(session, account, guest, NO_QUOTAS)

    seen = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            other = session.scalars(select(User).where(User.id == guest_id).with_for_update()).one()
            other.kind, other.name, other.name_key = UserKind.ACCOUNT, "Ada", "ada"
            session.flush()
            done = pool.submit(sign_in_having_seen_a_guest)
            assert seen.wait(PATIENCE_S)
            wait_until(lambda: is_anybody_waiting(database) or done.done(), "he waits for the one who signs up")
        done.result()
    with database.transaction() as session:
        assert session.get_one(User, guest_id).kind == UserKind.ACCOUNT
