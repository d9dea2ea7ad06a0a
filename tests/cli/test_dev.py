"""`hexarena dev`: real files are saved, and real matches and viewers follow."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from hexarena.cli.dev.rounds import bots_elsewhere
from hexarena.cli.dev.sources import match_digest, viewer_digest
from hexarena.cli.dev.state import KEPT, Shown, State
from hexarena.cli.new_game.command import write
from tests import forking
from tests.conftest import wait_until
from tests.development import Development

ROOT = Path(__file__).parents[2]
PACKAGES = ("backend", "bench", "cli", "environments", "games", "migrations", "worker")
Begin = Callable[..., Development]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Starts the command on a new game, and ends it."""
    begun: list[Development] = []

    def start(*words: str, **variables: str) -> Development:
        begun.append(Development(tmp_path, **variables))
        begun[-1].start(*words)
        return begun[-1]

    yield start
    for one in begun:
        if one.process is not None:
            one.stop()
        print(one.said())


@pytest.mark.long
@pytest.mark.sandbox
def test_seats_and_seed_are_those_of_the_command_and_the_bots_are_the_games_own(begin: Begin) -> None:
    developed = begin("--seats", "4", "--seed", "7")
    output = developed.wait(lambda output: output["match"] and output["viewer"], "the first match is shown")
    header, *_, end = developed.replay(output["match"])
    assert (header["seed"], header["game"]) == ("7", "claims")
    assert [player["bot"] for player in header["players"]] == ["starter", "Boss", "starter", "Boss"]
    assert len(end["ranks"]) == 4
    assert (output["problems"], output["note"], output["aside"]) == ([], "", 0)
    with urlopen(f"{developed.url}/viewers/{output['viewer']}.js") as viewer:
        assert viewer.headers["Content-Type"] == "text/javascript"
        assert b"export" in viewer.read()


@pytest.mark.long
def test_only_this_machine_may_ask(begin: Begin) -> None:
    developed = begin("--no-sandbox")
    output = developed.wait(lambda output: output["match"], "the first match is shown")
    for path in (f"matches/{output['match']}", "events"):
        with pytest.raises(HTTPError, match="421"):
            urlopen(Request(f"{developed.url}/{path}", headers={"Host": "attacker.example"}))
    for path in ("matches/99", "viewers/99.js", "elsewhere"):
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{developed.url}/{path}")


