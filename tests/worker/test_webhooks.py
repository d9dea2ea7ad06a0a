"""Webhooks from the notice to the receiver: signed, tried again, given up, at least once and in the right order."""

from __future__ import annotations

import json
import re
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, text, update
from standardwebhooks import Webhook as Verifier, WebhookVerificationError

from hexarena.backend import notices
from hexarena.backend.models import DeliveryState, NoticeKind, User, Webhook, WebhookDelivery
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import deletion
from hexarena.backend.webhooks import life, queue
from hexarena.backend.webhooks.queue import FAILING_TOO_LONG, KEEP, SCHEDULE, Outcome
from hexarena.worker.webhooks import FORGOTTEN, KEY_CHANGED, MOST_AT_ONCE, OUR_FAULT, Webhooks
from tests.api.test_accounts import signed_up
from tests.api.test_people import enter, notices_of
from tests.conftest import PATIENCE_S, Processes, new_visitor, wait_until
from tests.worker.receiving import Received, Receiver, receiving

API = "/api/v1"
HERE = "127.0.0.1"


@pytest.fixture
def here(settings: Settings) -> Settings:
    """An arena that may post to this machine."""
    return settings.model_copy(update={"webhook_hosts": HERE})


@pytest.fixture
def ada(here: Settings) -> Iterator[TestClient]:
    with new_visitor(here) as visitor:
        signed_up(visitor)
        yield visitor


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


