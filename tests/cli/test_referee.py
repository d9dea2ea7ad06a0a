"""`hexarena referee`, called as players' tools call a referee program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hexarena.backend.runtime.settings import Settings
from hexarena.cli.referee.command import _bot
from hexarena.cli.referee.report import whole_scores
from hexarena.cli.sandboxes import PASSED, open_sandbox, require_one_self_test
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Outcome
from hexarena.worker.sandbox import Sandbox
from tests import forking

ROOT = Path(__file__).parents[2]
FIRST_FREE = """
import sys
me, turn = int(input()), 0
while True:
    cells = [(x, y) for y in range(int(input())) for x, cell in enumerate(input()) if cell == "0"]
    input()
    turn += 1
    print(f"[TDATA] free = {len(cells)}", file=sys.stderr)
    print(f"[PDATA] turns = {turn}", file=sys.stderr)
    print("[PDATA+] sum = 0.5", file=sys.stderr)
    print(*cells[WHERE])
"""
"""A bot of Yavalath that always takes the first free cell, or the last one."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With two bots that always play the same."""
    for name, at in (("first", "0"), ("last", "-1")):
        (tmp_path / f"{name}.py").write_text(FIRST_FREE.replace("WHERE", at))
    return tmp_path


def run(folder: Path, *words: str, no_sandbox: bool = True) -> subprocess.CompletedProcess[str]:
    """Calls the referee in a folder."""
    more = ("--no-sandbox",) if no_sandbox else ()
    return forking.run("hexarena.cli", "referee", *words, *more, cwd=folder, env=environment(folder))