@pytest.mark.long
def test_a_bot_from_elsewhere_is_followed_too(begin: Begin, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    write("copied", (2, 3, 4), mine, simultaneous=True)
    (mine / "starter.py").rename(mine / "bot.py")
    developed = begin("--no-sandbox", "--bot", str(mine / "bot.py"), "--seats", "3")
    before = developed.wait(lambda output: output["match"], "the first match is shown")["match"]
    header, first, *_ = developed.replay(before)
    assert [player["bot"] for player in header["players"]] == ["bot"] * 3
    text = (mine / "bot.py").read_text()
    assert "(7 * me)" in text
    (mine / "new.py").write_text(text.replace("(7 * me)", "(5 * me)"))
    (mine / "new.py").replace(mine / "bot.py")
    after = developed.wait(lambda output: output["match"] > before, "the match is played again")["match"]
    assert [pick[1] for pick in first["picks"]] == [0, 7, 14]
    assert [pick[1] for pick in developed.replay(after)[1]["picks"]] == [0, 5, 10]


@pytest.mark.long
def test_rules_without_end_are_left_when_they_are_saved_again(begin: Begin) -> None:
    developed = begin("--no-sandbox")
    before = developed.wait(lambda output: output["match"], "the first match is shown")["match"]
    step = "        owners = list(state.owners)\n"
    developed.edit("game.py", step, f"        while True: pass\n{step}")
    wait_until(lambda: developed.output()["doing"].startswith("Playing"), "it plays")
    developed.edit("game.py", f"        while True: pass\n{step}", f"{step}        del named\n")
    developed.wait(lambda output: output["problems"], "the error of the second save is reported")
    assert "NameError" in developed.said() or "UnboundLocalError" in developed.said()
    developed.edit("game.py", f"{step}        del named\n", step)
    developed.wait(lambda output: output["match"] > before and not output["problems"], "the match is played again")


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_of_it_even_in_the_middle_of_a_match(begin: Begin, number: int) -> None:
    developed = begin("--no-sandbox")
    developed.wait(lambda output: output["match"], "the first match is shown")
    step = "        owners = list(state.owners)\n"
    developed.edit("game.py", step, f"        while True: pass\n{step}")
    wait_until(lambda: developed.output()["doing"].startswith("Playing"), "it plays")
    wait_until(lambda: any("/builds/" in line for line in developed.left_over()), "its bots run")
    assert developed.stop(number) == 0
    wait_until(lambda: developed.left_over() == [], f"all its processes end: {developed.left_over()}")
    assert "Traceback" not in developed.said()


@pytest.mark.long
def test_a_game_that_is_broken_from_the_start_is_waited_for(tmp_path: Path) -> None:
    developed = Development(tmp_path)
    developed.edit("game.py", "class State:", "class State")
    developed.start("--no-sandbox")
    try:
        output = developed.wait(lambda output: output["problems"], "the error is reported")
        assert output["match"] == 0
        assert "SyntaxError: expected ':' (game.py:" in output["problems"][0]["text"]
        developed.edit("game.py", "class State", "class State:")
        output = developed.wait(lambda output: output["match"] and not output["problems"], "the match is shown")
    finally:
        developed.stop()


@pytest.mark.long
def test_an_error_is_shown_without_what_came_before_it(begin: Begin) -> None:
    """Rules may write to standard error, and without a sandbox we do."""
    developed = begin("--no-sandbox")
    developed.wait(lambda output: output["match"], "the first match is shown")
    step = "        owners = list(state.owners)\n"
    developed.edit("game.py", step, f"        import sys; print('noise', file=sys.stderr); {{}}['missing']\n{step}")
    text = developed.wait(lambda output: output["problems"], "the error is reported")["problems"][0]["text"]
    assert text.startswith('  File "game.py", line ')
    assert text.rstrip().endswith("KeyError: 'missing'")
    assert "ISOLATION" not in text


@pytest.mark.long
def test_a_save_that_changes_nothing_plays_nothing(begin: Begin) -> None:
    developed = begin("--no-sandbox")
    output = developed.wait(lambda output: output["match"] and output["viewer"], "the first match is shown")
    (developed.folder / "statement.md").write_text("# Claims\n")
    (developed.folder / "game.py").touch()
    developed.edit("viewer.ts", "rate: 2", "rate: 3")
    now = developed.wait(lambda now: now["viewer"] > output["viewer"], "the viewer is built again")
    assert (now["match"], developed.said().count("Match ")) == (output["match"], 1)


def refused(*words: str) -> str:
    """What it says before it gives up."""
    done = forking.run("hexarena.cli.app", "dev", *words, "--no-open", env={**os.environ, "COLUMNS": "200"})
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    return " ".join((done.stderr + done.stdout).split())


def test_a_port_that_is_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"Port {port} is in use" in refused("yavalath", "--port", port)
    assert "expected a port that may be listened at; got 70000" in refused("yavalath", "--port", "70000")


def test_a_game_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "expected a game, one of" in refused("nothing")
    (tmp_path / "ants").mkdir()
    (tmp_path / "ants" / "game.py").write_text("GAME = None\n")
    assert "there is a game ants already" in refused(str(tmp_path / "ants"))


@pytest.mark.long
def test_wrong_seats_are_reported_and_wait_for_a_save(begin: Begin) -> None:
    developed = begin("--no-sandbox", "--seats", "9")
    output = developed.wait(lambda output: output["problems"], "the error is reported")
    assert "expected 2 or 3 or 4 seats, as Claims has; got 9" in output["problems"][0]["text"]


@pytest.mark.long
def test_without_a_checkout_a_shipped_viewer_is_shown(begin: Begin, tmp_path: Path) -> None:
    """An installed package: the same code, and pages, but nothing to build with."""
    developed = begin("--no-sandbox")
    output = developed.wait(lambda output: output["viewer"], "the viewer is built")
    with urlopen(f"{developed.url}/viewers/{output['viewer']}.js") as viewer:
        shipped = viewer.read()
    developed.stop()
    installed = tmp_path / "installed" / "hexarena"
    ignored = shutil.ignore_patterns("__pycache__", "*.ts", "pictures")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, installed / name, ignore=ignored)
    shutil.copy(ROOT / "src" / "hexarena" / "__init__.py", installed)
    (installed / "backend" / "web").symlink_to(ROOT / "frontend" / "dist")
    elsewhere = begin("--no-sandbox", PYTHONPATH=str(installed.parent))
    output = elsewhere.wait(lambda output: output["match"] and output["note"], "it says what is missing")
    assert "needs a checkout of Hexarena, and Node" in output["note"]
    assert (output["viewer"], output["problems"]) == (0, [])
    (elsewhere.folder / "viewer.js").write_bytes(shipped)
    output = elsewhere.wait(lambda output: output["viewer"], "the shipped one is there")
    assert "viewer.js is shown" in output["note"]
    with urlopen(f"{elsewhere.url}/viewers/{output['viewer']}.js") as viewer:
        assert viewer.read() == shipped
    elsewhere.edit("game.py", "random.randint(1, 9)", "random.randint(2, 9)")
    elsewhere.wait(lambda now: now["match"] > output["match"], "rules are still followed")


def test_what_decides_about_matches_and_what_about_the_picture(tmp_path: Path) -> None:
    def digests() -> tuple[str, str]:
        known = {"starter.ts"}
        return match_digest(tmp_path, (), known), viewer_digest(tmp_path, known)

    def changed() -> tuple[bool, bool]:
        nonlocal last
        before, last = last, digests()
        return before[0] != last[0], before[1] != last[1]

    last = digests()
    (tmp_path / "game.py").write_text("1")
    assert changed() == (True, False)
    (tmp_path / "game.py").write_text("2")
    assert changed() == (True, False)
    (tmp_path / "viewer.ts").write_text("1")
    assert changed() == (False, True)
    (tmp_path / "starter.ts").write_text("1")
    assert changed() == (True, False)
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "other.ts").write_text("1")
    assert changed() == (True, False)
    (tmp_path / "statement.md").write_text("1")
    (tmp_path / ".game.py.swp").write_text("1")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "game.py").write_text("1")
    assert changed() == (False, False)
    (tmp_path / "game.py").unlink()
    assert changed() == (True, False)


def test_bots_elsewhere_are_files_outside_the_game(tmp_path: Path) -> None:
    game, mine = tmp_path / "game", tmp_path / "mine.py"
    game.mkdir()
    (game / "boss.py").touch()
    mine.touch()
    assert bots_elsewhere(["Boss", str(game / "boss.py"), str(mine), "python3 nowhere.py"], game) == (mine,)


def test_what_is_shown_is_kept_however_many_follow() -> None:
    state = State({})
    first = state.add_match("first")
    state.show(Shown(match=first))
    others = [state.add_match(str(number)) for number in range(3 * KEPT)]
    assert state.match(first) == "first"
    assert [state.match(number) is not None for number in others] == [False] * 2 * KEPT + [True] * KEPT
