"""Webhooks over HTTP: set, shown without their secret, renewed, removed, exported; who may do so, and how often."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from hexarena.backend.api.middleware.limits import MESSAGES_ASKED
from hexarena.backend.errors import Forbidden
from hexarena.backend.models import User, UserKind, Webhook
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.webhooks import life
from tests.api.test_accounts import signed_up, with_token
from tests.conftest import new_visitor

API = "/api/v1"
URL = "https://hooks.example/arena"
NOTHING = {
    "url": None,
    "kinds": None,
    "created_at": None,
    "failing_since": None,
    "disabled_at": None,
    "disabled_why": None,
    "accepts": "http",
}


def put(client: TestClient, **body: Any) -> Any:
    return client.put(f"{API}/me/webhook", json={"url": URL, **body})


def test_a_webhook_is_set_shown_changed_and_removed(client: TestClient) -> None:
    signed_up(client)
    assert client.get(f"{API}/me/webhook").json() == NOTHING
    made = put(client).json()
    assert (made["url"], made["kinds"]) == (URL, None)
    secret = made.pop("secret")
    assert len(secret) > 40
    shown = client.get(f"{API}/me/webhook")
    assert shown.json() == made
    assert secret not in shown.text
    changed = put(client, url="http://hooks.example:8080/", kinds=["overtaken", "duel", "duel"]).json()
    assert (changed["url"], changed["kinds"], changed["secret"]) == (
        "http://hooks.example:8080/",
        ["duel", "overtaken"],
        None,
    )
    assert changed["created_at"] == made["created_at"]
    other = client.post(f"{API}/me/webhook/secret").json()["secret"]
    assert other.startswith("whsec_")
    assert other != secret
    assert client.delete(f"{API}/me/webhook").status_code == 204
    assert client.get(f"{API}/me/webhook").json() == NOTHING
    assert put(client).json()["secret"] not in {secret, other}


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("http://127.0.0.1/", 422),
        ("http://[::1]:8000/", 422),
        ("http://169.254.169.254/latest/meta-data", 422),
        ("https://hooks.example:25/", 422),
        ("gopher://hooks.example/", 422),
        ("", 422),
        (f"{URL}/{2000 * 'a'}", 422),
        (f"{URL}?{100 * 'a'}", 200),
    ],
)
def test_only_addresses_of_the_public_internet_are_taken(client: TestClient, url: str, status: int) -> None:
    signed_up(client)
    answer = put(client, url=url)
    assert answer.status_code == status, answer.text
    if status != 200:
        assert answer.headers["content-type"] == "application/problem+json"
        assert client.get(f"{API}/me/webhook").json() == NOTHING


@pytest.mark.parametrize("kinds", [[], ["webhook"], ["nothing"], "duel"])
def test_only_kinds_of_notices_can_be_chosen(client: TestClient, kinds: object) -> None:
    signed_up(client)
    assert put(client, kinds=kinds).status_code == 422


def test_who_has_no_webhook_can_neither_test_nor_renew_it(client: TestClient) -> None:
    signed_up(client)
    for path in ("secret", "test", "deliveries/1/redeliver"):
        answer = client.post(f"{API}/me/webhook/{path}")
        assert (answer.status_code, answer.json()["detail"]) == (404, "You have no webhook.")


def test_a_webhook_is_its_owners_alone(client: TestClient, settings: Settings) -> None:
    signed_up(client)
    put(client)
    sent = client.post(f"{API}/me/webhook/test").json()
    with new_visitor(settings) as stranger:
        assert stranger.get(f"{API}/me/webhook").status_code == 401
        signed_up(stranger, "Grace")
        put(stranger)
        theirs, nobodys = (
            stranger.post(f"{API}/me/webhook/deliveries/{one}/redeliver") for one in (sent["id"], 999_999)
        )
        assert theirs.status_code == nobodys.status_code == 404
        assert stranger.get(f"{API}/me/webhook/deliveries").json() == {"items": []}
    assert [one["id"] for one in client.get(f"{API}/me/webhook/deliveries").json()["items"]] == [sent["id"]]


def test_a_token_may_read_a_webhook_and_not_turn_it_to_another_address(client: TestClient, settings: Settings) -> None:
    signed_up(client)
    put(client)
    made = client.post(f"{API}/me/tokens", json={"name": "x", "scopes": ["read", "submit", "play"]}).json()
    with with_token(settings, made["token"]) as script:
        assert script.get(f"{API}/me/webhook").json()["url"] == URL
        assert put(script, url="https://attacker.example/").status_code == 403
        for path in ("secret", "test"):
            assert script.post(f"{API}/me/webhook/{path}").status_code == 403
        assert script.delete(f"{API}/me/webhook").status_code == 403


def test_nobody_gives_a_guest_a_webhook(database: Database) -> None:
    with database.transaction() as session:
        guest = User(kind=UserKind.GUEST, name="guest")
        session.add(guest)
        session.flush()
        with pytest.raises(Forbidden):
            life.save(session, guest, URL, None, "key")


def test_messages_that_one_asks_for_are_limited(client: TestClient) -> None:
    signed_up(client)
    put(client)
    answers = [client.post(f"{API}/me/webhook/test").status_code for _ in range(MESSAGES_ASKED)]
    assert set(answers) == {201}
    newest = client.get(f"{API}/me/webhook/deliveries").json()["items"][0]["id"]
    for path in ("test", f"deliveries/{newest}/redeliver"):
        refused = client.post(f"{API}/me/webhook/{path}")
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1


def test_the_newest_messages_are_listed(client: TestClient, database: Database) -> None:
    account = signed_up(client)
    put(client)
    with database.transaction() as session:
        ids = [life.send_test(session, account["id"]).id for _ in range(life.LISTED + 3)]
    listed = client.get(f"{API}/me/webhook/deliveries").json()["items"]
    assert [one["id"] for one in listed] == ids[: -life.LISTED - 1 : -1]


def test_the_export_has_the_webhook_and_its_messages_without_the_secret(client: TestClient, database: Database) -> None:
    signed_up(client)
    secret = put(client, kinds=["duel"]).json()["secret"]
    sent = client.post(f"{API}/me/webhook/test").json()
    packed = client.get(f"{API}/me/export").content
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        account, messages = (json.loads(archive.read(name)) for name in ("account.json", "messages.json"))
        everything = b"".join(archive.read(name) for name in archive.namelist())
    assert (account["webhook"]["url"], account["webhook"]["kinds"]) == (URL, ["duel"])
    assert [(one["message"], one["type"]) for one in messages] == [(sent["message"], "webhook.test")]
    with database.transaction() as session:
        row = session.scalars(select(Webhook)).one()
    for private in (secret, row.salt):
        assert private.encode() not in everything


def test_a_guest_who_signs_in_leaves_the_accounts_webhook_as_it_is(client: TestClient, settings: Settings) -> None:
    signed_up(client)
    put(client)
    with new_visitor(settings) as guest:
        guest.post(f"{API}/matches", json={"game": "yavalath", "language": "python", "source": "print('1 1')"})
        assert put(guest).status_code == 401
        assert guest.post(f"{API}/sign-in", json={"name": "Ada", "password": "correct horse"}).status_code == 200
        assert guest.get(f"{API}/me/webhook").json()["url"] == URL
