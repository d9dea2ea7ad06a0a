"""The table of permissions, walked through: each endpoint for each role, and for tokens of each scope."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from hexarena.backend.accounts.permissions import MAY, SCOPES, Action, Role, Scope, role_may, table
from hexarena.backend.api.access import ACTIONS
from hexarena.backend.app import make_app
from hexarena.backend.hosts import life as hosts
from hexarena.backend.models import User, UserRole
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests.conftest import new_visitor

API = "/api/v1"
STREAMS = {"stream_feed"}
"""Would never end; what guards them guards all others, too."""
ROOT = Path(__file__).parents[2]


def endpoints() -> list[tuple[str, str, str]]:
    """(operation, method, path)"""
    found = []
    for path, operations in make_app(Settings(secret_key="x")).openapi()["paths"].items():
        for method, operation in operations.items():
            found.append((operation["operationId"], method.upper(), path))
    return found


def test_every_endpoint_has_an_action_and_every_action_an_endpoint() -> None:
    assert {operation for operation, _, _ in endpoints()} | {"get_docs"} == set(ACTIONS)
    assert set(ACTIONS.values()) == set(Action) == set(MAY) == set(SCOPES)


@pytest.fixture
def visitors(settings: Settings, database: Database) -> Iterator[dict[Role, TestClient]]:
    """Somebody of each role that makes requests."""
    with (
        new_visitor(settings) as visitor,
        new_visitor(settings) as guest,
        new_visitor(settings) as user,
        new_visitor(settings) as organiser,
        new_visitor(settings) as worker,
    ):
        bot = {"game": "yavalath", "bot": "mine", "language": "python", "source": "print('4 4')"}
        assert guest.post(f"{API}/submissions", json=bot).status_code == 201
        for client, name in ((user, "Ada"), (organiser, "Grace")):
            body = {"name": name, "password": "correct horse"}
            assert client.post(f"{API}/sign-up", json=body).status_code == 201
        with database.transaction() as session:
            session.execute(update(User).where(User.name == "Grace").values(role=UserRole.ORGANISER))
            worker.headers["Authorization"] = f"Bearer {hosts.add(session, 'far-away')[1]}"
        yield {
            Role.VISITOR: visitor,
            Role.GUEST: guest,
            Role.USER: user,
            Role.ORGANISER: organiser,
            Role.WORKER: worker,
        }


def refused(client: TestClient, method: str, path: str) -> bool:
    """Whether the guard refused it; what comes behind it has other words."""
    address = re.sub(r"\{[a-z_]+\}", "999999", path)
    answer = client.request(method, address, json={} if method in {"POST", "PATCH"} else None, follow_redirects=False)
    assert answer.status_code < 500 or answer.status_code == 503, answer.text
    problem = answer.json() if answer.headers.get("content-type") == "application/problem+json" else {}
    return problem.get("title") in {"Sign in first", "You may not do this"}


def test_each_role_may_do_what_the_table_says(visitors: dict[Role, TestClient]) -> None:
    for operation, method, path in endpoints():
        if operation in STREAMS | {"sign_out"}:
            continue
        for role, client in visitors.items():
            if role is Role.VISITOR:
                client.cookies.clear()  # some requests make a guest of him
            assert refused(client, method, path) == (not role_may(role, ACTIONS[operation])), (operation, role)


@pytest.mark.long
@pytest.mark.parametrize("scope", list(Scope))
def test_a_token_may_do_what_its_scope_says(visitors: dict[Role, TestClient], settings: Settings, scope: Scope) -> None:
    made = visitors[Role.ORGANISER].post(f"{API}/me/tokens", json={"name": "x", "scopes": [scope]}).json()
    with new_visitor(settings) as script:
        script.headers["Authorization"] = f"Bearer {made['token']}"
        for operation, method, path in endpoints():
            if operation not in STREAMS:
                allowed = scope in SCOPES[ACTIONS[operation]]
                assert refused(script, method, path) == (not allowed), (operation, scope)


def test_what_is_somebody_elses_looks_like_what_is_not_there(
    visitors: dict[Role, TestClient], database: Database
) -> None:
    guest, stranger = visitors[Role.GUEST], visitors[Role.USER]
    practice = {"game": "yavalath", "language": "python", "source": "print('1 1')"}
    match = guest.post(f"{API}/matches", json=practice).json()
    submission = guest.get(f"{API}/bots", params={"mine": True}).json()["items"][0]["submissions"][0]
    draft = match["seats"][0]["submission_id"]
    for method, path, number in (
        ("GET", "/submissions/{}/source", draft),
        ("GET", "/submissions/{}/files", draft),
        ("GET", "/submissions/{}", draft),
        ("DELETE", "/submissions/{}/source", draft),
        ("DELETE", "/submissions/{}/source", submission["id"]),
        ("DELETE", "/bots/{}", submission["bot_id"]),
        ("GET", "/matches/{}", match["id"]),
        ("GET", "/matches/{}/replay", match["id"]),
        ("GET", "/matches/{}/seats/0/io", match["id"]),
    ):
        same = {"X-Request-Id": "of-both-of-them"}
        theirs, nobodys = (stranger.request(method, API + path.format(one), headers=same) for one in (number, 999999))
        assert theirs.status_code == nobodys.status_code == 404, (method, path)
        assert theirs.text.replace(str(number), "N") == nobodys.text.replace("999999", "N"), (method, path)


def test_the_table_in_the_documents_is_this_one() -> None:
    assert table() in (ROOT / "docs/accounts.md").read_text(encoding="utf-8")
