"""An account's webhook: set, changed, its secret renewed, tested, switched off, removed.

The secret is needed in clear to sign, but it is in no table: it follows from the arena's key, which is not in the
database, and from a salt, which is. Whoever reads the database, or a dump of it, can sign nothing.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from hexarena.backend.accounts.locks import lock
from hexarena.backend.accounts.secrets import sha256_of
from hexarena.backend.errors import Conflict, Forbidden, NotFound
from hexarena.backend.models import DeliveryState, User, UserKind, Webhook, WebhookDelivery
from hexarena.backend.runtime.db import notify

PREFIX = "whsec_"
"""As Standard Webhooks has it."""
SALT_BYTES = 18
TEST = "webhook.test"
LISTED = 50
SWITCHED_OFF = "The webhook was switched off."


def find(session: Session, user_id: int) -> Webhook | None:
    """The user's webhook, if there is one."""
    return session.get(Webhook, user_id, populate_existing=True)


def save(session: Session, user: User, url: str, kinds: Sequence[str] | None, key: str) -> str | None:
    """Sets the address (`addresses.checked`) and the kinds of notices (None: all). Switches it on again.

    Returns the secret, if it is new. `key`: the arena's. Raises: Forbidden (a guest).
    """
    if user.kind not in {UserKind.ACCOUNT, UserKind.LOCAL}:
        raise Forbidden("Guests have no webhook.", expected="an account", got=f"a {user.kind}")
    lock(session, user)
    row = _locked(session, user.id)
    secret = None
    if row is None:
        row = Webhook(user_id=user.id, url=url)
        secret = _renew(row, key)
        session.add(row)
    row.url, row.kinds = url, None if kinds is None else sorted(set(kinds))
    row.failing_since = row.disabled_at = row.disabled_why = None
    session.flush()
    return secret


def renew_secret(session: Session, user_id: int, key: str) -> str:
    """Another secret, which signs from now on. Raises: NotFound."""
    secret = _renew(_required(session, user_id), key)
    session.flush()
    return secret


def remove(session: Session, user_id: int) -> None:
    """Deletes the webhook and all its deliveries. Idempotent."""
    session.execute(delete(Webhook).where(Webhook.user_id == user_id))


def send_test(session: Session, user_id: int) -> WebhookDelivery:
    """Queues a message that says nothing else. Raises: NotFound, Conflict (it is switched off)."""
    _required_on(session, user_id)
    row = WebhookDelivery(user_id=user_id, type=TEST)
    session.add(row)
    session.flush()
    session.refresh(row)
    notify(session, "hexarena_webhooks")
    return row


def redeliver(session: Session, user_id: int, delivery_id: int) -> WebhookDelivery:
    """Queues a message again, with the same id; one that waits is sent now.

    Raises: NotFound, Conflict (it is being sent, or the webhook is switched off).
    """
    _required_on(session, user_id)
    own = select(WebhookDelivery).where(WebhookDelivery.id == delivery_id, WebhookDelivery.user_id == user_id)
    row = session.scalar(own.with_for_update().execution_options(populate_existing=True))
    if row is None:
        raise NotFound(f"You have no delivery {delivery_id}.")
    if row.sending and session.scalar(select(row.next_at > func.now())):
        raise Conflict("This message is being sent right now.", expected="one that waits or has ended")
    row.state, row.next_at, row.failures, row.sending = DeliveryState.PENDING, func.now(), 0, False
    session.flush()
    session.refresh(row)
    notify(session, "hexarena_webhooks")
    return row


def deliveries(session: Session, user_id: int) -> Sequence[WebhookDelivery]:
    """The newest ones, newest first."""
    own = select(WebhookDelivery).where(WebhookDelivery.user_id == user_id)
    newest = own.order_by(WebhookDelivery.id.desc()).limit(LISTED)
    return session.scalars(newest.execution_options(populate_existing=True)).all()


def disable(session: Session, row: Webhook, why: str) -> None:
    """Sends nothing more, what waits included. The caller has locked the row, and notifies the owner."""
    row.disabled_at, row.disabled_why = func.now(), why
    session.flush()
    waiting = update(WebhookDelivery).where(WebhookDelivery.user_id == row.user_id)
    session.execute(
        waiting.where(WebhookDelivery.state == DeliveryState.PENDING)
        .values(
            state=DeliveryState.FAILED,
            sending=False,
            problem=func.coalesce(WebhookDelivery.problem, SWITCHED_OFF),
        )
        .execution_options(synchronize_session="fetch")
    )


def secret_of(row: Webhook, key: str) -> str | None:
    """The secret; None if the arena has another key than when it was made."""
    secret = _derived(key, row.user_id, row.salt)
    return secret if hmac.compare_digest(sha256_of(secret), row.secret_sha256) else None


def _derived(key: str, user_id: int, salt: str) -> str:
    digest = hmac.new(key.encode(), f"webhook {user_id} {salt}".encode(), hashlib.sha256).digest()
    return PREFIX + base64.b64encode(digest).decode()


def _renew(row: Webhook, key: str) -> str:
    row.salt = secrets.token_urlsafe(SALT_BYTES)
    secret = _derived(key, row.user_id, row.salt)
    row.secret_sha256 = sha256_of(secret)
    return secret


def _locked(session: Session, user_id: int) -> Webhook | None:
    """Locked against others who change it, and not against notices that refer to it."""
    row = select(Webhook).where(Webhook.user_id == user_id).with_for_update(key_share=True)
    return session.scalar(row.execution_options(populate_existing=True))


def _required(session: Session, user_id: int) -> Webhook:
    row = _locked(session, user_id)
    if row is None:
        raise NotFound("You have no webhook.", expected="an address: PUT /api/v1/me/webhook")
    return row


def _required_on(session: Session, user_id: int) -> Webhook:
    row = _required(session, user_id)
    if row.disabled_at is not None:
        raise Conflict("Your webhook is switched off.", expected="save its address again, which switches it on")
    return row
