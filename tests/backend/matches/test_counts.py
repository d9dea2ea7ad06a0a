"""How many matches of a game are done: kept, and always what counting them would give."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import Match, MatchKind, MatchState, Submission, SubmissionState
from hexarena.backend.runtime.db import Database


def counted(session: Session) -> int:
    public = Match.kind.not_in((MatchKind.PRACTICE, MatchKind.DUEL))
    return session.scalar(select(func.count()).where(Match.state == MatchState.DONE, public)) or 0


def queue_match(session: Session, kind: MatchKind) -> int:
    live = select(Submission.id).where(Submission.game == "yavalath", Submission.state == SubmissionState.LIVE)
    pair = session.scalars(live.order_by(Submission.id).limit(2)).all()
    return matches.schedule(session, game="yavalath", kind=kind, submission_ids=pair, seed=1, league=1).id


def claim(session: Session) -> matches.ClaimedMatch:
    lease = queue.lease(session, limit=1, seconds=60, max_attempts=3)[0]
    claimed = queue.claim(session, lease.match_id, lease.token, seconds=60)
    assert claimed is not None
    return claimed


REPORT = matches.Report((0, 1), (1, 0), "why", 9, (), 1.0, "test", "x", "1", "d")


@pytest.mark.parametrize(
    ("kind", "counts"), [(MatchKind.LADDER, True), (MatchKind.PLACEMENT, True), (MatchKind.PRACTICE, False)]
)
def test_a_match_counts_once_it_is_done_and_until_it_is_annulled(
    database: Database, kind: MatchKind, counts: bool
) -> None:
    with database.transaction() as session:
        before = matches.counts(session).get("yavalath", 0)
        match_id = queue_match(session, kind)
        claimed = claim(session)
        assert matches.counts(session).get("yavalath", 0) == before
        assert matches.finish(session, claimed, REPORT)
        assert not matches.finish(session, claimed, REPORT)
        assert matches.counts(session).get("yavalath", 0) == before + counts
        matches.annul(session, match_id, "It was our fault.")
        assert matches.counts(session).get("yavalath", 0) == before == counted(session)


def test_a_void_match_does_not_count(database: Database) -> None:
    with database.transaction() as session:
        queue_match(session, MatchKind.LADDER)
        matches.void(session, claim(session), "It was our fault.")
        assert matches.counts(session) == {}


def test_many_matches_are_counted_in_parts(database: Database) -> None:
    with database.transaction() as session:
        for _ in range(20):
            queue_match(session, MatchKind.LADDER)
            assert matches.finish(session, claim(session), REPORT)
        assert matches.counts(session) == {"yavalath": 20}
        assert counted(session) == 20
