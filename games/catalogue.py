"""Which games there are: each has a `GAME`, in a folder here, in one of HEXARENA_GAMES, or in an installed package.

A game that cannot be imported, or whose manifest or files have problems, is left out, and `broken_games` says why. What
is there when a process first asks is there until it ends.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from pathlib import Path
from traceback import extract_tb

from hexarena.games import discovery
from hexarena.games.contract import Game, GameError
from hexarena.games.discovery import VARIABLE, BrokenGame
from hexarena.games.manifest import file_of_bot, problems

FOLDER = Path(__file__).resolve().parent
discovery.install_finder()


class UnknownGame(LookupError):
    """No game of that id. `message` names those that exist, or says why this one is left out; the text of the exception
    says besides where other games are looked for, which only whoever runs the process can change.

    `broken`: the game that is left out, if that is why.
    """

    def __init__(self, game_id: str, broken: BrokenGame | None = None) -> None:
        self.broken = broken or next((one for one in broken_games() if one.name == game_id), None)
        why = "" if self.broken is None else f"; {self.broken.where}: {self.broken.problem}"
        self.message = f"expected a game, one of {', '.join(all_games())}; got {game_id!r}{why}"
        named = os.environ.get(VARIABLE)
        looked_for = f"{VARIABLE} names the folders of other games; it is {named if named else 'not set'}"
        super().__init__(self.message if self.broken else f"{self.message}. {looked_for}")


def all_games() -> dict[str, Game]:
    """Id -> game, in the order of their titles."""
    return _all(os.environ.get(VARIABLE, ""))[0]


def broken_games() -> tuple[BrokenGame, ...]:
    """What was found and is left out, with the reason."""
    return _all(os.environ.get(VARIABLE, ""))[1]


@cache
def _all(named: str) -> tuple[dict[str, Game], tuple[BrokenGame, ...]]:
    found = discovery.everything()
    loaded = [_from_folder(name, path) for name, path in found.folders.items()]
    loaded += [_from_package(name, target) for name, target in found.packages.items()]
    broken = [*found.broken, *(one for one in loaded if isinstance(one, BrokenGame))]
    games = sorted((one for one in loaded if isinstance(one, Game)), key=lambda game: game.title)
    return {game.id: game for game in games}, tuple(broken)


def find_game(game_id: str) -> Game:
    """Raises: UnknownGame."""
    game: Game | BrokenGame | None = None
    if (path := discovery.folders().folders.get(game_id)) is not None:
        game = _from_folder(game_id, path)
    elif (target := discovery.everything().packages.get(game_id)) is not None:
        game = _from_package(game_id, target)
    if not isinstance(game, Game):
        raise UnknownGame(game_id, game)
    return game


@cache
def _from_folder(name: str, path: Path) -> Game | BrokenGame:
    """Imports one game alone: a match loads nothing of the others, which may be from elsewhere and take long."""
    modules = tuple(discovery.manifests(name, path))
    for last, module in enumerate(modules, start=1):
        try:
            game = getattr(import_module(module), "GAME", None)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the code of a game does
            return BrokenGame(name, str(path), error_in_words(error, path))
        if game is not None or last == len(modules):
            return _checked(game, name, path, str(path))
    return BrokenGame(name, str(path), "its folder is gone")


@cache
def _from_package(name: str, target: str) -> Game | BrokenGame:
    """`target`: `module` or `module:attribute`, GAME if left out."""
    where = f"entry point {target}"
    module, _, attribute = target.partition(":")
    try:
        imported = import_module(module.strip())
        game = getattr(imported, attribute.strip() or "GAME", None)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the code of a game does
        return BrokenGame(name, where, error_in_words(error, discovery.package_folder(target) or Path.cwd()))
    return _checked(game, name, Path(imported.__file__ or ".").resolve().parent, where)


def _checked(game: object, name: str, folder: Path, where: str) -> Game | BrokenGame:
    found = problems(game, name, folder)
    if found:
        return BrokenGame(name, where, "; ".join(found))
    assert isinstance(game, Game)  # noqa: S101 - else there is a problem
    return game


def error_in_words(error: BaseException, folder: Path) -> str:
    """What happened, in a line, with its place: "KeyError: 3 (game.py:88)".

    The place is the innermost one in the game's folder; without one, where it was raised.
    """
    file, line = _place(error, folder.resolve())
    # The text of a syntax error would name the place once more.
    text = error.msg if isinstance(error, SyntaxError) and file else str(error)
    place = f" ({file}:{line})" if file else ""
    return f"{type(error).__name__}: {' '.join(text.split())}{place}"


def failed_in_game(error: BaseException, game_id: str) -> str | None:
    """What happened, if it happened in the code of a game, and how the referee says that a game breaks its contract.

    None: it is no fault of the game, as far as one can see.
    """
    if isinstance(error, GameError):
        return str(error)
    try:
        folder = game_folder(game_id).resolve()
    except UnknownGame:
        return None
    files = (Path(one.filename).resolve() for one in extract_tb(error.__traceback__))
    return error_in_words(error, folder) if any(file.is_relative_to(folder) for file in files) else None


def _place(error: BaseException, folder: Path) -> tuple[str, int]:
    """(file, line); the file by its name in the folder, or alone. An empty name, where nothing is known."""
    places = [(Path(one.filename).resolve(), one.lineno or 0) for one in extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((Path(error.filename).resolve(), error.lineno or 0))
    own = [(path.relative_to(folder), line) for path, line in places if path.is_relative_to(folder)]
    if own:
        return str(own[-1][0]), own[-1][1]
    return (places[-1][0].name, places[-1][1]) if places else ("", 0)


def game_folder(game_id: str) -> Path:
    """Where the files of a game are. Raises: UnknownGame."""
    path = discovery.folders().folders.get(game_id)
    if path is not None:
        return path
    target = discovery.everything().packages.get(game_id)
    folder = None if target is None else discovery.package_folder(target)
    if folder is None:
        raise UnknownGame(game_id)
    return folder


def game_file(game: Game, *parts: str) -> Path:
    """A file that ships in the game's folder, e.g. `game_file(ANTS, "statement.md")`."""
    return game_folder(game.id).joinpath(*parts)


def bot_file(game: Game, file: str) -> Path:
    """A starter or house bot of the game: in its `bots/`, or beside the rules where there is no such folder."""
    return file_of_bot(game_folder(game.id), file)
