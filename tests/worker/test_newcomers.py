"""A real worker whose ladder match makes room for a duel's first match: that one is played, and the other one again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend.duels import life as duels
from hexarena.backend.matches.newcomers import PATIENCE, REVOKED
from hexarena.backend.models import Job, Match, MatchKind, MatchState, Result, User, UserKind, VoidAttempt
from hexarena.backend.runtime.db import Database
from hexarena.games.catalogue import find_game
from tests.conftest import Processes, wait_until
from tests.worker.test_arena import live_house_bots, queue_slow_matches

pytestmark = pytest.mark.sandbox


def begin_duel(session: Session) -> None:
    """A stranger's, who has waited for longer than anybody must."""
    stranger = User(kind=UserKind.ACCOUNT, name="stranger")
    session.add(stranger)
    session.flush()
    one, other = live_house_bots(session)[:2]
    begun = duels.start(
        session,
        stranger,
        game=find_game("yavalath"),
        candidate_id=one,
        baseline_id=other,
        preset="quick",
        games=2,
        league=1,
        seed=7,
    )
    begun.created_at = func.now() - PATIENCE - timedelta(seconds=1)


@pytest.mark.long
def test_a_ladder_match_makes_room_for_a_newcomer_and_is_played_again(processes: Processes, database: Database) -> None:
    processes.extra["HEXARENA_WORKER_PROCESSES"] = "1"  # the ladder's own leave one of several
    processes.start("hexarena.worker.app")
    processes.start("hexarena.worker.dispatcher")

    def made_room() -> bool:
        """Until then, there is always a ladder match that runs and a stranger who waits, on any machine."""
        with database.transaction() as session:
            if session.scalar(select(VoidAttempt.match_id).where(VoidAttempt.reason == REVOKED)):
                return True
            waiting = select(func.count()).select_from(Job).join(Match)
            if session.scalar(waiting.where(Match.kind == MatchKind.DUEL)):
                return False
            is_running = (Match.kind == MatchKind.LADDER) & (Match.state == MatchState.RUNNING)
            if session.scalar(select(func.count()).where(is_running)):
                begin_duel(session)
            is_idle = not session.scalar(waiting)
        if is_idle:
            queue_slow_matches(database, 2)
        return False

    def all_over() -> bool:
        with database.transaction() as session:
            return not session.scalar(select(func.count()).select_from(Job))

    wait_until(made_room, "a ladder match makes room")
    wait_until(all_over, "all matches are over, the duel's and the ladder's")
    with database.transaction() as session:
        assert set(session.scalars(select(Match.state))) == {MatchState.DONE}
        played = select(Match.id).order_by(Match.id)
        assert session.scalars(select(Result.match_id).order_by(Result.match_id)).all() == session.scalars(played).all()
        revoked = session.scalars(select(VoidAttempt.match_id).where(VoidAttempt.reason == REVOKED)).all()
        again = select(Match.kind, Result.attempt).join(Result).where(Match.id.in_(revoked))
        assert {(kind, attempt) for kind, attempt in session.execute(again)} == {(MatchKind.LADDER, 2)}
