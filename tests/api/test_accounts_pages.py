"""What the account's pages need of the API."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.api.test_api import API, submission


@pytest.mark.parametrize("word", ["deleted {}", "Deleted #{}"])
def test_no_bot_can_take_the_name_that_a_deleted_one_gets(client: TestClient, word: str) -> None:
    mine = client.post(f"{API}/submissions", json=submission()).json()["bot_id"]
    client.post(f"{API}/submissions", json=submission(bot=word.format(mine)))
    assert client.delete(f"{API}/bots/{mine}").status_code == 204
    assert client.get(f"{API}/bots/{mine}").json()["name"] == f"deleted #{mine}"


def test_nobody_can_submit_to_a_deleted_bot(client: TestClient) -> None:
    mine = client.post(f"{API}/submissions", json=submission()).json()["bot_id"]
    assert client.delete(f"{API}/bots/{mine}").status_code == 204
    name = client.get(f"{API}/bots/{mine}").json()["name"]
    assert client.post(f"{API}/submissions", json=submission(bot=name)).status_code == 422
    assert len(client.get(f"{API}/bots/{mine}").json()["submissions"]) == 1
