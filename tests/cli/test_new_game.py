"""`hexarena new-game` and `hexarena check`: a new game passes as it stands, and each kind of broken game is caught."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hexarena.cli.check.command import CHECKS, _stopped_after
from hexarena.cli.new_game.command import CONSTANTS
from tests import forking
from tests.conftest import PATIENCE_S


def hexarena(*words: str | Path, games: str = "") -> subprocess.CompletedProcess[str]:
    """The command, with no games from elsewhere but these."""
    environment = {**os.environ, "HEXARENA_GAMES": games, "COLUMNS": "200"}
    return forking.run("hexarena.cli", *map(str, words), env=environment)


def findings(folder: Path, *only: str, games: str = "") -> dict[str, tuple[str, str]]:
    """Check -> its result, and its detail."""
    done = hexarena("check", folder, "--json", *(word for name in only for word in ("--only", name)), games=games)
    assert done.stdout, done.stderr
    found = {one["check"]: (one["result"], one["detail"]) for one in json.loads(done.stdout)}
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


KINDS = [
    ("--seats", "2-4", "--simultaneous"),
    ("--seats", "3"),
    (),
    ("--hidden",),
    ("--seats", "2-4", "--hidden", "--simultaneous"),
    ("--seats", "8", "--simultaneous"),
]
OF_NO_NEW_GAME = {"tell": "the game has no `tell`", "machine": "the game has no machine view"}
OF_SIMULTANEOUS = re.compile(r"GONE|\bgone\b|-2\b|simultaneous|several|everybody|same turn", re.IGNORECASE)
OF_IN_TURN = re.compile(r"one after the other|alternating|next_seat|the next seat", re.IGNORECASE)


@pytest.mark.long
@pytest.mark.parametrize("words", KINDS, ids=str)
def test_a_new_game_passes_every_check_and_says_which_are_of_no_use(words: tuple[str, ...], tmp_path: Path) -> None:
    assert hexarena("new-game", "fresh", *words, "--into", tmp_path).returncode == 0
    found = findings(tmp_path / "fresh")
    assert list(found) == list(CHECKS)
    skipped = OF_NO_NEW_GAME | {"in_person": "the game is not played in person: in_person=False"}
    if "--hidden" not in words:
        skipped["hidden"] = "the game hides nothing"
    assert {name: output for name, (result, output) in found.items() if result == "skipped"} == skipped
    assert {name for name, (result, _) in found.items() if result == "passed"} == CHECKS.keys() - skipped.keys()
    assert re.match(r"(of \d+ comparisons with a starter in \d+ matches, )?Boss won \d+", found["boss"][1])


@pytest.mark.parametrize("words", KINDS, ids=str)
def test_no_game_can_be_called_like_a_constant_of_its_own(words: tuple[str, ...], tmp_path: Path) -> None:
    assert hexarena("new-game", "fresh", *words, "--into", tmp_path).returncode == 0
    text = (tmp_path / "fresh" / "game.py").read_text()
    names = {
        name for line in re.findall(r"^([A-Z_]+(?:, [A-Z_]+)*) = ", text, re.MULTILINE) for name in line.split(", ")
    }
    assert {"WIDTH", "FREE"} < names <= CONSTANTS | {"FRESH"}


@pytest.mark.parametrize("words", KINDS, ids=str)
def test_a_new_game_has_five_short_files_with_texts_of_its_own_kind(words: tuple[str, ...], tmp_path: Path) -> None:
    assert hexarena("new-game", "fresh", *words, "--into", tmp_path).returncode == 0
    files = files_of(tmp_path / "fresh")
    assert sorted(files) == ["boss.py", "game.py", "starter.py", "statement.md", "viewer.ts"]
    assert sum(len(text.splitlines()) for text in files.values()) <= 300
    text = "\n".join(files.values())
    assert re.findall(r"@[A-Z_]+@|^@[a-z]+\|", text, re.MULTILINE) == []
    foreign = OF_IN_TURN if "--simultaneous" in words else OF_SIMULTANEOUS
    assert foreign.findall(text) == []
    assert ("wish" in text, "hidden" in text.lower()) == ("--hidden" in words,) * 2


def test_seats_that_fail_one_after_the_other_do_not_make_a_new_game_longer_than_it_says(tmp_path: Path) -> None:
    """A turn in which a seat goes out takes no cell."""
    assert hexarena("new-game", "fresh", "--seats", "8", "--into", tmp_path).returncode == 0
    code = """
