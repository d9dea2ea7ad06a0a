"""What is odd on the command line, in the environment and in files is said in a sentence, without a traceback."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import webbrowser
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from hexarena.cli.dev.rounds import Rounds, Wanted, bots_elsewhere
from hexarena.cli.dev.state import State
from hexarena.cli.local_pages import open_browser
from hexarena.cli.pool.log import FILE
from hexarena.cli.supervisor import Child, _print_exit
from hexarena.games.lines import Player
from hexarena.games.records import to_text
from tests.cli.test_cli import STARTER, answers, hexarena
from tests.conftest import PATIENCE_S, wait_until
from tests.games.test_conformance import starter_match
from tests.games.test_outside_games import game

LONG = "python3 -c " + "x" * 300
ODD = os.fsdecode(b"b\xff.py")
"""A file name that is not UTF-8."""


def assert_refused(done: subprocess.CompletedProcess[str], *said: str) -> None:
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 2, done.stderr
    for words in said:
        assert words in " ".join(done.stderr.split())


# --- The command line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["match", "yavalath", "--bot", LONG, "--bot", "Pebble", "--seed", "3", "--no-sandbox"],
        ["referee", "yavalath", "-p1", LONG, "-p2", "Pebble", "-d", "seed=3", "--no-sandbox"],
    ],
)
def test_a_command_line_longer_than_a_name_is_a_bot(words: list[str], tmp_path: Path) -> None:
    done = hexarena(tmp_path, *words)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


def test_a_command_line_longer_than_a_name_is_no_file(tmp_path: Path) -> None:
    assert bots_elsewhere([LONG, "~no-such-user/x.py"], tmp_path) == ()
    assert hexarena(tmp_path, "pool", "init", "my", "yavalath").returncode == 0
    assert_refused(hexarena(tmp_path, "pool", "add", "my", LONG), "expected a source file, zip, folder")


@pytest.mark.parametrize(
    "words",
    [
        ["match", "~no-such-user/x", "--bot", "a", "--bot", "b"],
        ["duel", "~no-such-user/x", "a", "b"],
        ["referee", "~no-such-user/x", "-p1", "a", "-p2", "b"],
        ["dev", "~no-such-user/x"],
    ],
)
def test_the_home_of_nobody_is_no_game(words: list[str], tmp_path: Path) -> None:
    assert_refused(hexarena(tmp_path, *words), "expected a game's id or its folder; there is no folder")


def test_a_pool_keeps_no_game_of_nobody(tmp_path: Path) -> None:
    assert_refused(hexarena(tmp_path, "pool", "init", "my", "~no-such-user/x"), "expected a game's id, which is kept")


@pytest.mark.parametrize(
    "words",
    [
        ["match", "GAME", "--bot", "Boss", "--bot", "Boss"],
        ["duel", "GAME", "Boss", "Boss"],
        ["referee", "GAME", "-p1", "Boss", "-p2", "Boss"],
    ],
)
def test_a_game_that_fails_with_an_option_is_named(words: list[str], tmp_path: Path) -> None:
    rules = game(tmp_path, "bad") / "game.py"
    text = rules.read_text()
    setup = "def setup(self, seats: int, seed: int, league: int) -> State:\n"
    assert (text.count(setup), text.count('version="1"')) == (1, 1)
    text = text.replace(setup, setup.replace("league: int)", "league: int, size: int = 1)") + "        seed //= size\n")
    rules.write_text(text.replace('version="1"', 'version="1",\n    options={"size": 1}'))
    named = [str(tmp_path / "bad") if word == "GAME" else word for word in words]
    assert_refused(
        hexarena(tmp_path, *named, "--option", "size=0"), "The game's own code failed: ZeroDivisionError", "(game.py:"
    )


@pytest.mark.parametrize("name", ["self", "none"])
def test_an_option_that_there_is_not_is_refused_whatever_its_name(name: str, tmp_path: Path) -> None:
    done = hexarena(tmp_path, "match", "yavalath", "--bot", "a", "--bot", "b", "--option", f"{name}=1")
    assert_refused(done, f"got {name}")


def test_a_file_name_that_is_no_text_is_a_bot_and_written_with_a_replacement(tmp_path: Path) -> None:
    (tmp_path / ODD).write_text(Path(STARTER).read_text())
    files = ("--replay", "r.jsonl", "--record", "r.rec", "--json", "r.json")
    done = hexarena(tmp_path, "match", "yavalath", "--bot", ODD, "--bot", "Pebble", "--no-sandbox", *files)
    assert done.returncode == 0, done.stderr
    header = json.loads((tmp_path / "r.jsonl").read_text().splitlines()[0])
    assert header["players"][0]["bot"] == "b\ufffd"
    assert json.loads((tmp_path / "r.json").read_text())["bots"][0] == "b\ufffd.py"
    words = ("-p1", ODD, "-p2", "Pebble", "--no-sandbox", "-l", "log.json", "--replay", "r2.jsonl")
    assert hexarena(tmp_path, "referee", "yavalath", *words).returncode == 0
    more = ("--games", "2", "--jobs", "1", "--no-sandbox", "--json", "duel.json")
    assert hexarena(tmp_path, "duel", "yavalath", ODD, "Pebble", *more).returncode == 0
    assert json.loads((tmp_path / "duel.json").read_text())["bots"][0] == "b\ufffd.py"


def test_a_file_name_that_is_no_text_does_not_stop_a_pool(tmp_path: Path) -> None:
    assert hexarena(tmp_path, "pool", "init", "my", "yavalath").returncode == 0
    for name in ("one.py", "two.py", ODD):
        (tmp_path / "my" / name).write_text(Path(STARTER).read_text())
    done = hexarena(tmp_path, "pool", "run", "my", "--games", "1", "--no-sandbox")
    assert done.returncode == 0, done.stderr
    assert "expected a file name that is UTF-8; rename it" in done.stdout
    assert_refused(hexarena(tmp_path, "pool", "rm", "my", ODD.removesuffix(".py")), "expected names that are UTF-8")
    added = hexarena(tmp_path, "pool", "add", "my", f"my/{ODD}", "--name", "odd", "--no-sandbox")
    assert_refused(added, "expected names that are UTF-8")


def test_a_bot_that_two_commands_remove_at_once_is_removed(tmp_path: Path) -> None:
    assert hexarena(tmp_path, "pool", "init", "my", "yavalath").returncode == 0
    assert hexarena(tmp_path, "pool", "add", "my", "Pebble", "--no-sandbox").returncode == 0
    with (tmp_path / "my" / FILE).open("a") as file:
        file.write('{"leave": "Pebble"}\n' * 2)
    assert_refused(hexarena(tmp_path, "pool", "rm", "my", "Pebble"), "expected a bot of the pool: none; got 'Pebble'")
    assert hexarena(tmp_path, "pool", "add", "my", "Pebble", "--no-sandbox").returncode == 0


# --- The environment --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("HEXARENA_OIDC", '[{"id": "google",}]', "HEXARENA_OIDC: expected JSON; "),
        ("HEXARENA_JOIN_STORE", "{", "HEXARENA_JOIN_STORE: expected JSON; "),
        (
            "HEXARENA_OIDC",
            '[{"id": "google", "title": "Google", "client_id": "1", "client_secret": "hidden"}]',
            "HEXARENA_OIDC.0.issuer: Field required",
        ),
        ("HEXARENA_OIDC", '{"client_secret": "hidden"}', "HEXARENA_OIDC: "),
        ("HEXARENA_JOIN_STORE", '{"AWS_SECRET_ACCESS_KEY": ["hidden"]}', "HEXARENA_JOIN_STORE.AWS_SECRET_ACCESS_KEY: "),
        ("HEXARENA_JOIN_REDIS_URL", "http://hidden@there", "HEXARENA_JOIN_REDIS_URL: "),
        ("HEXARENA_PORT", "many", "HEXARENA_PORT: Input should be a valid integer"),
    ],
)
def test_a_wrong_setting_is_named_and_no_secret_is_shown(
    variable: str, value: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    done = hexarena(tmp_path, "version")
    assert_refused(done, said)
    assert ("hidden" in done.stderr, "got 'many'" in done.stderr) == (False, value == "many")


# --- Files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [None, 3, ["x"], [{}]])
def test_a_replay_of_nobody_is_not_saved(players: object, tmp_path: Path) -> None:
    header = {"v": 1, "game": "yavalath"} | ({} if players is None else {"players": players})
    (tmp_path / "r.jsonl").write_text(json.dumps(header) + "\n")
    assert_refused(hexarena(tmp_path, "watch", "r.jsonl", "--save", "o.html"), "r.jsonl: expected a replay file; ")
    assert_refused(hexarena(tmp_path, "watch", "r.jsonl", "--save", "o" * 300), "File name too long")


RECORD = starter_match("yavalath", 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"options": []}, "expected a file that `hexarena match --record` wrote"),
        ({"options": {"size": [1]}}, "expected texts and whole numbers as options"),
        ({"options": {"self": 1}}, "expected no options for Yavalath; got self"),
        ({"players": []}, "expected a text as the bot of each player"),
        ({"players": [], "bots": []}, "expected "),
        ({"players": [{"bot": "a"}] * 3, "bots": ["a"] * 3}, "expected 2 players; got 3"),
        ({"bots": [1, 2]}, "expected a text as the bot of each player"),
        ({"league": 9}, "expected a rules level of 1; got 9"),
        ({"league": "1"}, "expected a whole number as league"),
        ({"seed": str(2**63)}, "expected a signed 64-bit seed"),
        ({"seed": "1" * 5000}, "expected a file that `hexarena match --record` wrote"),
        ({"game": ["yavalath"]}, "expected texts as game and version"),
    ],
)
def test_a_record_of_something_else_is_refused(change: dict[str, object], said: str, tmp_path: Path) -> None:
    text = to_text(RECORD, options={}, bots=["a", "b"], players=[Player("a"), Player("b")])
    opening, *rest = text.splitlines()
    (tmp_path / "r.rec").write_text("\n".join([json.dumps(json.loads(opening) | change), *rest]))
    assert_refused(hexarena(tmp_path, "rerun", "r.rec"), said)


@pytest.mark.parametrize(
    "said", [[0, 5, "crash", "", 0.1, ""], [0, "1 1", "crash", "", "x", ""], [-1, "", "", "", 0, ""]]
)
def test_a_record_with_odd_replies_is_refused(said: list[object], tmp_path: Path) -> None:
    text = to_text(RECORD, options={}, bots=["a", "b"], players=[Player("a"), Player("b")])
    opening, first, *rest = text.splitlines()
    turn = json.dumps(json.loads(first) | {"said": [said]})
    (tmp_path / "r.rec").write_text("\n".join([opening, turn, *rest]))
    assert_refused(hexarena(tmp_path, "rerun", "r.rec"), "turn 1: expected seat, reply, kind")


def test_recordings_may_begin_with_blank_lines(tmp_path: Path) -> None:
    (tmp_path / "ants.jsonl").write_text("\n \n[]\n")
    assert_refused(hexarena(tmp_path, "verify", "ants.jsonl"), "got '[]'")
    (tmp_path / "ants.jsonl").write_text('\n \n{"game": "ants"}\n')
    done = hexarena(tmp_path, "verify", "ants.jsonl")
    assert (done.returncode, "ants.jsonl:3: " in done.stdout) == (1, True), done.stderr


# --- What comes and goes ----------------------------------------------------------------------------------------------


def test_nobody_waits_for_a_browser_in_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    release, served = Event(), Event()

    def browse(_: str) -> None:
        if release.wait(PATIENCE_S):
            served.set()

    monkeypatch.setattr(webbrowser, "open", browse)
    open_browser("http://127.0.0.1/")
    release.set()
    assert served.wait(PATIENCE_S)


@pytest.mark.long
def test_the_page_is_served_while_a_browser_in_the_terminal_shows_it(tmp_path: Path) -> None:
    browser, address = tmp_path / "lynx", tmp_path / "address"
    browser.write_text(
        f'#!/bin/sh\necho "$1" > {address}.new\nmv {address}.new {address}\nwhile kill -0 $PPID; do sleep 0.1; done\n'
    )
    browser.chmod(0o755)
    (tmp_path / "r.jsonl").write_text('{"v": 1, "game": "yavalath"}\n')
    command = [sys.executable, "-m", "hexarena.cli.app", "watch", "r.jsonl"]
    output = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    watching = subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "BROWSER": str(browser)}, **cast(Any, output))
    try:
        wait_until(address.exists, "the browser is opened")
        wait_until(lambda: answers(address.read_text().partition("src=")[0].strip()), "the page is served")
    finally:
        watching.kill()
        watching.wait()


def test_a_part_that_ended_before_it_had_a_log_is_reported(tmp_path: Path) -> None:
    shown = io.StringIO()
    child = Child("worker", cast(Any, SimpleNamespace(exitcode=1)), 0.0)
    _print_exit(child, {"HEXARENA_DATA_FOLDER": str(tmp_path)}, 2.0, Console(file=shown))
    assert "worker ended with 1; it starts again in 2 s." in shown.getvalue()


def test_a_file_that_vanishes_before_it_is_read_is_a_problem_of_its_round(tmp_path: Path) -> None:
    state, shown = State({}), io.StringIO()
    rounds = Rounds(Wanted("yavalath", tmp_path), state, Console(file=shown))
    rounds._act("viewer", "Building the viewer", (tmp_path / "viewer.js").unlink)
    assert "No such file" in state.shown.problems["viewer"]
