"""The command line, run as a user runs it."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from shutil import make_archive
from textwrap import dedent
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from hexarena.backend.runtime.headers import PAGE_POLICY
from hexarena.backend.runtime.settings import MOST_PROCESSES, Settings
from hexarena.cli import match
from hexarena.worker.sandbox import BotKilled, HostOverloaded, SandboxFailed
from hexarena.worker.sandbox.slots import MOST_SANDBOXES
from hexarena.worker.sandbox.users import RANGES
from tests import forking
from tests.conftest import PATIENCE_S, free_port, wait_until

GOLDEN = Path(__file__).parents[1] / "games" / "golden"
BOTS = Path(__file__).parents[2] / "games" / "yavalath" / "bots"
STARTER = str(BOTS / "starter.py")


def hexarena(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in a folder of its own, with its own data folder."""
    environment = {**os.environ, "HEXARENA_DATA_FOLDER": str(tmp_path / "data"), "COLUMNS": "200"}
    return forking.run("hexarena.cli.app", *words, cwd=tmp_path, env=environment)


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


@pytest.mark.long
@pytest.mark.sandbox
def test_a_match_is_played_without_a_server_and_written_as_json(tmp_path: Path) -> None:
    done = hexarena(tmp_path, "match", "yavalath", "--bot", STARTER, "--bot", "Keystone", "--seed", "7", "--json", "-")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    keys = ["game", "seed", "league", "bots", "ranks", "scores", "reason", "turns", "faults"]
    assert list(result) == [*keys, "player_data", "turn_data", "data_ignored"]
    assert (result["player_data"], result["turn_data"], result["data_ignored"]) == ([{}, {}], [{}, {}], [0, 0])
    assert (result["game"], result["seed"], result["league"]) == ("yavalath", 7, 1)
    assert sorted(result["ranks"]) in ([0, 1], [0, 0])
    assert result["faults"] == []
    assert result["turns"] > 3


@pytest.mark.long
@pytest.mark.sandbox
@pytest.mark.parametrize("file", ["starter.cpp", "starter.js"])
def test_the_language_is_inferred_from_the_file_extension(tmp_path: Path, file: str) -> None:
    done = hexarena(tmp_path, "match", "yavalath", "--bot", str(BOTS / file), "--bot", STARTER, "--json", "out.json")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out.json").read_text())["faults"] == []