from hexarena.cli.check.subject import Scripted, Subject
from hexarena.games.catalogue import find_game, game_folder
from hexarena.games.contract import Crashed
game = find_game("fresh")
class Late(Scripted):
    def ask(self, prompt, seconds):
        owners = prompt.splitlines()[-1].split()
        if self.fault and owners.count("-1") <= 9: raise self.fault
        self.replies = [str(owners.index("-1"))]
        return super().ask(prompt, seconds)
late = [Late([""], Crashed("")) for _ in range(6)]
print(len(Subject(game, game_folder("fresh"), None).play([*late, Late([""]), Late([""])]).turns), game.max_turns)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HEXARENA_GAMES": str(tmp_path)},
    )
    assert done.stdout.split() == ["70", "70"], done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("Claims",), "small letters"),
        (("../claims",), "small letters"),
        (("ants",), "already"),
        (("lines",), "a part of Hexarena"),
        (("cells",), "CELLS is a constant of every new game"),
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


def test_hints_can_be_copied_where_a_path_has_a_blank(tmp_path: Path) -> None:
    into = tmp_path / "my games"
    said = hexarena("new-game", "fresh", "--into", into).stderr
    assert f"hexarena check '{into}/fresh'" in said
    pair = ("--bot", "Boss", "--bot", "Boss", "--no-sandbox")
    played = hexarena("match", into / "fresh", *pair, "--replay", into / "one.jsonl").stdout
    assert f"HEXARENA_GAMES='{into}/fresh' hexarena watch '{into}/one.jsonl'" in played
    (into / "silent.py").write_text("pass\n")
    duel = ("duel", into / "fresh", into / "silent.py", "Boss", "--games", "2", "--jobs", "1", "--no-sandbox")
    done = hexarena(*duel)
    assert f"Play it again with: HEXARENA_GAMES='{into}/fresh' hexarena match fresh" in done.stdout, done.stderr


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
    "it never ends": ("seats", RULES, "max_turns=CELLS,", "max_turns=3,"),
    "ties take the worse place": ("failures", RULES, "sum(other > key for", "-1 + sum(other >= key for"),
    "who is out is asked": ("failures", RULES, "if state.out[seat] is None]", "if seat >= 0]"),
    "who fails wins": ("losers", RULES, "state.out[seat] or 2 * CELLS", "-(state.out[seat] or 2 * CELLS)"),
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
    "the boss plays as badly as it can": ("boss", "boss.py", "-values[cell]", "values[cell]"),
    "a person is to play, but no viewer asks": ("in_person", RULES, "(GAME)", "in_person=True,"),
    "an import that nobody uses": ("lint", RULES, "from random import", "import math\nfrom random import"),
}
"""What is wrong -> the check that is meant for it, and the change to a sound game that makes it so."""


@pytest.mark.long
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
    result, output = findings(folder, meant)[meant]
    assert result == "failed"
    assert output


@pytest.fixture
def broken(sound: Path, tmp_path: Path) -> Callable[[str, str, str], Path]:
    """Copies the sound game with a change: file, old text, new text."""

    def change(file: str, old: str, new: str) -> Path:
        folder = tmp_path / sound.name
        shutil.copytree(sound, folder, ignore=shutil.ignore_patterns("__pycache__"))
        text = (folder / file).read_text()
        assert text.count(old) == 1
        (folder / file).write_text(text.replace(old, new))
        return folder

    return change


Change = Callable[[str, str, str], Path]


def line_of(folder: Path, file: str, text: str) -> int:
    return next(at for at, line in enumerate((folder / file).read_text().splitlines(), 1) if text in line)


def test_an_exception_is_reported_with_its_innermost_line_in_the_games_folder(broken: Change) -> None:
    folder = broken(RULES, OWNERS, f"{OWNERS}        Random(1).choice([][: state.turn])\n")
    line = line_of(folder, RULES, "Random(1).choice")
    output = f"with 2 seats: the game raises IndexError: Cannot choose from an empty sequence (game.py:{line})"
    assert findings(folder, "seats", "repeats") == {"seats": ("failed", output), "repeats": ("failed", output)}


