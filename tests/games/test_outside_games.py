"""Games outside the repository: found in HEXARENA_GAMES and in packages; broken ones are reported and left out."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hexarena.backend.submissions.languages import LANGUAGES
from hexarena.cli.new_game.command import write
from hexarena.games import discovery
from hexarena.games.manifest import ENDINGS

LIST = """
import json
from hexarena.games.catalogue import all_games, broken_games
print(json.dumps([list(all_games()), [[one.name, one.where, one.problem] for one in broken_games()]]))
"""
OURS = {"ants", "battlegrounds", "tron", "tryangle", "yavalath"}


def python(code: str, *folders: Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A process with these folders of games, and this one of installed packages."""
    environment = {**os.environ, "HEXARENA_GAMES": os.pathsep.join(map(str, folders))}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def found(*folders: Path, path: Path | None = None) -> tuple[set[str], dict[str, str]]:
    """The games from outside; name -> why it is left out."""
    done = python(LIST, *folders, path=path)
    assert done.returncode == 0, done.stderr
    games, broken = json.loads(done.stdout)
    assert set(games) >= OURS, "whatever else is broken, the games here are there"
    return set(games) - OURS, {name: f"{where}: {problem}" for name, where, problem in broken}


def game(into: Path, name: str) -> Path:
    """A new game in a folder."""
    folder = into / name
    folder.mkdir(parents=True)
    write(name, (2, 3), folder, simultaneous=True)
    return folder


@pytest.mark.long
def test_a_folder_has_games_or_is_one(tmp_path: Path) -> None:
    game(tmp_path / "a", "one")
    game(tmp_path / "a", "two")
    alone = game(tmp_path / "b", "three")
    (tmp_path / "a" / "notes").mkdir()
    assert found(tmp_path / "a") == ({"one", "two"}, {})
    assert found(tmp_path / "a", alone) == ({"one", "two", "three"}, {})
    assert found() == (set(), {})


def test_a_game_in_modules_imports_them_by_the_name_that_it_would_have_here(tmp_path: Path) -> None:
    folder = game(tmp_path, "split")
    (folder / "rules.py").write_text((folder / "game.py").read_text().partition("SPLIT = ")[0])
    manifest = (folder / "game.py").read_text().partition("GAME = Game(")
    names = "from hexarena.games.contract import Clock, Game, HouseBot, League\n"
    names += "from hexarena.games.split.rules import CELLS, SplitRules\n\nSPLIT = SplitRules()\n"
    (folder / "__init__.py").write_text(names + manifest[1] + manifest[2])
    (folder / "game.py").unlink()
    (folder / "bots").mkdir()
    for bot in ("starter.py", "boss.py"):
        (folder / bot).rename(folder / "bots" / bot)
    assert found(tmp_path) == ({"split"}, {})


def test_an_installed_package_has_a_game(tmp_path: Path) -> None:
    package = game(tmp_path, "claims").rename(tmp_path / "some_claims")
    (package / "__init__.py").touch()
    info = tmp_path / "some_claims-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-claims\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[hexarena.games]\nclaims = some_claims.game:GAME\ngone = no_such_package:GAME\nants = some_claims.game:GAME\n"
    )
    games, broken = found(path=tmp_path)
    assert games == {"claims"}
    assert set(broken) == {"gone", "ants"}
    assert "no_such_package" in broken["gone"]
    assert "already" in broken["ants"]
    file = "from hexarena.games.catalogue import *; g = find_game('claims'); print(bot_file(g, 'boss.py').read_text())"
    assert "values[cell]" in python(file, path=tmp_path).stdout


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("game.py", "class State:", "class State", "SyntaxError: expected ':' (game.py:"),
        (
            "game.py",
            "WIDTH = 5",
            "WIDTH = 5 // 0",
            "ZeroDivisionError: integer division or modulo by zero (game.py:",
        ),
        ("game.py", "WIDTH = 5", "raise SystemExit(3)", "SystemExit"),
        ("game.py", "WIDTH = 5", "import no_such_module", "ModuleNotFoundError"),
        ("game.py", "GAME = Game(", "PLAY = Game(", "expected GAME to be a Game; got NoneType"),
        ("game.py", 'id="bad"', 'id="other"', "expected its id to be the name 'bad'"),
        ("game.py", "seats=(2, 3)", 'seats="2-3"', "expected seats"),
        ("game.py", "seats=(2, 3)", "seats=()", "expected seats"),
        ("game.py", "ladder_entrants=(3, 2)", "ladder_entrants=(4,)", "expected ladder_entrants that fill"),
        ("game.py", "protocol=BAD", "protocol=None", "expected protocol.prompt"),
        ("game.py", "Clock(first_s=1.0", "Clock(first_s=0.0", "expected a clock"),
        ("game.py", 'League("Bronze", "Boss")', 'League("Bronze", "Bos")', "expected a house bot as the boss"),
        ("game.py", '"starter.py"', '"starter.exe"', "expected a bot in a language"),
        ("game.py", '"boss.py"', '"bos.py"', "expected the file"),
        ("game.py", 'version="1"', "version=1", "expected a text as version"),
        ("statement.md", None, None, "expected the file"),
    ],
)
def test_a_broken_game_is_left_out_with_the_reason(
    file: str, old: str | None, new: str | None, says: str, tmp_path: Path
) -> None:
    folder = game(tmp_path, "bad")
    game(tmp_path, "good")
    if old is None or new is None:
        (folder / file).unlink()
    else:
        text = (folder / file).read_text()
        assert text.count(old) == 1
        (folder / file).write_text(text.replace(old, new))
    games, broken = found(tmp_path)
    assert games == {"good"}
    assert set(broken) == {"bad"}
    assert says in broken["bad"]
    assert str(folder) in broken["bad"]


