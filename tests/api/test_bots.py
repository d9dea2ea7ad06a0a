"""Bots: the list of them, and the page of one."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, select

from hexarena.backend.models import Submission, SubmissionState
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from tests.conftest import new_visitor

API = "/api/v1"


def listed(client: TestClient, **parameters: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{API}/bots", params=parameters)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


@pytest.mark.long
def test_a_list_of_bots_says_what_the_page_of_each_says(client: TestClient) -> None:
    body = {"game": "yavalath", "bot": "mine", "language": "python", "source": "print(1)"}
    submitted = client.post(f"{API}/submissions", json=body)
    submitted.raise_for_status()
    items = listed(client, limit=100)
    assert len({item["game"] for item in items}) > 1
    (version,) = items[0]["submissions"]
    assert (items[0]["name"], items[0]["mine"]) == ("mine", True)
    match = client.get(f"{API}/matches/{version['check_match_id']}").json()
    assert (match["kind"], match["seats"][0]["submission_id"]) == ("check", version["id"])
    assert any(item["standing"] for item in items)
    for item in items:
        assert client.get(f"{API}/bots/{item['id']}").json() == item


def test_what_a_passed_check_showed_is_for_the_owner_only(
    client: TestClient, settings: Settings, database: Database
) -> None:
    body = {"game": "yavalath", "bot": "mine", "language": "python", "source": "print(1)"}
    submission_id = client.post(f"{API}/submissions", json=body).json()["id"]
    with database.transaction() as session:
        submissions.go_live(session, submission_id, "It seems to read the input of level 3.")
    address = f"{API}/submissions/{submission_id}"
    assert client.get(address).json()["problem"] == "It seems to read the input of level 3."
    with new_visitor(settings) as stranger:
        assert stranger.get(address).json()["problem"] is None
    with database.transaction() as session:
        submissions.fail(session, submission_id, "Build failed.")
        session.get_one(Submission, submission_id).state = SubmissionState.DISABLED
    with new_visitor(settings) as stranger:
        assert stranger.get(address).json()["problem"] == "Build failed."


@pytest.mark.parametrize("live", [1, 2, 3, 103])
def test_a_bot_with_many_versions_comes_with_the_newest_and_the_live_one(
    client: TestClient, database: Database, live: int
) -> None:
    many = 103
    body = {"game": "yavalath", "bot": "mine", "language": "python", "source": "print(1)"}
    first = client.post(f"{API}/submissions", json=body).json()
    with database.transaction() as session:
        row = session.get_one(Submission, first["id"])
        row.state = SubmissionState.SUPERSEDED
        same = {"user_id": row.user_id, "game": row.game, "bot_id": row.bot_id, "source_sha256": row.source_sha256}
        for version in range(2, many + 1):
            session.add(Submission(**same, version=version, language="python", state=SubmissionState.SUPERSEDED))
            session.flush()
        its = select(Submission).where(Submission.bot_id == row.bot_id, Submission.version == live)
        session.scalars(its).one().state = SubmissionState.LIVE
    bot = client.get(f"{API}/bots/{first['bot_id']}").json()
    newest = [*range(many, many - 100, -1)]
    assert [one["version"] for one in bot["submissions"]] == newest + [live] * (live not in newest)
    address, found = f"{API}/bots/{first['bot_id']}/submissions", []
    rest = client.get(address, params={"after": bot["next"], "limit": 2}).json()
    found += rest["items"]
    assert rest["next"] is not None
    rest = client.get(address, params={"after": rest["next"], "limit": 2}).json()
    found += rest["items"]
    assert ([one["version"] for one in found], rest["next"]) == ([3, 2, 1], None)
    assert [one["version"] for one in client.get(address).json()["items"]] == newest[:50]
    assert client.get(f"{API}/bots/{10**6}/submissions").status_code == 404


def test_a_longer_list_needs_no_more_statements(client: TestClient) -> None:
    sent: list[str] = []
    engine = client.app.state.arena.database.engine  # type: ignore[attr-defined]

    def note(_connection: Any, _cursor: Any, query: str, *_: Any) -> None:
        sent.append(query)

    event.listen(engine, "after_cursor_execute", note)
    try:
        assert len(listed(client, game="yavalath", limit=1)) == 1
        of_one = len(sent)
        sent.clear()
        assert len(listed(client, game="yavalath")) > 4
    finally:
        event.remove(engine, "after_cursor_execute", note)
    assert len(sent) <= of_one + 4, "the rank of each of a few"


def test_a_name_too_near_to_that_of_somebodys_bot_is_refused_by_naming_it(
    client: TestClient, settings: Settings
) -> None:
    body = {"game": "yavalath", "bot": "bot", "language": "python", "source": "print(1)"}
    assert client.post(f"{API}/submissions", json=body).status_code == 201
    cyrillic = {**body, "bot": "b\N{CYRILLIC SMALL LETTER O}t"}
    with new_visitor(settings) as stranger:
        refused = stranger.post(f"{API}/submissions", json=cyrillic)
        assert refused.status_code == 422
        assert refused.json()["detail"] == "This name is too near to “bot”: people may take one for the other."
        assert refused.json()["got"] == cyrillic["bot"]
        renamed = stranger.post(f"{API}/submissions", json={**body, "bot": "boat"})
        assert renamed.status_code == 201, "a name that looks different"
    assert client.post(f"{API}/submissions", json=cyrillic).status_code == 201, "one's own bots may be near"


def test_a_name_too_near_to_that_of_a_person_is_refused_by_naming_it(client: TestClient, settings: Settings) -> None:
    password = "correct horse battery"
    assert client.post(f"{API}/sign-up", json={"name": "bot", "password": password}).status_code == 201
    with new_visitor(settings) as stranger:
        near = {"name": "b\N{CYRILLIC SMALL LETTER O}t", "password": password}
        refused = stranger.post(f"{API}/sign-up", json=near)
        assert (refused.status_code, refused.json()["got"]) == (409, near["name"])
        assert refused.json()["detail"] == "This name is too near to “bot”: people may take one for the other."
