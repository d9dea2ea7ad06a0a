"""What webhooks get: a notice or a test as JSON. The fields stay; new ones may be added."""

from __future__ import annotations

from datetime import datetime

from hexarena.backend.api.schemas import Schema
from hexarena.backend.api.views.notices import notice_view
from hexarena.backend.models import Notice, NoticeKind

TEST_TEXT = "This is a test of your webhook."


class EventData(Schema):
    """A notice as `GET /api/v1/me/notices` has it; of a test, only `text` and `link`."""

    id: int | None = None
    kind: NoticeKind | None = None
    text: str
    bot_id: int | None = None
    duel_id: int | None = None
    event_id: int | None = None
    class_id: int | None = None
    link: str


class WebhookEvent(Schema):
    """The body of a message. `type`: `notice.` and the notice's kind, or `webhook.test`. `timestamp`: of the notice."""

    type: str
    timestamp: datetime
    data: EventData


def notice_event(notice: Notice) -> WebhookEvent:
    """Needs what `notices.newest` loads."""
    shown = notice_view(notice).model_dump(exclude={"at", "seen"})
    return WebhookEvent(type=f"notice.{notice.kind}", timestamp=notice.at, data=EventData(**shown))


def test_event(kind: str, at: datetime) -> WebhookEvent:
    """A message that was asked for on the account's page. `kind`: its type."""
    return WebhookEvent(type=kind, timestamp=at, data=EventData(text=TEST_TEXT, link="/account"))
