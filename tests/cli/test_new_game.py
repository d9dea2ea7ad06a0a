"""`hexarena new-game` and `hexarena check`: a new game passes as it stands, and each kind of broken game is caught."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hexarena.cli.check.command import CHECKS


def hexarena(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """The command, without games from elsewhere."""
    environment = {name: value for name, value in os.environ.items() if name != "HEXARENA_GAMES"}
    return subprocess.run(
        [sys.executable, "-m", "hexarena.cli", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env=environment | {"COLUMNS": "200"},
    )


def findings(folder: Path, *only: str) -> dict[str, tuple[str, str]]:
    """Check -> its result, and what it told."""
    done = hexarena("check", folder, "--json", *(word for name in only for word in ("--only", name)))
    assert done.stdout, done.stderr
    found = {one["check"]: (one["result"], one["told"]) for one in json.loads(done.stdout)}
    assert done.returncode == int(any(result == "failed" for result, _ in found.values()))
    return found


def files_of(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new game, simultaneous, for two to four seats."""
    into = tmp_path_factory.mktemp("games")
    done = hexarena("new-game", "sound", "--seats", "2-4", "--simultaneous", "--into", into)
    assert done.returncode == 0, done.stderr
    return into / "sound"


def test_a_new_game_has_five_short_files(sound: Path) -> None:
    files = files_of(sound)
    assert sorted(files) == ["boss.py", "game.py", "starter.py", "statement.md", "viewer.ts"]
    assert sum(len(text.splitlines()) for text in files.values()) < 300
    assert [name for name, text in files.items() if re.search("@[A-Z_]+@", text)] == []


@pytest.mark.parametrize("words", [("--seats", "2-4", "--simultaneous"), ("--seats", "3"), ()], ids=str)
def test_a_new_game_passes_every_check(words: tuple[str, ...], tmp_path: Path) -> None:
    assert hexarena("new-game", "fresh", *words, "--into", tmp_path).returncode == 0
    found = findings(tmp_path / "fresh")
    assert list(found) == list(CHECKS)
    assert found == dict.fromkeys(CHECKS, ("passed", ""))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("Claims",), "small letters"),
        (("../claims",), "small letters"),
        (("ants",), "already"),
        (("claims", "--seats", "1"), "expected seats"),
        (("claims", "--seats", "4-2"), "expected seats"),
        (("claims", "--seats", "2-99"), "expected seats"),
        (("claims", "--seats", "two"), "expected seats"),
    ],
)
def test_a_game_that_cannot_be_made_is_refused(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = hexarena("new-game", *words, "--into", tmp_path)
    assert done.returncode != 0
    assert says in done.stderr + done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "claims").mkdir()
    done = hexarena("new-game", "claims", "--into", tmp_path)
    assert done.returncode != 0
    assert "exists already" in done.stderr + done.stdout
    assert list((tmp_path / "claims").iterdir()) == []


