"""Matches that are over: the stream of a replay's lines from wherever a page left off, and who may keep what."""

from __future__ import annotations

import asyncio
import json

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from hexarena.backend.api.deps import Arena
from hexarena.backend.api.streaming.feed import Feed
from hexarena.backend.api.streaming.notifier import Notifier
from hexarena.backend.api.streaming.renderings import batch_of
from hexarena.backend.app import make_app
from hexarena.backend.matches import life as matches, live, queue
from hexarena.backend.matches.blobs import Blobs, replay_key
from hexarena.backend.models import MatchKind, Submission, SubmissionState, User, UserKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from tests.api.streaming.test_feed import events

LINES = ['{"v":1}', '{"t":1,"msg":["a\u2028b\u2029c\u0085d",""]}', '{"end":true}']


def finish(database: Database, settings: Settings) -> int:
    """Ends the match that waits, with LINES as its replay and a log of its first seat: its id."""
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=3)
        order = queue.claim(session, lease.match_id, lease.token, seconds=60)
        assert order is not None
        key = replay_key(order.match_id, order.attempt)
        blobs = Blobs(settings.data_folder / "blobs")
        blobs.put_match(key, "\n".join(LINES) + "\n", ['{"t":1,"out":"4 4"}\n'])
        assert matches.finish(
            session, order, matches.Report((0, 1), (1, 0), "because", 1, (), 1, "test", key, "1", "d")
        )
        return order.match_id


@pytest.fixture
def match_id(database: Database, settings: Settings) -> int:
    """A finished match whose replay holds characters that some take for line ends."""
    with database.transaction() as session:
        on_ladder = select(Submission.id).where(Submission.game == "ants", Submission.state == SubmissionState.LIVE)
        pair = list(session.scalars(on_ladder.limit(2)))
        matches.schedule(session, game="ants", kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=4)
    return finish(database, settings)


def lines_after(client: TestClient, match_id: int, last_event_id: str | None) -> list[str]:
    headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
    text = client.get(f"/api/v1/matches/{match_id}/live", headers=headers).content.decode()
    events = [dict(line.split(": ", 1) for line in event.split("\n")) for event in text.split("\n\n") if event]
    assert events[-1]["event"] == "end"
    return [line for event in events if event["event"] == "lines" for line in json.loads(event["data"])]


@pytest.mark.parametrize(("place", "left"), [(None, 0), ("junk", 0), ("1-0", 0), ("1-2", 2), ("1-3", 3), ("7-2", 0)])
def test_a_page_gets_exactly_the_lines_that_it_lacks(
    client: TestClient, match_id: int, place: str | None, left: int
) -> None:
    assert lines_after(client, match_id, place) == LINES[left:]
    assert client.get(f"/api/v1/matches/{match_id}/replay").content.decode() == "\n".join(LINES) + "\n"


def test_events_of_a_game_that_is_not_there_are_an_error(client: TestClient) -> None:
    assert client.get("/api/v1/feed?game=nope").status_code == 404


@pytest.mark.long
def test_a_stream_is_never_silent_for_long(client: TestClient) -> None:
    """A page takes silence for a broken connection."""
    arena: Arena = client.app.state.arena  # type: ignore[attr-defined]

    async def kinds() -> list[str]:
        feed = Feed(arena.database, Notifier(), arena.places)
        reading = asyncio.create_task(feed.run())
        async with feed.subscribed(None, None) as stream:
            chunks = feed.chunks(stream, None)
            found = [events(await anext(chunks))[0][0] for _ in range(2)]
            await chunks.aclose()
        reading.cancel()
        return found

    assert asyncio.run(kinds()) == ["hello", "alive"]


# --- Who may keep what ---------------------------------------------------------------------------------------------


def test_a_replay_may_be_kept_for_ever_by_whoever_passes_it_on(client: TestClient, match_id: int) -> None:
    for accepted in ("gzip", "identity"):
        headers = client.get(f"/api/v1/matches/{match_id}/replay", headers={"Accept-Encoding": accepted}).headers
        assert headers["cache-control"] == "public, max-age=31536000, immutable"
        assert headers["vary"] == "Accept-Encoding"


def test_the_replay_of_a_practice_match_is_kept_by_its_owners_browser_alone(
    client: TestClient, database: Database, settings: Settings
) -> None:
    asked = client.post("/api/v1/matches", json={"game": "yavalath", "language": "python", "source": "print('4 4')"})
    path = f"/api/v1/matches/{asked.json()['id']}/replay"
    finish(database, settings)
    answer = client.get(path)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "private, max-age=31536000, immutable")
    client.cookies.clear()
    assert client.get(path).status_code == 404


def test_what_a_bot_read_and_wrote_is_for_its_owner_alone(
    client: TestClient, database: Database, settings: Settings
) -> None:
    """A check match: everybody may see it, but not what the bot in it logged."""
    body = {"game": "yavalath", "bot": "mine", "language": "python", "source": "print('4 4')"}
    match_id = client.post("/api/v1/submissions", json=body).json()["check_match_id"]
    assert finish(database, settings) == match_id
    seats = {seat: f"/api/v1/matches/{match_id}/seats/{seat}/io" for seat in (-1, 0, 1, 2)}
    own = client.get(seats[0])
    assert (own.status_code, own.headers["cache-control"]) == (200, "private, no-store")
    assert own.json() == {"t": 1, "out": "4 4"}
    assert [client.get(path).status_code for path in seats.values()] == [422, 200, 403, 404]
    with TestClient(make_app(settings), base_url="http://testserver") as stranger:
        assert stranger.get(seats[0]).status_code == 403
        assert stranger.post("/api/v1/submissions", json={**body, "bot": "other"}).status_code == 201
        assert stranger.get(seats[0]).status_code == 403
        assert stranger.get(f"/api/v1/matches/{match_id}/replay").status_code == 200


def test_pages_hear_of_practice_submissions_and_notices_of_their_own_visitor_alone(
    client: TestClient, database: Database
) -> None:
    with database.transaction() as session:
        before = live.now(session)
    body = {"game": "yavalath", "language": "python", "source": "print('4 4')"}
    practice = client.post("/api/v1/matches", json=body).json()["id"]
    submitted = client.post("/api/v1/submissions", json={**body, "bot": "mine"}).json()
    with database.transaction() as session:
        submissions.fail(session, submitted["id"], "It does not build.")
    (notice,) = client.get("/api/v1/me/notices").json()["items"]
    arena: Arena = client.app.state.arena  # type: ignore[attr-defined]
    with database.transaction() as session:
        changes = live.changes_since(session, before, game="yavalath")
        stranger = User(kind=UserKind.GUEST, name="guest")
        session.add(stranger)
        session.flush()

    def heard(user_id: int | None, game: str = "yavalath") -> list[tuple[str, object]]:
        viewers = set() if user_id is None else {user_id}
        with database.transaction() as session:
            chunk = batch_of(session, changes, viewers, arena.places).chunk(game, user_id)
        return [(name, data["id"]) for name, _, data in events(chunk) if "id" in data]

    check = ("match", submitted["check_match_id"])
    owner = client.get("/api/v1/me").json()["id"]
    assert heard(owner) == [
        ("match", practice),
        check,
        ("submission", submitted["id"]),
        ("notice", notice["id"]),
    ]
    assert heard(stranger.id) == heard(None) == [check]
    # Those of a mark or a webhook are of no game.
    assert heard(owner, "ants") == [("notice", notice["id"])]
    assert heard(stranger.id, "ants") == []
