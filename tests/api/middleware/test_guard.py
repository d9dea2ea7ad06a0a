"""Who may send requests at all: by which name, from which page, and with which token where there is no isolation.

Nothing here needs a database: what is refused never gets so far, and a page is a file.
"""

from __future__ import annotations

import asyncio
import json
from functools import cache
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.types import Message

from hexarena.backend.api.middleware.guard import LOCAL_HEADER
from hexarena.backend.app import make_app
from hexarena.backend.runtime.settings import Settings

HOME = "http://localhost:8000"


@cache
def app(hosts: str = "") -> FastAPI:
    """One for all tests: it takes longer to make than to ask."""
    return make_app(Settings(hosts=hosts))


def visitor(hosts: str = "") -> TestClient:
    """At an arena with these settings, by the name that its page has at home."""
    return TestClient(app(hosts), base_url=HOME, raise_server_exceptions=False)


def sent(*headers: tuple[bytes, bytes], method: str = "GET", path: str = "/") -> tuple[int, dict[str, Any]]:
    """The answer to a request with exactly these headers, as no well-behaved client would send it."""
    messages: list[Message] = []
    body_sent = False

    async def receive() -> Message:
        nonlocal body_sent
        if body_sent:
            await asyncio.Event().wait()  # the client stays
        body_sent = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        messages.append(message)

    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b""}
    connection = {"http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 9)}
    asyncio.run(app()({**scope, **connection, "headers": list(headers)}, receive, send))
    body = b"".join(message.get("body", b"") for message in messages[1:])
    return messages[0]["status"], json.loads(body) if body.startswith(b"{") else {}


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "PATCH", "PUT", "DELETE"])
@pytest.mark.parametrize("path", ["/", "/play/ants", "/api/v1/games", "/api/v1/matches", "/api/v1/feed", "/x"])
def test_a_rebound_name_is_not_answered_whatever_is_asked(method: str, path: str) -> None:
    headers = {"Host": "attacker.example:8000", "Origin": "http://attacker.example:8000"}
    answer = visitor().request(method, path, headers=headers)
    assert answer.status_code == 421
    assert answer.headers["content-type"] == "application/problem+json"
    if method != "HEAD":
        problem = answer.json()
        assert "HEXARENA_HOSTS=attacker.example" in problem["detail"]
        assert problem["expected"] == "localhost, *.localhost, 127.0.0.1, [::1]"
        assert problem["got"] == "attacker.example:8000"


def test_a_name_that_was_allowed_is_answered() -> None:
    allowed = visitor(hosts="arena.example,*.example.org")
    for host in ("arena.example", "a.example.org:8000", "localhost", "127.0.0.1:1", "[::1]"):
        assert allowed.get("/x", headers={"Host": host}).status_code == 200
        assert allowed.post("/x", headers={"Host": host, "Origin": f"http://{host}"}).status_code == 405
    assert allowed.get("/x", headers={"Host": "example.org"}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        (),
        ((b"host", b"localhost"), (b"host", b"localhost")),
        ((b"host", b"localhost"), (b"host", b"attacker.example")),
        ((b"host", b""),),
        ((b"host", b"user@localhost"),),
        ((b"host", b"localhost:x"),),
        ((b"host", b"\xff\xfe"),),
    ],
)
def test_a_host_that_cannot_be_read_is_a_bad_request(headers: tuple[tuple[bytes, bytes], ...]) -> None:
    status, problem = sent(*headers)
    assert (status, problem["type"]) == (400, "urn:hexarena:problem:bad-host")
    assert problem["expected"] == "one Host header"


@pytest.mark.parametrize(
    "origin", [b"http://attacker.example", b"null", b"http://localhost:8001", b"http://localhost", b""]
)
def test_a_page_of_another_site_cannot_write(origin: bytes) -> None:
    status, problem = sent((b"host", b"localhost:8000"), (b"origin", origin), method="POST", path="/x")
    assert (status, problem["got"]) == (403, origin.decode())
    assert sent((b"host", b"localhost:8000"), (b"origin", origin), path="/x")[0] == 200


def test_each_of_several_origins_must_be_ours() -> None:
    ours, other = (b"origin", b"http://localhost"), (b"origin", b"http://attacker.example")
    for origins in ((ours, other), (other, ours)):
        assert sent((b"host", b"localhost"), *origins, method="POST", path="/x")[0] == 403


@pytest.mark.parametrize(
    ("site", "status"), [("same-origin", 405), ("none", 405), ("same-site", 403), ("cross-site", 403)]
)
def test_what_the_browser_says_of_the_page_counts_too(site: str, status: int) -> None:
    assert visitor().post("/x", headers={"Sec-Fetch-Site": site}).status_code == status


# --- Without isolation -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of an arena without isolation."""
    return Settings(sandbox="none", data_folder=tmp_path_factory.mktemp("alone") / "data")


@pytest.fixture(scope="module")
def page(alone: Settings) -> TestClient:
    """A page of that arena."""
    return TestClient(make_app(alone), base_url=HOME)


@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
def test_without_isolation_only_who_knows_the_token_writes(alone: Settings, page: TestClient, method: str) -> None:
    token = alone.local_token()
    for headers in ({}, {LOCAL_HEADER: ""}, {LOCAL_HEADER: token[:-1]}, {LOCAL_HEADER: token + "x"}):
        answer = page.request(method, "/api/v1/matches", headers=headers)
        assert answer.status_code == 403
        assert str(alone.data_folder / "local_token") in answer.json()["expected"]
        assert "#local=" in answer.json()["detail"]
        assert token not in answer.text
    twice = [(LOCAL_HEADER, token), (LOCAL_HEADER, "another")]
    assert page.request(method, "/x", headers=twice).status_code == 403
    assert page.request(method, "/x", headers={LOCAL_HEADER: token}).status_code == 405


def test_without_isolation_everybody_on_the_machine_may_look(page: TestClient) -> None:
    assert page.get("/x").status_code == 200


def test_the_token_stays_the_same_and_is_for_its_owner_only(alone: Settings) -> None:
    token = alone.local_token()
    assert len(token) >= 32
    assert token == alone.local_token() == alone.model_copy().local_token()
    assert (alone.data_folder / "local_token").stat().st_mode & 0o777 == 0o600
    assert token != alone.signing_key()


def test_with_isolation_no_token_is_asked_for() -> None:
    assert visitor().post("/x").status_code == 405


def test_the_token_does_not_let_other_pages_in(alone: Settings, page: TestClient) -> None:
    headers = {LOCAL_HEADER: alone.local_token()}
    assert page.post("/x", headers={**headers, "Origin": "http://attacker.example"}).status_code == 403
    assert page.post("/x", headers={**headers, "Host": "attacker.example"}).status_code == 421
