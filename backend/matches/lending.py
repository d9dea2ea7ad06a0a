"""Which matches lend out their slots to whoever holds none.

Theory of operation. The fair order decides whenever a slot becomes free, but a match that computes may keep one for
half a minute, and two of them both slots of a small arena. So while a match was sent to the workers whose share has
nothing running, one running match is notified that its slot is wanted. Only then, since what was sent takes the next
slot: others should not come before it. Its worker looks every quarter of a second, and lends the slot out between two
turns, as if a bot slept; then it waits for a free one (`worker.lending`). It does so again only when it has had its
slot for half a second, so that everybody gets a turn.
"""

from __future__ import annotations

from sqlalchemy import distinct, func, select, update
from sqlalchemy.orm import Session

from hexarena.backend.matches.backlog import AWAITED, is_free
from hexarena.backend.matches.life import ClaimedMatch
from hexarena.backend.models import Job, Match, MatchState

_RUNNING = Match.state == MatchState.RUNNING
_HAVING = select(Job.share).join(Match, Match.id == Job.match_id).where(_RUNNING, ~is_free(), Job.share.is_not(None))
_WAITING = (
    select(func.count(distinct(Job.share)))
    .join(Match, Match.id == Job.match_id)
    .where(~_RUNNING, ~is_free(), Job.priority <= AWAITED, Job.share.not_in(_HAVING))
)
"""How many shares have nothing running, but a match that was sent and that somebody waits for."""


def want_slots(session: Session, *, spare: int) -> int:
    """Tells running matches that their slots are wanted: those that have run longest, one for each share that has
    nothing running, but a practice or check match that was sent. Returns how many.

    `spare`: how many slots the workers can lend out at once.
    """
    if not (count := session.scalar(_WAITING)):
        return 0
    lent = func.count().filter(Job.asleep)
    asked = func.count().filter(Job.slot_wanted & ~Job.asleep)
    lent_out, wanted = session.execute(select(lent, asked).where(~is_free())).one()
    missing = min(count, spare - lent_out) - wanted
    if missing <= 0:
        return 0
    longest = (
        select(Job.match_id)
        .join(Match, Match.id == Job.match_id)
        .where(_RUNNING, ~is_free(), ~Job.asleep, ~Job.slot_wanted)
        .order_by(Match.started_at, Job.match_id)
        .limit(missing)
        .with_for_update(of=Job, skip_locked=True)
    )
    chosen = list(session.scalars(longest))
    session.execute(update(Job).where(Job.match_id.in_(chosen)).values(slot_wanted=True))
    return len(chosen)


def is_wanted(session: Session, claimed: ClaimedMatch) -> bool:
    """Whether the match's slot is wanted. No longer, if everybody whom it could be for has one by now, or has gone."""
    held = (Job.match_id == claimed.match_id) & (Job.token == claimed.token)
    if not session.scalar(select(Job.slot_wanted).where(held)):
        return False
    if session.scalar(_WAITING):
        return True
    session.execute(update(Job).where(held).values(slot_wanted=False))
    return False
