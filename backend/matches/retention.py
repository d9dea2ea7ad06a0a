"""Deletes what matches stored once it is old enough, by kind. The default keeps everything.

Each rule remembers up to which match it has come, so that a round looks at new matches only. Rows stay: results,
ratings and history do not change, and a match whose replay is gone says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.models import Match, MatchKind, Result, Retention
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings

AT_ONCE = 200
PRACTICE = frozenset({MatchKind.PRACTICE})
RATED_KINDS = frozenset(MatchKind) - PRACTICE - {MatchKind.EVENT, MatchKind.MARKING}
"""The matches of an event are kept, as its published file has them, and those that marks rest on."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What of which matches is deleted after how many days. `logs_only`: the replay stays."""

    name: str
    kinds: frozenset[MatchKind]
    days: int
    logs_only: bool = False


def rules_of(settings: Settings) -> list[Rule]:
    """Those that delete anything."""
    rules = [
        Rule("replays", RATED_KINDS, settings.keep_replays_days),
        Rule("practice", PRACTICE, settings.keep_practice_days),
        Rule("seat logs", frozenset(MatchKind), settings.keep_logs_days, logs_only=True),
    ]
    return [rule for rule in rules if rule.days > 0]


def days_kept(settings: Settings, kind: MatchKind, *, log: bool = False) -> int | None:
    """How long the replay, or a seat log, of such a match is kept; None: for ever."""
    rules = [rule for rule in rules_of(settings) if kind in rule.kinds and (log or not rule.logs_only)]
    return min((rule.days for rule in rules), default=None)


def delete_some(database: Database, blobs: Blobs, rules: Sequence[Rule]) -> int:
    """Deletes what is due, some matches a rule at most. Returns how many matches were looked at.

    No transaction is open while the store works. Raises: StoreError, OperationalError.
    """
    return sum(_follow(database, blobs, rule) for rule in rules)


def _follow(database: Database, blobs: Blobs, rule: Rule) -> int:
    with database.transaction() as session:
        due = _due(session, rule)
    if not due:
        return 0
    for key in (key for _, key in due if key is not None):
        if rule.logs_only:
            blobs.erase_logs(key)
        else:
            blobs.erase(key)
    with database.transaction() as session:
        new = insert(Retention).values(rule=rule.name, match_id=due[-1][0])
        further = func.greatest(Retention.match_id, new.excluded.match_id)
        session.execute(new.on_conflict_do_update(index_elements=["rule"], set_={"match_id": further}))
    return len(due)


def _due(session: Session, rule: Rule) -> list[tuple[int, str | None]]:
    """The next matches in the order of their ids, up to the first that is not old enough: id and key, if it has one."""
    position = session.scalar(select(Retention.match_id).where(Retention.rule == rule.name)) or 0
    before = session.scalar(select(func.now() - timedelta(days=rule.days)))
    query = (
        select(Match.id, Match.kind, Match.finished_at, Result.replay_key)
        .outerjoin(Result, Result.match_id == Match.id)
        .where(Match.id > position)
        .order_by(Match.id)
        .limit(AT_ONCE)
    )
    due: list[tuple[int, str | None]] = []
    for row in session.execute(query):
        if before is None or row.finished_at is None or row.finished_at >= before:
            break
        due.append((row.id, row.replay_key if row.kind in rule.kinds else None))
    return due
