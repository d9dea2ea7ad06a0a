"""Bad input: a problem that says what was expected and what was got; nothing stored, nothing lost, never a 500."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from backend.db import Database
from backend.models import Base

API = "/api/v1"
GOOD = {"game": "yavalath", "bot": "mine", "language": "python", "source": "print('4 4')"}


@pytest.fixture
def nothing_stored(database: Database) -> Iterator[None]:
    """Whatever the test sends, no table may have another row afterwards."""

    def rows() -> dict[str, int]:
        with database.transaction() as session:
            tables = Base.metadata.sorted_tables
            return {table.name: session.scalar(select(func.count()).select_from(table)) or 0 for table in tables}

    before = rows()
    yield
    assert rows() == before


def assert_problem(response: Any, status: int, *said: str) -> None:
    """An RFC 9457 problem of that status whose text says all of this."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == status
    assert problem["title"]
    text = json.dumps(problem)
    for words in said:
        assert words in text, text


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize("path", ["/submissions", "/matches"])
@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"source": "x" * 100_001}, 413, ["at most 100,000 bytes", "100,001 bytes"]),
        ({"source": "é" * 50_001}, 413, ["100,002 bytes"]),
        ({"source": ""}, 422, ["empty"]),
        ({"source": " \n\t"}, 422, ["empty"]),
        ({"source": "a\0b"}, 422, ["NUL", "position 1"]),
        ({"source": 17}, 422, ["source", "string"]),
        ({"language": "cobol"}, 422, ["python, c, cpp, javascript", "cobol"]),
        ({"language": "\0"}, 422, ["python"]),
        ({"game": "chess"}, 404, ["yavalath", "chess"]),
        ({"game": "../ants"}, 404, ["yavalath"]),
        ({"game": None}, 422, ["game"]),
        ({"surprise": 1}, 422, ["surprise"]),
    ],
)
def test_wrong_values(client: TestClient, path: str, change: dict[str, Any], status: int, said: list[str]) -> None:
    body = {**GOOD, **change}
    if path == "/matches":
        body.pop("bot")
    assert_problem(client.post(API + path, json=body), status, *said)


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize("name", ["", " ", "_", "a" * 25, "<b>", "a\0b", "a\nb\tc/", "🙂", "-x", "x-", "\u202eevil"])
def test_names_that_cannot_be_used(client: TestClient, name: str) -> None:
    assert_problem(client.post(f"{API}/submissions", json={**GOOD, "bot": name}), 422, "1 to 24 letters")


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[1]", b"null", b'"x"', b'{"game": NaN}', b"[" * 5000])
@pytest.mark.parametrize("path", ["/submissions", "/matches"])
def test_junk_json(client: TestClient, path: str, body: bytes) -> None:
    response = client.post(API + path, content=body, headers={"Content-Type": "application/json"})
    assert response.status_code in {400, 422}
    assert_problem(response, response.status_code)


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize("key", ["source", "bot", "game", "language", "note"])
def test_half_a_surrogate_pair_is_not_text(client: TestClient, key: str) -> None:
    body = json.dumps({**GOOD, key: "\ud800"})
    response = client.post(f"{API}/submissions", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code in {404, 422}
    assert_problem(response, response.status_code)


@pytest.mark.usefixtures("nothing_stored")
def test_a_note_with_a_nul_is_refused(client: TestClient) -> None:
    assert_problem(client.post(f"{API}/submissions", json={**GOOD, "note": "a\0b"}), 422, "note")


@pytest.mark.usefixtures("nothing_stored")
def test_a_body_beyond_all_limits(client: TestClient) -> None:
    assert_problem(client.post(f"{API}/submissions", content=b"x" * 1_300_001), 413, "at most 1,300,000 bytes")


@pytest.mark.usefixtures("nothing_stored")
def test_a_body_beyond_all_limits_that_hides_its_length(client: TestClient) -> None:
    chunks = (b"x" * 100_000 for _ in range(14))
    assert_problem(client.post(f"{API}/submissions", content=chunks), 413, "at most 1,300,000 bytes")


@pytest.mark.usefixtures("nothing_stored")
def test_a_file_that_is_not_text(client: TestClient) -> None:
    form = {"game": "yavalath", "bot": "mine"}
    files = {"file": ("bot.py", b"print(1)\xff\n")}
    assert_problem(client.post(f"{API}/submissions/file", data=form, files=files), 422, "UTF-8", "0xff")


@pytest.mark.usefixtures("nothing_stored")
def test_a_file_of_no_known_language(client: TestClient) -> None:
    files = {"file": ("bot.exe", b"MZ")}
    response = client.post(f"{API}/submissions/file", data={"game": "yavalath", "bot": "mine"}, files=files)
    assert_problem(response, 422, ".py, .c, .cpp, .js", "exe")


@pytest.mark.usefixtures("nothing_stored")
def test_a_file_that_is_too_large(client: TestClient) -> None:
    files = {"file": ("bot.py", b"#" * 100_001)}
    response = client.post(f"{API}/submissions/file", data={"game": "yavalath", "bot": "mine"}, files=files)
    assert_problem(response, 413, "at most 100,000 bytes")


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize("noun", ["matches", "bots", "submissions"])
@pytest.mark.parametrize("number", ["999999", "0", "-1", "x", "1e3", "99999999999999999999999", "%00"])
def test_unknown_ids(client: TestClient, noun: str, number: str) -> None:
    response = client.get(f"{API}/{noun}/{number}")
    assert response.status_code in {404, 422}
    assert_problem(response, response.status_code)


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize(
    "path",
    [
        "/games/chess",
        "/games/%00",
        "/games/chess/leaderboard",
        "/games/yavalath/leaderboard?after=junk",
        "/games/yavalath/leaderboard?after=1_x",
        "/games/yavalath/leaderboard?limit=0",
        "/matches?limit=1000",
        "/matches?after=x",
        "/matches?game=chess",
        "/matches?result=win",
        "/matches?state=lost",
        "/bots?game=%00",
        "/matches/1/replay",
        "/matches/1/live",
        "/matches/1/seats/0/io",
        "/nothing/here",
    ],
)
def test_wrong_questions(client: TestClient, path: str) -> None:
    response = client.get(API + path)
    assert response.status_code in {404, 422}
    assert_problem(response, response.status_code)


@pytest.mark.parametrize("after", ["nan_1", "inf_1", "-inf_5", "1e999_1", "1000.0_99999999999999999999999"])
def test_odd_cursors_are_answered(client: TestClient, after: str) -> None:
    assert client.get(f"{API}/games/yavalath/leaderboard?after={after}").status_code in {200, 422}


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize("cookie", ["junk", "MQ.junk", "", "a.b.c", "\u00e9"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_wrong_cookie_is_refused_and_deleted(client: TestClient, cookie: str, method: str) -> None:
    headers = {"Cookie": f"hexarena_user={cookie}".encode("latin-1")}
    if method == "get":
        response = client.get(f"{API}/me", headers=headers)  # type: ignore[arg-type]
    else:
        response = client.post(f"{API}/submissions", json=GOOD, headers=headers)  # type: ignore[arg-type]
    assert_problem(response, 401, "signed")
    assert 'hexarena_user=""' in response.headers["set-cookie"]


@pytest.mark.usefixtures("nothing_stored")
def test_another_site_cannot_write_in_a_visitors_name(client: TestClient) -> None:
    response = client.post(f"{API}/submissions", json=GOOD, headers={"Origin": "https://evil.example"})
    assert_problem(response, 403, "evil.example", "testserver")


def test_our_own_pages_can(client: TestClient) -> None:
    headers = {"Origin": "http://testserver"}
    assert client.post(f"{API}/submissions", json=GOOD, headers=headers).status_code == 201


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize(
    "change", [{"seed": str(2**63)}, {"seed": "1.5"}, {"seed": "x"}, {"league": 9}, {"seat": 2}, {"opponent": 999_999}]
)
def test_matches_that_cannot_be_played(client: TestClient, change: dict[str, Any]) -> None:
    body = {key: value for key, value in GOOD.items() if key != "bot"}
    response = client.post(f"{API}/matches", json={**body, **change})
    assert response.status_code in {404, 422}
    assert_problem(response, response.status_code)


def test_no_files_but_the_pages_are_served(client: TestClient) -> None:
    for path in ("/../pyproject.toml", "/%2e%2e/pyproject.toml", "/assets/../../../pyproject.toml", "/%00"):
        assert "hatchling" not in client.get(path).text


@pytest.mark.parametrize("path", ["/" + "a" * 300, "/a%00b", "/" + "b/" * 2000])
def test_odd_paths_lead_to_the_page_or_nowhere(client: TestClient, path: str) -> None:
    assert client.get(path).status_code in {200, 404}
    assert client.head(path).status_code in {200, 404}


@pytest.mark.parametrize("origin", ["http://[", "null", "x", "http://", "://"])
def test_odd_origins_are_other_sites(client: TestClient, origin: str) -> None:
    assert_problem(client.post(f"{API}/submissions", json=GOOD, headers={"Origin": origin}), 403)


def test_a_files_note_is_checked_like_any_other(client: TestClient) -> None:
    form = {"game": "yavalath", "bot": "mine", "note": "a\tb"}
    response = client.post(f"{API}/submissions/file", data=form, files={"file": ("bot.py", b"print(1)")})
    assert_problem(response, 422, "control characters")


def test_wrong_methods_are_problems_too(client: TestClient) -> None:
    assert_problem(client.put(f"{API}/submissions", json=GOOD), 405)