def environment(folder: Path) -> dict[str, str]:
    """The tools start what they start with a short name."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return {**os.environ, "PYTHONPATH": str(ROOT), "HEXARENA_DATA_FOLDER": str(folder / "data"), "PATH": path}


BOTH = ("-p1", "python3 first.py", "-p2", "python3 last.py")


@pytest.mark.sandbox
def test_it_prints_a_score_for_each_player_then_the_seed_and_nothing_else(folder: Path) -> None:
    done = run(folder, "yavalath", *BOTH, "-d", "seed=-5", no_sandbox=False)
    assert done.stderr == ""
    *scores, seed = done.stdout.splitlines()
    assert sorted(map(int, scores)) == [0, 1]
    assert seed == "seed=-5"
    assert done.returncode == 0


def test_the_log_has_the_keys_of_codingames_game_engine(folder: Path) -> None:
    done = run(folder, "yavalath", *BOTH, "-d", "seed=7", "-l", "log.json")
    log = json.loads((folder / "log.json").read_text())
    assert list(map(int, done.stdout.split()[:2])) == [log["scores"]["0"], log["scores"]["1"]]
    assert log["uinput"] == ["seed=7"]
    assert [agent["name"] for agent in log["agents"]] == ["python3 first.py", "python3 last.py"]
    lengths = {len(log[key][who]) for key in ("errors", "outputs") for who in ("0", "1", "referee")}
    assert lengths == {len(log["summaries"])}
    assert log["outputs"]["0"][:3] == [None, "0 0\n", None]
    assert log["outputs"]["1"][:2] == [None, None]
    assert log["errors"]["0"][1].startswith("[TDATA] free = ")


@pytest.mark.long
def test_the_same_seed_is_the_same_match(folder: Path) -> None:
    bots = ("-p1", "Settler", "-p2", "starter")
    once, again = (run(folder, "tryangle", *bots, "-d", "seed=9", "--league", "1").stdout for _ in range(2))
    assert once == again
    assert once.endswith("seed=9\n")


def test_a_disqualified_player_has_a_negative_score_and_the_log_says_why(folder: Path) -> None:
    (folder / "mute.py").write_text("input()\nprint('boo')\n")
    done = run(folder, "yavalath", "-p1", "python3 mute.py", "-p2", "python3 last.py", "-l", "log.json")
    assert done.stdout.splitlines()[:2] == ["-1", "0"]
    assert "$0: invalid: expected" in json.loads((folder / "log.json").read_text())["summaries"][-1]


def test_programs_run_in_the_current_folder_however_they_are_named(folder: Path) -> None:
    (folder / "bots").mkdir()
    (folder / "weights.txt").write_text("0\n")
    program = folder / "bots" / "mine.exe"
    program.write_text("#!/usr/bin/env python3\nopen('weights.txt').read()\n" + FIRST_FREE.replace("WHERE", "0"))
    program.chmod(0o755)
    for name in ("bots/mine.exe", "./bots/mine.exe", str(program), f"python3 {program}"):
        done = run(folder, "yavalath", "-p1", name, "-p2", "python3 last.py", "-l", "log.json")
        assert json.loads((folder / "log.json").read_text())["outputs"]["0"][1] == "0 0\n", (name, done.stderr)


@pytest.mark.sandbox
def test_programs_run_in_the_current_folder_in_the_sandbox_too(folder: Path) -> None:
    folder.chmod(0o755)
    for name in (f"python3 {folder}/first.py", "python3 first.py"):
        run(folder, "yavalath", "-p1", name, "-p2", "python3 last.py", "-l", "log.json", no_sandbox=False)
        assert json.loads((folder / "log.json").read_text())["outputs"]["0"][1] == "0 0\n", name


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("yavalath",), "got none"),
        (("yavalath", "-p1", "python3 first.py"), "got only -p1. Yavalath needs at least 2"),
        (("yavalath", "-p1", "starter", "-p3", "starter"), "without a gap; got -p1, -p3"),
        (("yavalath", "-p1", "starter", "-p2", "starter", "-p3", "starter"), "played by 2 bots; got 3"),
        (("chess", *BOTH), "expected a game, one of"),
        (("yavalath", *BOTH, "-d", "seed=x"), "expected -d seed=N with a number; got 'seed=x'"),
        (("yavalath", *BOTH, "-d", "12"), "expected -d seed=N with a number; got '12'"),
        (("yavalath", *BOTH, "-d", f"seed={2**64}"), "expected a signed 64-bit seed"),
        (("yavalath", *BOTH, "--league", "9"), "expected a rules level of 1; got 9"),
        (("yavalath", *BOTH, "--level", "9"), "expected a rules level of 1; got 9"),
        (("yavalath", *BOTH, "-s"), "use --replay FILE"),
        (("yavalath", "-p1", "nothing-like-it", "-p2", "starter"), "there is no file, program or house bot"),
        (("yavalath", "-p1", "gone.py", "-p2", "starter"), "there is no file gone.py"),
        (("yavalath", "-p1", "", "-p2", "starter"), "got nothing"),
        (("yavalath", "-p1", "empty", "-p2", "starter"), "empty: expected"),
        (("yavalath", *BOTH, "-l", "no/such/folder.json"), "no/such/folder.json"),
        (("yavalath", *BOTH, "-l", "first.py"), "-l: expected another file than the file that is read; got first.py"),
        (("yavalath", *BOTH, "--replay", "last.py"), "--replay: expected another file than the file that is read"),
        (("yavalath", *BOTH, "--verbose"), "unrecognized arguments: --verbose"),
    ],
)
def test_bad_input_is_one_clear_message_and_exit_code_2(folder: Path, words: tuple[str, ...], complaint: str) -> None:
    (folder / "empty").mkdir()
    done = run(folder, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_all_commands_list_it_and_pass_its_options_on(folder: Path) -> None:
    command = [sys.executable, "-m", "hexarena.cli.app", "referee", "yavalath", *BOTH, "-d", "seed=7", "--no-sandbox"]
    given = {"cwd": folder, "env": environment(folder), "text": True}
    assert subprocess.check_output(command, **given).endswith("seed=7\n")
    assert " referee " in subprocess.check_output([*command[:3], "--help"], **given)


def test_it_loads_nothing_that_takes_longer_than_a_match(folder: Path) -> None:
    """The settings' library, typer and rich would double the time of a start."""
    code = "import sys, hexarena.cli.referee.command; print({'pydantic', 'typer', 'rich', 'numpy'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], env=environment(folder), text=True) == "set()\n"


@pytest.mark.parametrize(
    ("ranks", "scores", "faulty", "printed"),
    [
        ((0, 1), (12.0, 3.0), (), [12, 3]),
        ((1, 0), (-1, 0), (0,), [-1, 0]),
        ((0, 0, 1, 1), (40, 35, 40, 20), (), [2, 2, 0, 0]),
        ((0, 1), (2.4, 2.3), (), [1, 0]),
        ((2, 1, 0), (0, 9, 10), (0,), [-1, 9, 10]),
        ((2, 2, 0), (0, 0, 10), (0, 1), [-1, -1, 10]),
        ((2, 1, 0), (0, 9, 10), (1,), [0, 9, 10]),
        ((0, 0, 1, 1), (40, 40, 20, 20), (3,), [40, 40, 20, 20]),
    ],
)
def test_printed_scores_are_whole_and_in_the_order_of_the_ranks(
    ranks: tuple[int, ...], scores: tuple[float, ...], faulty: tuple[int, ...], printed: list[int]
) -> None:
    assert whole_scores(Outcome(ranks, scores, ""), faulty) == printed


