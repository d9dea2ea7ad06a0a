"""Matches in person, played by real workers: turn by turn, with and without kept bots, and through their deaths."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, text, update

from hexarena.backend.models import InPerson, InPersonTurn, Job, Usage, VoidAttempt
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests.conftest import Processes, wait_until

pytestmark = pytest.mark.sandbox
API = "/api/v1"
EDGE = ["0 0", "2 0", "4 0", "0 2", "6 2", "0 4", "8 4", "0 6", "6 6", "0 8", "2 8", "4 8"]
"""Cells of Yavalath that are far from each other."""


def begin(client: TestClient, opponent: str = "Pebble", **options: Any) -> dict[str, Any]:
    bots = {bot["name"]: bot["bot_id"] for bot in client.get(f"{API}/games/yavalath").json()["house_bots"]}
    answer = client.post(f"{API}/in-person", json={"game": "yavalath", "opponent": bots[opponent], **options})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def asked(client: TestClient, match_id: int, after: int = 0) -> dict[str, Any]:
    """What the match asks, once it asks for a turn after this one, or is over."""
    seen: dict[str, Any] = {}

    def is_asked() -> bool:
        seen.update(client.get(f"{API}/in-person/{match_id}").json())
        return (seen["turn"] or 0) > after or seen["state"] in {"done", "void"}

    wait_until(is_asked, f"match {match_id} asks for a turn after {after}")
    return seen


def play_on(client: TestClient, match_id: int, turns: int) -> tuple[int, list[str]]:
    """Plays so many turns, on free cells of EDGE. Returns the last turn, and the cells."""
    turn, left, played = 0, list(EDGE), list[str]()
    while len(played) < turns:
        turn = asked(client, match_id, turn)["turn"]
        played.append(reply(client, match_id, turn, left))
    return turn, played


def reply(client: TestClient, match_id: int, turn: int, left: list[str]) -> str:
    """Places a stone on the first of these cells that is free, and takes the cells up to it away."""
    while True:
        line = left.pop(0)
        answer = client.post(f"{API}/in-person/{match_id}/reply", json={"turn": turn, "line": line})
        if answer.status_code == 200:
            return line
        assert "expected an empty cell" in answer.text.lower(), answer.text


def start_arena(processes: Processes, keep_bots_s: float) -> None:
    processes.extra["HEXARENA_KEEP_BOTS_S"] = str(keep_bots_s)
    processes.start("hexarena.worker.app")
    processes.start("hexarena.worker.dispatcher")


@pytest.mark.long
@pytest.mark.parametrize("keep_bots_s", [0, 60], ids=["paused", "kept"])
def test_a_person_plays_until_the_end_and_the_replay_has_all_of_it(
    client: TestClient, database: Database, processes: Processes, keep_bots_s: float
) -> None:
    start_arena(processes, keep_bots_s)
    match_id = begin(client)["id"]
    _, played = play_on(client, match_id, 3)
    client.post(f"{API}/in-person/{match_id}/resign")
    wait_until(lambda: client.get(f"{API}/matches/{match_id}").json()["state"] == "done", "it is over")
    match = client.get(f"{API}/matches/{match_id}").json()
    assert match["reason"] == "seat 0 resigned"
    assert [seat["fault"] for seat in match["seats"]] == ["resigned", None]
    assert [seat["bot"] for seat in match["seats"]] == [client.get(f"{API}/me").json()["name"], "Pebble"]
    replay = client.get(match["replay_url"]).text
    assert len(replay.splitlines()) == match["turns"] + 2
    log = [json.loads(line) for line in client.get(f"{API}/matches/{match_id}/seats/0/io").text.splitlines()]
    assert [line["o"] for line in log] == [*played, None]
    assert match["void_attempts"] == []
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(InPersonTurn)) == 0
        assert (session.scalar(select(func.sum(Usage.cpu_s))) or 0) > 0


@pytest.mark.long
def test_a_match_that_waits_for_a_person_holds_no_worker(
    client: TestClient, database: Database, processes: Processes
) -> None:
    start_arena(processes, 0)
    waiting = [begin(client)["id"] for _ in range(2)]
    for one in waiting:
        asked(client, one)
    quick = client.post(
        f"{API}/matches", json={"game": "yavalath", "language": "python", "source": "print('x')"}
    ).json()
    wait_until(lambda: client.get(f"{API}/matches/{quick['id']}").json()["state"] == "done", "another match is played")
    with database.transaction() as session:
        jobs = session.execute(select(Job.lease_until, Job.asleep).where(Job.match_id.in_(waiting))).all()
    assert [tuple(job) for job in jobs] == [(None, True)] * 2


@pytest.mark.long
def test_a_worker_that_is_killed_while_the_person_thinks_loses_nothing(
    client: TestClient, database: Database, processes: Processes
) -> None:
    processes.extra["HEXARENA_KEEP_BOTS_S"] = "600"
    worker = processes.start("hexarena.worker.app")
    processes.start("hexarena.worker.dispatcher")
    match_id = begin(client)["id"]
    turn, played = play_on(client, match_id, 2)
    before = asked(client, match_id, turn)
    processes.kill(worker)
    processes.start("hexarena.worker.app")
    reply(client, match_id, before["turn"], [cell for cell in EDGE if cell not in played])
    after = asked(client, match_id, before["turn"])
    assert after["turn"] == before["turn"] + 2
    with database.transaction() as session:
        lost = session.scalars(select(VoidAttempt.reason).where(VoidAttempt.match_id == match_id)).all()
        lines = session.scalars(select(InPersonTurn.line).order_by(InPersonTurn.turn)).all()
    assert len(lost) == 1
    assert "stopped responding" in lost[0]
    assert [f'"t":{number}' in line for number, line in enumerate(lines, start=1)] == [True] * 6


@pytest.mark.long
def test_a_match_nobody_comes_back_to_is_abandoned_without_its_bots(
    client: TestClient, database: Database, processes: Processes
) -> None:
    start_arena(processes, 0)
    match_id = begin(client)["id"]
    asked(client, match_id)

    def is_paused() -> bool:
        with database.transaction() as session:
            return bool(session.scalar(select(Job.asleep).where(Job.match_id == match_id, Job.lease_until.is_(None))))

    wait_until(is_paused, "the match is paused")
    with database.transaction() as session:
        long_ago = text("now() - interval '1 second'")
        session.execute(update(InPerson).values(until=long_ago))
        session.execute(update(Job).values(not_before=long_ago))
    wait_until(lambda: client.get(f"{API}/matches/{match_id}").json()["state"] == "void", "it is abandoned")
    match = client.get(f"{API}/matches/{match_id}").json()
    assert match["void_reason"] == "Abandoned: you did not reply for too long."
    assert client.get(f"{API}/in-person").json()["items"] == []


@pytest.mark.long
def test_the_page_gets_each_line_once_however_often_the_bots_were_started(
    client: TestClient, settings: Settings, processes: Processes
) -> None:
    start_arena(processes, 0)
    match_id = begin(client, seat=1)["id"]
    play_on(client, match_id, 3)
    client.post(f"{API}/in-person/{match_id}/resign")
    with client.stream("GET", f"{API}/matches/{match_id}/live") as stream:
        lines = [line for line in stream.iter_lines() if line.startswith("event:")]
        assert "event: restart" not in lines
        assert lines[-1] == "event: end"
