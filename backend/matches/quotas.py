"""How much one person may ask for: matches in the queue, CPU time a day, stored source code, bots on the ladder.

What a guest may have is limited for each guest and for all guests of one network, since a guest is only a cookie. So
are new accounts that anybody could make, together with these guests (`shares.is_of_network`). The only user of an arena
without isolation has no limits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, String, bindparam, exists, func, select, text
from sqlalchemy.orm import Session

from hexarena.backend.errors import Conflict, Quota, TooMany
from hexarena.backend.matches import shares
from hexarena.backend.matches.backlog import AWAITED
from hexarena.backend.matches.shares import Budgets, is_of_network, share_around, share_of
from hexarena.backend.models import PENDING, InPerson, Job, Submission, SubmissionState, User, UserKind
from hexarena.backend.runtime.settings import Settings

DAY_S = 24 * 3600
WIDER = 2
"""So many times as many matches may the network around an address have in the queue."""
SOON_S = 10.0
"""When a place in the queue may be free again."""
# Keys have no characters that a pattern would take for others.
_WAITING = (
    select(func.count().filter(Job.share == bindparam("own")), func.count())
    .select_from(Job)
    .where(Job.share.startswith(bindparam("around", type_=String)), Job.priority <= AWAITED)
    .where(~exists().where(InPerson.match_id == Job.match_id))
)
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:share, 0))")
_LOCKED = "locked network"
"""The key, in a session's `info`, of what its transaction has locked."""


@dataclass(frozen=True, slots=True)
class Quotas:
    """The limits of an arena; 0: none. `network_…`: for all guests and new accounts of one network together.

    `bots_each`: live ones of one owner in one game. `versions_a_day`: that one owner submits to one game.
    """

    network_queue: int = 0
    budgets: Budgets = field(default_factory=Budgets)
    account_bytes: int = 0
    guest_bytes: int = 0
    network_bytes: int = 0
    bots_each: int = 0
    versions_a_day: int = 0

    @classmethod
    def of(cls, settings: Settings) -> Quotas:
        """Those of the settings."""
        return cls(
            network_queue=settings.queue_per_network,
            budgets=budgets_of(settings),
            account_bytes=settings.account_bytes,
            guest_bytes=settings.guest_bytes,
            network_bytes=settings.network_bytes,
            bots_each=settings.bots_each,
            versions_a_day=settings.versions_a_day,
        )

    def bytes_of(self, user: User) -> int:
        """How much source code the user may store; 0: no limit."""
        return {
            UserKind.ACCOUNT: self.account_bytes,
            UserKind.TEAM: self.account_bytes,
            UserKind.GUEST: self.guest_bytes,
        }.get(user.kind, 0)


NO_QUOTAS = Quotas()


def budgets_of(settings: Settings) -> Budgets:
    """CPU seconds a day."""
    return Budgets(account_s=settings.account_cpu_s, guest_s=settings.guest_cpu_s)


def check_queue(session: Session, user: User, quotas: Quotas) -> None:
    """Limits the matches in the queue that the guests and new accounts of the user's network wait for, and those of
    the network around it. Raises: TooMany.

    Serialises their requests, so that many at once cannot exceed the limit together.
    """
    if not quotas.network_queue or not is_of_network(user):
        return
    lock_network(session, user)
    shares_there = {"own": share_of(user), "around": share_around(user.network or "")}
    of_own, of_all = session.execute(_WAITING, shares_there).one()
    _require_place(of_own, "your network", "network", quotas.network_queue)
    _require_place(of_all, "the network around yours", "wider-network", quotas.network_queue * WIDER)


def lock_network(session: Session, user: User) -> None:
    """Until the transaction ends, nobody else of the network around the user's asks for anything that is limited.

    The caller has locked the user, if at all.
    """
    if is_of_network(user) and session.info.get(_LOCKED) != (around := share_around(user.network or "")):
        session.execute(_LOCK, {"share": f"share {around}"})
        session.info[_LOCKED] = around


def _require_place(count: int, where: str, name: str, most: int) -> None:
    """`count`: how many matches of those wait."""
    if count >= most:
        raise TooMany(
            f"The guests and new accounts of {where} have many matches in the queue. Wait until some are played.",
            expected=f"fewer than {most} matches of {where} in the queue",
            got=str(count),
            retry_s=SOON_S,
            quota=Quota(f"matches-of-{name}", most, unit="concurrent-requests"),
        )


def check_budget(session: Session, user: User, quotas: Quotas) -> None:
    """Raises TooMany if the user's matches, or those of all who count for the network, used up the CPU of a day."""
    budget_s = quotas.budgets.of(user)
    if not budget_s:
        return
    spent = shares.spent(session, share_of(user), budget_s)
    if spent.again_at is not None:
        again_at = spent.again_at.astimezone(UTC)
        whose = "The guests and new accounts of your network" if is_of_network(user) else "Your matches"
        raise TooMany(
            f"{whose} used up the CPU time of a day. There is more from {again_at:%Y-%m-%d %H:%M} UTC.",
            expected=f"less than {budget_s:,.0f} s of CPU time in 24 hours",
            got=f"{spent.cpu_s:,.0f} s",
            retry_s=(spent.again_at - datetime.now(UTC)).total_seconds(),
            quota=Quota("cpu-seconds", int(budget_s), window_s=DAY_S, unit="cpu-seconds"),
        )


def check_bots(session: Session, user: User, quotas: Quotas, *, game: str, bot_id: int | None) -> None:
    """Limits the bots that the user has on a ladder. `bot_id`: who comes onto it; None: a new one. Raises: Conflict.

    The caller has locked the names of the game's bots, or the user.
    """
    playing = _on_ladder(user, game) & Submission.state.in_([SubmissionState.LIVE, *PENDING])
    there = set(session.scalars(select(Submission.bot_id).where(playing)))
    if bot_id in there:
        return  # even where there are too many, as after the organiser has lowered the limit
    bots = len(there)
    if quotas.bots_each and bots >= quotas.bots_each:
        raise Conflict(
            "You have as many bots in this game as one person may. Submit a new version of one of them, or delete one.",
            expected=f"at most {quotas.bots_each} bots of yours on this ladder",
            got=f"{bots + 1}",
        )


def _on_ladder(user: User, game: str) -> ColumnElement[bool]:
    return (Submission.user_id == user.id) & (Submission.game == game) & Submission.bot_id.is_not(None)


def check_ladder(session: Session, user: User, quotas: Quotas, *, game: str, bot_id: int | None) -> None:
    """Limits the bots and the versions that the user has on a ladder. `bot_id`: whose next version it is; None: new.

    The caller has locked the user. Raises: Conflict (bots), TooMany (versions of a day).
    """
    check_bots(session, user, quotas, game=game, bot_id=bot_id)
    mine = _on_ladder(user, game)
    day = timedelta(seconds=DAY_S)
    entered = mine & (Submission.state != SubmissionState.FAILED)
    today = entered & (Submission.created_at > func.now() - day)
    versions, oldest = session.execute(select(func.count(), func.min(Submission.created_at)).where(today)).one()
    if quotas.versions_a_day and versions >= quotas.versions_a_day:
        raise TooMany(
            "You have sent as many versions to this ladder today as you may. Practice matches and duels remain open.",
            expected=f"at most {quotas.versions_a_day} version{'' if quotas.versions_a_day == 1 else 's'} in 24 hours",
            got=f"{versions + 1}",
            retry_s=(oldest + day - datetime.now(UTC)).total_seconds(),
            quota=Quota("versions", quotas.versions_a_day, window_s=DAY_S, unit="requests"),
        )
