"""The bots of a pool: what is in its folder, digests of their code, and programs that are ready to play."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from hexarena.backend.submissions.languages import UnknownLanguage, by_ending
from hexarena.backend.submissions.sources import BadArchive, pack, read_folder
from hexarena.cli.entrants import Refused, ready_bot
from hexarena.cli.pool.log import FILE, LOCK
from hexarena.cli.pool.state import PoolState
from hexarena.games.catalogue import bot_file
from hexarena.games.contract import Game
from hexarena.games.house import house_bots
from hexarena.worker.play import ReadyBot
from hexarena.worker.sandbox import Sandbox

NAME_CHARACTERS = 40
DIGEST_CHARACTERS = 16


def bots_in(folder: Path, state: PoolState) -> Iterator[tuple[str, str]]:
    """(name, bot) of all bots that are in the pool's folder and do not play in it yet, unless they were removed."""
    known = {member.bot for member in (*state.members.values(), *state.left.values())}
    names = {*state.members, *state.left}
    for path in sorted(folder.iterdir()):
        if path.name not in known and _may_be_bot(path):
            name = path.stem if path.stem not in names else path.name
            if name not in names:
                names.add(name)
                yield name, path.name


def _may_be_bot(path: Path) -> bool:
    if path.name.startswith((".", "__")) or path.name in {FILE, LOCK}:
        return False
    if path.is_dir() or path.suffix == ".zip" or os.access(path, os.X_OK):
        return True
    try:
        by_ending(path.suffix)
    except UnknownLanguage:
        return False
    return True


def named_bot(game: Game, folder: Path, bot: str, name: str | None) -> tuple[str, str]:
    """(name, bot) as the pool writes them down: paths from its folder where they lead into it, else whole ones.

    Raises: Refused when the name cannot be shown in a line, or the bot is neither a file nor the house's.
    """
    house = is_of_house(game, bot)
    path = Path(bot)
    if not house and not os.path.exists(path):  # noqa: PTH110 - a command line may be longer than a name
        known = ", ".join(one.name for one in house_bots(game))
        raise Refused(f"expected a source file, zip, folder, program or house bot ({known}); there is no {bot!r}")
    chosen = (bot if house else path.resolve().stem) if name is None else name
    if not chosen.isprintable() or chosen != chosen.strip() or not 1 <= len(chosen) <= NAME_CHARACTERS:
        raise Refused(f"expected a name of 1 to {NAME_CHARACTERS} printable characters; got {chosen!r}")
    if house:
        return chosen, bot
    whole = path.resolve()
    return chosen, str(whole.relative_to(folder.resolve())) if whole.is_relative_to(folder.resolve()) else str(whole)


def is_of_house(game: Game, bot: str) -> bool:
    """Whether it is the name of a house bot."""
    return any(one.name == bot for one in house_bots(game))


def where(game: Game, folder: Path, bot: str) -> Path:
    """The file or folder of a bot. A house bot's name means the house's, whatever is in the pool's folder."""
    house = next((one for one in house_bots(game) if one.name == bot), None)
    return folder / bot if house is None else bot_file(game, house.file)


def digest_of(game: Game, folder: Path, bot: str) -> str:
    """A hash of a bot's code: 16 hexadecimal digits. Raises: Refused when it cannot be read."""
    path = where(game, folder, bot)
    try:
        if path.is_dir():
            return _digest(pack(read_folder(path)))
        found = path.stat()
        return _digest_of_file(path, found.st_mtime_ns, found.st_size)
    except BadArchive as bad:
        raise Refused(f"{bot}: {bad}") from None
    except OSError as error:
        raise Refused(f"{bot}: {error.strerror}") from None


@lru_cache(maxsize=1000)
def _digest_of_file(path: Path, modified_ns: int, size_bytes: int) -> str:
    """A running pool asks every few seconds, and a program may be large: a file is read again when its times change."""
    return _digest(path.read_bytes())


def _digest(code: bytes) -> str:
    return hashlib.sha256(code).hexdigest()[:DIGEST_CHARACTERS]


def ready_member(game: Game, folder: Path, sandbox: Sandbox, name: str, bot: str) -> ReadyBot:
    """A bot of the pool, built. Raises: Refused, SandboxError."""
    ready = ready_bot(game, sandbox, bot if is_of_house(game, bot) else str(folder / bot))
    return ReadyBot(ready.program, replace(ready.player, bot=name))
