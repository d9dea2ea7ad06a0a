"""Bad input: a problem that says what was expected and what was got; nothing stored, nothing lost, never a 500."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from itsdangerous import URLSafeSerializer
from pydantic import BaseModel, ValidationError
from sqlalchemy import func, select

from hexarena.backend.api.routes.moderation import NewAnnouncement
from hexarena.backend.api.schemas import events as schemas
from hexarena.backend.api.schemas.classes import AssignmentChange, NewAssignment
from hexarena.backend.models import Base
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.games.catalogue import find_game
from hexarena.games.house import house_bots
from tests.conftest import Servers, new_arena, new_visitor

BOTS = len(house_bots(find_game("yavalath")))
API = "/api/v1"
NOWHERE = "/nowhere"
"""An address that no page has: the HTML of others names what they load."""
GOOD = {"game": "yavalath", "bot": "mine", "language": "python", "source": "print('4 4')"}


@pytest.fixture(scope="module")
def shared(servers: Servers, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """One arena for all tests that leave it as it was: to make one for each takes longer than the tests."""
    with new_arena(servers, template, tmp_path_factory.mktemp("shared")) as settings:
        yield settings


@pytest.fixture(scope="module")
def database(shared: Settings) -> Iterator[Database]:
    """The shared arena's."""
    database = Database.of(shared)
    yield database
    database.close()


@pytest.fixture(scope="module")
def client(shared: Settings) -> Iterator[TestClient]:
    """A visitor of the shared arena."""
    with new_visitor(shared) as visitor:
        yield visitor


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


NO_TIMES = ("9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00", "1999-12-31T12:00:00Z", "2200-01-01T00:00:00Z")


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
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[1]", 422),
        (b"null", 422),
        (b'"x"', 422),
        (b'{"game": NaN}', 422),
        (b"[" * 5000, 400),
    ],
)
@pytest.mark.parametrize("path", ["/submissions", "/matches"])
def test_junk_json(client: TestClient, path: str, body: bytes, status: int) -> None:
    response = client.post(API + path, content=body, headers={"Content-Type": "application/json"})
    assert_problem(response, status)


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize(
    ("body", "content_type", "expected", "got"),
    [
        (b'{"game": "ants",}', "application/json", "JSON", "}"),
        (b'{"game": ', "application/json", "JSON", "the end of the body"),
        (b'{"game": "\xff"}', "application/json", "UTF-8", None),
        (b"[" * 5000, "application/json", "JSON that is nested less deeply", None),
        (b"[1]", "application/json", "a JSON object", "[1]"),
        (b"", "application/json", "a JSON object as the body, with the header Content-Type: application/json", None),
        (
            b'{"game": "ants"}',
            "application/x-www-form-urlencoded",
            "a JSON object as the body, with the header Content-Type: application/json",
            '{"game": "ants"}',
        ),
    ],
)
def test_junk_json_is_told_what_was_expected(
    client: TestClient, body: bytes, content_type: str, expected: str, got: str | None
) -> None:
    response = client.post(f"{API}/matches", content=body, headers={"Content-Type": content_type})
    problem = response.json()
    assert (problem["expected"], problem.get("got")) == (expected, got)


@pytest.mark.usefixtures("nothing_stored")
def test_a_wrong_field_is_named_with_what_was_expected(client: TestClient) -> None:
    missing = client.post(f"{API}/matches", json={"game": "tron", "source": "x"}).json()
    assert missing["detail"] == "body.language: expected a value for language"
    unknown = client.post(f"{API}/matches", json={"game": "tron", "source": "x", "language": "c", "sed": 42}).json()
    assert (unknown["detail"], unknown["got"]) == ("body.sed: expected no field sed", "42")