@pytest.mark.long
def test_of_two_games_with_one_id_the_first_stays(tmp_path: Path) -> None:
    first, second = game(tmp_path / "a", "claims"), game(tmp_path / "b", "claims")
    (second / "__init__.py").write_text("raise AssertionError('imported')\n")
    ours = game(tmp_path / "a", "ants")
    games, broken = found(tmp_path / "a", tmp_path / "b")
    assert games == {"claims"}
    assert set(broken) == {"claims", "ants"}
    assert broken["claims"].startswith(str(second))
    assert str(first) in broken["claims"]
    assert broken["ants"].startswith(str(ours))
    where = "from hexarena.games.catalogue import *; print(game_file(find_game('claims'), 'game.py'))"
    assert python(where, tmp_path / "a", tmp_path / "b").stdout.strip() == str(first / "game.py")
    assert found(tmp_path / "a" / "claims", tmp_path / "a" / "claims") == ({"claims"}, {}), (
        "the same folder twice is one game"
    )


@pytest.mark.long
@pytest.mark.parametrize("name", ["text", "catalogue", "Claims", "a-b", "x" * 41])
def test_a_folder_cannot_have_any_name(name: str, tmp_path: Path) -> None:
    folder = game(tmp_path, "good").rename(tmp_path / name)
    games, broken = found(tmp_path)
    assert games == set()
    assert str(folder) in broken[name]


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path) -> None:
    games, broken = found(tmp_path / "nowhere")
    assert games == set()
    assert "expected a folder of games" in broken["nowhere"]


@pytest.mark.parametrize("place", ["~no-such-user/games", "/" + "x" * 300, __file__])
def test_a_place_that_cannot_be_read_is_reported(place: str) -> None:
    games, broken = found(Path(place))
    assert games == set()
    assert "expected a folder of games" in broken[Path(place).name]


def test_what_only_others_may_read_takes_nothing_else_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root reads everything, the system's answers are imitated."""
    games, theirs = tmp_path / "games", tmp_path / "theirs"
    theirs.mkdir()
    (game(games, "good").parent / "lost+found").mkdir()
    iterdir, stat = Path.iterdir, os.stat

    def refuse(path: object) -> None:
        if "lost+found/" in str(path) or path == theirs:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

    def refusing_iterdir(path: Path) -> Iterator[Path]:
        refuse(path)
        return iterdir(path)

    def refusing_stat(path: Any, **more: Any) -> os.stat_result:
        refuse(path)
        return stat(path, **more)

    monkeypatch.setattr(Path, "iterdir", refusing_iterdir)
    monkeypatch.setattr(os, "stat", refusing_stat)
    here = discovery._folders(f"{games}{os.pathsep}{theirs}")
    assert here.folders["good"] == games / "good"
    assert [one.problem for one in here.broken] == [
        "expected a folder of games, as HEXARENA_GAMES says; Permission denied"
    ]


def test_who_asks_for_a_broken_game_learns_why(tmp_path: Path) -> None:
    (game(tmp_path, "bad") / "game.py").write_text("GAME = 1\n")
    done = python("from hexarena.games.catalogue import find_game; find_game('bad')", tmp_path)
    assert "UnknownGame" in done.stderr
    assert "expected GAME to be a Game; got int" in done.stderr


def test_a_game_here_is_found_without_looking_for_packages(tmp_path: Path) -> None:
    code = "import sys; from hexarena.games.catalogue import find_game; find_game('yavalath')\n"
    code += "print('numpy' in sys.modules, 'importlib.metadata' in sys.modules)"
    assert python(code, tmp_path).stdout.strip() == "False False"


def test_bots_may_be_in_every_language_of_the_arena() -> None:
    assert {ending for language in LANGUAGES.values() for ending in language.endings} == ENDINGS
