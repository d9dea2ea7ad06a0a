"""How pages come to a browser: compressed as it likes, and with what they will ask for named in their head."""

from __future__ import annotations

import gzip
import re
import subprocess
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from hexarena.backend.api.pages.encodings import accepted
from hexarena.backend.api.pages.preloads import preloads_of
from hexarena.backend.app import make_app
from hexarena.backend.models import Match, MatchKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.node import node
from hexarena.backend.runtime.pages import pages_folder
from hexarena.backend.runtime.settings import Settings
from tests.api.pages.test_preview import ladder_match
from tests.conftest import new_visitor

API = "/api/v1"
UNPACK = "process.stdout.write(require('zlib').brotliDecompressSync(require('fs').readFileSync(0)))"


def preloaded(client: TestClient, path: str) -> list[str]:
    """The addresses that the head of the page at a path names, without those of every page."""
    head = client.get(path).text.partition("</head>")[0]
    links = re.findall(r'<link rel="(?:modulepreload|stylesheet|preload)"[^>]* crossorigin href="([^"]*)" />', head)
    return [address for address in links if address not in preloads_of(pages_folder()).all]


def raw(client: TestClient, path: str, codings: str) -> tuple[bytes, str | None]:
    """The bytes of an answer as they were sent, and their coding."""
    with client.stream("GET", path, headers={"Accept-Encoding": codings}) as answer:
        assert answer.status_code == 200
        assert answer.headers["vary"] == "Accept-Encoding"
        return b"".join(answer.iter_raw()), answer.headers.get("content-encoding")


@pytest.mark.parametrize(
    ("header", "codings"),
    [
        ("gzip, deflate, br, zstd", {"gzip", "deflate", "br", "zstd"}),
        ("br;q=1.0, gzip;q=0.5", {"br", "gzip"}),
        ("BR , gzip;q=0, deflate; q=0.000", {"br"}),
        ("", {""}),
    ],
)
def test_a_coding_is_accepted_unless_its_weight_is_0(header: str, codings: set[str]) -> None:
    assert accepted(header) == codings


@pytest.mark.long
def test_a_built_file_is_sent_in_the_smallest_coding_that_the_client_takes(client: TestClient) -> None:
    script = re.findall(r'href="(/assets/base-[^"]+\.js)"', client.get("/").text)[0]
    plain = (pages_folder() / script.lstrip("/")).read_bytes()
    small, brotli = raw(client, script, "gzip, deflate, br")
    larger, gzipped = raw(client, script, "gzip")
    assert (brotli, gzipped, len(small) < len(larger)) == ("br", "gzip", True)
    assert gzip.decompress(larger) == plain
    program = node()
    assert program is not None
    unpacked = subprocess.run([program, "-e", UNPACK], input=small, capture_output=True, check=True)
    assert unpacked.stdout == plain
    assert raw(client, script, "br;q=0, gzip")[1] == "gzip"


def test_a_file_that_no_build_has_is_missing_and_no_page(client: TestClient) -> None:
    assert client.get("/assets/base-gone.js").status_code == 404
    assert client.get("/assets/.").headers["content-type"].startswith("text/html")


def test_answers_are_compressed_for_those_who_like_it_but_streams_and_pictures_of_pixels_are_not(
    client: TestClient,
) -> None:
    body, coding = raw(client, f"{API}/games", "gzip, br")
    assert coding == "gzip"
    assert gzip.decompress(body) == raw(client, f"{API}/games", "identity")[0]
    font = next(address for address in preloads_of(pages_folder()).all if address.endswith(".woff2"))
    assert "content-encoding" not in client.get(font, headers={"Accept-Encoding": "gzip, br"}).headers


@pytest.mark.long
def test_every_file_that_is_named_ahead_exists(client: TestClient) -> None:
    known = preloads_of(pages_folder())
    files = {*known.all, *(file for some in (known.pages, known.viewers) for files in some.values() for file in files)}
    assert len(files) > 20
    assert set(known.viewers) == {"ants", "battlegrounds", "tron", "tryangle", "yavalath"}
    for file in files:
        assert client.get(file).status_code == 200, file


def test_the_page_of_a_match_that_is_over_names_its_replay_and_viewer(client: TestClient, database: Database) -> None:
    match = ladder_match(database)
    found = preloaded(client, f"/matches/{match}")
    assert found[0] == f"{API}/matches/{match}"
    assert f"{API}/matches/{match}/replay" in found
    assert set(preloads_of(pages_folder()).viewers["yavalath"]) <= set(found)
    assert any(re.fullmatch(r"/assets/MatchPage-.*\.js", file) for file in found)
    assert f"{API}/matches/{match}/replay" in preloaded(client, f"/embed/matches/{match}")


def test_of_a_match_that_is_played_or_private_no_replay_is_named(client: TestClient, database: Database) -> None:
    viewer = set(preloads_of(pages_folder()).viewers["yavalath"])
    private, running = ladder_match(database), ladder_match(database, over=False)
    found = preloaded(client, f"/matches/{running}")
    assert viewer <= set(found)
    assert not any(address.endswith("/replay") for address in found)
    with database.transaction() as session:
        session.execute(update(Match).where(Match.id == private).values(kind=MatchKind.PRACTICE))
    found = preloaded(client, f"/matches/{private}")
    assert found[0] == f"{API}/matches/{private}"
    assert not any(address.endswith("/replay") for address in found)
    assert not viewer <= set(found)


def test_pages_say_from_the_first_moment_that_there_are_no_guests(settings: Settings) -> None:
    tag = '<meta name="guests" content="none" />'
    for guests in (True, False):
        with new_visitor(settings.model_copy(update={"guests": guests})) as visitor:
            assert [tag in visitor.get(path).text for path in ("/", "/play/ants", "/matches/1")] == [not guests] * 3


def test_the_home_page_names_its_match(client: TestClient, settings: Settings, database: Database) -> None:
    def reported(visitor: TestClient) -> list[str]:
        return re.findall(r'<meta name="front-match" content="([^"]*)" />', visitor.get("/").text)

    assert (reported(client), preloaded(client, "/")[0]) == ([], f"{API}/games")
    match = ladder_match(database)
    # It is asked for once a second; an arena that has just started asks now.
    with TestClient(make_app(settings), base_url="http://testserver") as later:
        assert reported(later) == [f"yavalath {match} done"]
        assert f"{API}/matches/{match}/replay" in preloaded(later, "/")
        games = {game["id"]: game for game in later.get(f"{API}/games").json()}
        assert (games["yavalath"]["top_match"], games["yavalath"]["last_match"]) == (match, match)
        assert games["ants"]["last_match"] is None


def test_the_editors_page_names_the_answers_that_it_asks_for(client: TestClient) -> None:
    found = preloaded(client, "/play/ants")
    play = Path("frontend/src/pages/Play.svelte").read_text()
    most = re.findall(r"const OPPONENTS = (\d+)", play)[0]
    answers = [f"{API}/games/ants{rest}" for rest in ("", "/starters", f"/leaderboard?limit={most}")]
    assert found[:4] == [*answers, f"{API}/languages"]
    for answer in found[:4]:
        assert client.get(answer).status_code == 200
    assert not any(address.startswith(API) for address in preloaded(client, "/play/chess"))


@pytest.mark.parametrize("path", ["/nowhere", "/matches/1/x", "/play/", "/a/b/c", "/watch"])
def test_a_page_that_is_not_in_the_list_names_no_files_of_its_own(client: TestClient, path: str) -> None:
    assert preloaded(client, path) == []
