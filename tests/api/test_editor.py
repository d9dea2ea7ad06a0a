"""The code in the editor, kept for accounts."""

from __future__ import annotations

import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from hexarena.backend.matches.quotas import Quotas
from hexarena.backend.models import EditorDraft, User
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import editor
from hexarena.backend.submissions.storage import stored_bytes
from tests.api.test_accounts import BOT, PASSWORD, arena_with, signed_up, with_token
from tests.conftest import new_visitor

API = "/api/v1"
PYTHON = f"{API}/me/drafts/yavalath/python"


def save(client: TestClient, source: str | None, based_on: int, path: str = PYTHON) -> dict[str, Any]:
    answer = client.put(path, json={"source": source, "based_on": based_on})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def signed_in(client: TestClient) -> TestClient:
    """Ada, on another computer."""
    assert client.post(f"{API}/sign-in", json={"name": "Ada", "password": PASSWORD}).status_code == 200
    return client


def test_another_computer_goes_on_with_the_code(client: TestClient, settings: Settings) -> None:
    signed_up(client)
    assert client.get(PYTHON).json() == {"source": None, "revision": 0, "stored": True}
    assert save(client, "one", 0) == {"source": "one", "revision": 1, "stored": True}
    with new_visitor(settings) as other:
        signed_in(other)
        assert other.get(PYTHON).json()["source"] == "one"
        assert save(other, "two", 1)["revision"] == 2
        assert other.get(f"{API}/me/drafts/yavalath/cpp").json()["revision"] == 0, "of each language"
        assert other.get(f"{API}/me/drafts/ants/python").json()["revision"] == 0, "of each game"
    assert client.get(PYTHON).json() == {"source": "two", "revision": 2, "stored": True}


def test_what_was_saved_elsewhere_is_not_overwritten(client: TestClient) -> None:
    signed_up(client)
    save(client, "one", 0)
    save(client, "theirs", 1)
    assert save(client, "mine", 1) == {"source": "theirs", "revision": 2, "stored": False}
    assert client.get(PYTHON).json()["source"] == "theirs"
    assert save(client, "mine", 2) == {"source": "mine", "revision": 3, "stored": True}


def test_the_same_code_is_no_conflict_and_no_change(client: TestClient) -> None:
    signed_up(client)
    save(client, "one", 0)
    assert save(client, "one", 0) == {"source": "one", "revision": 1, "stored": True}


def test_a_discarded_draft_is_gone_and_stays_numbered(client: TestClient) -> None:
    signed_up(client)
    save(client, "one", 0)
    assert save(client, None, 1) == {"source": None, "revision": 2, "stored": True}
    assert save(client, "late", 1) == {"source": None, "revision": 2, "stored": False}


def test_of_many_at_once_one_is_stored(database: Database, client: TestClient, settings: Settings) -> None:
    account = signed_up(client)

    def write(number: int) -> bool:
        with database.transaction() as session:
            user = session.get_one(User, account["id"])
            quotas = Quotas.of(settings)
            kept = editor.save(session, user, "ants", "cpp", source=str(number), based_on=0, quotas=quotas)
            return kept.stored

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(write, range(8))) == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"source": "x" * 100_001, "based_on": 0}, 422),
        ({"source": "é" * 60_000, "based_on": 0}, 422),
        ({"source": "a\0b", "based_on": 0}, 422),
        ({"source": "x", "based_on": -1}, 422),
        ({"source": "x"}, 422),
        ({"source": 3, "based_on": 0}, 422),
    ],
)
def test_bad_drafts_are_refused_and_nothing_is_lost(client: TestClient, body: dict[str, Any], status: int) -> None:
    signed_up(client)
    save(client, "one", 0)
    assert client.put(PYTHON, json=body).status_code == status
    assert client.get(PYTHON).json()["source"] == "one"


@pytest.mark.parametrize("path", ["/me/drafts/chess/python", "/me/drafts/ants/cobol"])
def test_unknown_games_and_languages_are_not_found(client: TestClient, path: str) -> None:
    signed_up(client)
    assert client.get(API + path).status_code == 404
    assert client.put(API + path, json={"source": "x", "based_on": 0}).status_code == 404


def test_guests_keep_theirs_in_the_browser(client: TestClient) -> None:
    client.post(f"{API}/submissions", json=BOT)
    assert client.get(PYTHON).status_code == 401
    assert client.put(PYTHON, json={"source": "x", "based_on": 0}).status_code == 401


def test_drafts_count_as_stored_code(client: TestClient, settings: Settings, database: Database) -> None:
    with arena_with(settings, account_bytes=1000) as visitor:
        account = signed_up(visitor)
        save(visitor, "x" * 600, 0)
        save(visitor, "y" * 900, 1)
        refused = visitor.put(f"{API}/me/drafts/ants/python", json={"source": "z" * 200, "based_on": 0})
        assert refused.status_code == 429
        assert visitor.post(f"{API}/submissions", json={**BOT, "source": "#" * 200}).status_code == 429
        with database.transaction() as session:
            assert stored_bytes(session, session.get_one(User, account["id"])) == 900
        save(visitor, None, 2)
        assert visitor.post(f"{API}/submissions", json={**BOT, "source": "#" * 200}).status_code == 201


def test_they_are_in_the_archive_and_go_with_the_account(client: TestClient, database: Database) -> None:
    signed_up(client)
    save(client, "print(1)", 0)
    save(client, None, 0, f"{API}/me/drafts/ants/cpp")
    with zipfile.ZipFile(io.BytesIO(client.get(f"{API}/me/export").content)) as archive:
        kept = [name for name in archive.namelist() if name.startswith("editor/")]
        assert kept == ["editor/yavalath/python/bot.py"]
        assert archive.read(kept[0]) == b"print(1)"
    gone = client.request("DELETE", f"{API}/me", json={"name": "Ada", "password": PASSWORD})
    assert gone.status_code == 204
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(EditorDraft)) == 0


def test_a_script_reads_and_keeps_the_code_in_the_editor(client: TestClient, settings: Settings) -> None:
    signed_up(client)
    save(client, "one", 0)
    for scopes, read, kept in ((["read"], 200, 403), (["submit"], 403, 200), (["play"], 403, 403)):
        token = client.post(f"{API}/me/tokens", json={"name": scopes[0], "scopes": scopes}).json()["token"]
        with with_token(settings, token) as script:
            assert script.get(PYTHON).status_code == read, scopes
            assert script.put(PYTHON, json={"source": "two", "based_on": 1}).status_code == kept, scopes
    assert client.get(PYTHON).json()["source"] == "two"