# --- Other people's tools, unmodified -------------------------------------------------------------------------------

PLAY_GAME = """
import json, subprocess, sys
players = [word for number, bot in enumerate(sys.argv[1:], 1) for word in (f"-p{number}", f"python3 {bot}")]
command = [sys.executable, "-m", "hexarena.cli", "referee", "yavalath", *players, "-l", "log.json", "--no-sandbox"]
printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
scores = json.load(open("log.json"))["scores"]
assert [scores["0"], scores["1"]] == [int(line) for line in printed.splitlines()[:2]]
ranks = [int(scores["0"] < scores["1"]), int(scores["1"] < scores["0"])]
print(json.dumps({"ranks": ranks, "errors": [0, 0], "test_data": {}, "player_data": [{}, {}]}))
"""
"""What psyleague's users write around a referee that writes CodinGame's log."""
PLAYER = "python3 %DIR%/%P{}%.py"
DIRECTLY = f"hexarena referee yavalath -p1 '{PLAYER.format(1)}' -p2 '{PLAYER.format(2)}' --psyleague --no-sandbox"


def psyleague(folder: Path, *words: str) -> str:
    """Calls psyleague."""
    command = [sys.executable, "-m", "psyleague.psyleague", *words]
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("play_game", ["python3 play_game.py %DIR%/%P1%.py %DIR%/%P2%.py", DIRECTLY])
def test_psyleague_plays_with_it_unmodified(folder: Path, play_game: str) -> None:
    (folder / "play_game.py").write_text(PLAY_GAME)
    psyleague(folder, "config")
    config = folder / "psyleague.cfg"
    settings = [line for line in config.read_text().splitlines() if not line.startswith("cmd_")]
    config.write_text(
        "\n".join([*settings, 'cmd_bot_setup = "cp %SRC%.py %DIR%/%NAME%.py"', f'cmd_play_game = "{play_game}"'])
    )
    for name in ("first", "last"):
        psyleague(folder, "bot", "add", name)
    psyleague(folder, "run", "--games", "4", "--workers", "1", "--silent")
    games = [json.loads(line) for line in (folder / "psyleague.games").read_text().splitlines()]
    assert len(games) >= 4
    assert {tuple(sorted(game["ranks"])) for game in games} == {(0, 1)}
    if "--psyleague" in play_game:
        assert all(data["sum"] == data["turns"] / 2 for game in games for data in game["player_data"])
        assert all(game["test_data"]["turns"] >= 2 * max(d["turns"] for d in game["player_data"]) - 1 for game in games)
    assert "first" in psyleague(folder, "show")


def test_only_whole_paths_of_the_current_folder_are_made_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here, game = Path.cwd(), find_game("yavalath")
    line = f"python3 {here}/bot.py --data={here}/data --other=/mnt{here}/data"
    with Sandbox.open("none", folder=tmp_path / "sandbox") as sandbox:
        words = _bot(game, sandbox, line).program.command.argv
    assert list(words[-3:]) == ["./bot.py", "--data=./data", f"--other=/mnt{here}/data"]


# --- Where it saves time --------------------------------------------------------------------------------------------


@pytest.mark.sandbox
def test_the_self_test_runs_once_and_again_when_something_changed(tmp_path: Path) -> None:
    os.environ["HEXARENA_DATA_FOLDER"] = str(tmp_path)
    try:
        with open_sandbox() as sandbox:
            require_one_self_test(sandbox)
            passed = sandbox.folder / PASSED
            written = passed.read_text()
            passed.write_text("another start of the machine")
            require_one_self_test(sandbox)
            assert passed.read_text() == written
    finally:
        del os.environ["HEXARENA_DATA_FOLDER"]


@pytest.mark.parametrize("name", ["HEXARENA_DATA_FOLDER", "hexarena_data_folder"])
def test_the_sandbox_reads_the_environment_as_the_settings_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, str(tmp_path / "data"))
    monkeypatch.setenv("HEXARENA_SANDBOX", "none")
    settings = Settings()
    with open_sandbox() as sandbox:
        assert (sandbox.mode, sandbox.folder) == (settings.sandbox, (settings.data_folder / "local").resolve())


def test_a_sandbox_that_does_not_exist_is_refused(folder: Path) -> None:
    given = {**environment(folder), "HEXARENA_SANDBOX": "docker"}
    command = [sys.executable, "-m", "hexarena.cli", "referee", "yavalath", *BOTH]
    done = subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "HEXARENA_SANDBOX: expected bwrap or none; got 'docker'\n")
