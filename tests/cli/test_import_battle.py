"""`hexarena import-battle`, with recordings of the reference referees in the shape of CodinGame's gameResult."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hexarena.games.battle import play_again, read_battle
from hexarena.games.catalogue import find_game
from tests import forking

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "games" / "golden"
FILES = [GOLDEN / f"{game}_dev.jsonl.gz" for game in ("ants", "tryangle", "yavalath")]


def recordings(path: Path) -> Iterator[dict[str, Any]]:
    """The games of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def battle_of(recording: dict[str, Any]) -> dict[str, Any]:
    """A recording as CodinGame would show it."""
    frames: list[dict[str, Any]] = [{"agentId": -1, "keyframe": True, "gameInformation": "", "view": "{}"}]
    for turn in recording["turns"]:
        for agent in (seat for seat, lines in enumerate(turn["in"]) if lines is not None):
            out = turn["out"][agent]
            stdout = {} if out is None else {"stdout": f"{out}\n"}
            frames.append({"agentId": agent, "keyframe": agent == 1, "gameInformation": "", "summary": "", **stdout})
    scores = recording["final_scores"]
    return {
        "frames": frames,
        "gameId": 1,
        "scores": scores,
        "ranks": [int(scores[0] < scores[1]), int(scores[1] < scores[0])],
        "refereeInput": f"seed={recording['seed']}\n",
        "agents": [{"index": seat, "codingamer": {"pseudo": name}} for seat, name in enumerate(recording["bots"])],
    }