RULES, PICTURE, TEXT = "game.py", "viewer.ts", "statement.md"
OWNERS = "        owners = list(state.owners)\n"
STEP = "    const owners = [...before.owners]\n"
BROKEN = {
    "four seats cannot play": (
        "seats",
        RULES,
        "random = Random(seed)",
        "random = Random(seed if seats < 4 else 1 // 0)",
    ),
    "the ladder plays with five": ("manifest", RULES, "ladder_entrants=(4, 3, 2)", "ladder_entrants=(5,)"),
    "a syntax error": ("manifest", RULES, "class State:", "class State"),
    "the boss is missing": ("manifest", RULES, '"boss.py"', '"bos.py"'),
    "scores are no numbers": ("seats", RULES, "ranks, tuple(points)", "ranks, (float('nan'),) * len(points)"),
    "it never ends": ("seats", RULES, "max_turns=CELLS + 1", "max_turns=3"),
    "ties take the worse place": ("failures", RULES, "sum(other > key for", "-1 + sum(other >= key for"),
    "who is out is asked": ("failures", RULES, "if state.out[seat] is None]", "if seat >= 0]"),
    "who fails wins": ("losers", RULES, "state.out[seat] or CELLS + 2", "-(state.out[seat] or CELLS + 2)"),
    "a step changes the state": ("states", RULES, OWNERS, OWNERS + '        object.__setattr__(state, "turn", 9)\n'),
    "chance without the seed": ("repeats", RULES, "Random(seed)", "Random()"),
    "parse raises": ("junk", RULES, "small_int(reply) if reply.isascii() and reply.isdigit() else None", "int(reply)"),
    "one entrant gets all seats": ("deals", RULES, "(GAME)", "deal=lambda entrants, seed: (0,) * entrants,"),
    "the boss crashes with four": ("bots", "boss.py", "values = list", "assert seats < 4\nvalues = list"),
    "it reads the clock": ("pure", RULES, "from random import", "import time\nfrom random import"),
    "no section on output": ("statement", TEXT, "## Output", "## What else"),
    "the example is out of date": ("example", RULES, "random.randint(1, 9)", "random.randint(2, 9)"),
    "the example is not legal": ("example", TEXT, "```output\n0\n", "```output\n99\n"),
    "a place in the picture is no number": ("viewer", PICTURE, "y + 0.52)", "y / a.last.length - y)"),
    "the viewer throws late": ("viewer", PICTURE, STEP, STEP + "    if (frame.t === 5) throw new Error('here')\n"),
    "a step changes the picture before": ("viewer", PICTURE, "[...before.owners]", "before.owners"),
    "the viewer has a wrong type": ("viewer", PICTURE, "rate: 2", "rate: '2'"),
    "a wrong type": ("types", RULES, "turn: int = 0", "turn: int = None"),
    "an import that nobody uses": ("lint", RULES, "from random import", "import math\nfrom random import"),
}
"""What is wrong -> the check that is meant for it, and the change to a sound game that makes it so."""


@pytest.mark.parametrize("wrong", BROKEN)
def test_a_broken_game_is_caught_by_the_check_meant_for_it(wrong: str, sound: Path, tmp_path: Path) -> None:
    meant, file, old, new = BROKEN[wrong]
    if old == "(GAME)":
        old, new = "    mirrored_seats=False,\n", f"    mirrored_seats=False,\n    {new}\n"
    folder = tmp_path / sound.name
    shutil.copytree(sound, folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / file).read_text()
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new))
    result, told = findings(folder, meant)[meant]
    assert result == "failed"
    assert told


TRICKS = Path(__file__).parents[2] / "docs" / "examples" / "tricks"
BROKEN_TRICKS = {
    "hidden from a seat that is not there": ("hidden", RULES, "return dict(state.drawn)", "return {9: 1}"),
    "hidden, but nothing is": (
        "hidden",
        RULES,
        "    hidden=TRICKS,\n",
        "    hidden=type('', (), {'hidden_header': lambda _: {}, 'hidden_frame': lambda _: {}}),\n",
    ),
    "lines without an end": ("tell", RULES, 'range(len(state.hands))) + "\\n"', "range(len(state.hands)))"),
    "a place that moves": ("failures", RULES, "other is None or other > trick", "other is None"),
    "backs of cards cannot be drawn": (
        "viewer",
        PICTURE,
        "card == null ? theme.players[seat]!",
        "card!.toFixed() && ''",
    ),
    "an option is a list": ("manifest", RULES, '("shuffled", "equal")', '["shuffled", "equal"]'),
    "hidden without its functions": ("manifest", RULES, "def hidden_frame(", "def hid_frame("),
}


def test_the_example_with_hidden_cards_passes_every_check() -> None:
    found = findings(TRICKS)
    assert {name: one for name, one in found.items() if one[0] != "passed"} == {}
    assert list(found) == list(CHECKS)


@pytest.mark.parametrize("wrong", BROKEN_TRICKS)
def test_a_game_that_hides_wrongly_is_caught(wrong: str, tmp_path: Path) -> None:
    meant, file, old, new = BROKEN_TRICKS[wrong]
    folder = tmp_path / "tricks"
    shutil.copytree(TRICKS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / file).read_text()
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new))
    result, told = findings(folder, meant)[meant]
    assert result == "failed", told


def test_a_game_without_a_viewer_is_caught(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / sound.name
    shutil.copytree(sound, folder, ignore=shutil.ignore_patterns("__pycache__", "viewer.ts"))
    assert findings(folder, "viewer")["viewer"][0] == "failed"
