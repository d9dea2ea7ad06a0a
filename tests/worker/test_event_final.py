"""The final of an event with real bots: killed workers change nothing, and the published file is checked."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from hexarena.backend.events import life
from hexarena.backend.events.forms import Form, Stage
from hexarena.backend.models import (
    Bot,
    Event,
    EventState,
    Match,
    MatchState,
    Submission,
    SubmissionState,
    User,
    UserKind,
    UserRole,
)
from hexarena.backend.moderation import reruns
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.games.catalogue import find_game
from tests import forking
from tests.api.played import house_bots
from tests.conftest import Processes, new_visitor, wait_until

STAGES = (
    Stage(Form.GROUPS, seeds=1, groups=2, advance=1),
    Stage(Form.KNOCKOUT, best_of=2),
)
ENTRANTS = ("Snare", "Pebble", "Hotspur", "Watcher")
Tamper = Callable[[dict[str, Any]], None]


HEATS = (
    Stage(Form.HEATS, rounds=2, games=3, advance=4),
    Stage(Form.HEATS, rounds=1, games=4),
)


def begin(database: Database) -> int:
    """An event of house bots whose deadline is over: its id."""
    bots = house_bots(database)
    with database.transaction() as session:
        organiser = User(kind=UserKind.ACCOUNT, role=UserRole.ORGANISER, name="Ada")
        session.add(organiser)
        session.flush()
        deadline = datetime.now(UTC) + timedelta(hours=1)
        plan = life.Plan("Cup", "", None, deadline, False, 1, None, STAGES, 1, False)
        event, _ = life.create(session, organiser, find_game("yavalath"), plan)
        for name in ENTRANTS:
            life.enter(session, organiser, event.id, bots[name][0], None, organises=True)
        hour = {"opens_at": func.now() - timedelta(hours=1), "deadline": func.now()}
        session.execute(update(Event).where(Event.id == event.id).values(**hour))
        return event.id


def state(database: Database, event_id: int) -> tuple[EventState, str | None]:
    with database.transaction() as session:
        event = session.get_one(Event, event_id)
        return event.state, event.problem


def done(database: Database) -> int:
    with database.transaction() as session:
        over = (Match.pairing_id.is_not(None)) & (Match.state == MatchState.DONE)
        return session.scalar(select(func.count()).select_from(Match).where(over)) or 0


def rerun_last(database: Database) -> tuple[int, int]:
    """Has the last game of the final played again: (it, its rerun)."""
    with database.transaction() as session:
        first = session.scalar(select(func.max(Match.id)).where(Match.pairing_id.is_not(None))) or 0
        organiser = session.scalars(select(User).where(User.name == "Ada")).one()
        return first, reruns.rerun(session, organiser, first, "The hall was dark.").id


def verify(file: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return forking.run("hexarena.cli.app", "verify-event", str(file), *more, env=os.environ)


def tampered(file: Path, to: Path, tamper: Tamper, *, leave_out: str = "") -> Path:
    """A copy of the file in which something was changed."""
    with zipfile.ZipFile(file) as original, zipfile.ZipFile(to, "w") as copy:
        for name in original.namelist():
            content = original.read(name)
            if name == "event.json":
                event = json.loads(content)
                tamper(event)
                content = json.dumps(event).encode()
            if not leave_out or not name.startswith(leave_out):
                copy.writestr(name, content)
    return to


def other_result(ranks: list[int]) -> list[int]:
    """Of two: the other one wins; where neither did, one does."""
    return [0, 1] if ranks[0] == ranks[1] else ranks[::-1]


def other_winner(event: dict[str, Any]) -> None:
    event["ranking"] = event["ranking"][::-1]
    for entry in event["entries"]:
        entry["place"] = event["ranking"].index(entry["id"]) + 1


def other_prize(event: dict[str, Any]) -> None:
    """For a house bot."""
    event["entries"][0]["prize_place"] = 1


def other_ranks(event: dict[str, Any]) -> None:
    game = event["played"][0]["pairings"][0]["games"][0]
    game["ranks"] = other_result(game["ranks"])


def other_points(event: dict[str, Any]) -> None:
    pairing = event["played"][1]["pairings"][0]
    pairing["half_points"] = pairing["half_points"][::-1]
    pairing["winner"] = pairing["first"] if pairing["winner"] == pairing["second"] else pairing["second"]


def other_secret(event: dict[str, Any]) -> None:
    event["secret"] = "00" * 32


def other_seed(event: dict[str, Any]) -> None:
    event["played"][0]["pairings"][0]["games"][0]["seed"] = "7"


def other_digest(event: dict[str, Any]) -> None:
    event["played"][0]["pairings"][0]["games"][0]["digest"] = "0" * 64


def other_version(event: dict[str, Any]) -> None:
    event["played"][1]["pairings"][0]["games"][0]["submissions"][0] += 1


def missing_pairing(event: dict[str, Any]) -> None:
    event["played"][0]["pairings"].pop()


def missing_game(event: dict[str, Any]) -> None:
    event["played"][0]["pairings"][0]["games"].pop(0)


def other_seeding(event: dict[str, Any]) -> None:
    one, other = event["entries"][:2]
    one["seed"], other["seed"] = other["seed"], one["seed"]


def other_rerun(event: dict[str, Any]) -> None:
    """As if a match that counts had been played again."""
    games = [game for stage in event["played"] for one in stage["pairings"] for game in one["games"]]
    (game,) = [game for game in games if "reruns" in game]
    game["reruns"][0]["match"] = games[0]["match"]


def later_rerun(event: dict[str, Any]) -> None:
    game = event["played"][0]["pairings"][0]["games"][0]
    game["reruns"] = [{"match": game["match"] + 1000, "reason": "x"}]


def rerun_ranks(event: dict[str, Any]) -> None:
    games = [game for stage in event["played"] for one in stage["pairings"] for game in one["games"]]
    (game,) = [game for game in games if "reruns" in game]
    game["ranks"] = other_result(game["ranks"])


TAMPERS = [
    other_rerun,
    later_rerun,
    rerun_ranks,
    other_winner,
    other_prize,
    other_ranks,
    other_points,
    other_secret,
    other_seed,
    other_digest,
    other_version,
    missing_pairing,
    missing_game,
    other_seeding,
]


@pytest.mark.long
@pytest.mark.machine
@pytest.mark.sandbox
def test_a_final_survives_killed_workers_and_can_be_checked(
    processes: Processes, database: Database, settings: Settings, tmp_path: Path
) -> None:
    event_id = begin(database)
    visitor = new_visitor(settings)
    with visitor:
        page = visitor.get(f"/api/v1/events/{event_id}").json()
        commitment = page["commitment"]
        assert page["secret"] is None
        assert visitor.get(f"/api/v1/events/{event_id}/file").status_code == 404
        dispatcher, worker = processes.start("hexarena.worker.dispatcher"), processes.start("hexarena.worker.app")
        wait_until(lambda: done(database) >= 2, "two games are over")
        processes.kill(worker)
        processes.start("hexarena.worker.app")
        wait_until(lambda: done(database) >= 4, "four games are over")
        processes.kill(dispatcher)
        processes.start("hexarena.worker.dispatcher")
        wait_until(lambda: state(database, event_id)[0] == EventState.DONE, "the final is over")
        _check_pages(visitor, event_id)
        first, again = rerun_last(database)
        wait_until(lambda: state(database, event_id)[0] == EventState.DONE, "the final is over again")
        _check_pages(visitor, event_id)
        file = tmp_path / "event.zip"
        file.write_bytes(visitor.get(f"/api/v1/events/{event_id}/file").content)
    checked = verify(file, "--commitment", commitment)
    assert checked.returncode == 0, checked.stderr
    assert "everything as published" in checked.stdout
    assert f"Match {again} was played in place of match {first}: The hall was dark." in checked.stderr
    with database.transaction() as session:
        games = session.scalar(
            select(func.count()).where(Match.pairing_id.is_not(None), Match.state == MatchState.DONE)
        )
    assert f"{games} games, {games} played again" in checked.stdout
    assert verify(file, "--commitment", "0" * 64).returncode == 1
    for tamper in TAMPERS:
        refused = verify(tampered(file, tmp_path / f"{tamper.__name__}.zip", tamper))
        assert refused.returncode == 1, f"{tamper.__name__}: {refused.stdout}{refused.stderr}"
    without = verify(tampered(file, tmp_path / "without.zip", lambda _: None, leave_out="matches/"))
    assert without.returncode == 0
    assert "have no record" in without.stderr
    broken = tmp_path / "broken.zip"
    broken.write_bytes(file.read_bytes()[:-200])
    assert verify(broken).returncode == 2


def begin_heats(database: Database, game: str = "tron", wanted: Sequence[Stage] = HEATS) -> int:
    """An event of a game's six house bots whose deadline is over: its id."""
    with database.transaction() as session:
        organiser = User(kind=UserKind.ACCOUNT, role=UserRole.ORGANISER, name="Ada")
        session.add(organiser)
        session.flush()
        deadline = datetime.now(UTC) + timedelta(hours=1)
        plan = life.Plan("Race", "", None, deadline, False, 1, None, wanted, 1, False)
        event, _ = life.create(session, organiser, find_game(game), plan)
        live = select(Bot.id).join(Submission, Submission.bot_id == Bot.id).order_by(Bot.id)
        bots = session.scalars(live.where(Bot.game == game, Submission.state == SubmissionState.LIVE)).all()
        assert len(bots) == 6
        for bot in bots:
            life.enter(session, organiser, event.id, bot, None, organises=True)
        hour = {"opens_at": func.now() - timedelta(hours=1), "deadline": func.now()}
        session.execute(update(Event).where(Event.id == event.id).values(**hour))
        return event.id


