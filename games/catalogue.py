"""Which games there are: every folder of `games/` whose package has a `GAME`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from hexarena.games.contract import Game

FOLDER = Path(__file__).resolve().parent


class UnknownGame(LookupError):
    """No game of that id. The message names those that exist."""

    def __init__(self, game_id: str) -> None:
        super().__init__(f"expected a game, one of {', '.join(all_games())}; got {game_id!r}")


@cache
def all_games() -> dict[str, Game]:
    """Id -> game, in the order of their titles."""
    games = filter(None, map(_load, _folders()))
    return {game.id: game for game in sorted(games, key=lambda game: game.title)}


def find_game(game_id: str) -> Game:
    """Raises: UnknownGame."""
    game = _load(game_id) if game_id in _folders() else None
    if game is None:
        raise UnknownGame(game_id)
    return game


@cache
def _folders() -> tuple[str, ...]:
    """The packages here, each named like the id of its game."""
    return tuple(found.name for found in iter_modules([str(FOLDER)]) if found.ispkg)


def _load(name: str) -> Game | None:
    """Imports one game alone: two of them need numpy, which takes longer to load than a match to start."""
    package = import_module(f"hexarena.games.{name}")
    return getattr(package, "GAME", None)


def game_file(game: Game, *parts: str) -> Path:
    """A file that ships in the game's folder, e.g. `game_file(ANTS, "bots", "starter.py")`."""
    return FOLDER.joinpath(game.id, *parts)
