"""A game with hidden cards over HTTP: what streams send while a match is played, and what once it is over."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from hexarena.backend.matches import in_person, life as matches
from hexarena.backend.models import MatchKind, Submission
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import seeding
from hexarena.games import discovery
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game, Reply
from hexarena.games.lines import Player, header_line, seen_by, turn_line
from hexarena.games.referee import Opening, Turn, rounds
from tests.api.streaming.test_watching import Process, Worker, lines_of, run, until
from tests.api.test_in_person import ask, begin, reply
from tests.conftest import CLEAR_SEEDED_MATCHES

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def tricks(database: Database, monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setenv(discovery.VARIABLE, str(EXAMPLES))
    with database.transaction() as session:
        seeding.seed(session)
        session.execute(CLEAR_SEEDED_MATCHES)
    return find_game("tricks")


class First:
    """Plays the first card of its hand."""

    def ask(self, prompt: str, seconds: float) -> Reply:
        return Reply(prompt.splitlines()[-1].split()[0])

    def log(self) -> str:
        return ""


def replay(game: Game, seats: int) -> list[str]:
    """The lines of a match as they are stored, but for the end."""
    players = [Player(f"bot {seat}") for seat in range(seats)]
    return [
        header_line(game, event.header, seed=1, league=1, players=players)
        if isinstance(event, Opening)
        else turn_line(event)
        for event in rounds(game, [First() for _ in range(seats)], seed=1, league=1)
        if isinstance(event, Opening | Turn)
    ]


def seen(lines: Sequence[str]) -> set[str]:
    """For whom something hidden is in the lines."""
    parsed: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return {key for line in parsed for part in (line, line.get("init", {})) for key in part.get("hidden", {})}


def test_whoever_watches_gets_everything_from_the_beginning_once_the_match_is_over(
    client: TestClient, settings: Settings, database: Database, tricks: Game
) -> None:
    def seed() -> str | None:
        return client.get(f"/api/v1/matches/{match_id}").json()["seed"]  # type: ignore[no-any-return]

    with database.transaction() as session:
        bots = list(session.scalars(select(Submission.id).where(Submission.game == "tricks")))
        matches.schedule(session, game="tricks", kind=MatchKind.LADDER, submission_ids=bots, seed=1, league=1)
        match_id = session.scalars(select(matches.Match.id)).one()
    worker = Worker(settings, database)
    whole = [
        line.rstrip("\n") for line in [*replay(tricks, 2), '{"end":true,"scores":[1,0],"ranks":[0,1],"reason":""}']
    ]
    masked = [seen_by(None, line) for line in whole[:-1]]

    async def play(process: Process) -> None:
        stream = await process.open(match_id)
        claimed = await asyncio.to_thread(worker.claim)
        worker.say(claimed, *masked, last=True)
        shown = lines_of(await until(stream, "lines"))
        assert (seen(shown), json.loads(shown[0])["seed"]) == (set(), None)
        assert seed() is None
        await asyncio.to_thread(worker.finish, claimed, *whole)
        said = await until(stream, "end")
        assert "restart" in [name for name, _, _ in said]
        assert lines_of(said) == whole
        assert seed() == "1"
        assert seen(lines_of(said)) == {"0", "1", "nobody"}
        late = await process.open(match_id, f"{claimed.attempt}-{len(masked)}")
        assert lines_of(await until(late, "end")) == whole, "what it has was without the cards"

    run(settings, database, play)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_person_sees_the_own_cards_and_no_others(
    client: TestClient, settings: Settings, database: Database, tricks: Game, seat: int
) -> None:
    match_id = begin(client, "tricks", seat=seat, seed="1")["id"]
    claimed = ask(database, match_id)
    with database.transaction() as session:
        header, first, *_ = replay(tricks, 2)
        in_person.begin(session, match_id, header)
        turn = next(event for event in rounds(tricks, [First(), First()], seed=1, league=1) if isinstance(event, Turn))
        in_person.add_turn(session, claimed.match_id, turn, first)
        assert in_person.ask(session, match_id, 2, "1 2 3\n", patience_s=60) is None

    async def play(process: Process) -> None:
        stream = await process.open(match_id, viewer=matches_owner(database, match_id))
        assert seen(lines_of(await until(stream, "lines"))) == {str(seat)}

    run(settings, database, play)
    refused = reply(client, match_id, "99", turn=2)
    assert refused.status_code == 422
    assert "one of your cards" in refused.json()["detail"]


def matches_owner(database: Database, match_id: int) -> int | None:
    with database.transaction() as session:
        return session.get_one(matches.Match, match_id).requested_by_id