def heats_of(event: dict[str, Any]) -> list[dict[str, Any]]:
    return [heat for stage in event["played"] for heat in stage["heats"]]


def heat_ranks(event: dict[str, Any]) -> None:
    game = heats_of(event)[0]["games"][0]
    game["ranks"] = [max(game["ranks"]) - one for one in game["ranks"]]


def heat_points(event: dict[str, Any]) -> None:
    heats_of(event)[0]["half_points"][0] += 1


def heat_wins(event: dict[str, Any]) -> None:
    heats_of(event)[-1]["wins"][0] += 1


def heat_entrants(event: dict[str, Any]) -> None:
    one, other = event["played"][0]["heats"][:2]
    one["entrants"][0], other["entrants"][0] = other["entrants"][0], one["entrants"][0]


def heat_seats(event: dict[str, Any]) -> None:
    game = heats_of(event)[0]["games"][0]
    game["seated"] = game["seated"][1:] + game["seated"][:1]
    game["submissions"] = game["submissions"][1:] + game["submissions"][:1]


def heat_seed(event: dict[str, Any]) -> None:
    heats_of(event)[0]["games"][1]["seed"] = "7"


def heat_without_a_game(event: dict[str, Any]) -> None:
    heats_of(event)[0]["games"].pop(0)


def heat_with_fewer(event: dict[str, Any]) -> None:
    """As if somebody had been out by then."""
    game = heats_of(event)[0]["games"][0]
    for name in ("seated", "submissions", "ranks"):
        game[name].pop()


