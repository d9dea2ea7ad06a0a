"""One's webhook: its address and secret, a test, and what became of each message."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field, StringConstraints
from sqlalchemy.orm import Session

from hexarena.backend.api.deps import Arena, CurrentUserId, InArena, find_user
from hexarena.backend.api.parameters import IdPath
from hexarena.backend.api.schemas import Schema
from hexarena.backend.errors import SignInNeeded
from hexarena.backend.models import DeliveryState, User, WebhookDelivery
from hexarena.backend.webhooks import addresses, life

router = APIRouter()
WantedKind = Literal[
    "promoted", "demoted", "overtaken", "disabled", "failed", "duel", "frozen", "out", "placed", "marked"
]


class Webhook(Schema):
    """Where your notices are posted to. `url`: null: nowhere. `kinds`: of notices; null: all of them.

    `failing_since`: the first failure after the last success. `disabled_why`: why nothing is sent any more; saving the
    address again switches it on. `accepts`: which addresses this arena takes.
    """

    url: str | None
    kinds: list[WantedKind] | None
    created_at: datetime | None
    failing_since: datetime | None
    disabled_at: datetime | None
    disabled_why: str | None
    accepts: Literal["http", "https", "off"]


class NewWebhook(Schema):
    """`url`: https:// or http://, of the public internet. `kinds`: of notices; null: all of them."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=addresses.MOST_CHARACTERS)]
    kinds: Annotated[list[WantedKind], Field(min_length=1, max_length=20)] | None = None


class SavedWebhook(Webhook):
    """`secret`: shown only now, where it is new. With it you check the signatures."""

    secret: str | None


class WebhookSecret(Schema):
    """`secret` is shown only now."""

    secret: str


class WebhookMessage(Schema):
    """A message to your webhook. `message`: its id, as the header `webhook-id` has it. `at`: when it was queued.

    `state`: `pending`: it is posted at `next_at`; `sending`: right now; `failed`: it was given up. `tries`: posts so
    far. `status`, `problem`, `excerpt`: of the last one: the status of the answer, what was wrong in words, and how the
    answer begins.
    """

    id: int
    message: str
    type: str
    at: datetime
    state: Literal["pending", "sending", "delivered", "failed"]
    tries: int
    tried_at: datetime | None
    status: int | None
    problem: str | None
    excerpt: str | None
    next_at: datetime | None


class WebhookMessageList(Schema):
    """The newest 50, newest first."""

    items: list[WebhookMessage]


@router.get("/me/webhook", tags=["me"])
def get_webhook(arena: InArena, user_id: CurrentUserId) -> Webhook:
    """Your webhook. Its secret is not shown again."""
    with arena.database.transaction() as session:
        return _view(session, arena, _known(session, arena, user_id))


@router.put("/me/webhook", tags=["me"])
def set_webhook(arena: InArena, user_id: CurrentUserId, new: NewWebhook) -> SavedWebhook:
    """Sets where notices are posted to, signed after Standard Webhooks, and which. The first time, makes the secret."""
    url = addresses.checked(new.url, arena.settings)
    with arena.database.transaction() as session:
        user = _known(session, arena, user_id)
        secret = life.save(session, user, url, new.kinds, arena.settings.signing_key())
        return SavedWebhook(**_view(session, arena, user).model_dump(), secret=secret)


@router.delete("/me/webhook", status_code=204, tags=["me"])
def remove_webhook(arena: InArena, user_id: CurrentUserId) -> None:
    """Removes the webhook and the list of its messages. Idempotent."""
    with arena.database.transaction() as session:
        life.remove(session, _known(session, arena, user_id).id)


@router.post("/me/webhook/secret", tags=["me"])
def renew_webhook_secret(arena: InArena, user_id: CurrentUserId) -> WebhookSecret:
    """Makes another secret. From now on it signs, and the old one does not."""
    with arena.database.transaction() as session:
        user = _known(session, arena, user_id)
        return WebhookSecret(secret=life.renew_secret(session, user.id, arena.settings.signing_key()))


@router.post("/me/webhook/test", status_code=201, tags=["me"])
def test_webhook(arena: InArena, user_id: CurrentUserId) -> WebhookMessage:
    """Sends a message of the type `webhook.test`, on the same way as all others."""
    with arena.database.transaction() as session:
        user = _known(session, arena, user_id)
        arena.limiter.admit_message(user.id)
        return _message(life.send_test(session, user.id))


@router.get("/me/webhook/deliveries", tags=["me"])
def list_webhook_deliveries(arena: InArena, user_id: CurrentUserId) -> WebhookMessageList:
    """What became of the newest messages."""
    with arena.database.transaction() as session:
        user = _known(session, arena, user_id)
        return WebhookMessageList(items=[_message(row) for row in life.deliveries(session, user.id)])


@router.post("/me/webhook/deliveries/{delivery_id}/redeliver", tags=["me"])
def redeliver_to_webhook(arena: InArena, user_id: CurrentUserId, delivery_id: IdPath) -> WebhookMessage:
    """Sends a message once more, with the same id and body; one that waits is sent now."""
    with arena.database.transaction() as session:
        user = _known(session, arena, user_id)
        arena.limiter.admit_message(user.id)
        return _message(life.redeliver(session, user.id, delivery_id))


def _known(session: Session, arena: Arena, user_id: int | None) -> User:
    user = find_user(session, arena, user_id)
    if user is None:
        raise SignInNeeded("Webhooks are for those who have signed in.", expected="an account of this arena")
    return user


def _view(session: Session, arena: Arena, user: User) -> Webhook:
    row = life.find(session, user.id)
    return Webhook.model_validate(
        {
            "url": None if row is None else row.url,
            "kinds": None if row is None else row.kinds,
            "created_at": None if row is None else row.created_at,
            "failing_since": None if row is None else row.failing_since,
            "disabled_at": None if row is None else row.disabled_at,
            "disabled_why": None if row is None else row.disabled_why,
            "accepts": arena.settings.webhooks,
        }
    )


def _message(row: WebhookDelivery) -> WebhookMessage:
    pending = row.state == DeliveryState.PENDING
    return WebhookMessage(
        id=row.id,
        message=f"msg_{row.message_id.hex}",
        type=row.type,
        at=row.at,
        state="sending" if row.sending else row.state.value,
        tries=row.tries,
        tried_at=row.tried_at,
        status=row.status,
        problem=row.problem,
        excerpt=row.excerpt,
        next_at=row.next_at if pending and not row.sending else None,
    )
