"""Signing in with GitHub, which speaks OAuth 2 only: against a server here with GitHub's paths and answers.

Source: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, update

from hexarena.backend.api.routes import oidc
from hexarena.backend.models import User
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import OidcProvider, Settings
from tests.conftest import new_visitor

API = "/api/v1"
CLIENT, SECRET, CODE, TOKEN = "Iv1.8a61f9b3a7aba766", "the arena's", "20-hex-digits", "gho_16C7e42F292c6912E7"
OCTOCAT = {"login": "octocat", "id": 583231, "type": "User", "name": "The Octocat", "email": None}
TO_GITHUB = "/login/oauth/authorize"


@dataclass
class GitHub:
    """What a person does there, and what the arena asked for. `denies`: whether he refuses the arena."""

    url: str = ""
    denies: bool = False
    user: dict[str, Any] = field(default_factory=lambda: dict(OCTOCAT))
    asked: dict[str, str] = field(default_factory=dict)

    def authorize(self, query: dict[str, str]) -> str:
        """Where the browser is sent next."""
        self.asked = query
        if self.denies:
            why = {"error": "access_denied", "error_description": "The user has denied your application access."}
            return f"{query['redirect_uri']}?{urlencode({**why, 'state': query['state']})}"
        return f"{query['redirect_uri']}?{urlencode({'code': CODE, 'state': query['state']})}"

    def token(self, form: dict[str, str]) -> dict[str, str]:
        """GitHub answers 200 to what is wrong, too."""
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT, SECRET):
            return {"error": "incorrect_client_credentials", "error_description": "They are incorrect."}
        if form.get("code") != CODE or proof != self.asked.get("code_challenge"):
            return {"error": "bad_verification_code", "error_description": "The code is incorrect or expired."}
        return {"access_token": TOKEN, "scope": "read:user", "token_type": "bearer"}


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    """Runs in a thread. The arena finds it where it would find GitHub."""
    there = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            if address.path == TO_GITHUB:
                query = {name: values[0] for name, values in parse_qs(address.query).items()}
                self.answer(302, b"", Location=there.authorize(query))
            elif self.headers.get("Authorization") not in {f"Bearer {TOKEN}", f"token {TOKEN}"}:
                self.answer(401, b'{"message": "Requires authentication"}')
            elif not self.headers.get("User-Agent"):
                self.answer(403, b"Request forbidden by administrative rules.")
            else:
                self.answer(200, json.dumps(there.user).encode(), **{"Content-Type": "application/json"})

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(sent).items()}
            credentials = self.headers.get("Authorization", "").removeprefix("Basic ")
            if credentials:
                name, _, secret = base64.b64decode(credentials).decode().partition(":")
                form |= {"client_id": name, "client_secret": secret}
            said = there.token(form)
            if "json" in self.headers.get("Accept", ""):
                self.answer(200, json.dumps(said).encode(), **{"Content-Type": "application/json; charset=utf-8"})
            else:
                kind = "application/x-www-form-urlencoded; charset=utf-8"
                self.answer(200, urlencode(said).encode(), **{"Content-Type": kind})

        def answer(self, status: int, body: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    there.url = f"http://127.0.0.1:{server.server_port}"
    addresses = {
        "authorize_url": f"{there.url}{TO_GITHUB}",
        "access_token_url": f"{there.url}/login/oauth/access_token",
        "userinfo_endpoint": f"{there.url}/user",
    }
    assert {name: urlsplit(url).path for name, url in oidc.GITHUB_ADDRESSES.items()} == {
        name: urlsplit(url).path for name, url in addresses.items()
    }
    monkeypatch.setattr(oidc, "GITHUB_ADDRESSES", addresses)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield there
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def knows_github(settings: Settings, github: GitHub) -> Settings:
    """As docs/accounts.md has it."""
    provider = OidcProvider(
        id="github", title="GitHub", issuer="https://github.com", client_id=CLIENT, client_secret=SECRET,
        scope="read:user",
    )  # fmt: skip
    return settings.model_copy(update={"oidc": (provider,)})


def sign_in(visitor: TestClient, *, code: str | None = None) -> str:
    """Follows the browser to GitHub and back: where it ends. `code`: another one than GitHub's."""
    away = visitor.get(f"{API}/oidc/github", follow_redirects=False)
    assert away.status_code == 302, away.text
    back = urlsplit(httpx.get(away.headers["Location"], follow_redirects=False).headers["Location"])
    query = back.query.replace(CODE, code) if code else back.query
    ended = visitor.get(f"{back.path}?{query}", follow_redirects=False)
    assert ended.status_code == 302, ended.text
    return str(ended.headers["Location"])