@pytest.mark.usefixtures("nothing_stored")
def test_a_file_whose_at_sign_was_forgotten_is_told_how_curl_sends_one(client: TestClient) -> None:
    fields = {"game": "tron", "bot": "mine", "file": "my.py"}
    problem = client.post(f"{API}/submissions/file", files={name: (None, value) for name, value in fields.items()})
    assert problem.json()["detail"] == "body.file: expected a file, as curl -F file=@NAME sends it"
    nameless = client.post(
        f"{API}/submissions/file", data={"game": "tron", "bot": "mine"}, files={"file": ("bot", b"x")}
    )
    assert nameless.json()["detail"].endswith("; got no ending")


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize("key", ["source", "bot", "game", "language", "note"])
def test_half_a_surrogate_pair_is_not_text(client: TestClient, key: str) -> None:
    body = json.dumps({**GOOD, key: "\ud800"})
    response = client.post(f"{API}/submissions", content=body, headers={"Content-Type": "application/json"})
    assert_problem(response, 422, key)


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
@pytest.mark.parametrize(
    ("number", "status"),
    [
        ("999999", 404),
        (str(2**53 - 1), 404),
        (str(2**53), 422),
        ("0", 422),
        ("-1", 422),
        ("x", 422),
        ("1e3", 422),
        ("99999999999999999999999", 422),
        ("%00", 422),
    ],
)
def test_unknown_ids(client: TestClient, noun: str, number: str, status: int) -> None:
    assert_problem(client.get(f"{API}/{noun}/{number}"), status)


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/games/chess", 404),
        ("/games/%00", 404),
        ("/games/chess/leaderboard", 404),
        ("/games/yavalath/leaderboard?after=junk", 422),
        ("/games/yavalath/leaderboard?after=1_x", 422),
        ("/games/yavalath/leaderboard?limit=0", 422),
        ("/matches?limit=1000", 422),
        ("/matches?after=x", 422),
        ("/matches?game=chess", 404),
        ("/matches?result=win", 422),
        ("/matches?state=lost", 422),
        ("/bots?game=%00", 404),
        ("/matches/1/replay", 404),
        ("/matches/1/live", 404),
        ("/matches/1/seats/0/io", 404),
        ("/nothing/here", 404),
    ],
)
def test_wrong_questions(client: TestClient, path: str, status: int) -> None:
    assert_problem(client.get(API + path), status)


@pytest.mark.parametrize(
    "after", ["1_nan_1", "1_-inf_5", "1_1e999_1", "-1_1_1", "32768_1_1", "1_1_-1", f"1_1_{2**63}", f"1_1_{10**30}"]
)
def test_a_cursor_beyond_all_numbers_is_refused(client: TestClient, after: str) -> None:
    assert_problem(client.get(f"{API}/games/yavalath/leaderboard?after={after}"), 422, "the `next` of an earlier page")


@pytest.mark.parametrize(("after", "rows"), [(f"0_-1e308_{2**63 - 1}", 0), (f"32767_1e308_{2**63 - 1}", BOTS)])
def test_a_cursor_at_the_edge_of_all_numbers_is_answered(client: TestClient, after: str, rows: int) -> None:
    answer = client.get(f"{API}/games/yavalath/leaderboard?after={after}")
    assert (answer.status_code, len(answer.json()["items"])) == (200, rows)


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
@pytest.mark.parametrize(("salt", "held"), [("user", 999_999), ("user", "1"), ("user", None), ("another", 1)])
def test_a_cookie_that_names_no_user_of_ours_is_refused(
    client: TestClient, settings: Settings, salt: str, held: object
) -> None:
    cookie = URLSafeSerializer(settings.signing_key(), salt=salt).dumps(held)
    response = client.post(f"{API}/submissions", json=GOOD, headers={"Cookie": f"hexarena_user={cookie!s}"})
    assert_problem(response, 401)
    assert 'hexarena_user=""' in response.headers["set-cookie"]


@pytest.mark.usefixtures("nothing_stored")
def test_another_site_cannot_write_in_a_visitors_name(client: TestClient) -> None:
    response = client.post(f"{API}/submissions", json=GOOD, headers={"Origin": "https://evil.example"})
    assert_problem(response, 403, "evil.example", "testserver")


