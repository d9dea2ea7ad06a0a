"""Shares: whom fairness counts, and what each used of the workers' time.

Theory of operation. An account is a share of its own ("u:ID"), and so is the ladder of an event's own ("e:ID"); all
guests of one network are one ("n:KEY"), since a guest is only a cookie, and so are its new accounts (`accounts.life`)
with them. KEY is a keyed hash of the address, so that addresses are not stored. Whenever an attempt ends, what it used
is added to a row for its share and minute. The last ten minutes decide whose match goes first (`matches.fair`), the CPU
seconds of the last day are held against a budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Float, String, bindparam, delete, func, select
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.orm import Session

from hexarena.backend.models import Job, Match, Usage, User, UserKind

RECENT = timedelta(minutes=10)
"""Usage in this time decides whose match goes first."""
DAY = timedelta(days=1)
AROUND_DIGITS = 16
"""So many digits of a network's key are those of the network around it."""
OF_NETWORK = (UserKind.GUEST, UserKind.ACCOUNT)
"""Who may count for a network."""

_ASKED = select(Job.share).where(Job.share.is_not(None))
_RECENT_S = (
    select(Usage.share, func.sum(Usage.slot_s))
    .where(Usage.share.in_(_ASKED), Usage.minute > func.now() - RECENT)
    .group_by(Usage.share)
)
_OF_DAY = (
    select(Usage.minute, Usage.cpu_s)
    .where(Usage.share == bindparam("whose"), Usage.minute > func.now() - DAY)
    .order_by(Usage.minute)
)


def _charge(slot_s: ColumnElement[float]) -> Insert:
    """`slot_s`: how long it held a slot."""
    computed_s = func.coalesce(bindparam("computed_s", type_=Float), slot_s)
    minute = func.date_trunc("minute", func.clock_timestamp())
    used = select(bindparam("whose", type_=String), minute, slot_s, computed_s)
    row = insert(Usage).from_select(["share", "minute", "slot_s", "cpu_s"], used).execution_options(dml_strategy="raw")
    return row.on_conflict_do_update(
        index_elements=["share", "minute"],
        set_={"slot_s": Usage.slot_s + row.excluded.slot_s, "cpu_s": Usage.cpu_s + row.excluded.cpu_s},
    )


_BEGAN = select(Match.started_at).where(Match.id == bindparam("this_match")).scalar_subquery()
_SINCE_S = func.coalesce(func.extract("epoch", func.clock_timestamp() - _BEGAN), 0.0)
_CHARGE = _charge(func.greatest(0.0, _SINCE_S))
_CHARGE_THOUGHT = _charge(bindparam("computed_s", type_=Float))


@dataclass(frozen=True, slots=True)
class Budgets:
    """CPU seconds a day: for an account, and for all guests and new accounts of one network together. 0: no limit."""

    account_s: float = 0.0
    guest_s: float = 0.0

    def of(self, user: User) -> float:
        """The budget of the user's share; 0: none."""
        if is_of_network(user):
            return self.guest_s
        return {UserKind.ACCOUNT: self.account_s, UserKind.GUEST: self.guest_s}.get(user.kind, 0.0)


@dataclass(frozen=True, slots=True)
class Spent:
    """The CPU seconds that a share used in the last day. `again_at`: when it is within its budget; None if it is."""

    cpu_s: float
    again_at: datetime | None


def is_of_network(user: User) -> bool:
    """Whether the user counts for their network: a guest, or an account that is new and that anybody could make."""
    return bool(user.network) and user.kind in OF_NETWORK


def share_of(user: User) -> str:
    """Whom fairness counts this user for."""
    return f"n:{user.network}" if is_of_network(user) else f"u:{user.id}"


def share_around(network: str) -> str:
    """What the shares of all networks begin with that are around this one. `network`: its key."""
    return f"n:{network[:AROUND_DIGITS]}"


def share_of_event(event_id: int) -> str:
    """Whom fairness counts the ladder of an event's own for."""
    return f"e:{event_id}"


def charge(session: Session, share: str | None, match_id: int, *, cpu_s: float | None, thought: bool = False) -> None:
    """Adds an attempt that ends now to what its share used. `cpu_s`: None if it computed all the time, as builds do.

    `thought`: it waited for a person, and held a slot no longer than its bots computed.
    """
    if share is None:
        return
    statement = _CHARGE_THOUGHT if thought and cpu_s is not None else _CHARGE
    session.execute(statement, {"this_match": match_id, "whose": share, "computed_s": cpu_s})


def recent_s(session: Session) -> dict[str, float]:
    """Share that has a match in the queue -> seconds of slots that its ended matches used in the last ten minutes."""
    return {share: float(seconds) for share, seconds in session.execute(_RECENT_S)}


def spent(session: Session, share: str, budget_s: float) -> Spent:
    """What the share used of its budget. `budget_s`: 0 if there is none."""
    rows = session.execute(_OF_DAY, {"whose": share}).all()
    return spent_of([(minute, cpu_s) for minute, cpu_s in rows], budget_s)


def spent_of(minutes: Sequence[tuple[datetime, float]], budget_s: float) -> Spent:
    """`minutes`: those of the last day with what was used in each, in their order."""
    total_s = left_s = sum(cpu_s for _, cpu_s in minutes)
    if not budget_s or total_s < budget_s:
        return Spent(total_s, None)
    for minute, cpu_s in minutes:
        left_s -= cpu_s
        if left_s < budget_s:
            return Spent(total_s, minute + DAY)
    raise AssertionError("a budget is positive, so that nothing used is within it")


def prune(session: Session) -> None:
    """Deletes what no budget counts any more."""
    session.execute(delete(Usage).where(Usage.minute < func.now() - DAY))
