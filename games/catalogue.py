"""Which games there are: every folder of `games/` whose package has a `GAME`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from games.contract import Game

FOLDER = Path(__file__).resolve().parent


class UnknownGame(LookupError):
    """No game of that id. The message names those that exist."""

    def __init__(self, game_id: str) -> None:
        super().__init__(f"expected a game, one of {', '.join(all_games())}; got {game_id!r}")


@cache
def all_games() -> dict[str, Game]:
    """Id -> game, in the order of their titles."""
    packages = (import_module(f"games.{found.name}") for found in iter_modules([str(FOLDER)]) if found.ispkg)
    games = (package.GAME for package in packages if hasattr(package, "GAME"))
    return {game.id: game for game in sorted(games, key=lambda game: game.title)}


def find_game(game_id: str) -> Game:
    """Raises: UnknownGame."""
    try:
        return all_games()[game_id]
    except KeyError:
        raise UnknownGame(game_id) from None


def game_file(game: Game, *parts: str) -> Path:
    """A file that ships in the game's folder, e.g. `game_file(ANTS, "bots", "starter.py")`."""
    return FOLDER.joinpath(game.id, *parts)