def test_our_own_pages_can(settings: Settings) -> None:
    headers = {"Origin": "http://testserver"}
    with new_visitor(settings) as client:
        assert client.post(f"{API}/submissions", json=GOOD, headers=headers).status_code == 201


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"seed": str(2**63)}, 422),
        ({"seed": str(-(2**63) - 1)}, 422),
        ({"seed": "1.5"}, 422),
        ({"seed": "x"}, 422),
        ({"league": 9}, 422),
        ({"seat": 2}, 422),
        ({"seat": -1}, 422),
        ({"opponent": 999_999}, 404),
    ],
)
def test_matches_that_cannot_be_played(client: TestClient, change: dict[str, Any], status: int) -> None:
    body = {key: value for key, value in GOOD.items() if key != "bot"}
    assert_problem(client.post(f"{API}/matches", json={**body, **change}), status)


def test_a_rules_level_that_a_game_lacks_is_not_called_a_league(client: TestClient) -> None:
    body = {key: value for key, value in GOOD.items() if key != "bot"}
    refused = client.post(f"{API}/matches", json={**body, "game": "ants", "league": 9})
    assert refused.status_code == 422
    assert "Ants has no such rules level." in refused.text
    assert "league" not in refused.json()["detail"]


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("/%2e%2e/package.json", "frontend/package.json"),
        ("/%2e%2e/%2e%2e/pyproject.toml", "pyproject.toml"),
        ("/assets/%2e%2e/%2e%2e/package.json", "frontend/package.json"),
        ("/..%2fpackage.json", "frontend/package.json"),
    ],
)
def test_a_file_outside_the_pages_is_not_served(
    client: TestClient, request: pytest.FixtureRequest, path: str, file: str
) -> None:
    assert (request.config.rootpath / file).is_file()
    assert client.get(path).content == client.get(NOWHERE).content, "every path that is no file of theirs is the page"


def test_an_absolute_path_of_another_file_is_not_served(client: TestClient, request: pytest.FixtureRequest) -> None:
    outside = request.config.rootpath / "pyproject.toml"
    assert client.get(f"/%2F{str(outside)[1:]}").content == client.get(NOWHERE).content


@pytest.mark.parametrize(
    "path", ["/" + "a" * 300, "/a%00b", "/%00", "/" + "b/" * 2000, "/assets", "/../pyproject.toml"]
)
def test_odd_paths_lead_to_the_page(client: TestClient, path: str) -> None:
    page = client.get(NOWHERE)
    answer = client.get(path)
    assert (answer.status_code, answer.content) == (200, page.content)
    assert client.head(path).status_code == 200


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize(
    "origin",
    [
        "http://[",
        "null",
        "x",
        "http://",
        "://",
        "http://test",
        "http://testserver.evil.example",
        "http://eviltestserver",
        "http://testserver:81",
        "http://testserver@evil.example",
        "http://evil.example/testserver",
    ],
)
def test_odd_origins_are_other_sites(client: TestClient, origin: str) -> None:
    assert_problem(client.post(f"{API}/submissions", json=GOOD, headers={"Origin": origin}), 403)


@pytest.mark.usefixtures("nothing_stored")
def test_another_site_can_write_nowhere(client: TestClient) -> None:
    """Every operation that may change something, whatever its body."""
    paths = client.get(f"{API}/openapi.json").json()["paths"]
    writes = [
        (method.upper(), re.sub(r"{\w+}", "1", path)) for path in paths for method in paths[path] if method != "get"
    ]
    assert {method for method, _ in writes} >= {"POST", "PATCH"}
    for method, path in writes:
        answer = client.request(method, path, headers={"Origin": "https://evil.example"})
        assert_problem(answer, 403, "evil.example")


def test_another_site_may_read_what_everybody_may(client: TestClient) -> None:
    for method in ("GET", "OPTIONS"):
        answer = client.request(method, f"{API}/games", headers={"Origin": "https://evil.example"})
        assert answer.status_code == (200 if method == "GET" else 405)


