"""Every answer says what a browser may do with it: pages, files, data, streams and errors of all kinds."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message

from hexarena.backend.api.routes.docs import PAGE
from hexarena.backend.app import make_app
from hexarena.backend.runtime.settings import Settings

API = "/api/v1"
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
SAME = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def assert_safe(headers: Mapping[str, str], what: str) -> None:
    """No script but our files', no frame around it, no guessing of types."""
    for name, value in SAME.items():
        assert headers.get(name) == value, f"{what}: {name}"
    assert "camera=()" in headers["permissions-policy"], what
    policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'", what
    is_page = headers.get("content-type", "").startswith("text/html")
    assert policy.get("script-src") == ("'self'" if is_page else None), what


def test_every_operation_answers_with_them_whatever_the_answer_is(client: TestClient) -> None:
    paths = client.get(f"{API}/openapi.json").json()["paths"]
    seen: set[int] = set()
    for path in paths:
        if path == f"{API}/feed":
            continue  # never ends: see below
        known = path.replace("{game_id}", "ants").replace("{name}", "board.svg")
        asked = [(method, re.sub(r"{\w+}", "1", known)) for method in METHODS]
        if "{" in path:
            asked += [("GET", re.sub(r"{\w+}", "999999", path)), ("GET", re.sub(r"{\w+}", "x", path))]
        for method, filled in asked:
            answer = client.request(method, filled)
            assert_safe(answer.headers, f"{method} {filled}: {answer.status_code}")
            seen.add(answer.status_code)
    assert seen >= {200, 404, 405, 422}


@pytest.mark.parametrize("method", METHODS)
def test_so_do_figures_and_built_files_which_are_no_operations(client: TestClient, method: str) -> None:
    (script, *_) = re.findall(r'src="(/assets/[^"]+)"', client.get("/").text)
    for path in ("/metrics", script, "/assets/nothing.js"):
        answer = client.request(method, path)
        assert_safe(answer.headers, f"{method} {path}: {answer.status_code}")
        assert answer.status_code != 200 or method in {"GET", "HEAD"}


@pytest.mark.parametrize("path", ["/", "/favicon.svg", "/theme.js", "/docs.js", "/nowhere", "/vendor/swagger-ui.css"])
def test_pages_and_files_do_too(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200
    assert_safe(answer.headers, path)


def test_only_the_embedded_match_may_be_shown_in_a_frame(client: TestClient) -> None:
    framed = client.get("/embed/matches/1")
    assert "x-frame-options" not in framed.headers
    policy = framed.headers["content-security-policy"]
    assert "frame-ancestors *" in policy
    assert (
        policy.replace("frame-ancestors *", "frame-ancestors 'none'")
        == client.get("/").headers["content-security-policy"]
    )
    for path in ("/embed/matches", "/embed/matches/1/x", "/embed/matches/x", "/embed", "/embed/account", "/matches/1"):
        assert_safe(client.get(path).headers, path)
    assert_safe(client.post("/embed/matches/1").headers, "a write")


def test_so_do_errors_of_every_layer(client: TestClient) -> None:
    game = {"game": "yavalath", "language": "python", "source": "print('4 4')"}
    answers = {
        400: client.post(f"{API}/matches", content="{", headers={"Content-Type": "application/json"}),
        401: client.get(f"{API}/me", headers={"Cookie": "hexarena_user=junk"}),
        403: client.post(f"{API}/matches", json=game, headers={"Origin": "https://attacker.example"}),
        404: client.get(f"{API}/nothing"),
        405: client.put("/"),
        413: client.post(f"{API}/matches", content=b"x" * 1_300_001),
        421: client.get("/", headers={"Host": "attacker.example"}),
    }
    for status, answer in answers.items():
        assert answer.status_code == status
        assert_safe(answer.headers, str(status))


def test_so_does_a_bug_of_ours(settings: Settings) -> None:
    never_started = TestClient(make_app(settings), raise_server_exceptions=False)
    answer = never_started.get(f"{API}/games")
    assert answer.status_code == 500
    assert_safe(answer.headers, "500")


def test_so_does_a_stream_that_never_ends(settings: Settings) -> None:
    app = make_app(settings)

    async def head_of_stream() -> Message:
        begun: asyncio.Future[Message] = asyncio.get_running_loop().create_future()

        async def receive() -> Message:
            await begun
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if not begun.done():
                begun.set_result(message)

        path = f"{API}/feed"
        scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
        connection = {"http_version": "1.1", "scheme": "http", "headers": [(b"host", b"localhost")]}
        async with app.router.lifespan_context(app):
            await app({**scope, **connection}, receive, send)
            await asyncio.get_running_loop().shutdown_default_executor()  # what it was still reading
            return await begun

    head = asyncio.run(head_of_stream())
    headers = {name.decode(): value.decode() for name, value in head["headers"]}
    assert headers["content-type"].startswith("text/event-stream")
    assert_safe(headers, "events")


@pytest.mark.long
def test_the_documentation_page_loads_files_of_ours_only(client: TestClient) -> None:
    answer = client.get(f"{API}/docs")
    assert_safe(answer.headers, "docs")
    assert answer.headers["content-type"].startswith("text/html")
    loaded = re.findall(r'(?:src|href)="([^"]*)"', PAGE)
    assert len(loaded) == 5
    for address in loaded:
        assert address.startswith("/")
        found = client.get(address)
        assert found.status_code == 200
        assert "text/html" not in found.headers["content-type"], f"{address} is no file of its own"
    assert re.findall(r"<script(?![^>]*src=)", PAGE) == []


def test_no_page_loads_a_script_from_elsewhere_or_has_one_inline(client: TestClient) -> None:
    for path in ("/", f"{API}/docs"):
        scripts = re.findall(r"<script([^>]*)>([^<]*)", client.get(path).text)
        assert scripts
        for attributes, text in scripts:
            assert re.search(r'src="/[^/]', attributes), attributes
            assert text.strip() == ""