@pytest.mark.sandbox
def test_options_make_a_match_smaller_and_are_in_its_replay(tmp_path: Path) -> None:
    words = ("--bot", "Drifter", "--bot", "Drifter", "--option", "size=40", "--option", "main_turns=3", "--seed", "1")
    done = hexarena(tmp_path, "match", "battlegrounds", *words, "--replay", "out.jsonl", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    init = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["init"]
    assert (init["size"], init["start"], init["main"]) == (40, 25, 3)
    result = json.loads((tmp_path / "out.json").read_text())
    assert result["turns"] == 1 + 10 + 25 + 3
    assert result["reason"] == "3 main turns played"


RANDOM_BOT = """import random
class RandomBot:
    def __init__(*args): pass
    def parachute(self, team: dict):
        return random.choice([x for x in team.values() if x])
    def start(*args):
        return random.randint(-9, 9)
    def main(*args):
        raise ValueError("first line" + chr(10) + "second line")
"""
"""The example of the public statement, but for its last line."""


@pytest.mark.long
@pytest.mark.sandbox
def test_the_result_of_teams_fits_a_terminal(tmp_path: Path) -> None:
    """Alone in its team that bot never lands; beside one that chooses it does, and fails in each turn after that."""
    (tmp_path / "random_bot.py").write_text(RANDOM_BOT)
    words = ("match", "battlegrounds", "--option", "size=40", "--option", "main_turns=3", "--seed", "1")
    alone = hexarena(tmp_path, *words, "--bot", "random_bot.py", "--bot", "Drifter")
    assert "│     2 │    0 │ random_bot ×4 │     0 │     40 │" in alone.stdout
    assert "10 times since turn 2, seat 3: warning: parachute raised IndexError" in alone.stdout
    mixed = [word for bot in ("Drifter", *["random_bot.py"] * 3, *["Drifter"] * 4) for word in ("--bot", bot)]
    done = hexarena(tmp_path, *words, *mixed)
    assert done.returncode == 0, done.stderr
    assert "│ Drifter, random_bot ×3 │" in done.stdout
    assert re.search(
        r"since turn \d+, seat 1: warning: main raised ValueError: first line second line$", done.stdout, re.M
    )
    assert max(map(len, done.stdout.split("\n\n")[0].splitlines()[:8])) <= 80


@pytest.mark.parametrize(
    ("option", "complaint"),
    [("size=6", "expected size from 25 to 500; got 6"), ("size", "expected an option as name=value; got size")],
)
def test_options_that_make_no_sense_are_refused(tmp_path: Path, option: str, complaint: str) -> None:
    done = hexarena(tmp_path, "match", "battlegrounds", "--bot", "Drifter", "--bot", "Drifter", "--option", option)
    assert done.returncode == 2
    assert complaint in done.stderr


CODINGAME_BOTS = {
    "cg.js": """
        const id = parseInt(readline());
        while (true) {
            const empty = [];
            const rows = parseInt(readline());
            for (let y = 0; y < rows; y++) {
                const row = readline();
                for (let x = 0; x < row.length; x++) if (row[x] === "0") empty.push([x, y]);
            }
            readline();
            printErr("thinking");
            print(empty[Math.floor(empty.length / 3)].join(" "));
        }
    """,
    "cg.py": """
import sys
import math
my_id = int(input())
while True:
    rows = [input() for _ in range(int(input()))]
    input()
    cells = [(x, y) for y, row in enumerate(rows) for x, stone in enumerate(row) if stone == "0"]
    print("thinking", file=sys.stderr)
    print(*cells[len(cells) // 3])
    if not cells:
        exit()
    """,
}


@pytest.mark.sandbox
@pytest.mark.parametrize("file", CODINGAME_BOTS)
def test_bots_written_for_codingame_play_unchanged(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_text(CODINGAME_BOTS[file])
    done = hexarena(tmp_path, "match", "yavalath", "--bot", file, "--bot", "starter", "--json", "-")
    result = json.loads(done.stdout)
    assert result["faults"] == []
    assert result["turns"] > 3


BOT_OF_SEVERAL_FILES = {
    "main.py": """
        from pathlib import Path
        from lib.board import first_empty

        words = (Path(__file__).parent / "words.txt").read_text().strip()
        input()
        while True:
            rows = [input() for _ in range(int(input()))]
            input()
            print(*first_empty(rows), words, flush=True)
    """,
    "lib/board.py": """
        def first_empty(rows):
            return next((x, y) for y, row in enumerate(rows) for x, stone in enumerate(row) if stone == "0")
    """,
    "words.txt": "one two",
    ".git/config": "not for the arena",
}


@pytest.mark.sandbox
def test_a_folder_and_a_zip_of_it_are_the_same_bot(tmp_path: Path) -> None:
    folder = tmp_path / "several"
    for name, text in BOT_OF_SEVERAL_FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dedent(text))
    make_archive(str(folder), "zip", tmp_path, folder.name)
    words = ("match", "yavalath", "--bot", "several/", "--bot", "several.zip", "--seed", "1", "--json", "-")
    done = hexarena(tmp_path, *words, "--replay", "out.jsonl")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["faults"] == []
    assert result["reason"] == "seat 1 made a line of 3 and loses"
    header = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert [(one["bot"], one["language"]) for one in header["players"]] == [("several", "python")] * 2


@pytest.mark.sandbox
def test_a_folder_that_cannot_be_a_bot_says_what_is_wrong(tmp_path: Path) -> None:
    for name in ("main.py", "main.cpp"):
        (tmp_path / name).write_text("x")
    done = hexarena(tmp_path, "match", "yavalath", "--bot", ".", "--bot", "Pebble")
    assert done.returncode == 2
    assert ".: expected one file at the top called bot or main" in done.stderr
    (tmp_path / "main.py").unlink()
    (tmp_path / "pipe").symlink_to("/etc/passwd")
    done = hexarena(tmp_path, "match", "yavalath", "--bot", ".", "--bot", "Pebble")
    assert "which is a link" in done.stderr


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("bot.zip", b"no zip", "bot.zip: expected a zip with the bot's files; got an empty one or no zip"),
        ("bot.py", b"# \xe9\nprint('4 4')\n", "bot.py: expected UTF-8 text; got byte 0xe9 at position 2"),
        ("bot.py", "print()".encode("utf-16"), "bot.py: expected UTF-8 text; got byte 0xff at position 0"),
        ("bot.py", b"\n", "bot.py: expected the bot's code; got an empty text"),
        ("bot.txt", b"print('4 4')\n", "bot.txt: expected a source file that ends in one of .py"),
    ],
)
def test_a_file_that_the_arena_refuses_is_refused_at_home(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    done = hexarena(tmp_path, "match", "yavalath", "--bot", name, "--bot", "Pebble")
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


@pytest.mark.sandbox
def test_a_match_of_one_turn_has_one_turn(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("raise ValueError\n")
    done = hexarena(tmp_path, "match", "yavalath", "--bot", "bot.py", "--bot", "Pebble", "--seed", "1")
    assert "yavalath, seed 1, rules level 1: 1 turn " in done.stdout


@pytest.mark.sandbox
def test_a_byte_order_mark_is_removed_at_home_too(tmp_path: Path) -> None:
    (tmp_path / "bot.sh").write_bytes("\ufeff".encode() + b"echo 4 4\n")
    done = hexarena(tmp_path, "match", "yavalath", "--bot", "bot.sh", "--bot", "Pebble", "--json", "-")
    assert [(fault["turn"], fault["kind"]) for fault in json.loads(done.stdout)["faults"]] == [(3, "crash")]


@pytest.mark.sandbox
def test_a_command_line_in_quotes_is_a_bot(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text((BOTS / "starter.py").read_text())
    tmp_path.chmod(0o755)
    done = hexarena(
        tmp_path, "match", "yavalath", "--no-sandbox", "--bot", "python3 -u mine.py", "--bot", STARTER, "--json", "-"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["faults"] == []


@pytest.mark.long
@pytest.mark.sandbox
def test_an_executable_file_is_a_bot_and_reads_its_own_folder(tmp_path: Path) -> None:
    """As a compiled a.out would be; called from another folder."""
    (there := tmp_path / "mine").mkdir()
    (there / "starter.py").write_text((BOTS / "starter.py").read_text())
    (program := there / "a.out").write_text("#!/bin/sh\nexec python3 starter.py\n")
    program.chmod(0o755)
    for folder in (tmp_path, there):
        folder.chmod(0o755)
    for isolation in ((), ("--no-sandbox",)):
        done = hexarena(
            tmp_path, "match", "yavalath", *isolation, "--bot", "mine/a.out", "--bot", STARTER, "--json", "-"
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["faults"] == []


@pytest.mark.sandbox
def test_a_source_file_stays_one_though_it_is_executable(tmp_path: Path) -> None:
    (source := tmp_path / "mine.py").write_text((BOTS / "starter.py").read_text())
    source.chmod(0o755)
    done = hexarena(tmp_path, "match", "yavalath", "--bot", "mine.py", "--bot", STARTER, "--json", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["faults"] == []


@pytest.mark.sandbox
def test_faults_say_what_was_expected_and_quote_what_was_got(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("input()\nprint('nonsense' * 100)\n")
    done = hexarena(tmp_path, "match", "yavalath", "--bot", "bad.py", "--bot", STARTER, "--json", "-")
    (fault,) = json.loads(done.stdout)["faults"]
    assert (fault["seat"], fault["turn"], fault["kind"]) == (0, 1, "invalid")
    assert "expected" in fault["message"]
    assert "nonsense" in fault["message"]
    assert len(fault["message"]) < 400


@pytest.mark.sandbox
def test_people_see_the_result_the_faults_and_the_time(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("print(1, 1, flush=True)\nraise SystemExit(3)\n")
    done = hexarena(tmp_path, "match", "yavalath", "--bot", "bad.py", "--bot", STARTER, "--replay", "r.jsonl")
    assert done.returncode == 0
    for words in ("place", "CPU", "bad.py", "exit code 3", "hexarena watch r.jsonl"):
        assert words in done.stdout
    assert json.loads((tmp_path / "r.jsonl").read_text().splitlines()[-1])["end"] is True


@pytest.mark.sandbox
def test_what_bots_log_can_be_read_at_home(tmp_path: Path) -> None:
    said = (
        "import sys\nprint('first\\n\\tse\\x1bcond', file=sys.stderr)\nprint(4, 4, flush=True)\nraise SystemExit(3)\n"
    )
    (tmp_path / "loud.py").write_text(said)
    words = ("match", "yavalath", "--bot", "loud.py", "--bot", "Pebble", "--stderr")
    assert hexarena(tmp_path, *words, "log.txt").returncode == 0
    assert (tmp_path / "log.txt").read_text() == "turn 1, seat 0:\nfirst\n\tse\\x1bcond\n"
    assert hexarena(tmp_path, *words, "-").stdout.startswith("turn 1, seat 0:\nfirst\n")
    both = hexarena(tmp_path, *words, "-", "--json", "-")
    assert json.loads(both.stdout)["game"] == "yavalath"
    assert "turn 1, seat 0:\nfirst\n" in both.stderr
    assert "--stderr: expected a file in a folder" in hexarena(tmp_path, *words, "nowhere/log.txt").stderr
    assert "--stderr: expected a file; data is a folder" in hexarena(tmp_path, *words, "data").stderr


@pytest.mark.parametrize(
    ("bot", "output", "said"),
    [
        ("my.py", "my.py", "--stderr: expected another file than the file that is read; got my.py"),
        ("my.py", "link", "--stderr: expected another file than the file that is read; got link"),
        ("python3 -u my.py", "./my.py", "--stderr: expected another file than the file that is read; got my.py"),
        ("several", "several/new.txt", "--stderr: expected a path outside "),
        ("several", "several/main.py", "--stderr: expected a path outside "),
    ],
)
def test_a_match_is_not_written_over_its_bots(tmp_path: Path, bot: str, output: str, said: str) -> None:
    (tmp_path / "my.py").write_text("print(4, 4)\n")
    (tmp_path / "link").symlink_to("my.py")
    (tmp_path / "several").mkdir()
    (tmp_path / "several" / "main.py").write_text("print(4, 4)\n")
    words = ("match", "yavalath", "--no-sandbox", "--bot", bot, "--bot", "Pebble", "--stderr", output)
    done = hexarena(tmp_path, *words)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert [(tmp_path / name).read_text() for name in ("my.py", "several/main.py")] == ["print(4, 4)\n"] * 2
    assert [path.name for path in (tmp_path / "several").iterdir()] == ["main.py"]


def test_a_file_that_only_has_a_house_bots_name_may_be_written(tmp_path: Path) -> None:
    (tmp_path / "Pebble").touch()
    words = ("match", "yavalath", "--no-sandbox", "--bot", "Pebble", "--bot", "starter", "--json", "Pebble")
    assert hexarena(tmp_path, *words).returncode == 0
    assert json.loads((tmp_path / "Pebble").read_text())["game"] == "yavalath"


def test_a_worker_does_not_ignore_a_token(tmp_path: Path) -> None:
    done = hexarena(tmp_path, "worker", "hxw_secret")
    assert (done.returncode, "Expected --join URL with the token" in done.stderr) == (2, True), done.stderr
    assert "hxw_secret" not in done.stderr


@pytest.mark.sandbox
def test_a_long_path_is_shown_to_its_end(tmp_path: Path) -> None:
    """Two bots of one folder would look the same."""
    folder = Path("deep" * 30, "deeper" * 20)
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "bad.py").write_text("print()\n")
    done = hexarena(tmp_path, "match", "yavalath", "--bot", str(folder / "bad.py"), "--bot", "Pebble")
    assert "invalid: expected 'x y'" in done.stdout
    assert "…" not in done.stdout


@pytest.mark.long
@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["match", "chess", "--bot", "a", "--bot", "b"], "expected a game"),
        (["match", "yavalath", "--bot", STARTER], "played by 2 bots; got 1"),
        (["match", "yavalath", "--bot", STARTER, "--bot", "nowhere.py"], "there is no file nowhere.py"),
        (
            ["match", "yavalath", "--bot", STARTER, "--bot", STARTER, "--league", "9"],
            "expected a rules level of 1; got 9",
        ),
        (
            ["match", "yavalath", "--bot", STARTER, "--bot", STARTER, "--level", "9"],
            "expected a rules level of 1; got 9",
        ),
        (["match", "yavalath", "--bot", STARTER, "--bot", STARTER, "--seed", str(2**64)], "64-bit"),
        (["watch", "nowhere.jsonl"], "nowhere.jsonl: expected a replay file; No such file or directory"),
        (["watch", "damaged.jsonl.gz"], "damaged.jsonl.gz: expected a replay file; "),
        (["watch", "--port", "70000", "--no-browser", "replay.jsonl"], "expected a port that may be listened at"),
        (
            ["watch", "replay.jsonl", "--save", "nowhere/r.html"],
            "--save: expected a file in a folder that is there; got",
        ),
        (["watch", "replay.jsonl", "--save", "-"], "--save: expected a file, not standard output; got -"),
        (
            ["watch", "replay.jsonl", "--save", "./replay.jsonl"],
            "--save: expected another file than the file that is read; got replay.jsonl",
        ),
        (["verify", "nowhere.jsonl"], "does not exist"),
        (["verify", "replay.jsonl"], "in each line; got a replay, which `hexarena watch` shows"),
        (
            ["verify", "one.rec"],
            "in each line; got a record of `hexarena match --record`, which `hexarena rerun` plays",
        ),
        (["verify", "damaged.jsonl.gz"], "damaged.jsonl.gz: expected a file of recordings; "),
        (
            ["match", "yavalath", "--bot", STARTER, "--bot", "python3 it's.py"],
            "expected a command line whose quotation marks are closed; got python3 it's.py",
        ),
        (["verify", STARTER], "expected a file of recordings, a JSON object in each line; got '"),
        (
            ["match", "yavalath", "--bot", STARTER, "--bot", STARTER, "--replay", "nowhere/one.jsonl"],
            "--replay: expected a file in a folder that is there; got nowhere/one.jsonl",
        ),
        (
            ["duel", "yavalath", STARTER, "Pebble", "--json", "nowhere/one.json"],
            "--json: expected a file in a folder that is there; got nowhere/one.json",
        ),
        (
            ["fork", "one.rec", "--turn", "1", "--bot", STARTER, "--record", "nowhere/two.rec"],
            "--record: expected a file in a folder that is there; got nowhere/two.rec",
        ),
        (
            ["referee", "yavalath", "-p1", STARTER, "-p2", "Pebble", "-l", "nowhere/log.json"],
            "-l: expected a file in a folder that is there; got nowhere/log.json",
        ),
    ],
)
def test_requests_that_make_no_sense_say_what_was_expected(tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "replay.jsonl").write_text('{"v": 1, "game": "yavalath"}\n')
    (tmp_path / "one.rec").write_text('{"record": 1, "game": "yavalath"}\n')
    whole = gzip.compress(bytes(range(256)) * 9)
    (tmp_path / "damaged.jsonl.gz").write_bytes(whole[:20] + b"\xff\xff\xff" + whole[23:])
    done = hexarena(tmp_path, *words)
    assert done.returncode == 2
    assert said in " ".join((done.stderr + done.stdout).split())
    assert "Traceback" not in done.stderr
    assert (tmp_path / "replay.jsonl").read_text() == '{"v": 1, "game": "yavalath"}\n'


@pytest.mark.long
@pytest.mark.sandbox
def test_code_that_does_not_build_shows_its_log(tmp_path: Path) -> None:
    (tmp_path / "bad.cpp").write_text("int main({")
    done = hexarena(tmp_path, "match", "yavalath", "--bot", "bad.cpp", "--bot", STARTER)
    assert done.returncode == 2
    assert "The build of bad.cpp failed" in done.stderr
    assert "bot.cpp:1:" in done.stderr


def test_verify_finds_the_recordings_identical(tmp_path: Path) -> None:
    done = hexarena(tmp_path, "verify", str(GOLDEN / "yavalath_dev.jsonl.gz"))
    assert (done.returncode, done.stdout.strip()) == (0, "112 games, 112 identical")


def test_verify_fails_on_any_difference(tmp_path: Path) -> None:
    with gzip.open(GOLDEN / "yavalath_dev.jsonl.gz", "rt") as lines:
        game = json.loads(next(lines))
    game["turns"][2]["in"][0][1] = "00009"
    (tmp_path / "tampered.jsonl").write_text(json.dumps(game) + "\n")
    done = hexarena(tmp_path, "verify", "tampered.jsonl")
    assert done.returncode == 1
    assert "tampered.jsonl:1: turn 2, seat 0" in done.stdout
    assert "1 games, 0 identical" in done.stdout


@pytest.mark.long
def test_watch_saves_a_page_that_opens_offline(tmp_path: Path) -> None:
    match = hexarena(
        tmp_path, "match", "yavalath", "--bot", "starter", "--bot", "Pebble", "--replay", "r.jsonl", "--no-sandbox"
    )
    assert match.returncode == 0, match.stderr
    saved = hexarena(tmp_path, "watch", "r.jsonl", "--save", "r.html")
    assert (saved.returncode, saved.stdout) == (0, "")
    assert "r.html has the match and its viewer" in saved.stderr
    page = (tmp_path / "r.html").read_text()
    assert "<title>Yavalath: starter against Pebble</title>" in page
    assert (tmp_path / "r.jsonl").read_text().strip() in page


@pytest.mark.long
@pytest.mark.sandbox
def test_watch_serves_the_viewer_and_the_replay(tmp_path: Path) -> None:
    hexarena(tmp_path, "match", "yavalath", "--bot", STARTER, "--bot", STARTER, "--replay", "r.jsonl")
    with (tmp_path / "watch.log").open("w") as log:
        command = [sys.executable, "-u", "-m", "hexarena.cli.app", "watch", "r.jsonl", "--no-browser"]
        watching = subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log, env={**os.environ, "COLUMNS": "200"})
    try:
        found: list[str] = []

        def is_up() -> bool:
            found[:] = re.findall(r"http://127\.0\.0\.1:\d+", (tmp_path / "watch.log").read_text())
            return bool(found)

        wait_until(is_up, "it prints its address")
        wait_until(lambda: answers(f"{found[0]}/local/replay"), "it serves the replay")
        with urlopen(f"{found[0]}/local/replay") as replay:
            assert replay.read().decode() == (tmp_path / "r.jsonl").read_text()
        with urlopen(f"{found[0]}/watch") as page:
            assert b"<html" in page.read()
            assert page.headers["Content-Security-Policy"] == PAGE_POLICY
        with pytest.raises(HTTPError, match="421"):
            urlopen(Request(f"{found[0]}/local/replay", headers={"Host": "attacker.example"}))
    finally:
        watching.send_signal(signal.SIGINT)
        watching.wait(PATIENCE_S)


def answers(url: str) -> bool:
    """Whether somebody is there."""
    try:
        with urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def test_help_lists_every_command(tmp_path: Path) -> None:
    done = hexarena(tmp_path, "--help")
    for name in ("up", "match", "duel", "watch", "verify", "doctor", "api", "dispatch", "worker", "openapi", "db"):
        assert re.search(rf"\b{name}\b", done.stdout)


@pytest.mark.long
def test_commands_that_need_no_server_import_none() -> None:
    heavy = ("alembic", "celery", "fastapi", "numpy", "obstore", "redis", "scipy", "sqlalchemy", "uvicorn")
    program = f"import sys, hexarena.cli.app; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.long
@pytest.mark.sandbox
def test_a_match_loads_neither_numpy_nor_another_game(tmp_path: Path) -> None:
    words = ["hexarena", "match", "yavalath", "--bot", STARTER, "--bot", STARTER, "--json", "-"]
    loaded = "[name for name in sys.modules if name in ('numpy', 'scipy', 'hexarena.games.ants')]"
    program = (
        f"import sys; sys.argv = {words}\nfrom hexarena.cli.app import app\napp(standalone_mode=False)\nprint({loaded})"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.long
def test_a_command_without_its_extra_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['scipy'] = None; sys.argv = ['hexarena', 'bench', 'ladder', '--quick']\n"
        "from hexarena.cli.app import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip().endswith("package scipy. Install the arena: pip install 'hexarena[server,embedded]'")


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    assert hexarena(tmp_path, "--version").stdout.strip() == version("hexarena")


def test_a_worker_has_no_more_processes_than_there_are_sandboxes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert min(MOST_SANDBOXES, RANGES) >= MOST_PROCESSES
    monkeypatch.setenv("HEXARENA_WORKER_PROCESSES", "63")
    done = hexarena(tmp_path, "match", "yavalath", "--bot", STARTER, "--bot", STARTER)
    assert done.returncode == 2
    message = "HEXARENA_SPARE_PROCESSES: Value error, expected at most 1 beside 63 worker processes; got 2"
    assert done.stderr.strip() == message
    monkeypatch.setenv("HEXARENA_SPARE_PROCESSES", "1")
    assert Settings().spare_processes == 1


def test_an_invalid_environment_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEXARENA_SANDBOX", "paper")
    done = hexarena(tmp_path, "match", "yavalath", "--bot", STARTER, "--bot", STARTER)
    assert done.returncode == 2
    assert done.stderr.strip() == "HEXARENA_SANDBOX: Input should be 'bwrap' or 'none'; got 'paper'"


@pytest.mark.parametrize("command", [["match", "yavalath", "--bot", STARTER, "--bot", STARTER], ["up"]])
def test_a_wrong_folder_of_toolchains_is_reported_before_anything_starts(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEXARENA_TOOLCHAINS", "nowhere")
    monkeypatch.setenv("HEXARENA_PORT", str(free_port()))
    done = hexarena(tmp_path, *command)
    assert done.returncode == 2
    expected = "HEXARENA_TOOLCHAINS: expected a folder that `make toolchains` made; got"
    assert " ".join(done.stderr.split()) == f"{expected} {tmp_path / 'nowhere'}: there is none"


@pytest.mark.parametrize(
    ("failure", "cause", "advice"),
    [
        (HostOverloaded("no CPU"), "the machine was overloaded: no CPU.", " Close other programs first."),
        (BotKilled("SIGKILL"), "a bot was ended from outside: SIGKILL.", ""),
    ],
)
def test_why_there_is_no_result_is_said_as_it_was(
    failure: HostOverloaded | BotKilled, cause: str, advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    match._print_void_attempt(failure)
    assert " ".join(capsys.readouterr().err.split()) == f"Void attempt: {cause} The match is played again."
    assert match._no_result(failure) == f"There is no fair result: {cause}{advice}"
    match._print_void_attempt(SandboxFailed("no bwrap"))
    assert "a bot could not be started: no bwrap." in " ".join(capsys.readouterr().err.split())
