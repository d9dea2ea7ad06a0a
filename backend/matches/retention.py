"""Deletes what matches stored once it is old enough, by kind. The default keeps everything.

Each rule remembers up to which match it has come, and which it has passed: matches that were not over, and objects that
the store refused to delete. So a round looks at new matches and at these only, and none waits for another. Rows stay:
results, ratings and history do not change, and a match whose replay is gone says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend.matches.blobs import Blobs, StoreError
from hexarena.backend.matches.store import refused
from hexarena.backend.models import Match, MatchKind, Result, Retention, RetentionPassed
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings

AT_ONCE = 200
PATIENCE = timedelta(days=1)
"""How long a rule waits at a match that is not over, or ended late, before it passes it. It returns to those."""
MOST_REFUSED = 20
"""Objects of one round that a rule passes where the store refuses all, whatever it has passed before."""
MOST_PASSED = 5_000
"""Objects that a rule has passed, beyond which no round is passed in which the store refuses all: then nothing at all
can be deleted."""
PRACTICE = frozenset({MatchKind.PRACTICE})
RATED_KINDS = frozenset(MatchKind) - PRACTICE - {MatchKind.EVENT, MatchKind.MARKING}
"""The matches of an event are kept, with their logs, as its published file has them, and those that marks rest on."""


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
        Rule("seat logs", frozenset(MatchKind) - {MatchKind.EVENT}, settings.keep_logs_days, logs_only=True),
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


@dataclass(frozen=True, slots=True)
class Found:
    """A match that a rule has come to. `key`: of the object from which it deletes, None if there is none."""

    id: int
    key: str | None
    is_due: bool


def _follow(database: Database, blobs: Blobs, rule: Rule) -> int:
    return _return_to_passed(database, blobs, rule) + _advance(database, blobs, rule)


def _return_to_passed(database: Database, blobs: Blobs, rule: Rule) -> int:
    with database.transaction() as session:
        due = passed_matches(session, rule)
    kept = _refused(blobs, rule, due)
    done = [one.id for one in due if one not in kept]
    with database.transaction() as session:
        of_rule = RetentionPassed.rule == rule.name
        session.execute(delete(RetentionPassed).where(of_rule, RetentionPassed.match_id.in_(done)))
    return len(done)


def _advance(database: Database, blobs: Blobs, rule: Rule) -> int:
    with database.transaction() as session:
        found = next_matches(session, rule)
    if not found:
        return 0
    due = [one for one in found if one.is_due]
    kept = _refused(blobs, rule, due)
    if (
        len(kept) >= MOST_REFUSED
        and len(kept) == sum(one.key is not None for one in due)
        and _has_passed_most(database, rule)
    ):
        raise StoreError(f"{blobs.place}: nothing can be deleted, {len(kept)} objects were tried")
    with database.transaction() as session:
        _note_passed(session, rule, [one.id for one in found if one in kept or not one.is_due])
        _move(session, rule, found[-1].id)
    return len(found)


def _has_passed_most(database: Database, rule: Rule) -> bool:
    with database.transaction() as session:
        passed = select(func.count()).where(RetentionPassed.rule == rule.name)
        return (session.scalar(passed) or 0) >= MOST_PASSED


def _refused(blobs: Blobs, rule: Rule, due: Sequence[Found]) -> list[Found]:
    """Deletes. Returns those that the store has refused. Raises: StoreError."""
    keys = {one.key: one for one in due if one.key is not None}
    return [keys[key] for key in refused(blobs, list(keys), blobs.erase_logs if rule.logs_only else blobs.erase)]


def _note_passed(session: Session, rule: Rule, match_ids: Sequence[int]) -> None:
    if match_ids:
        rows = [{"rule": rule.name, "match_id": one} for one in match_ids]
        session.execute(insert(RetentionPassed).on_conflict_do_nothing(), rows)


def _move(session: Session, rule: Rule, match_id: int) -> None:
    new = insert(Retention).values(rule=rule.name, match_id=match_id)
    further = func.greatest(Retention.match_id, new.excluded.match_id)
    session.execute(new.on_conflict_do_update(index_elements=["rule"], set_={"match_id": further}))


def next_matches(session: Session, rule: Rule) -> list[Found]:
    """The next matches in the order of their ids, up to the first that is too young.

    One that ended late, or has not ended, is passed once it was made PATIENCE before the limit of the rule.
    """
    position = session.scalar(select(Retention.match_id).where(Retention.rule == rule.name)) or 0
    before = _oldest_kept(session, rule)
    query = (
        select(Match.id, Match.kind, Match.created_at, Match.finished_at, Result.replay_key)
        .outerjoin(Result, Result.match_id == Match.id)
        .where(Match.id > position)
        .order_by(Match.id)
        .limit(AT_ONCE)
    )
    found: list[Found] = []
    for row in session.execute(query):
        is_due = row.finished_at is not None and row.finished_at < before
        if not is_due and row.created_at >= before - PATIENCE:
            break
        found.append(Found(row.id, row.replay_key if row.kind in rule.kinds else None, is_due))
    return found


def passed_matches(session: Session, rule: Rule) -> list[Found]:
    """Those that were passed, and are due now: some at once, by lot, so that those which the store always refuses keep
    no others.
    """
    query = (
        select(Match.id, Match.kind, Result.replay_key)
        .join(RetentionPassed, RetentionPassed.match_id == Match.id)
        .outerjoin(Result, Result.match_id == Match.id)
        .where(RetentionPassed.rule == rule.name, Match.finished_at < _oldest_kept(session, rule))
        .order_by(func.random())
        .limit(AT_ONCE)
    )
    rows = session.execute(query)
    return [Found(row.id, row.replay_key if row.kind in rule.kinds else None, is_due=True) for row in rows]


def _oldest_kept(session: Session, rule: Rule) -> datetime:
    return session.execute(select(func.now() - timedelta(days=rule.days))).scalar_one()
