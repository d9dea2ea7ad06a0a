"""What the user names on the command line: games, bots, seed, rules level and options, and what they mean.

It imports neither typer nor rich, which take longer to load than a match to start (`hexarena referee`).
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

from hexarena.backend.runtime.sizes import SOURCE_BYTES
from hexarena.backend.submissions.languages import Language, UnknownLanguage, by_ending
from hexarena.backend.submissions.sources import (
    BadArchive,
    BadSource,
    infer_language,
    is_archive,
    pack,
    read_archive,
    read_folder,
    text_of,
)
from hexarena.games.catalogue import bot_file, failed_in_game, find_game
from hexarena.games.contract import Game
from hexarena.games.discovery import HERE, MANIFESTS, VARIABLE, folders, games_in, is_game, outside
from hexarena.games.house import house_bots
from hexarena.games.lines import Player
from hexarena.games.manifest import ID
from hexarena.games.seeds import random_seed
from hexarena.worker.play import ReadyBot, build_bot
from hexarena.worker.sandbox import BuildFailed, Sandbox


class Refused(Exception):
    """Invalid arguments. The message says what was expected and what was got."""


def named_game(game: str) -> Game:
    """A game by its id or its folder. Raises: UnknownGame, Refused."""
    return find_game(id_of(game))


def id_of(game: str) -> str:
    """The game's id. A folder is added to HEXARENA_GAMES, for this process and those that it starts.

    Raises: Refused, where a folder is no game, or another game has its name.
    """
    # Not where links lead: a folder there may have another name.
    # Path.expanduser would raise a RuntimeError for ~somebody who is not there.
    folder = Path(os.path.abspath(os.path.expanduser(game)))  # noqa: PTH100, PTH111
    # A bare name of a game of the repository is never a folder that happens to be here.
    if ID.fullmatch(game) and (not is_game(folder) or (HERE / game).is_dir()):
        return game
    if not folder.is_dir():
        raise Refused(f"expected a game's id or its folder; there is no folder {folder}")
    if not is_game(folder):
        games = ", ".join(str(one) for one in games_in(folder))
        raise Refused(
            f"expected the folder of a game, with {' or '.join(MANIFESTS)}; {folder} has "
            f"{f'several: name one of {games}' if games else 'neither'}"
        )
    os.environ[VARIABLE] = os.pathsep.join([str(folder), os.environ.get(VARIABLE, "")]).strip(os.pathsep)
    taken = folders().folders.get(folder.name)
    if taken is not None and taken.resolve() != folder.resolve():
        there = f"there is a game {folder.name} already, from {taken}"
        raise Refused(f"expected a folder with a name of its own, got {folder}: {there}")
    return folder.name


def found_through(game: Game) -> str:
    """What a later command needs to find a game from elsewhere, as the beginning of its line."""
    folder = outside().get(game.id)
    return "" if folder is None else f"{VARIABLE}={shlex.quote(str(folder))} "


def kept_game(game: str) -> Game:
    """A game by its id, for files that keep it. Raises: UnknownGame; Refused, for a folder."""
    if "/" in game:
        folder = Path(os.path.expanduser(game)).absolute()  # noqa: PTH111 - as in `id_of`
        raise Refused(
            f"expected a game's id, which is kept; got a folder. Set {VARIABLE}={folder}, and name {folder.name}"
        )
    return find_game(game)


def seed_and_league(game: Game, seed: int | None, league: int | None) -> tuple[int, int]:
    """The given seed and rules level; by default a random seed and the full game."""
    chosen_seed = random_seed(Random(secrets.randbits(64))) if seed is None else seed
    chosen_league = game.top_level if league is None else league
    if not -(2**63) <= chosen_seed < 2**63:
        raise Refused(f"expected a signed 64-bit seed; got {chosen_seed}")
    if chosen_league not in game.levels:
        raise Refused(f"expected a rules level of {', '.join(map(str, game.levels))}; got {chosen_league}")
    return chosen_seed, chosen_league


def with_options(game: Game, options: Sequence[str]) -> Game:
    """The game with options as the user wrote them, e.g. "size=60".

    Raises: Refused, also where the game's own code fails with them.
    """
    values: dict[str, int | str] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise Refused(f"expected an option as name=value; got {option}")
        values[name] = value
    try:
        return game.with_options(**values)
    except ValueError as error:
        raise Refused(str(error)) from None
    except Exception as error:
        if (what := failed_in_game(error, game.id)) is None:
            raise
        raise Refused(f"The game's own code failed: {what}") from None


def check_folders(files: Mapping[str, Path | None], *, or_output: Collection[str] = ()) -> None:
    """Nothing is played for files that cannot be written.

    `files`: option -> file; `or_output`: the options for which "-" is standard output. Raises: Refused.
    """
    for option, path in files.items():
        if path is not None and not path.parent.is_dir():
            raise Refused(f"{option}: expected a file in a folder that is there; got {path}")
        if path is None or (str(path) == "-" and option in or_output):
            continue
        if str(path) == "-":
            raise Refused(f"{option}: expected a file, not standard output; got -")
        if path.is_dir():
            raise Refused(f"{option}: expected a file; {path} is a folder")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise Refused(f"{option}: expected a file that can be written; got {path}")


def check_outputs(inputs: Iterable[Path], files: Mapping[str, Path | None]) -> None:
    """No file is written over one that is read, into a folder that is read, or over another one that is written.

    `inputs`: files and folders; `files`: option -> file. Raises: Refused.
    """
    # Where links lead, which Path.samefile does not say of files that are not there yet.
    read = [path.resolve() for path in inputs]
    folders = [path for path in read if path.is_dir()]
    taken = dict.fromkeys(read, "the file that is read")
    for option, path in files.items():
        for folder in folders:
            if path is not None and str(path) != "-" and path.resolve().is_relative_to(folder):
                raise Refused(f"{option}: expected a path outside {folder}, which is read; got {path}")
        # What is no file may be written twice, such as /dev/null.
        if path is None or str(path) == "-" or (path.exists() and not path.is_file()):
            continue
        if (what := taken.get(path.resolve())) is not None:
            raise Refused(f"{option}: expected another file than {what}; got {path}")
        taken[path.resolve()] = f"that of {option}"


def files_of(game: Game, bots: Iterable[str]) -> list[Path]:
    """The files and folders that these bots are read from; of a command line, the files that it names."""
    files: list[Path] = []
    for bot in bots:
        path = _path_of(game, bot)
        files += _files_named(bot) if path is None else [path]
    return files


def _path_of(game: Game, bot: str) -> Path | None:
    """The file or folder of a bot; None of a command line."""
    house = next((one for one in house_bots(game) if one.name == bot), None)
    path = Path(bot) if house is None else bot_file(game, house.file)
    # A command line may be longer than a name can be: Path.is_file would raise an OSError.
    return path if bot.strip() and (os.path.isfile(path) or os.path.isdir(path)) else None  # noqa: PTH112, PTH113


def _files_named(command: str) -> Iterator[Path]:
    with suppress(ValueError):  # Quotation marks that are not closed: `ready_bot` says so.
        for word in shlex.split(command):
            # A word may be a whole program, too long for a name.
            if os.path.isfile(word):  # noqa: PTH113
                yield Path(word)


def bots_by_seat(game: Game, bots: Sequence[str], seed: int) -> Sequence[str]:
    """Seat -> bot."""
    if len(bots) in game.seats:
        return bots
    if game.team_seats > 1 and 2 <= len(bots) < max(game.seats):
        return game.seated(bots, seed)
    if game.team_seats > 1:
        raise Refused(f"{game.title} is played by 2 to {max(game.seats)} bots; got {len(bots)}. Give --bot for each.")
    wanted = " or ".join(map(str, game.seats))
    raise Refused(f"{game.title} is played by {wanted} bots; got {len(bots)}. Give --bot once for each seat.")


def ready_bot(game: Game, sandbox: Sandbox, bot: str) -> ReadyBot:
    """A bot from what the user wrote: a house bot's name, a source file, a zip or folder, a program, a command line."""
    path, house = _path_of(game, bot), any(one.name == bot for one in house_bots(game))
    if path is None:
        return _bot_of_command(game, sandbox, bot)
    if _is_program(path):
        there = path.resolve()
        return ReadyBot(sandbox.command((f"./{there.name}",), there.parent), Player(bot=as_text(path.stem)))
    try:
        language, upload = _read_bot(path)
        program = build_bot(game, sandbox, language, upload)
    except BadSource as bad:
        raise Refused(f"{bot}: {bad}") from None
    except BuildFailed as failure:
        raise Refused(f"The build of {bot} failed:\n{failure.log.rstrip()}") from None
    name = as_text(bot if house else path.stem or path.resolve().stem)
    return ReadyBot(program, Player(bot=name, language=language.id))


