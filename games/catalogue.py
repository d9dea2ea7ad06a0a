"""Which games there are: each has a `GAME`, in a folder here, in one of HEXARENA_GAMES, or in an installed package.

A game that cannot be imported, or whose manifest or files have problems, is left out, and `broken_games` says why. What
is there when a process first asks is there until it ends.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from pathlib import Path

from hexarena.games import discovery
from hexarena.games.contract import Game
from hexarena.games.discovery import VARIABLE, BrokenGame
from hexarena.games.manifest import file_of_bot, problems

FOLDER = Path(__file__).resolve().parent
discovery.install_finder()


class UnknownGame(LookupError):
    """No game of that id. The message names those that exist, or says why this one is left out."""

    def __init__(self, game_id: str) -> None:
        why = next((f"; {one.where}: {one.problem}" for one in broken_games() if one.name == game_id), "")
        super().__init__(f"expected a game, one of {', '.join(all_games())}; got {game_id!r}{why}")


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
        raise UnknownGame(game_id)
    return game


@cache
def _from_folder(name: str, path: Path) -> Game | BrokenGame:
    """Imports one game alone: two of them need numpy, which takes longer to load than a match to start."""
    modules = tuple(discovery.manifests(name, path))
    for last, module in enumerate(modules, start=1):
        try:
            game = getattr(import_module(module), "GAME", None)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the code of a game does
            return BrokenGame(name, str(path), _told(error))
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
        return BrokenGame(name, where, _told(error))
    return _checked(game, name, Path(imported.__file__ or ".").resolve().parent, where)


def _checked(game: object, name: str, folder: Path, where: str) -> Game | BrokenGame:
    found = problems(game, name, folder)
    if found:
        return BrokenGame(name, where, "; ".join(found))
    assert isinstance(game, Game)  # noqa: S101 - else there is a problem
    return game


def _told(error: BaseException) -> str:
    """What happened, in a line; of a syntax error with its place, of others with that of the raising line."""
    text = " ".join(str(error).split())
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {text}"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" ({Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno})"
    return f"{type(error).__name__}: {text}{place}"


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