def put(client: TestClient, url: str, **more: Any) -> str:
    """Sets the webhook. Returns the secret, empty if it is not new."""
    answer = client.put(f"{API}/me/webhook", json={"url": url, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()["secret"] or ""


def log_of(client: TestClient) -> list[dict[str, Any]]:
    return list(client.get(f"{API}/me/webhook/deliveries").json()["items"])


def states(client: TestClient) -> list[tuple[str, str, int]]:
    return [(one["type"], one["state"], one["tries"]) for one in log_of(client)]


def promote(database: Database, submission_id: int, league: str = "Silver") -> None:
    with database.transaction() as session:
        notices.moved(session, submission_id, league=league, up=True)


def post_due(settings: Settings, database: Database) -> int:
    """What a process does until nothing is due any more. Returns how many were posted."""
    process, count = Webhooks(settings, database), 0
    while leases := process.lease(0.0):
        for lease in leases:
            process.deliver(lease)
            count += 1
    return count


def set_rows(database: Database, **values: Any) -> None:
    """Changes all deliveries."""
    with database.transaction() as session:
        session.execute(update(WebhookDelivery).values(**values))


def make_due(database: Database) -> None:
    set_rows(database, next_at=datetime(2026, 1, 1).astimezone())


def verified(got: Received, secret: str) -> dict[str, Any]:
    return dict(Verifier(secret).verify(got.body, got.headers))


# --- What is posted ---------------------------------------------------------------------------------------------------


def test_a_notice_is_posted_signed_and_only_once(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    secret = put(ada, receiver.url)
    assert secret.startswith("whsec_")
    bot, submission_id = enter(ada, database)
    promote(database, submission_id)
    assert post_due(here, database) == 1
    (got,) = receiver.received
    (notice,) = ada.get(f"{API}/me/notices").json()["items"]
    body = verified(got, secret)
    assert datetime.fromisoformat(body.pop("timestamp")) == datetime.fromisoformat(notice["at"])
    assert body == {
        "type": "notice.promoted",
        "data": {
            "id": notice["id"],
            "kind": "promoted",
            "text": "Mine was promoted to Silver.",
            "bot_id": bot,
            "duel_id": None,
            "event_id": None,
            "class_id": None,
            "link": f"/bots/{bot}",
        },
    }
    (entry,) = log_of(ada)
    assert got.headers["webhook-id"] == entry["message"]
    assert (entry["state"], entry["tries"], entry["status"], entry["problem"]) == ("delivered", 1, 204, None)
    assert entry["next_at"] is None
    assert post_due(here, database) == 0
    with pytest.raises(WebhookVerificationError):
        Verifier(secret).verify(got.body.replace(b"Silver", b"Golden"), got.headers)


def test_it_rests_until_the_next_message_is_due(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    def due_s() -> float | None:
        with database.transaction() as session:
            return queue.next_due_s(session)

    assert due_s() is None
    put(ada, receiver.url)
    _, submission_id = enter(ada, database)
    promote(database, submission_id)
    in_time = due_s()
    assert in_time is not None
    assert in_time <= 0
    receiver.answer = lambda _: (500, {}, b"")
    post_due(here, database)
    again = due_s()
    assert again is not None
    assert 0 < again <= 5, "the second try"
    ada.delete(f"{API}/me/webhook")
    assert due_s() is None


def test_what_was_rolled_back_is_not_posted(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    put(ada, receiver.url)
    _, submission_id = enter(ada, database)
    with database.transaction() as session:
        notices.moved(session, submission_id, league="Silver", up=True)
        session.rollback()
    assert post_due(here, database) == 0


@pytest.mark.long
def test_only_the_kinds_that_are_wanted_are_posted(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    put(ada, receiver.url, kinds=["demoted", "disabled"])
    _, submission_id = enter(ada, database)
    promote(database, submission_id)
    with database.transaction() as session:
        notices.stopped(session, submission_id, NoticeKind.DISABLED)
    post_due(here, database)
    assert states(ada) == [("notice.disabled", "delivered", 1)]
    put(ada, receiver.url)
    promote(database, submission_id)
    post_due(here, database)
    assert states(ada)[0] == ("notice.promoted", "delivered", 1)
    assert len(notices_of(ada)) == 3


@pytest.mark.long
def test_notices_of_others_are_not_posted(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    put(ada, receiver.url)
    with new_visitor(here) as guest:
        _, submission_id = enter(guest, database)
        promote(database, submission_id)
        refused = guest.put(f"{API}/me/webhook", json={"url": receiver.url})
        assert refused.status_code == 401
    assert post_due(here, database) == 0


@pytest.mark.long
def test_a_test_goes_the_same_way(ada: TestClient, here: Settings, database: Database, receiver: Receiver) -> None:
    secret = put(ada, receiver.url)
    answer = ada.post(f"{API}/me/webhook/test")
    assert (answer.status_code, answer.json()["state"], answer.json()["tries"]) == (201, "pending", 0)
    receiver.answer = lambda _: (200, {}, b"hello")
    post_due(here, database)
    body = verified(receiver.received[0], secret)
    assert (body["type"], body["data"]["text"]) == ("webhook.test", "This is a test of your webhook.")
    assert log_of(ada)[0]["excerpt"] == "hello"


@pytest.mark.long
def test_the_receiver_in_the_documents_takes_our_messages_and_no_others(
    ada: TestClient,
    here: Settings,
    database: Database,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = (Path(__file__).parents[2] / "docs/accounts.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    monkeypatch.setenv("SECRET", put(ada, receiver.url))
    ada.post(f"{API}/me/webhook/test")
    post_due(here, database)
    said: list[tuple[str, ...]] = []
    names: dict[str, Any] = {"__name__": "receiver", "print": lambda *words: said.append(words)}
    exec(program, names)  # noqa: S102 - it is ours
    got, visitor = receiver.received[0], names["app"].test_client()
    answers = [visitor.post("/hexarena", data=body, headers=got.headers) for body in (got.body, got.body + b" ")]
    assert [one.status_code for one in answers] == [204, 500]
    assert said == [("webhook.test", "This is a test of your webhook.")]


# --- Tried again, given up --------------------------------------------------------------------------------------------


@pytest.mark.long
def test_what_fails_is_tried_again_after_growing_pauses_and_then_given_up(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    secret = put(ada, receiver.url)
    ada.post(f"{API}/me/webhook/test")
    receiver.answer = lambda _: (500, {}, b"out of order")
    for tries, pause in enumerate(SCHEDULE, start=1):
        assert post_due(here, database) == 1
        with database.transaction() as session:
            row = session.scalars(select(WebhookDelivery)).one()
            assert (row.state, row.tries, row.failures) == (DeliveryState.PENDING, tries, tries)
            assert row.tried_at is not None
            assert row.next_at - row.tried_at == pause
        assert post_due(here, database) == 0, "not before its time"
        make_due(database)
    assert post_due(here, database) == 1
    (entry,) = log_of(ada)
    assert (entry["state"], entry["tries"], entry["status"], entry["next_at"]) == (
        "failed",
        len(SCHEDULE) + 1,
        500,
        None,
    )
    assert (entry["problem"], entry["excerpt"]) == ("It answered 500 Internal Server Error.", "out of order")
    make_due(database)
    assert post_due(here, database) == 0
    assert len({(one.headers["webhook-id"], one.body) for one in receiver.received}) == 1
    for got in receiver.received:
        verified(got, secret)
    assert ada.get(f"{API}/me/webhook").json()["failing_since"] is not None
    ada.post(f"{API}/me/webhook/deliveries/{entry['id']}/redeliver")
    assert post_due(here, database) == 1
    assert log_of(ada)[0]["state"] == "pending", "the pauses begin anew"
    set_rows(database, state=DeliveryState.FAILED)
    receiver.answer = lambda _: (200, {}, b"")
    ada.post(f"{API}/me/webhook/test")
    post_due(here, database)
    assert ada.get(f"{API}/me/webhook").json()["failing_since"] is None


@pytest.mark.long
def test_whoever_answers_gone_is_switched_off_and_notified(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    put(ada, receiver.url)
    _, submission_id = enter(ada, database)
    ada.post(f"{API}/me/webhook/test")
    post_due(here, database)
    receiver.answer = lambda _: (410, {}, b"")
    promote(database, submission_id)
    promote(database, submission_id, "Gold")
    assert post_due(here, database) == 1
    assert [(one["state"], one["problem"]) for one in log_of(ada)] == [
        ("failed", "The webhook was switched off."),
        ("failed", "It answered 410 Gone."),
        ("delivered", None),
    ]
    shown = ada.get(f"{API}/me/webhook").json()
    assert (shown["disabled_why"], shown["disabled_at"] is not None) == ("It answered 410 Gone.", True)
    (newest, *_) = ada.get(f"{API}/me/notices").json()["items"]
    assert (newest["kind"], newest["link"]) == ("webhook", "/account")
    assert newest["text"].startswith("Your webhook was switched off")
    promote(database, submission_id, "Gold")
    assert len(log_of(ada)) == 3, "nothing more is queued"
    for path in ("test", f"deliveries/{log_of(ada)[0]['id']}/redeliver"):
        refused = ada.post(f"{API}/me/webhook/{path}")
        assert (refused.status_code, refused.json()["detail"]) == (409, "Your webhook is switched off.")
    assert put(ada, receiver.url) == "", "the secret stays"
    receiver.answer = lambda _: (200, {}, b"")
    assert ada.post(f"{API}/me/webhook/test").status_code == 201
    post_due(here, database)
    assert states(ada)[0] == ("webhook.test", "delivered", 1)


@pytest.mark.long
def test_whoever_fails_for_days_is_switched_off(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    put(ada, receiver.url)
    receiver.answer = lambda _: (503, {}, b"")
    ada.post(f"{API}/me/webhook/test")
    post_due(here, database)

    def failed_for(how_long: timedelta) -> None:
        with database.transaction() as session:
            moved = {"failing_since": Webhook.failing_since - how_long}
            session.execute(update(Webhook).values(moved))
        make_due(database)
        post_due(here, database)

    failed_for(FAILING_TOO_LONG - timedelta(hours=1))
    assert ada.get(f"{API}/me/webhook").json()["disabled_at"] is None
    failed_for(timedelta(hours=1))
    assert ada.get(f"{API}/me/webhook").json()["disabled_why"] == "It failed for 5 days."
    assert [kind for kind, *_ in notices_of(ada)] == ["webhook"]
    assert states(ada) == [("webhook.test", "failed", 3)]


@pytest.mark.long
def test_what_failed_long_ago_and_was_given_up_switches_nothing_off(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    put(ada, receiver.url)
    receiver.answer = lambda _: (503, {}, b"")
    ada.post(f"{API}/me/webhook/test")
    post_due(here, database)
    set_rows(database, state=DeliveryState.FAILED, tried_at=func.now() - timedelta(days=20))
    with database.transaction() as session:
        session.execute(update(Webhook).values(failing_since=func.now() - timedelta(days=20)))
    ada.post(f"{API}/me/webhook/test")
    post_due(here, database)
    assert ada.get(f"{API}/me/webhook").json()["disabled_at"] is None
    assert states(ada)[0] == ("webhook.test", "pending", 1)
    # Another one that fails soon after it begins nothing anew.
    with database.transaction() as session:
        session.execute(update(Webhook).values(failing_since=func.now() - FAILING_TOO_LONG))
    ada.post(f"{API}/me/webhook/test")
    post_due(here, database)
    assert ada.get(f"{API}/me/webhook").json()["disabled_why"] == "It failed for 5 days."


@pytest.mark.long
def test_a_notice_can_be_posted_again_with_the_same_id(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    put(ada, receiver.url)
    _, submission_id = enter(ada, database)
    promote(database, submission_id)
    post_due(here, database)
    (entry,) = log_of(ada)
    again = ada.post(f"{API}/me/webhook/deliveries/{entry['id']}/redeliver")
    assert (again.status_code, again.json()["state"], again.json()["message"]) == (200, "pending", entry["message"])
    post_due(here, database)
    first, second = receiver.received
    assert (first.body, first.headers["webhook-id"]) == (second.body, second.headers["webhook-id"])
    assert states(ada) == [("notice.promoted", "delivered", 2)]
    receiver.answer = lambda _: (500, {}, b"")
    ada.post(f"{API}/me/webhook/deliveries/{entry['id']}/redeliver")
    post_due(here, database)
    assert log_of(ada)[0]["next_at"] is not None
    receiver.answer = lambda _: (200, {}, b"")
    ada.post(f"{API}/me/webhook/deliveries/{entry['id']}/redeliver")
    assert post_due(here, database) == 1, "what waits is posted now"


@pytest.mark.long
def test_what_is_being_posted_is_not_posted_beside_it(ada: TestClient, here: Settings, database: Database) -> None:
    put(ada, f"http://{HERE}:9999/")
    ada.post(f"{API}/me/webhook/test")
    process = Webhooks(here, database)
    (lease,) = process.lease(0.0)
    (entry,) = log_of(ada)
    assert (entry["state"], entry["tries"], entry["next_at"]) == ("sending", 1, None)
    refused = ada.post(f"{API}/me/webhook/deliveries/{entry['id']}/redeliver")
    assert (refused.status_code, refused.json()["detail"]) == (409, "This message is being sent right now.")
    make_due(database)
    (other,) = process.lease(0.0)
    with database.transaction() as session:
        assert not queue.finish(session, lease, Outcome(410, "It answered 410 Gone."))
    assert states(ada) == [("webhook.test", "sending", 2)], "who comes late changes nothing"
    with database.transaction() as session:
        queue.finish(session, other, Outcome(200, ""))
        queue.finish(session, other, Outcome(500, "twice"))
    assert states(ada) == [("webhook.test", "delivered", 2)]
    assert log_of(ada)[0]["problem"] is None


@pytest.mark.long
def test_one_message_of_a_webhook_is_posted_at_a_time_and_the_oldest_first(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    put(ada, receiver.url)
    first, second = (ada.post(f"{API}/me/webhook/test").json()["id"] for _ in range(2))
    process = Webhooks(here, database)
    (lease,) = process.lease(0.0)
    assert lease.delivery_id == first
    assert process.lease(0.0) == []
    process.deliver(lease)
    (lease,) = process.lease(0.0)
    assert lease.delivery_id == second


def test_a_new_secret_signs_at_once(ada: TestClient, here: Settings, database: Database, receiver: Receiver) -> None:
    old = put(ada, receiver.url)
    new = ada.post(f"{API}/me/webhook/secret").json()["secret"]
    ada.post(f"{API}/me/webhook/test")
    post_due(here, database)
    verified(receiver.received[0], new)
    with pytest.raises(WebhookVerificationError):
        verified(receiver.received[0], old)
    with database.transaction() as session:
        stored = str(session.execute(text("SELECT row_to_json(webhook)::text FROM webhook")).scalar_one())
    assert new.removeprefix(life.PREFIX) not in stored


def test_an_arena_with_another_key_signs_nothing_with_it(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    put(ada, receiver.url)
    ada.post(f"{API}/me/webhook/test")
    post_due(here.model_copy(update={"secret_key": "another one"}), database)
    assert receiver.received == []
    assert log_of(ada)[0]["problem"] == KEY_CHANGED


@pytest.mark.long
def test_an_arena_may_turn_webhooks_off(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    put(ada, receiver.url)
    ada.post(f"{API}/me/webhook/test")
    off = here.model_copy(update={"webhooks": "off"})
    assert post_due(off, database) == 0
    with new_visitor(off) as other:
        signed_up(other, "Grace")
        assert other.get(f"{API}/me/webhook").json()["accepts"] == "off"
        assert other.put(f"{API}/me/webhook", json={"url": receiver.url}).status_code == 409


def test_a_message_that_we_cannot_post_is_no_end_of_all_others(
    ada: TestClient, here: Settings, database: Database
) -> None:
    class Broken:
        def post(self, *_: object) -> Outcome:
            raise ZeroDivisionError

    put(ada, f"http://{HERE}:9999/")
    ada.post(f"{API}/me/webhook/test")
    process = Webhooks(here, database, Broken())  # type: ignore[arg-type]
    process.deliver(process.lease(0.0)[0])
    assert log_of(ada)[0]["problem"] == OUR_FAULT


# --- What goes along --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_deliveries_go_with_the_bot_the_webhook_and_the_account(
    ada: TestClient, here: Settings, database: Database, receiver: Receiver
) -> None:
    put(ada, receiver.url)
    bot, submission_id = enter(ada, database)
    promote(database, submission_id)
    process = Webhooks(here, database)
    (lease,) = process.lease(0.0)
    with database.transaction() as session:
        owner = session.get_one(User, lease.user_id)
        deletion.delete_bot(session, owner, bot)
    process.deliver(lease)
    assert (receiver.received, log_of(ada)) == ([], [])
    assert process._try(lease).problem == FORGOTTEN

    ada.post(f"{API}/me/webhook/test")
    assert ada.delete(f"{API}/me/webhook").status_code == 204
    assert ada.delete(f"{API}/me/webhook").status_code == 204
    assert log_of(ada) == []
    assert ada.get(f"{API}/me/webhook").json()["url"] is None

    assert put(ada, receiver.url)
    ada.post(f"{API}/me/webhook/test")
    with database.transaction() as session:
        deletion.delete_account(session, session.get_one(User, lease.user_id))
        assert session.scalars(select(Webhook)).all() == []
        assert session.scalars(select(WebhookDelivery)).all() == []


def test_old_deliveries_go(ada: TestClient, here: Settings, database: Database) -> None:
    put(ada, f"http://{HERE}:9999/")
    old, new = (ada.post(f"{API}/me/webhook/test").json()["id"] for _ in range(2))
    with database.transaction() as session:
        row = update(WebhookDelivery).where(WebhookDelivery.id == old)
        session.execute(row.values(at=WebhookDelivery.at - KEEP))
    Webhooks(here, database).lease(0.0)
    assert [one["id"] for one in log_of(ada)] == [new]


# --- Processes --------------------------------------------------------------------------------------------------------


@pytest.fixture
def parts(processes: Processes) -> Processes:
    processes.extra["HEXARENA_WEBHOOK_HOSTS"] = HERE
    return processes


def owners(database: Database, settings: Settings, receiver: Receiver, count: int) -> list[int]:
    """Accounts with a webhook at the receiver, each with a path of its own."""
    with database.transaction() as session:
        found = []
        for number in range(count):
            user = User(kind="account", name=f"owner {number}")
            session.add(user)
            session.flush()
            life.save(session, user, f"{receiver.url}/{number}", None, settings.signing_key())
            found.append(user.id)
    return found


def ask(database: Database, users: list[int], each: int) -> None:
    with database.transaction() as session:
        for user in users:
            for _ in range(each):
                life.send_test(session, user)


def count_in(database: Database, state: DeliveryState) -> int:
    with database.transaction() as session:
        return len(session.scalars(select(WebhookDelivery.id).where(WebhookDelivery.state == state)).all())


@pytest.mark.long
def test_two_processes_post_each_message_once(
    parts: Processes, here: Settings, database: Database, receiver: Receiver
) -> None:
    users = owners(database, here, receiver, 12)
    running = [parts.start("hexarena.worker.webhooks") for _ in range(2)]
    for _ in range(5):
        ask(database, users, 2)
    wait_until(lambda: count_in(database, DeliveryState.DELIVERED) == 120, "all are delivered")
    assert set(Counter(one.headers["webhook-id"] for one in receiver.received).values()) == {1}
    assert len(receiver.received) == 120
    for process in running:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0


@pytest.mark.long
def test_a_process_that_is_killed_leaves_a_message_that_is_posted_again(
    parts: Processes, here: Settings, database: Database, receiver: Receiver
) -> None:
    arrived, over = threading.Event(), threading.Event()

    def slowly(_: Received) -> tuple[int, dict[str, str], bytes]:
        arrived.set()
        over.wait(PATIENCE_S)
        return 200, {}, b""

    receiver.answer = slowly
    ask(database, owners(database, here, receiver, 1), 1)
    first = parts.start("hexarena.worker.webhooks")
    assert arrived.wait(PATIENCE_S)
    parts.kill(first)
    over.set()
    receiver.answer = lambda _: (200, {}, b"")
    parts.start("hexarena.worker.webhooks")
    make_due(database)  # as if the lease had run out
    wait_until(lambda: count_in(database, DeliveryState.DELIVERED), "it is posted again")
    one, other = receiver.received
    assert one.headers["webhook-id"] == other.headers["webhook-id"]
    assert json.loads(one.body) == json.loads(other.body)
    with database.transaction() as session:
        assert session.scalars(select(WebhookDelivery.tries)).one() == 2


@pytest.mark.long
def test_whoever_is_slow_holds_up_nobody_else(
    parts: Processes, here: Settings, database: Database, receiver: Receiver
) -> None:
    over = threading.Event()

    def first_is_slow(got: Received) -> tuple[int, dict[str, str], bytes]:
        if got.path.endswith("/0"):
            over.wait(PATIENCE_S)
        return 200, {}, b""

    receiver.answer = first_is_slow
    slow, *others = owners(database, here, receiver, MOST_AT_ONCE + 4)
    ask(database, [slow], MOST_AT_ONCE + 4)
    ask(database, others, 1)
    parts.start("hexarena.worker.webhooks")
    wait_until(lambda: count_in(database, DeliveryState.DELIVERED) >= len(others), "the others have theirs")
    assert sum(one.path.endswith("/0") for one in receiver.received) < MOST_AT_ONCE
    over.set()


@pytest.mark.long
def test_it_outlives_the_connections_to_the_database(
    parts: Processes, here: Settings, database: Database, receiver: Receiver
) -> None:
    users = owners(database, here, receiver, 1)
    process = parts.start("hexarena.worker.webhooks")
    for count in (1, 2):
        ask(database, users, 1)
        wait_until(lambda count=count: count_in(database, DeliveryState.DELIVERED) == count, "it is posted")  # type: ignore[misc]
        with database.transaction() as session:
            session.execute(
                text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            )
    assert process.poll() is None
