"""Moments of matches as pictures: drawn by the pages' own code in Node, for the previews of links."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from PIL import Image
from sqlalchemy import func, select, update

from hexarena.backend.api.views.drawing import KEPT, MOST_WAITING, CannotDraw, Moment, Pictures
from hexarena.backend.errors import Unavailable
from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.matches.store import checked_store
from hexarena.backend.models import Bot, Match, MatchKind, User
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.games.battle import play_again, read_battle
from hexarena.games.catalogue import find_game
from tests.api.pages.test_preview import ladder_match, preview
from tests.api.played import house_bots, play
from tests.cli.test_import_battle import battle_of
from tests.conftest import new_visitor

API = "/api/v1"
GOLDEN = Path(__file__).parents[2] / "games" / "golden"
BLUE = (0, 114, 178)


@pytest.fixture(scope="module")
def replay() -> str:
    """A recorded match of Yavalath."""
    with gzip.open(GOLDEN / "yavalath_dev.jsonl.gz", "rt") as recordings:
        recording = json.loads(next(recordings))
    battle = read_battle(json.dumps(battle_of(recording)).encode())
    return play_again(find_game("yavalath"), battle, league=recording["league"]).replay


@pytest.fixture
def blobs(settings: Settings, database: Database) -> Blobs:
    return checked_store(settings, database)


@pytest.fixture
def match(database: Database, blobs: Blobs, replay: str) -> int:
    """A match on the ladder that has this replay."""
    one, other, *_ = sorted(house_bots(database))
    return play(database, house_bots(database), one, other, blobs=blobs, replay=replay)


def picture(client: TestClient, path: str) -> Image.Image:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "image/png"
    return Image.open(io.BytesIO(answer.content)).convert("RGB")


def painted(image: Image.Image, colour: tuple[int, int, int]) -> int:
    """How many pixels have exactly this colour."""
    return next((count for count, found in image.getcolors(image.width * image.height) or () if found == colour), 0)


@pytest.mark.long
def test_a_turn_of_a_match_is_drawn_as_the_pages_draw_it(client: TestClient, match: int) -> None:
    early, late = (picture(client, f"{API}/matches/{match}/picture{at}") for at in ("?turn=2", ""))
    assert early.size == late.size == (1200, 630)
    # Each turn adds a stone, and the first player's are blue; so is the line below the name.
    assert 0 < painted(early, BLUE) < painted(late, BLUE)
    assert picture(client, f"{API}/matches/{match}/picture?turn=9999").tobytes() == late.tobytes()


def test_a_link_to_a_match_shows_the_turn_that_it_names(client: TestClient, match: int) -> None:
    found = preview(client, f"/matches/{match}?turn=2")
    assert found["image"].endswith(f"/api/v1/matches/{match}/picture?turn=2")
    assert found["image:alt"].endswith("after turn 2")
    path = found["image"].removeprefix("http://testserver")
    assert picture(client, path).size == (int(found["image:width"]), int(found["image:height"]))
    assert preview(client, f"/matches/{match}")["image"].endswith(f"/matches/{match}/picture")


def test_the_name_of_a_bot_that_was_deleted_goes_from_pictures_that_were_drawn(
    client: TestClient, database: Database, match: int
) -> None:
    before = picture(client, f"{API}/matches/{match}/picture")
    with database.transaction() as session:
        bot = session.scalars(
            select(Bot).where(Bot.game == "yavalath", Bot.name == sorted(house_bots(database))[0])
        ).one()
        bot.name_key = None
    after = picture(client, f"{API}/matches/{match}/picture")
    first_name = (0, 0, 600, 60)
    assert before.crop(first_name).tobytes() != after.crop(first_name).tobytes()
    assert before.crop((600, 0, 1200, 630)).tobytes() == after.crop((600, 0, 1200, 630)).tobytes()


@pytest.mark.parametrize("turn", ["-1", "x", "10000", "1e3"])
def test_a_turn_that_is_none_is_refused(client: TestClient, match: int, turn: str) -> None:
    assert client.get(f"{API}/matches/{match}/picture?turn={turn}").status_code == 422


def test_what_is_not_for_everybody_or_not_over_has_no_picture(
    client: TestClient, database: Database, blobs: Blobs, replay: str
) -> None:
    bots = house_bots(database)
    one, other, *_ = sorted(bots)
    practice = play(database, bots, one, other, kind=MatchKind.PRACTICE, blobs=blobs, replay=replay)
    with database.transaction() as session:
        session.execute(
            update(Match)
            .where(Match.id == practice)
            .values(requested_by_id=select(func.min(User.id)).scalar_subquery())
        )
    for number in (practice, 999_999):
        answer = client.get(f"{API}/matches/{number}/picture")
        assert answer.status_code == 404
        assert answer.json()["detail"] == f"There is no match {number}."
    waiting = ladder_match(database, over=False)
    assert client.get(f"{API}/matches/{waiting}/picture").status_code == 404
    assert "image" not in preview(client, f"/matches/{waiting}")


@pytest.mark.long
def test_a_practice_matchs_picture_is_kept_by_its_own_browser_only(
    client: TestClient, database: Database, blobs: Blobs, replay: str, match: int
) -> None:
    """A cache on the way that serves others gets the pictures of what everybody may see, and no others."""
    signed_up = client.post(f"{API}/sign-up", json={"name": "Ada", "password": "correct horse battery"})
    bots = house_bots(database)
    one, other, *_ = sorted(bots)
    practice = play(database, bots, one, other, kind=MatchKind.PRACTICE, blobs=blobs, replay=replay)
    with database.transaction() as session:
        session.execute(update(Match).where(Match.id == practice).values(requested_by_id=signed_up.json()["id"]))
    for number, kept in ((practice, "private, max-age=86400"), (match, "public, max-age=86400")):
        answer = client.get(f"{API}/matches/{number}/picture")
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, kept)


def test_a_replay_that_is_gone_or_cannot_be_shown_is_an_error_that_says_so(
    client: TestClient, database: Database, blobs: Blobs, match: int
) -> None:
    bots = house_bots(database)
    one, other, *_ = sorted(bots)
    odd = play(database, bots, one, other, blobs=blobs, replay='{"v":1,"game":"yavalath"}\n{"end":0}\n')
    answer = client.get(f"{API}/matches/{odd}/picture")
    assert answer.status_code == 409
    assert "cannot be drawn" in answer.json()["detail"]
    lost = play(database, bots, one, other)
    answer = client.get(f"{API}/matches/{lost}/picture")
    assert answer.status_code == 404
    assert "no longer stored" in answer.json()["detail"]


def test_an_arena_without_a_canvas_names_no_picture(settings: Settings, match: int, tmp_path: Path) -> None:
    with new_visitor(settings.model_copy(update={"canvas": tmp_path / "nothing"})) as client:
        assert "image" not in preview(client, f"/matches/{match}")
        assert client.get(f"{API}/matches/{match}/picture").status_code == 404


# --- Many at once ----------------------------------------------------------------------------------------------------


SLOW = ("sh", "-c", "sleep 0.2; cat", "sh")
"""Says what it was given, after a moment."""


def moment(number: int = 0) -> Moment:
    return Moment("yavalath", f"replay {number}", frozenset(), 3)


def test_a_picture_is_drawn_once_for_all_who_ask_for_it() -> None:
    pictures, read = Pictures(SLOW), []

    def replay() -> bytes:
        read.append(1)
        return b"lines"

    async def ask() -> list[bytes | None]:
        return await asyncio.gather(*(pictures.of(moment(), replay) for _ in range(8)))

    assert asyncio.run(ask()) == [b"lines"] * 8
    assert len(read) == 1


@pytest.mark.long
def test_who_comes_when_many_wait_is_asked_to_come_again() -> None:
    pictures = Pictures(SLOW)

    async def ask() -> list[bytes | BaseException | None]:
        asked = (pictures.of(moment(number), lambda: b"lines") for number in range(MOST_WAITING + 3))
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = asyncio.run(ask())
    assert answers.count(b"lines") == MOST_WAITING
    assert sum(isinstance(answer, Unavailable) for answer in answers) == 3


@pytest.mark.long
def test_a_program_that_never_ends_is_stopped() -> None:
    pictures = Pictures(("sh", "-c", "while :; do :; done", "sh"), cpu_s=1)
    with pytest.raises(CannotDraw):
        asyncio.run(pictures.of(moment(), lambda: b"lines"))


def test_only_the_newest_pictures_are_kept() -> None:
    pictures, read = Pictures(("sh", "-c", "cat", "sh")), []

    async def ask(number: int) -> None:
        def replay() -> bytes:
            read.append(number)
            return b"lines"

        await pictures.of(moment(number), replay)

    async def ask_all() -> None:
        for number in [*range(KEPT + 1), KEPT, 1, 0]:
            await ask(number)

    asyncio.run(ask_all())
    assert read == [*range(KEPT + 1), 0]