def test_a_weak_boss_is_reported_with_figures(broken: Change) -> None:
    output = findings(broken("boss.py", "-values[cell]", "values[cell]"), "boss")["boss"][1]
    figures = r"of \d+ comparisons with a starter in \d+ matches, Boss won \d+(, tied \d+)? and lost \d+"
    assert re.fullmatch(f"{figures}; a boss should win more than half", output)


def test_a_boss_that_is_the_starter_is_reported_without_a_match(broken: Change) -> None:
    folder = broken("starter.py", "while True:", "while True:")
    (folder / "boss.py").write_text((folder / "starter.py").read_text())
    output = "Boss is the same program as the starter: boss.py and starter.py"
    assert findings(folder, "boss") == {"boss": ("failed", output)}


@pytest.mark.long
def test_rules_that_never_end_are_stopped_and_so_is_the_command(broken: Change) -> None:
    folder = broken(RULES, OWNERS, f"{OWNERS}        while state.turn:\n            pass\n")
    line = line_of(folder, RULES, "while state.turn")
    code = f"""
from hexarena.cli.check import command
command.MOST_CPU_S, command.LAST_S = 2.0, 1.0
command.check({str(folder)!r}, only=["seats", "in_person", "viewer", "lint"])
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == 1, done.stderr
    what = "failed seats: with 2 seats: the game raises TimeoutError: no end within 2 s of CPU time"
    assert re.search(rf"{what} \(game.py:({line}|{line + 1})\)", done.stdout), done.stdout
    assert "failed viewer: left: it was not over" in done.stdout


@pytest.mark.long
def test_what_other_threads_compute_is_not_counted_as_the_checks() -> None:
    over = threading.Event()

    def compute() -> None:
        while not over.is_set():
            pass

    beside = [threading.Thread(target=compute) for _ in range(3)]
    for one in beside:
        one.start()
    try:
        with _stopped_after(0.5):
            end_s = time.thread_time() + 0.3
            while time.thread_time() < end_s:
                pass
        with pytest.raises(TimeoutError, match=r"no end within 0\.5 s"), _stopped_after(0.5):
            compute()
    finally:
        over.set()
        for one in beside:
            one.join()


@pytest.mark.long
@pytest.mark.parametrize(
    ("changed", "output"),
    [
        ("    hidden=", "there is hidden_header and hidden_frame, but GAME has no hidden=, so nobody calls it"),
        ("    in_person=", "the viewer has an `ask`, but GAME has no in_person=True, so nobody is asked"),
    ],
)
def test_what_the_manifest_forgets_is_reported(changed: str, output: str, tmp_path: Path) -> None:
    words = ("--hidden",) if "hidden" in changed else ()
    assert hexarena("new-game", "fresh", *words, "--into", tmp_path).returncode == 0
    folder = tmp_path / "fresh"
    if words:
        lines = (folder / RULES).read_text().splitlines(keepends=True)
        assert sum(line.startswith(changed) for line in lines) == 1
        (folder / RULES).write_text("".join(line for line in lines if not line.startswith(changed)))
        result, said = findings(folder, "manifest")["manifest"]
        assert (result, said.partition(" (")[0]) == ("failed", output)
    else:
        viewer = (folder / PICTURE).read_text()
        (folder / PICTURE).write_text(viewer.replace("  draw(", "  ask: {},\n  draw(", 1))
        assert findings(folder, "in_person") == {"in_person": ("failed", output)}


@pytest.mark.long
def test_a_viewer_that_throws_is_reported_with_the_turn(broken: Change) -> None:
    folder = broken(PICTURE, STEP, f"{STEP}    if (frame.t === 6) throw new Error('lost')\n")
    assert findings(folder, "viewer")["viewer"][1].endswith("badly:\nturn 6, step: Error: lost")


@pytest.mark.long
def test_a_bot_that_crashes_is_reported_with_its_last_words_and_the_same_thing_only_once(broken: Change) -> None:
    folder = broken("starter.py", "while True:", "while True:\n    assert seats < 4, 'too many'")
    line = line_of(folder, "starter.py", "too many")
    done = hexarena("check", folder, "--only", "seats", "--only", "junk", "--only", "bots")
    died = f"expected a reply, but the bot closed its output: AssertionError: too many (line {line})"
    assert f"failed seats: with 4 seats, the starter has faults: seat 0, turn 1: {died}" in done.stdout
    assert f"failed bots: with 4 seats, starter.py has a fault: {died}" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    rules = (folder / RULES).read_text()
    (folder / RULES).write_text(rules.replace("random = Random(seed)", "random = Random(seed // 0)"))
    assert (
        "failed repeats: the same as seats" in hexarena("check", folder, "--only", "seats", "--only", "repeats").stdout
    )


@pytest.mark.long
def test_types_are_reported_with_the_games_own_file_names(broken: Change) -> None:
    folder = broken(RULES, "turn: int = 0", "turn: int = None")
    output = findings(folder, "types")["types"][1]
    assert output.startswith(f"mypy finds:\ngame.py:{line_of(folder, RULES, 'turn: int = None')}: error")


def test_the_summary_counts_what_was_skipped_apart(sound: Path) -> None:
    done = hexarena("check", sound, "--only", "tell", "--only", "machine", "--only", "pure")
    assert done.stdout.splitlines() == [
        "skipped tell: the game has no `tell`",
        "skipped machine: the game has no machine view",
        "passed pure",
        "1 passed, 0 failed, 2 skipped",
    ]


def test_a_broken_folder_beside_a_sound_game_of_its_name_is_reported(sound: Path, broken: Change) -> None:
    folder = broken(RULES, "class State:", "class State")
    line = line_of(folder, RULES, "class State")
    output = f"SyntaxError: expected ':' (game.py:{line}) ({folder})"
    assert findings(folder, games=str(sound.parent)) == {"manifest": ("failed", output)}


def test_a_folder_with_the_name_of_a_game_of_the_repository_is_refused(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ants"
    shutil.copytree(sound, folder)
    assert re.match("expected a folder with a name of its own.* a game ants already", findings(folder)["manifest"][1])


@pytest.mark.parametrize(
    ("named", "says"),
    [("empty", "{folder} has neither"), ("sound", "it is not set"), ("gone", "there is no folder {folder}")],
)
def test_what_is_no_game_is_explained(named: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    word = named if named == "sound" else str(tmp_path / named)
    done = hexarena("check", word)
    assert done.returncode == 1
    assert says.format(folder=tmp_path / named) in done.stdout
    assert "HEXARENA_GAMES" in done.stdout or named != "sound"


def test_the_folder_that_one_is_in_is_a_game_too(sound: Path) -> None:
    done = forking.run("hexarena.cli", "check", ".", "--only", "pure", cwd=sound, env=os.environ)
    assert done.stdout.startswith("passed pure"), done.stdout + done.stderr


@pytest.mark.long
def test_a_match_takes_a_folder_and_a_pool_says_why_it_does_not(sound: Path, tmp_path: Path) -> None:
    words = ("--bot", "starter", "--bot", "Boss", "--no-sandbox")
    played = hexarena("match", sound, *words, "--replay", tmp_path / "r.jsonl")
    assert f"Watch it with: HEXARENA_GAMES={sound} hexarena watch" in played.stdout, played.stderr
    assert hexarena("match", sound.name, *words, games=str(sound)).returncode == 0
    refused = hexarena("match", sound.name, *words)
    assert refused.returncode == 2
    assert "HEXARENA_GAMES names the folders of other games; it is not set" in " ".join(refused.stderr.split())
    kept = " ".join(hexarena("pool", "init", tmp_path / "pool", sound).stderr.split())
    assert f"Set HEXARENA_GAMES={sound}, and name {sound.name}" in kept


ASK = """  ask: {
    prompt: () => 'Choose a cell.',
    example: () => '0',
    point: (input, [x, y]) => ({ ...input, commands: [String(5 * Math.floor(y) + Math.floor(x))] }),
    places: (_, { state }) =>
      [...Array(25).keys()]
        .filter((cell) => state.owners[cell] === undefined)
        .map((cell) => [(cell % 5) + 0.5, Math.floor(cell / 5) + 0.5]),
    draw() {},
  },
