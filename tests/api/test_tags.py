"""Tags and notes of versions."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from hexarena.backend.models import User
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import deletion, life as submissions
from tests.conftest import new_visitor

API = "/api/v1"
BOT = {"game": "yavalath", "bot": "Mine", "language": "python", "source": "print('4 4')", "note": "first try"}


@pytest.fixture
def versions(client: TestClient, database: Database) -> tuple[int, int]:
    """Two versions of one bot."""
    ids = []
    for source in ("print('4 4')", "print('3 3')"):
        ids.append(client.post(f"{API}/submissions", json={**BOT, "source": source}).json()["id"])
        with database.transaction() as session:
            submissions.go_live(session, ids[-1])
    return ids[0], ids[1]


def said(client: TestClient, submission_id: int) -> tuple[str, str]:
    answer = client.get(f"{API}/submissions/{submission_id}").json()
    return answer["tag"], answer["note"]


def test_a_version_gets_a_tag_and_another_note(
    client: TestClient, settings: Settings, versions: tuple[int, int]
) -> None:
    old, new = versions
    assert said(client, old) == ("", "first try")
    changed = client.patch(f"{API}/submissions/{old}", json={"tag": "stable"})
    assert (changed.status_code, changed.json()["tag"], changed.json()["note"]) == (200, "stable", "first try")
    client.patch(f"{API}/submissions/{old}", json={"note": "  keeps   the middle "})
    with new_visitor(settings) as stranger:
        assert said(stranger, old) == ("stable", "keeps the middle")
        refused = stranger.patch(f"{API}/submissions/{old}", json={"tag": "mine now"})
        assert refused.status_code == 422
        assert stranger.patch(f"{API}/submissions/{old}", json={"tag": "mine-now"}).status_code == 403
    assert said(client, old) == ("stable", "keeps the middle")
    client.patch(f"{API}/submissions/{old}", json={"tag": "", "note": ""})
    assert said(client, old) == ("", "")
    assert said(client, new) == ("", "first try")


def test_a_tag_names_one_version_of_a_bot(client: TestClient, versions: tuple[int, int]) -> None:
    old, new = versions
    client.patch(f"{API}/submissions/{old}", json={"tag": "Stable"})
    refused = client.patch(f"{API}/submissions/{new}", json={"tag": "stable", "note": "not kept"})
    assert (refused.status_code, refused.json()["detail"]) == (409, "Version 1 has the tag “stable”.")
    assert said(client, new) == ("", "first try")
    assert client.patch(f"{API}/submissions/{old}", json={"tag": "STABLE"}).status_code == 200
    other = client.post(f"{API}/submissions", json={**BOT, "bot": "Other"}).json()["id"]
    assert client.patch(f"{API}/submissions/{other}", json={"tag": "stable"}).status_code == 200


@pytest.mark.long
@pytest.mark.parametrize("tag", ["two words", "-first", "x" * 25, "umlaut-ä", "a\n", "<b>"])
def test_a_tag_that_is_none_is_refused(client: TestClient, versions: tuple[int, int], tag: str) -> None:
    assert client.patch(f"{API}/submissions/{versions[0]}", json={"tag": tag}).status_code == 422
    assert said(client, versions[0]) == ("", "first try")


def test_a_tag_goes_with_the_code(client: TestClient, database: Database, versions: tuple[int, int]) -> None:
    old, new = versions
    client.patch(f"{API}/submissions/{old}", json={"tag": "stable"})
    client.delete(f"{API}/submissions/{old}/source")
    assert said(client, old) == ("", "")
    client.patch(f"{API}/submissions/{new}", json={"tag": "stable"})
    with database.transaction() as session:
        owner = session.get_one(User, client.get(f"{API}/me").json()["id"])
        deletion.delete_bot(session, owner, client.get(f"{API}/submissions/{new}").json()["bot_id"])
    assert said(client, new) == ("", "")
