"""The API as its users use it, without workers: those are in tests/worker."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from hexarena.backend.api.routes.games import below_title, safe_html
from hexarena.backend.app import make_app
from hexarena.backend.matches import workers
from hexarena.backend.models import Submission, SubmissionState
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions

API = "/api/v1"


def submission(**changes: Any) -> dict[str, Any]:
    return {"game": "yavalath", "bot": "mine", "language": "python", "source": "print('4 4')", **changes}


def a_visitor(settings: Settings) -> TestClient:
    return TestClient(make_app(settings), base_url="http://testserver")


def test_the_workers_say_by_what_csharp_is_built(client: TestClient, database: Database) -> None:
    def name() -> str:
        return next(one["name"] for one in client.get("/api/v1/languages").json() if one["id"] == "csharp")

    versions = {"a": "Mono C# compiler version 6.8.0.105", "b": ".NET SDK 8.0.404, runtime 8.0.11"}
    assert name() == "C#"
    for worker, expected in {"a": "C# (Mono)", "b": "C# (.NET 8 or Mono)"}.items():
        with database.transaction() as session:
            workers.record_heartbeat(
                session,
                f"{worker}:1",
                slots=1,
                sandbox="x",
                languages=["csharp"],
                load=workers.Load(),
                toolchains={"csharp": versions[worker]},
            )
        assert name() == expected


def test_a_language_says_all_endings_of_its_sources(client: TestClient) -> None:
    languages = {one["id"]: one for one in client.get(f"{API}/languages").json()}
    assert languages["cpp"]["ending"] == ".cpp"
    assert languages["cpp"]["endings"] == [".cpp", ".cc", ".cxx"]
    assert all(one["endings"][0] == one["ending"] for one in languages.values())


def test_games_come_with_bosses_and_languages(client: TestClient) -> None:
    games = {game["id"]: game for game in client.get(f"{API}/games").json()}
    assert set(games) >= {"yavalath", "ants", "tryangle", "battlegrounds", "tron"}
    assert {"python", "cpp", "javascript", "java", "rust", "go", "csharp"} < set(games["yavalath"]["languages"])
    for game in games.values():
        *guarded, top = game["leagues"]
        assert all(league["boss"]["bot_id"] for league in guarded)
        assert top["boss"] is None
        assert set(game["languages"]) >= {"python", "cpp"}
        assert game["bots"] >= 4


def test_the_rules_are_html(client: TestClient) -> None:
    html = client.get(f"{API}/games/yavalath").json()["statement_html"]
    assert html.startswith("<p>Four in a row wins.")
    assert "<h2>" in html


@pytest.mark.parametrize("game", ["ants", "battlegrounds", "tron", "tryangle", "yavalath"])
def test_the_rules_have_no_heading_beside_the_page_s(client: TestClient, game: str) -> None:
    html = client.get(f"{API}/games/{game}").json()["statement_html"]
    assert html.startswith("<p>")
    assert "<h1" not in html


def test_a_statement_may_have_a_title_of_its_own() -> None:
    html = safe_html("# Duck & Cover\n\nDuck.\n", pictures="")
    assert below_title("Duck & Cover", html) == "<p>Duck.</p>\n"
    assert below_title("Chess", html) == "<h2>Duck &amp; Cover</h2>\n<p>Duck.</p>\n"


def test_rules_are_shown_without_what_a_page_would_run() -> None:
    """The rules come with a game, which somebody else may have written."""
    html = safe_html(
        '# Rules\n\n<script>alert(1)</script>\n\n<img src="pictures/a.svg" onerror="alert(2)">\n\n'
        '<iframe src="https://evil.example"></iframe>\n\n<a href="javascript:alert(3)">a link</a>\n\n'
        'some <b onclick="alert(4)">bold</b>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
        pictures="/api/v1/games/chess/pictures/",
    )
    for kept in ("<h1>Rules</h1>", '<img src="/api/v1/games/chess/pictures/a.svg">', "<b>bold</b>", "<td>1</td>"):
        assert kept in html
    for dropped in ("script", "alert", "onerror", "onclick", "iframe", "evil"):
        assert dropped not in html


def test_pictures_of_the_rules_come_with_their_sizes(client: TestClient) -> None:
    for game in ("ants", "tryangle", "battlegrounds"):
        html = client.get(f"/api/v1/games/{game}").json()["statement_html"]
        assert html.count("<img ") == html.count('.svg" width="') > 0


def test_the_pictures_of_the_rules_are_served(client: TestClient) -> None:
    for game in client.get(f"{API}/games").json():
        html = client.get(f"{API}/games/{game['id']}").json()["statement_html"]
        for address in re.findall(r'<img src="([^"]+)"', html):
            picture = client.get(address)
            assert (picture.status_code, picture.headers["content-type"]) == (200, "image/svg+xml")
    assert client.get(f"{API}/games/ants/pictures/none.svg").status_code == 404
    assert client.get(f"{API}/games/ants/pictures/..%2Frules.py").status_code == 404


def test_there_is_a_starter_for_each_language(client: TestClient) -> None:
    for game in client.get(f"{API}/games").json():
        address = f"{API}/games/{game['id']}/starters"
        starters = client.get(address).json()
        packed = client.get(address, headers={"Accept-Encoding": "gzip"})
        plain = client.get(address, headers={"Accept-Encoding": "identity"})
        assert (packed.headers["content-encoding"], plain.headers.get("content-encoding")) == ("gzip", None)
        assert packed.json() == plain.json() == starters
        assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 3
        assert [starter["language"] for starter in starters] == game["languages"]
        assert all(starter["source"].strip() for starter in starters)


def test_reading_makes_no_guest_but_the_first_upload_does(client: TestClient) -> None:
    assert client.get(f"{API}/me").json()["kind"] == "none"
    assert not client.cookies
    created = client.post(f"{API}/submissions", json=submission())
    assert created.status_code == 201
    cookie = created.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie
    me = client.get(f"{API}/me").json()
    assert (me["kind"], me["bots"]) == ("guest", 1)


def test_behind_tls_the_cookie_goes_over_https_only(settings: Settings) -> None:
    with a_visitor(settings.model_copy(update={"secure_cookies": True})) as client:
        created = client.post(f"{API}/submissions", json=submission())
    assert "secure" in created.headers["set-cookie"].lower().split("; ")


def test_a_submission_is_queued_with_its_check_match(client: TestClient) -> None:
    created = client.post(f"{API}/submissions", json=submission(note="first try")).json()
    assert (created["state"], created["version"], created["note"]) == ("queued", 1, "first try")
    match = client.get(f"{API}/matches/{created['check_match_id']}").json()
    assert (match["kind"], match["state"], match["queue_place"]) == ("check", "queued", 1)
    assert match["seats"][0]["mine"]
    assert match["seats"][1]["bot"] == "starter"


def test_a_file_can_be_uploaded(client: TestClient) -> None:
    files = {"file": ("bot.cpp", b"int main(){}")}
    created = client.post(f"{API}/submissions/file", data={"game": "ants", "bot": "mine"}, files=files)
    assert created.status_code == 201
    assert created.json()["language"] == "cpp"


def test_bots_of_two_games_may_share_a_name_but_not_within_one(client: TestClient) -> None:
    assert client.post(f"{API}/submissions", json=submission(bot="Twin")).status_code == 201
    assert client.post(f"{API}/submissions", json=submission(bot="Twin", game="ants")).status_code == 201
    taken = client.post(f"{API}/submissions", json=submission(bot="twin"))
    assert taken.status_code == 409  # one's own, and its first version is still being checked


def test_somebody_elses_bot_is_out_of_reach(client: TestClient, settings: Settings, database: Database) -> None:
    mine = client.post(f"{API}/submissions", json=submission()).json()
    with database.transaction() as session:
        submissions.fail(session, mine["id"], "It does not build.", build_log="bot.py:1: a secret")
    with a_visitor(settings) as stranger:
        assert stranger.post(f"{API}/submissions", json=submission(bot="theirs")).status_code == 201
        refused = stranger.post(f"{API}/submissions", json=submission())
        assert refused.status_code == 403
        assert stranger.get(f"{API}/submissions/{mine['id']}/source").status_code == 403
        seen = stranger.get(f"{API}/bots/{mine['bot_id']}").json()
        assert not seen["mine"]
        assert seen["submissions"][0]["problem"] == "It does not build."
        assert seen["submissions"][0]["build_log"] is None
    assert client.get(f"{API}/submissions/{mine['id']}").json()["build_log"] == "bot.py:1: a secret"
    assert client.get(f"{API}/submissions/{mine['id']}/source").text == "print('4 4')"


def test_house_bots_cannot_be_taken_over(client: TestClient) -> None:
    assert client.post(f"{API}/submissions", json=submission(bot="STARTER")).status_code == 403


def test_a_user_cannot_fill_the_queue(client: TestClient) -> None:
    body = {key: value for key, value in submission().items() if key != "bot"}
    codes = [client.post(f"{API}/matches", json=body).status_code for _ in range(5)]
    assert codes == [201, 201, 201, 429, 429]


@pytest.mark.parametrize("name", ["ΟΔΥΣΣΕΥΣ", "İstanbul", "Straße"])
def test_names_of_all_alphabets_can_have_a_second_version(client: TestClient, name: str) -> None:
    assert client.post(f"{API}/submissions", json=submission(bot=name)).status_code == 201
    assert client.post(f"{API}/submissions", json=submission(bot=name)).status_code == 409  # still being checked


def test_a_user_cannot_fill_the_queue_with_many_requests_at_once(client: TestClient) -> None:
    client.post(f"{API}/submissions", json=submission())
    body = {key: value for key, value in submission().items() if key != "bot"}
    with ThreadPoolExecutor(12) as pool:
        codes = list(pool.map(lambda _: client.post(f"{API}/matches", json=body).status_code, range(24)))
    assert sorted(codes) == [201] * 2 + [429] * 22


def test_practice_is_out_of_sight_for_strangers(client: TestClient, settings: Settings) -> None:
    body = {key: value for key, value in submission().items() if key != "bot"}
    match_id = client.post(f"{API}/matches", json=body).json()["id"]
    assert client.get(f"{API}/matches/{match_id}").status_code == 200
    with a_visitor(settings) as stranger:
        for path in ("", "/replay", "/live", "/seats/0/io"):
            assert stranger.get(f"{API}/matches/{match_id}{path}").status_code == 404


def test_a_draft_is_there_for_its_owner_alone(client: TestClient, database: Database) -> None:
    body = {key: value for key, value in submission().items() if key != "bot"}
    assert client.post(f"{API}/matches", json=body).status_code == 201
    with database.transaction() as session:
        draft = session.scalars(select(Submission.id).where(Submission.state == SubmissionState.DRAFT)).one()
    assert client.get(f"{API}/submissions/{draft}").json()["state"] == "draft"
    assert client.get(f"{API}/submissions/{draft}/source").text == body["source"]
    client.cookies.clear()
    assert client.get(f"{API}/submissions/{draft}").status_code == 404
    assert client.get(f"{API}/submissions/{draft}/source").status_code == 404


def test_nobody_is_called_like_the_house(client: TestClient) -> None:
    assert client.patch(f"{API}/me", json={"name": "HEXARENA"}).status_code == 422


def test_practice_matches_are_seen_by_their_owner_only(client: TestClient, settings: Settings) -> None:
    body = {key: value for key, value in submission().items() if key != "bot"}
    match = client.post(f"{API}/matches", json={**body, "seat": 1, "seed": "-5"}).json()
    assert (match["kind"], match["seed"]) == ("practice", "-5")
    assert [seat["mine"] for seat in match["seats"]] == [False, True]
    assert client.post(f"{API}/matches", json={**body, "seed": -(2**63 - 1)}).json()["seed"] == str(-(2**63 - 1))
    assert match["seats"][0]["bot"] == "Hotspur", "the boss that a newcomer has to beat next"
    assert match["id"] in [row["id"] for row in client.get(f"{API}/matches?mine=true").json()["items"]]
    with a_visitor(settings) as stranger:
        assert match["id"] not in [row["id"] for row in stranger.get(f"{API}/matches").json()["items"]]


def test_history_is_paged_by_keys(client: TestClient) -> None:
    body = {key: value for key, value in submission().items() if key != "bot"}
    ids = [client.post(f"{API}/matches", json=body).json()["id"] for _ in range(3)]
    first = client.get(f"{API}/matches?mine=true&limit=2").json()
    second = client.get(f"{API}/matches?mine=true&limit=2&after={first['next']}").json()
    assert [row["id"] for row in first["items"] + second["items"]] == sorted(ids, reverse=True)
    assert second["next"] is None


def test_the_leaderboard_is_paged_and_ranked(client: TestClient) -> None:
    whole = client.get(f"{API}/games/yavalath/leaderboard").json()
    assert [row["rank"] for row in whole["items"]] == list(range(1, len(whole["items"]) + 1))
    assert all(row["low"] < row["rating"] < row["high"] for row in whole["items"])
    first = client.get(f"{API}/games/yavalath/leaderboard?limit=2").json()
    rest = client.get(f"{API}/games/yavalath/leaderboard?after={first['next']}").json()
    assert [row["bot"] for row in first["items"] + rest["items"]] == [row["bot"] for row in whole["items"]]


def test_a_guest_can_take_a_name(client: TestClient) -> None:
    assert client.patch(f"{API}/me", json={"name": "Ada"}).json()["name"] == "Ada"
    assert client.get(f"{API}/me").json()["name"] == "Ada"


def test_a_secret_of_ones_own_survives_a_restart(client: TestClient, settings: Settings) -> None:
    client.post(f"{API}/submissions", json=submission())
    with a_visitor(settings) as again:
        again.cookies.update(client.cookies)
        assert again.get(f"{API}/me").json()["bots"] == 1


def test_a_built_file_is_kept_for_ever_and_the_page_that_names_it_is_asked_for_again(client: TestClient) -> None:
    page = client.get("/")
    script = re.findall(r'href="(/assets/base-[^"]+\.js)"', page.text)[0]
    file = client.get(script, headers={"Accept-Encoding": "gzip"})
    plain = client.get(script, headers={"Accept-Encoding": "identity"})
    assert page.headers["cache-control"] == client.get("/favicon.svg").headers["cache-control"] == "no-cache"
    assert file.headers["cache-control"] == plain.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert (file.headers["content-encoding"], file.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert "content-encoding" not in plain.headers
    assert file.text == plain.text


@pytest.mark.long
def test_operations_are_named_and_problems_documented(client: TestClient) -> None:
    description = client.get(f"{API}/openapi.json").json()
    operations = [one for path in description["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names) > 15
    assert all(name.isidentifier() for name in names)
    about_one = [one for path, methods in description["paths"].items() if "{" in path for one in methods.values()]
    assert len(about_one) > 15
    assert all("404" in one["responses"] for one in about_one)


def test_the_frontends_copy_of_the_description_is_up_to_date(
    client: TestClient, request: pytest.FixtureRequest
) -> None:
    kept = json.loads((request.config.rootpath / "frontend" / "openapi.json").read_text())
    assert kept == client.get(f"{API}/openapi.json").json(), "run `make openapi`"


def test_health_says_what_is_missing(client: TestClient) -> None:
    health = client.get(f"{API}/health").json()
    assert health.pop("disk_free_bytes") > 0
    assert health == {
        "disk_full": False,
        "ok": False,
        "database": True,
        "broker": True,
        "workers": 0,
        "late_ms": 0,
        "cpu_wait": None,
    }