"""
BROKEN_ASK = {
    "": ("", ""),
    "ask lacks draw": ("    draw() {},\n", ""),
    "turn 1, ask.example: ask.example gives": ("'0'", "''"),
    "the reply 'zero', which cannot be read": ("'0'", "'zero'"),
    "ask.point does nothing": (
        "({ ...input, commands: [String(5 * Math.floor(y) + Math.floor(x))] })",
        "(x < y ? input : input)",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("says", BROKEN_ASK)
def test_how_a_person_is_asked_is_tried(says: str, broken: Change) -> None:
    folder = broken(RULES, "    mirrored_seats=False,\n", "    mirrored_seats=False,\n    in_person=True,\n")
    picture = (folder / PICTURE).read_text()
    ask = ASK.replace(*BROKEN_ASK[says])
    (folder / PICTURE).write_text(picture.replace("  rate: 2,\n", f"  rate: 2,\n{ask}"))
    result, output = findings(folder, "in_person")["in_person"]
    assert result == ("failed" if says else "passed"), output
    assert says in output


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
    "nothing told is None": (
        "tell",
        RULES,
        "        cards = dict(state.played)\n",
        "        if state.trick == 2:\n            return None\n        cards = {}\n",
    ),
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


@pytest.mark.long
def test_the_example_with_hidden_cards_passes_every_check() -> None:
    found = findings(TRICKS)
    assert {name: one for name, one in found.items() if one[0] != "passed"} == {
        "machine": ("skipped", "the game has no machine view")
    }
    assert list(found) == list(CHECKS)
    assert "this check cannot see" in found["hidden"][1]


@pytest.mark.long
@pytest.mark.parametrize("wrong", BROKEN_TRICKS)
def test_a_game_that_hides_wrongly_is_caught(wrong: str, tmp_path: Path) -> None:
    meant, file, old, new = BROKEN_TRICKS[wrong]
    folder = tmp_path / "tricks"
    shutil.copytree(TRICKS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / file).read_text()
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new))
    result, output = findings(folder, meant)[meant]
    assert result == "failed", output


def test_a_game_without_a_viewer_is_caught(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / sound.name
    shutil.copytree(sound, folder, ignore=shutil.ignore_patterns("__pycache__", "viewer.ts"))
    assert findings(folder, "viewer")["viewer"][0] == "failed"


@pytest.mark.parametrize(
    "command",
    [
        ["match", "--bot", "Boss", "--bot", "starter"],
        ["duel", "Boss", "starter"],
        ["referee", "-p1", "Boss", "-p2", "starter"],
    ],
)
def test_rules_that_raise_are_named_where_they_do_and_nothing_of_ours(
    command: list[str], sound: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "sound"
    shutil.copytree(sound, folder)
    rules = folder / "game.py"
    rules.write_text(rules.read_text().replace("list(state.owners)\n        for", "list(state.ownerz)\n        for"))
    done = hexarena(command[0], folder, *command[1:], "--no-sandbox")
    assert done.returncode == 2
    said = r"The game's own code failed: AttributeError: 'State' object has no attribute 'ownerz' \(game.py:\d+\)\n"
    assert re.search(said, done.stderr), done.stderr
    assert "Traceback" not in done.stderr


def test_rules_that_raise_as_a_record_is_played_again_are_not_taken_for_another_match(
    sound: Path, tmp_path: Path
) -> None:
    folder, record = tmp_path / "sound", tmp_path / "match.rec"
    shutil.copytree(sound, folder)
    pair = ("--bot", "Boss", "--bot", "starter", "--no-sandbox")
    assert hexarena("match", folder, *pair, "--record", record).returncode == 0
    rules = folder / "game.py"
    rules.write_text(rules.read_text().replace("list(state.owners)\n        for", "list(state.ownerz)\n        for"))
    for words in (("rerun", record), ("fork", record, "--turn", "1", "--bot", "Boss", "--no-sandbox")):
        done = hexarena(*words, games=str(folder))
        assert (done.returncode, "The game's own code failed: AttributeError" in done.stderr) == (2, True), done.stderr
        assert "Traceback" not in done.stderr
