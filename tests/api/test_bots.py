"""Bots: the list of them, and the page of one."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import event

API = "/api/v1"


def listed(client: TestClient, **parameters: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{API}/bots", params=parameters)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


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