def heat_missing(event: dict[str, Any]) -> None:
    event["played"][0]["heats"].pop()


def heat_too_many(event: dict[str, Any]) -> None:
    event["played"][1]["heats"].append({**event["played"][1]["heats"][0], "number": 99})


HEAT_TAMPERS = [
    other_winner,
    other_secret,
    other_seeding,
    heat_ranks,
    heat_points,
    heat_wins,
    heat_entrants,
    heat_seats,
    heat_seed,
    heat_without_a_game,
    heat_with_fewer,
    heat_missing,
    heat_too_many,
]


@pytest.mark.long
@pytest.mark.machine
@pytest.mark.sandbox
def test_heats_survive_a_killed_worker_and_can_be_checked(
    processes: Processes, database: Database, settings: Settings, tmp_path: Path
) -> None:
    event_id = begin_heats(database)
    with new_visitor(settings) as visitor:
        commitment = visitor.get(f"/api/v1/events/{event_id}").json()["commitment"]
        processes.start("hexarena.worker.dispatcher")
        worker = processes.start("hexarena.worker.app")
        wait_until(lambda: done(database) >= 2, "two games are over")
        processes.kill(worker)
        processes.start("hexarena.worker.app")
        wait_until(lambda: state(database, event_id)[0] == EventState.DONE, "the final is over")
        event = visitor.get(f"/api/v1/events/{event_id}").json()
        assert [one["place"] for one in event["entries"]] == [1, 2, 3, 4, 5, 6]
        first = visitor.get(f"/api/v1/events/{event_id}/stages/0").json()
        assert {row["played"] for row in first["table"]} == {6}
        final = visitor.get(f"/api/v1/events/{event_id}/stages/1").json()
        assert final["table"][0]["entry"] == event["entries"][0]["id"]
        file = tmp_path / "event.zip"
        file.write_bytes(visitor.get(f"/api/v1/events/{event_id}/file").content)
    checked = verify(file, "--commitment", commitment)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"{done(database)} games, {done(database)} played again: everything as published" in checked.stdout
    for tamper in HEAT_TAMPERS:
        refused = verify(tampered(file, tmp_path / f"{tamper.__name__}.zip", tamper))
        assert refused.returncode == 1, f"{tamper.__name__}: {refused.stdout}{refused.stderr}"


