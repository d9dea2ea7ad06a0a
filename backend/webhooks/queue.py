"""The queue of deliveries: written with the notice, leased, ended, tried again, given up, pruned.

A lease moves `next_at` into the future, so that a process that dies in the middle of a delivery leaves one that is due
again later: messages are delivered at least once, always with the same id. `tries` fences: whoever ends a delivery
must have the newest lease of it. To one webhook, one message at a time is sent: a slow one holds up itself alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from uuid import UUID

from sqlalchemy import delete, exists, func, insert, literal, or_, select, update
from sqlalchemy.orm import Session, aliased

from hexarena.backend.models import DeliveryState, Notice, User, Webhook, WebhookDelivery
from hexarena.backend.runtime.db import notify
from hexarena.backend.webhooks import life

SCHEDULE = tuple(
    timedelta(seconds=seconds) for seconds in (5, 5 * 60, 30 * 60, *(hours * 3600 for hours in (2, 5, 10, 14, 20, 24)))
)
"""The pauses before the second try, the third … Source: the specification of Standard Webhooks."""
FAILING_TOO_LONG = timedelta(days=5)
"""A webhook that failed so long, without a success in between, is switched off: longer than one message is tried."""
LATELY = SCHEDULE[-1] + timedelta(days=1)
"""Longer than the pause between two tries."""
KEEP = timedelta(days=30)
LEASE_S = 60
"""Longer than a delivery can take: ten seconds."""
GONE = "It answered 410 Gone."
FAILING = f"It failed for {FAILING_TOO_LONG.days} days."
PROBLEM_CHARACTERS = 400
EXCERPT_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class Lease:
    """A message to send. `secret`: None: the arena has another key by now. `body`: None: it must be written first."""

    delivery_id: int
    user_id: int
    tries: int
    url: str
    secret: str | None
    message_id: UUID
    type: str
    at: datetime
    notice_id: int | None
    body: str | None

    @property
    def name(self) -> str:
        """The message's id, as receivers get it."""
        return f"msg_{self.message_id.hex}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a try ended. `status`: of the answer, if there was one. `problem`: in words; empty: it was delivered."""

    status: int | None
    problem: str
    excerpt: str = ""


def queue(session: Session, notice: Notice) -> None:
    """Queues the notice for its reader's webhook, if they have one that wants it. In the transaction of the notice."""
    wanted = or_(Webhook.kinds.is_(None), Webhook.kinds.contains([str(notice.kind)]))
    chosen = select(Webhook.user_id, literal(f"notice.{notice.kind}"), literal(notice.id)).where(
        Webhook.user_id == notice.user_id, Webhook.disabled_at.is_(None), wanted
    )
    written = insert(WebhookDelivery).from_select(["user_id", "type", "notice_id"], chosen)
    if session.scalars(written.returning(WebhookDelivery.id)).all():
        notify(session, "hexarena_webhooks")