def as_text(name: str) -> str:
    """A name from the command line or a folder, with what is not UTF-8 in it replaced, so that it can be written."""
    return os.fsencode(name).decode("utf-8", "replace")


def _is_program(path: Path) -> bool:
    """Whether it is an executable file that is no source of a language that we know, e.g. a.out."""
    if not path.is_file() or not os.access(path, os.X_OK) or path.suffix == ".zip":
        return False
    try:
        by_ending(path.suffix)
    except UnknownLanguage:
        return True
    return False


def _bot_of_command(game: Game, sandbox: Sandbox, bot: str) -> ReadyBot:
    try:
        words = shlex.split(bot)
    except ValueError:
        raise Refused(f"expected a command line whose quotation marks are closed; got {bot}") from None
    if not words:
        raise Refused(
            "expected a bot: a source file, zip, folder, program, house bot's name or command line; got nothing"
        )
    if len(words) == 1 and Path(bot).suffix:
        raise Refused(f"expected a source file, a zip, a folder, a house bot or a command line; there is no file {bot}")
    if shutil.which(words[0]) is None:
        known = ", ".join(one.name for one in house_bots(game))
        raise Refused(f"there is no file, program or house bot {words[0]}; {game.title} has the house bots {known}")
    return ReadyBot(sandbox.command(tuple(words), Path.cwd()), Player(bot=as_text(words[0])))


def _read_bot(path: Path) -> tuple[Language, bytes]:
    """(language, upload), as the arena would accept it.

    Raises: Refused, BadSource.
    """
    if path.is_dir():
        files = read_folder(path)
        return infer_language(files), pack(files)
    upload = path.read_bytes()
    if is_archive(upload):
        return infer_language(read_archive(upload)), upload
    if path.suffix.lower() == ".zip":
        raise BadArchive("a zip with the bot's files", "an empty one or no zip")
    if len(upload) > SOURCE_BYTES:
        raise Refused(f"expected at most {SOURCE_BYTES:,} bytes of source; {path} has {len(upload):,}")
    try:
        return by_ending(path.suffix), text_of(upload).encode()
    except UnknownLanguage as unknown:
        raise Refused(f"{path}: {unknown}") from None