def import_battle(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in a folder."""
    given = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    return forking.run("hexarena.cli", "import-battle", *words, cwd=folder, env=given)


# --- The same match -------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_recorded_game_is_the_same_match_again(path: Path) -> None:
    for recording in recordings(path):
        battle = read_battle(json.dumps(battle_of(recording)).encode())
        played = play_again(find_game(recording["game"]), battle, league=recording["league"])
        assert played.differences == (), (recording["seed"], recording["league"])


@pytest.fixture
def battle() -> dict[str, Any]:
    """A game of Ants at the full rules that had points and no fault."""
    games = recordings(GOLDEN / "ants_dev.jsonl.gz")
    fair = (one for one in games if one["league"] == 4 and not one["errors"] and len(one["turns"]) > 20)
    return battle_of(next(fair))


@pytest.mark.parametrize("wrapper", [None, "gameResult", "success"])
def test_a_battle_becomes_a_replay_beside_it(tmp_path: Path, battle: dict[str, Any], wrapper: str | None) -> None:
    battle["agents"][0] = {"index": 0, "arenaboss": {"nickname": "Boss 4"}}
    whole = battle if wrapper is None else {"questionTitle": "Spring Challenge 2023 - Ants", wrapper: battle}
    (tmp_path / "battle.json").write_text(json.dumps(whole))
    done = import_battle(tmp_path, "battle.json", *(() if wrapper else ("--game", "ants")), "--json", "out.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "The same match" in done.stdout
    header, *turns, end = map(json.loads, (tmp_path / "battle.jsonl").read_text().splitlines())
    assert (header["game"], header["seed"], header["league"]) == ("ants", battle["refereeInput"][5:-1], 4)
    assert [player["bot"] for player in header["players"]] == ["Boss 4", battle["agents"][1]["codingamer"]["pseudo"]]
    assert (end["scores"], end["ranks"]) == (battle["scores"], battle["ranks"])
    assert len(turns) == json.loads((tmp_path / "out.json").read_text())["turns"]


# --- Differences ----------------------------------------------------------------------------------------------------


def test_other_scores_and_ranks_are_named_with_exit_code_1(tmp_path: Path, battle: dict[str, Any]) -> None:
    first, second = battle["scores"]
    battle |= {"scores": [second + 1, first], "ranks": battle["ranks"][::-1]}
    (tmp_path / "battle.json").write_text(json.dumps(battle))
    done = import_battle(tmp_path, "battle.json", "--game", "ants", "--replay", "other.jsonl", "--json", "-")
    assert done.returncode == 1
    differences = json.loads(done.stdout)["differences"]
    assert f"the battle's score is {second + 1}, ours {first}" in differences[0]
    assert any("the battle's rank is" in difference for difference in differences)
    assert (tmp_path / "other.jsonl").is_file()


@pytest.mark.long
def test_the_first_turn_that_differs_is_named(tmp_path: Path, battle: dict[str, Any]) -> None:
    frames = battle["frames"]
    frames[15]["stdout"] = "DANCE\n"
    (tmp_path / "battle.json").write_text(json.dumps(battle))
    done = import_battle(tmp_path, "battle.json", "--game", "ants")
    assert done.returncode == 1
    assert "turn 9, frame 17: the battle asks seat 0, ours is over after turn 8" in done.stdout
    assert "turn 8, seat 0: ours found: " in done.stdout
    battle["frames"] = frames[:13]
    (tmp_path / "battle.json").write_text(json.dumps(battle))
    done = import_battle(tmp_path, "battle.json", "--game", "ants", "--replay", "battle.jsonl")
    assert "turn 7: the battle is over, ours asks seat 0 and 1" in done.stdout


def test_a_battle_of_a_lower_league_is_recognised(tmp_path: Path) -> None:
    games = recordings(GOLDEN / "tryangle_dev.jsonl.gz")
    low = next(one for one in games if one["league"] == 1 and len(one["turns"]) > 20)
    (tmp_path / "battle.json").write_text(json.dumps(battle_of(low)))
    done = import_battle(tmp_path, "battle.json", "--game", "tryangle")
    assert "it is the same match: --level " in done.stdout
    again = done.stdout.split("it is the same match: ")[1].splitlines()[0].split()
    assert again[2:] == ["--replay", "battle.jsonl"]
    assert import_battle(tmp_path, "battle.json", "--game", "tryangle", *again).returncode == 0


def test_a_battle_of_another_game_without_a_title_is_suspected(tmp_path: Path, battle: dict[str, Any]) -> None:
    (tmp_path / "battle.json").write_text(json.dumps(battle))
    done = import_battle(tmp_path, "battle.json", "--game", "yavalath")
    assert done.returncode == 1
    assert "is it a battle of another game?" in done.stdout


# --- Bad input ------------------------------------------------------------------------------------------------------


def without(key: str) -> Callable[[dict[str, Any]], Any]:
    """Removes a key of a battle."""
    return lambda battle: {name: value for name, value in battle.items() if name != key}


def with_value(key: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    """Sets a key of a battle."""
    return lambda battle: battle | {key: value}


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (without("refereeInput"), "expected `refereeInput` with a line seed=N, without which the map is unknown"),
        (with_value("refereeInput", "level=4\n"), 'got "level=4\\n"'),
        (with_value("refereeInput", f"seed={2**65}"), "expected a signed 64-bit seed"),
        (with_value("refereeInput", f"seed={'7' * 5000}"), "expected `refereeInput` with a line seed=N"),
        (without("frames"), "expected `frames`, a list of what each agent wrote; got nothing"),
        (with_value("frames", []), "expected `frames`, a list of what each agent wrote; got []"),
        (with_value("frames", [{"agentId": -1}]), "1 frames without any"),
        (with_value("frames", [{"agentId": 7}]), "expected frame 0 with an `agentId` below 2; got 7"),
        (with_value("frames", [[]]), "expected frame 0 with an `agentId`"),
        (with_value("frames", [{"agentId": 0, "stdout": 5}]), "expected text as `stdout` and `stderr` of frame 0"),
        (without("scores"), "expected `scores`, a list of 2 numbers; got nothing"),
        (with_value("scores", [1, None]), "expected `scores`, a list of 2 numbers; got [1,null]"),
        (with_value("ranks", [0]), "expected `ranks`, a list of 2 numbers; got [0]"),
        (without("agents"), "expected `agents`, a list of at least two; got nothing"),
        (with_value("agents", [{}, {}, {}]), "expected `scores`, a list of 3 numbers"),
        (with_value("agents", [{"index": 1}, {"index": 1}]), "expected agents with the indexes 0 to 1; got [1,1]"),
        (with_value("questionTitle", "TryAngle Catch"), "expected a battle of Ants; got one of TryAngle Catch"),
        (lambda _: [], "expected a JSON object with the keys of a gameResult; got []"),
        (lambda _: {"success": None}, "expected `agents`"),
    ],
)
def test_a_file_that_is_no_battle_gets_one_clear_message(
    tmp_path: Path, battle: dict[str, Any], change: Callable[[dict[str, Any]], Any], complaint: str
) -> None:
    (tmp_path / "battle.json").write_text(json.dumps(change(battle)))
    done = import_battle(tmp_path, "battle.json", "--game", "ants")
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert done.stderr.startswith("battle.json: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"<html>", "expected JSON; got a file that is none"),
        (b"", "expected JSON"),
        (b"[" * 100_000, "expected JSON"),
        (b"\xff\xfe", "expected JSON"),
    ],
)
def test_a_file_that_is_no_json_gets_one_clear_message(tmp_path: Path, text: bytes, complaint: str) -> None:
    (tmp_path / "battle.json").write_bytes(text)
    done = import_battle(tmp_path, "battle.json")
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_of_100_mb_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "battle.json").open("wb") as file:
        file.truncate(100_000_000)
    done = import_battle(tmp_path, "battle.json")
    assert done.returncode == 2
    assert "expected a file of at most 32,000,000 bytes; got 100,000,000" in done.stderr


@pytest.mark.parametrize(
    ("title", "complaint"),
    [("Code Royale", "got the title 'Code Royale'. Name the game: --game ants"), (None, "got a file without a title")],
)
def test_a_game_that_is_not_named_is_asked_for(
    tmp_path: Path, battle: dict[str, Any], title: str | None, complaint: str
) -> None:
    (tmp_path / "battle.json").write_text(json.dumps(battle if title is None else battle | {"questionTitle": title}))
    done = import_battle(tmp_path, "battle.json")
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "TryAngle Catch" in done.stderr


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = import_battle(tmp_path, "gone.json")
    assert done.returncode == 2
    assert "gone.json" in done.stderr


def test_nothing_but_the_same_replay_is_overwritten_unless_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "battle.json").write_text(json.dumps(battle_of(next(recordings(FILES[2])))))
    (tmp_path / "battle.jsonl").write_text("mine")
    words = ("battle.json", "--game", "yavalath")
    done = import_battle(tmp_path, *words, "--json", "out.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "battle.jsonl is there already, with other content; say where the replay goes with --replay" in done.stderr
    assert (tmp_path / "battle.jsonl").read_text() == "mine"
    assert not (tmp_path / "out.json").exists()
    assert import_battle(tmp_path, *words, "--replay", "battle.jsonl").returncode == 0
    assert import_battle(tmp_path, *words).returncode == 0


def test_nothing_is_written_where_the_result_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "battle.json").write_text(json.dumps(battle_of(next(recordings(FILES[2])))))
    done = import_battle(tmp_path, "battle.json", "--game", "yavalath", "--json", "nowhere/out.json")
    said = "--json: expected a file in a folder that is there; got nowhere/out.json"
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "battle.jsonl").exists()


@pytest.mark.parametrize("file", [".", "", "/"])
def test_a_folder_is_no_battle(tmp_path: Path, file: str) -> None:
    done = import_battle(tmp_path, file)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"file '{file}' is a directory" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_battle_is_not_overwritten_by_its_replay(tmp_path: Path) -> None:
    battle = json.dumps(battle_of(next(recordings(FILES[2]))))
    (tmp_path / "battle.jsonl").write_text(battle)
    done = import_battle(tmp_path, "battle.jsonl", "--game", "yavalath")
    assert (done.returncode, "say where it goes with --replay" in done.stderr) == (2, True), done.stderr
    done = import_battle(tmp_path, "battle.jsonl", "--replay", "one.jsonl", "--json", "battle.jsonl")
    assert (done.returncode, "--json: expected another file than the file that is read" in done.stderr) == (2, True)
    assert (tmp_path / "battle.jsonl").read_text() == battle
    assert import_battle(tmp_path, "battle.jsonl", "--game", "yavalath", "--replay", "one.jsonl").returncode == 0
