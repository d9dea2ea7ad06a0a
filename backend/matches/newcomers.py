"""The first match of a duel: it does not wait for the rest of a long match that nobody asked for.

Theory of operation. The fair order decides whenever a slot becomes free, but a slot may stay taken for a minute. So
when a duel waits for its first match, and nothing of its share is running, a match that only keeps the ladder going is
revoked: its attempt is void, and it is played again later. Its worker notices when it renews the lease, within a third
of the lease's time; until then the newcomer's match may be sent and handed back a few times. Whatever the worker still
reports is discarded, as after a kill. A match is revoked in its first attempt only, so it ends however many come.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import ColumnElement, exists, func, select, update
from sqlalchemy.orm import Session, aliased

from hexarena.backend.matches import live
from hexarena.backend.matches.backlog import is_free, is_ready
from hexarena.backend.matches.life import HOUSE_PRIORITY, record_void_attempt
from hexarena.backend.models import Duel, Job, Match, MatchKind, MatchState

PATIENCE = timedelta(seconds=10)
"""A duel waits so long for its first match before another match is revoked for it."""
REVOKED = "It made room for the first match of a duel that somebody waits for."
OF_EVENT: ColumnElement[bool] = Match.kind == MatchKind.EVENT_LADDER
BACKGROUND: ColumnElement[bool] = (Match.kind == MatchKind.LADDER) | OF_EVENT | (Job.priority >= HOUSE_PRIORITY)
"""Matches that nobody waits for, but those of people's bots in placement or on trial."""


def first_matches(session: Session) -> list[int]:
    """The first matches of duels that have waited too long, the oldest first; one of each share that holds nothing."""
    other = aliased(Match)
    began = exists().where(other.duel_id == Match.duel_id, other.started_at.is_not(None))
    holding = select(Job.share).where(~is_free(), Job.share.is_not(None))
    query = (
        select(func.min(Job.match_id))
        .join(Match, Match.id == Job.match_id)
        .join(Duel, Duel.id == Match.duel_id)
        .where(is_free(), is_ready(), ~began, Duel.created_at < func.now() - PATIENCE, Job.share.not_in(holding))
        .group_by(Job.share)
    )
    return sorted(match_id for match_id in session.scalars(query) if match_id is not None)


def make_room(session: Session, count: int, *, max_attempts: int, pause_s: float) -> Sequence[int]:
    """Revokes up to `count` background matches, the youngest first. Returns which.

    `pause_s`: they are not sent again for so long; their workers must have noticed by then.
    """
    if count <= 0 or max_attempts < 2:
        return []
    youngest = (
        select(Job.match_id, Match.game)
        .join(Match, Match.id == Job.match_id)
        .where(~is_free(), ~Job.asleep, Job.attempts == 1, Match.state == MatchState.RUNNING)
        .where(BACKGROUND, Job.share.is_(None) | OF_EVENT)
        .order_by(Match.started_at.desc(), Job.match_id)
        .limit(count)
        .with_for_update(of=Job, skip_locked=True)
    )
    rows = session.execute(youngest).all()
    for match_id, game in rows:
        _revoke(session, match_id, game, pause_s)
    return [match_id for match_id, _ in rows]


def _revoke(session: Session, match_id: int, game: str, pause_s: float) -> None:
    again_at = func.now() + timedelta(seconds=pause_s)
    record_void_attempt(session, match_id, 1, REVOKED)
    free = update(Job).where(Job.match_id == match_id)
    session.execute(free.values(token=None, lease_until=None, not_before=again_at, asleep=False, slot_wanted=False))
    session.execute(update(Match).where(Match.id == match_id).values(state=MatchState.QUEUED))
    live.publish(session, game, "match", match_id)
