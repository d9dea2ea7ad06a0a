"""The stream of a match that is over: the replay's lines, whole, from wherever a page left off."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from backend import matches
from backend.blobs import Blobs, replay_key
from backend.db import Database
from backend.models import MatchKind, Submission, SubmissionState
from backend.settings import Settings

LINES = ['{"v":1}', '{"t":1,"msg":["a\u2028b\u2029c\u0085d",""]}', '{"end":true}']


@pytest.fixture
def match_id(database: Database, settings: Settings) -> int:
    """A finished match whose replay holds characters that some take for line ends."""
    with database.transaction() as session:
        live = select(Submission.id).where(Submission.game == "ants", Submission.state == SubmissionState.LIVE)
        pair = list(session.scalars(live.limit(2)))
        matches.schedule(session, game="ants", kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=4)
        (lease,) = matches.lease(session, room=1, seconds=60, max_attempts=3)
        order = matches.claim(session, lease.match_id, lease.token, seconds=60)
        assert order is not None
        key = replay_key(order.match_id, order.attempt)
        Blobs(settings.data_folder / "blobs").put_text(key, "\n".join(LINES) + "\n")
        assert matches.finish(
            session, order, matches.Report((0, 1), (1, 0), "because", 1, (), 1, "test", key, "1", "d")
        )
        return order.match_id


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
    assert client.get("/api/v1/events?game=nope").status_code == 404
