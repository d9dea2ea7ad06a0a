"""A guest who signs in to an account: what is locked, and in which order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import select

from hexarena.backend.duels import life as duels
from hexarena.backend.ladder import standings
from hexarena.backend.matches.quotas import NO_QUOTAS
from hexarena.backend.models import Bot, Duel, Submission, SubmissionState, User, UserKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions.adoption import adopt
from tests.backend.ladder.ladders import GAME, enter
from tests.conftest import is_anybody_waiting, wait_until


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

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            standings.lock_ladder(session, GAME.id)
            done = pool.submit(sign_in)
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
        guest = User(kind=UserKind.GUEST, name="guest")
        account = User(kind=UserKind.ACCOUNT, name="Zoë", name_key="zoe")
        session.add_all([guest, account])
        session.flush()
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
        guest_id, account_id, duel_id = guest.id, account.id, duel.id

    def sign_in() -> None:
        with database.transaction() as session:
            adopt(session, session.get_one(User, account_id), session.get_one(User, guest_id), NO_QUOTAS)

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            session.scalars(select(Duel.id).where(Duel.id == duel_id).with_for_update()).one()
            done = pool.submit(sign_in)
            wait_until(lambda: is_anybody_waiting(database) or done.done(), "he waits for the duel")
            assert not done.done()
            session.scalars(select(User.id).where(User.id == guest_id).with_for_update(nowait=True)).one()
        done.result()
    with database.transaction() as session:
        assert session.get_one(Duel, duel_id).requested_by_id == account_id