def test_a_files_note_is_checked_like_any_other(client: TestClient) -> None:
    form = {"game": "yavalath", "bot": "mine", "note": "a\tb"}
    response = client.post(f"{API}/submissions/file", data=form, files={"file": ("bot.py", b"print(1)")})
    assert_problem(response, 422, "control characters")


def test_wrong_methods_are_problems_too(client: TestClient) -> None:
    assert_problem(client.put(f"{API}/submissions", json=GOOD), 405)


def test_somebody_elses_draft_is_answered_like_one_that_does_not_exist(settings: Settings) -> None:
    with new_visitor(settings) as owner, new_visitor(settings) as stranger:
        seats = owner.post(f"{API}/matches", json={key: GOOD[key] for key in GOOD if key != "bot"}).json()["seats"]
        (draft,) = (seat["submission_id"] for seat in seats if seat["mine"])
        assert owner.get(f"{API}/submissions/{draft}/source").status_code == 200
        for path in ("", "/source", "/files", "/rating"):
            foreign = stranger.get(f"{API}/submissions/{draft}{path}")
            unknown = stranger.get(f"{API}/submissions/999999{path}")
            assert foreign.status_code == unknown.status_code == 404
            reported, untold = ({**answer.json(), "request_id": ""} for answer in (foreign, unknown))
            assert json.dumps(reported).replace(str(draft), "999999") == json.dumps(untold)
        known = stranger.get(f"{API}/games/yavalath/leaderboard").json()["items"][0]["submission_id"]
        for number in (draft, 999_999):
            assert_problem(stranger.post(f"{API}/submissions/{number}/restore"), 404)
            for duel in ({"candidate": number, "baseline": known}, {"candidate": known, "baseline": number}):
                refused = stranger.post(f"{API}/duels", json={"game": "yavalath", **duel})
                assert_problem(refused, 404, f"There is no version with the submission number {number}.")


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seat": "0"}, "integer"),
        ({"seat": True}, "integer"),
        ({"seat": 100}, "99"),
        ({"league": "1"}, "integer"),
        ({"league": 0}, "1"),
        ({"seed": "9223372036854775808"}, "seed"),
        ({"seed": 9223372036854775808}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"seed": True}, "seed"),
        ({"opponent": "1"}, "integer"),
    ],
)
def test_a_number_is_a_number(client: TestClient, change: dict[str, Any], said: str) -> None:
    body = {key: value for key, value in GOOD.items() if key != "bot"}
    assert_problem(client.post(f"{API}/matches", json={**body, **change}), 422, said)


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize("at", NO_TIMES)
def test_a_time_is_one_of_these_centuries(client: TestClient, at: str) -> None:
    answer = client.get(f"{API}/games/yavalath/leaderboard/at", params={"at": at})
    assert_problem(answer, 422, "expected a time in the years 2000 to 2199")


@pytest.mark.parametrize("at", NO_TIMES)
@pytest.mark.parametrize(
    ("schema", "field"),
    [
        (schemas.NewEvent, "opens_at"),
        (schemas.NewEvent, "deadline"),
        (schemas.EventChange, "opens_at"),
        (schemas.EventChange, "deadline"),
        (NewAssignment, "deadline"),
        (AssignmentChange, "deadline"),
        (NewAnnouncement, "until"),
    ],
)
def test_so_is_every_time_that_is_stored(schema: type[BaseModel], field: str, at: str) -> None:
    with pytest.raises(ValidationError, match=f"{field}\n  a time in the years 2000 to 2199"):
        schema.model_validate({field: at})


@pytest.mark.usefixtures("nothing_stored")
@pytest.mark.parametrize("at", ["1700000000", "-5", "2026", "2026-11-01T00:00:00"])
def test_a_time_is_written_out_with_its_zone(client: TestClient, at: str) -> None:
    assert_problem(client.get(f"{API}/games/yavalath/leaderboard/at", params={"at": at}), 422, "2026-11-01T00:00:00Z")