def without_mixed_teams(event: dict[str, Any]) -> None:
    event["stages"][0]["mixed"] = False


def other_teams(event: dict[str, Any]) -> None:
    game = heats_of(event)[0]["games"][0]
    for name in ("seated", "submissions"):
        game[name][0], game[name][-1] = game[name][-1], game[name][0]


@pytest.mark.long
@pytest.mark.machine
@pytest.mark.sandbox
def test_a_heat_of_mixed_teams_is_played_and_can_be_checked(
    processes: Processes, database: Database, settings: Settings, tmp_path: Path
) -> None:
    event_id = begin_heats(database, "battlegrounds", [Stage(Form.HEATS, rounds=1, games=2, mixed=True)])
    with new_visitor(settings) as visitor:
        processes.start("hexarena.worker.dispatcher")
        processes.start("hexarena.worker.app")
        wait_until(lambda: state(database, event_id)[0] == EventState.DONE, "the final is over")
        stage = visitor.get(f"/api/v1/events/{event_id}/stages/0").json()
        (heat,) = (visitor.get(f"/api/v1/events/{event_id}/heats/{one['id']}").json() for one in stage["heats"])
        assert (len(heat["entrants"]), {row["played"] for row in stage["table"]}) == (6, {2})
        assert sum(row["points"] for row in stage["table"]) == pytest.approx(6)
        teams = []
        for game in heat["games"]:
            match = visitor.get(f"/api/v1/matches/{game['match_id']}").json()
            bots = [(seat["team"], seat["submission_id"], seat["rank"]) for seat in match["seats"]]
            teams.append(frozenset(one for team, one, _ in bots if team == 0))
            assert (len(bots), len({one for _, one, _ in bots}), len({(t, one) for t, one, _ in bots})) == (8, 6, 6)
            assert len({(team, rank) for team, _, rank in bots}) == 2
        file = tmp_path / "event.zip"
        file.write_bytes(visitor.get(f"/api/v1/events/{event_id}/file").content)
    checked = verify(file)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "2 games, 2 played again: everything as published" in checked.stdout
    for tamper in (without_mixed_teams, other_teams, heat_seats, heat_points):
        refused = verify(tampered(file, tmp_path / f"{tamper.__name__}.zip", tamper))
        assert refused.returncode == 1, f"{tamper.__name__}: {refused.stdout}{refused.stderr}"


def _check_pages(visitor: TestClient, event_id: int) -> None:
    """What visitors are shown when it is over."""
    event = visitor.get(f"/api/v1/events/{event_id}").json()
    assert (event["phase"], event["problem"]) == ("done", None)
    assert [one["place"] for one in event["entries"]] == [1, 2, 3, 4]
    assert event["winners"] == [], "house bots are outside the prizes"
    groups = visitor.get(f"/api/v1/events/{event_id}/stages/0").json()
    assert [len(group["rows"]) for group in groups["groups"]] == [2, 2]
    final = visitor.get(f"/api/v1/events/{event_id}/stages/1").json()
    (node,) = final["nodes"]
    pairing = visitor.get(f"/api/v1/events/{event_id}/pairings/{node['pairing']}").json()
    assert pairing["winner"] == event["entries"][0]["id"]
    assert all(game["counts"] for game in pairing["games"])
    match = visitor.get(f"/api/v1/matches/{pairing['games'][0]['match_id']}").json()
    assert match["event"] == {"id": event_id, "name": "Cup", "pairing": node["pairing"], "game": 1}
    table = visitor.get(f"/api/v1/events/{event_id}/table?format=csv").text
    assert table.splitlines()[1].startswith(f"1,{event['entries'][0]['bot']},")
