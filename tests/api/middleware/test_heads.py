"""HEAD gives the head of what GET gives, and each address says which methods it has."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

API = "/api/v1"


@pytest.mark.parametrize("path", ["/games", "/games/ants/leaderboard", "/games/ants/starters", "/bots/1", "/docs"])
def test_head_is_get_without_a_body(client: TestClient, path: str) -> None:
    client.headers["Accept-Encoding"] = "identity"
    got, asked = client.get(API + path), client.head(API + path)
    assert asked.status_code == got.status_code == 200
    assert asked.content == b""
    for name in ("content-type", "content-length", "etag", "cache-control"):
        assert asked.headers.get(name) == got.headers.get(name), name


def test_head_of_what_is_not_there_is_its_error(client: TestClient) -> None:
    for path, status in {"/bots/999999": 404, "/bots/x": 422, "/nowhere": 404, "/me/tokens": 401}.items():
        asked = client.head(API + path)
        assert (asked.status_code, asked.content) == (status, b""), path
        assert asked.headers["content-type"] == "application/problem+json"


def test_head_of_a_stream_ends(client: TestClient) -> None:
    asked = client.head(f"{API}/feed")
    assert asked.status_code == 200
    assert asked.headers["content-type"].startswith("text/event-stream")
    assert asked.content == b""


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/matches", "GET, HEAD, POST"),
        ("OPTIONS", "/bots/1", "DELETE, GET, HEAD"),
        ("DELETE", "/me/webhook/test", "POST"),
        ("GET", "/sign-out", "POST"),
        ("HEAD", "/in-person/1/resign", "POST"),
    ],
)
def test_a_wrong_method_is_told_all_that_the_address_has(
    client: TestClient, method: str, path: str, allowed: str
) -> None:
    answer = client.request(method, API + path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == allowed
    if method != "HEAD":
        assert answer.json()["expected"] == allowed


def test_pages_are_only_read(client: TestClient) -> None:
    assert client.post("/bots/1").headers["allow"] == "GET, HEAD"