def test_github_signs_in_and_the_next_time_it_is_the_same_account(knows_github: Settings, github: GitHub) -> None:
    with new_visitor(knows_github) as visitor:
        assert sign_in(visitor) == "/account"
        assert (github.asked["client_id"], github.asked["scope"]) == (CLIENT, "read:user")
        assert github.asked["redirect_uri"] == f"http://testserver{API}/oidc/github/callback"
        assert github.asked["code_challenge_method"] == "S256"
        first = visitor.get(f"{API}/me").json()
        assert (first["name"], first["kind"], first["providers"]) == ("octocat", "account", ["github"])
        assert first["email"] is None
    github.user["login"] = "renamed"
    with new_visitor(knows_github) as visitor:
        assert sign_in(visitor) == "/account"
        again = visitor.get(f"{API}/me").json()
        assert (again["id"], again["name"]) == (first["id"], "octocat"), "the number says who it is, not the name"


@pytest.mark.usefixtures("github")
@pytest.mark.parametrize("secure", [False, True])
def test_the_cookie_of_a_visit_to_a_provider_is_out_of_reach(knows_github: Settings, secure: bool) -> None:
    with new_visitor(knows_github.model_copy(update={"secure_cookies": secure})) as visitor:
        away = visitor.get(f"{API}/oidc/github", follow_redirects=False)
    named, *parts = away.headers["set-cookie"].lower().split("; ")
    assert named.startswith("hexarena_oidc=")
    expected = {f"path={API}/oidc", "max-age=600", "httponly", "samesite=lax"}
    assert set(parts) == expected | ({"secure"} if secure else set())


def test_two_people_of_github_are_two_accounts(knows_github: Settings, github: GitHub) -> None:
    with new_visitor(knows_github) as one, new_visitor(knows_github) as two:
        sign_in(one)
        github.user |= {"login": "octocat", "id": 1}
        sign_in(two)
        assert one.get(f"{API}/me").json()["id"] != two.get(f"{API}/me").json()["id"]


def test_who_is_banned_is_told_so_and_not_signed_in(knows_github: Settings, database: Database) -> None:
    with new_visitor(knows_github) as visitor:
        assert sign_in(visitor) == "/account"
    with database.transaction() as session:
        banned = {"banned_at": func.now(), "ban_reason": "She shared her code."}
        session.execute(update(User).where(User.name == "octocat").values(**banned))
    with new_visitor(knows_github) as visitor:
        assert sign_in(visitor) == "/account?problem=banned"
        assert_nobody(visitor)


def assert_nobody(visitor: TestClient) -> None:
    assert visitor.get(f"{API}/me").json()["kind"] == "none"


def test_who_refuses_the_arena_there_is_not_signed_in(knows_github: Settings, github: GitHub) -> None:
    github.denies = True
    with new_visitor(knows_github) as visitor:
        assert sign_in(visitor) == "/account?problem=denied"
        assert_nobody(visitor)


def test_a_code_that_github_does_not_know_signs_nobody_in(knows_github: Settings) -> None:
    """GitHub says so in an answer with the status 200."""
    with new_visitor(knows_github) as visitor:
        assert sign_in(visitor, code="of-somebody-else") == "/account?problem=failed"
        assert_nobody(visitor)


def test_an_answer_for_another_browser_signs_nobody_in(knows_github: Settings) -> None:
    with new_visitor(knows_github) as visitor, new_visitor(knows_github) as other:
        away = visitor.get(f"{API}/oidc/github", follow_redirects=False)
        back = urlsplit(httpx.get(away.headers["Location"], follow_redirects=False).headers["Location"])
        ended = other.get(f"{back.path}?{back.query}", follow_redirects=False)
        assert ended.headers["Location"] == "/account?problem=failed"
        assert_nobody(other)


@pytest.mark.parametrize("user", [{"message": "Bad credentials"}, {}])
def test_an_answer_that_is_nobody_signs_nobody_in(knows_github: Settings, github: GitHub, user: dict[str, str]) -> None:
    github.user = dict(user)
    with new_visitor(knows_github) as visitor:
        assert sign_in(visitor) == "/account?problem=failed"
        assert_nobody(visitor)


def test_where_the_arena_wants_invitations_github_alone_is_not_enough(knows_github: Settings) -> None:
    with new_visitor(knows_github.model_copy(update={"sign_up": "invite"})) as visitor:
        assert sign_in(visitor) == "/account?problem=invite"
        assert_nobody(visitor)