def lease(session: Session, *, limit: int, key: str) -> list[Lease]:
    """Takes deliveries that are due, the oldest of each webhook. `key`: the arena's."""
    due = (WebhookDelivery.state == DeliveryState.PENDING) & (WebhookDelivery.next_at <= func.now())
    other = aliased(WebhookDelivery)
    busy = exists().where(other.user_id == WebhookDelivery.user_id, other.sending, other.next_at > func.now())
    first = (
        select(func.min(WebhookDelivery.id))
        .join(Webhook, Webhook.user_id == WebhookDelivery.user_id)
        .where(due, ~busy, Webhook.disabled_at.is_(None))
        .group_by(WebhookDelivery.user_id)
    )
    chosen = (
        select(WebhookDelivery)
        .where(WebhookDelivery.id.in_(first.scalar_subquery()), due)
        .order_by(WebhookDelivery.next_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
        .execution_options(populate_existing=True)
    )
    leased = []
    for row in session.scalars(chosen).all():
        webhook = session.get(Webhook, row.user_id, populate_existing=True)
        if webhook is None:
            continue
        row.next_at, row.sending, row.tries = func.now() + timedelta(seconds=LEASE_S), True, row.tries + 1
        leased.append(
            Lease(
                delivery_id=row.id,
                user_id=row.user_id,
                tries=row.tries,
                url=webhook.url,
                secret=life.secret_of(webhook, key),
                message_id=row.message_id,
                type=row.type,
                at=row.at,
                notice_id=row.notice_id,
                body=row.body,
            )
        )
    session.flush()
    return leased


def next_due_s(session: Session) -> float | None:
    """Seconds until the next delivery is due, or until a lease ends; None if none waits."""
    waits = (
        select(func.min(WebhookDelivery.next_at))
        .join(Webhook, Webhook.user_id == WebhookDelivery.user_id)
        .where(WebhookDelivery.state == DeliveryState.PENDING, Webhook.disabled_at.is_(None))
    )
    left = session.scalar(select(func.extract("epoch", waits.scalar_subquery() - func.clock_timestamp())))
    return None if left is None else float(left)


def keep_body(session: Session, lease: Lease, body: str) -> str | None:
    """Keeps what is sent, unless it is kept already. Returns what is; None if the message was deleted meanwhile."""
    own = update(WebhookDelivery).where(WebhookDelivery.id == lease.delivery_id)
    return session.scalar(own.values(body=func.coalesce(WebhookDelivery.body, body)).returning(WebhookDelivery.body))


def finish(session: Session, lease: Lease, outcome: Outcome) -> bool:
    """Writes down how a try ended, and when the next one follows. Nothing if somebody else has the lease by now.

    Returns whether the webhook was switched off, of which its owner must be notified.
    """
    # The user before their webhook, as for those who save it: a notice may follow.
    session.execute(select(User.id).where(User.id == lease.user_id).with_for_update(read=True, key_share=True))
    locked = select(Webhook).where(Webhook.user_id == lease.user_id).with_for_update(key_share=True)
    webhook = session.scalar(locked.execution_options(populate_existing=True))
    held = select(WebhookDelivery).where(
        WebhookDelivery.id == lease.delivery_id, WebhookDelivery.tries == lease.tries, WebhookDelivery.sending
    )
    row = session.scalar(held.with_for_update().execution_options(populate_existing=True))
    if webhook is None or row is None:
        return False
    row.sending, row.tried_at, row.status = False, func.now(), outcome.status
    row.problem = outcome.problem[:PROBLEM_CHARACTERS] or None
    row.excerpt = outcome.excerpt[:EXCERPT_CHARACTERS] or None
    if not outcome.problem:
        row.state, webhook.failing_since = DeliveryState.DELIVERED, None
        off = False
    else:
        _plan_next(row)
        off = _count_failure(session, webhook, row, outcome)
    session.flush()
    notify(session, "hexarena_webhooks")
    return off


def _plan_next(row: WebhookDelivery) -> None:
    if row.failures < len(SCHEDULE):
        row.next_at = func.now() + SCHEDULE[row.failures]
    else:
        row.state = DeliveryState.FAILED
    row.failures += 1


def _count_failure(session: Session, webhook: Webhook, row: WebhookDelivery, outcome: Outcome) -> bool:
    """Whether it was switched off. `row`: what was not delivered."""
    if webhook.disabled_at is not None:
        return False
    # What failed long ago, and was given up, says nothing of today.
    if webhook.failing_since is None or (row.failures == 1 and not _was_tried_lately(session, row)):
        webhook.failing_since = func.now()
    session.flush()
    too_long = Webhook.failing_since < func.now() - FAILING_TOO_LONG
    if outcome.status == HTTPStatus.GONE:
        life.disable(session, webhook, GONE)
    elif session.scalar(select(too_long).where(Webhook.user_id == webhook.user_id)):
        life.disable(session, webhook, FAILING)
    return webhook.disabled_why is not None


def _was_tried_lately(session: Session, row: WebhookDelivery) -> bool:
    """Whether any other message was sent to the same webhook, however that ended."""
    other = (WebhookDelivery.user_id == row.user_id) & (WebhookDelivery.id != row.id)
    lately = WebhookDelivery.tried_at > func.now() - LATELY
    return session.scalar(select(WebhookDelivery.id).where(other, lately).limit(1)) is not None


def prune(session: Session) -> None:
    """Deletes old deliveries, however they ended."""
    session.execute(delete(WebhookDelivery).where(WebhookDelivery.at < func.now() - KEEP))
