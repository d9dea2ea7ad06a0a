"""`hexarena match`: one match on this machine, without any server, in the same sandboxes as the arena's."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from random import Random
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from hexarena.backend.runtime.settings import SOURCE_BYTES
from hexarena.backend.submissions.languages import Language, UnknownLanguage, by_ending
from hexarena.backend.submissions.sources import BadArchive, infer_language, is_archive, pack, read_archive, read_folder
from hexarena.cli.sandboxes import open_sandbox
from hexarena.games.catalogue import UnknownGame, find_game, game_file
from hexarena.games.contract import Game
from hexarena.games.house import house_bots
from hexarena.games.lines import Player
from hexarena.games.seeds import random_seed
from hexarena.worker.play import Entrant, PlayedMatch, build_bot, play_match, play_with_retries
from hexarena.worker.sandbox import BuildFailed, HostOverloaded, Sandbox, SandboxError, SandboxFailed, require_self_test

console = Console(stderr=True)


class Refused(Exception):
    """Invalid arguments. The message says what was expected and what was got."""


def match(
    game: Annotated[str, typer.Argument(help="Which game, e.g. ants.")],
    bot: Annotated[
        list[str],
        typer.Option(
            help="A source file (the language by its ending), a zip or folder of several, a house bot by name, or a "
            "command line in quotes. Once for each seat, in order; fewer where teams play, which the seed then fills."
        ),
    ],
    seed: Annotated[int | None, typer.Option(help="The same seed, the same map. Drawn if left out.")] = None,
    league: Annotated[int | None, typer.Option(help="Rules level; the full game if left out.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="name=value, for games that have options, e.g. size=60 for a small board. May be repeated."),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the result as JSON to this file; - for standard output.")
    ] = None,
    replay: Annotated[Path | None, typer.Option(help="Write the replay to this file (see `hexarena watch`).")] = None,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run the bots without isolation. For your own code only.")
    ] = False,
) -> None:
    """Play one match here and print its result. No server is needed."""
    try:
        chosen = with_options(find_game(game), option or ())
        played, seated = _play(chosen, bot, seed=seed, league=league, no_sandbox=no_sandbox)
        result = result_json(played, seated)
        if replay is not None:
            replay.write_text(played.replay)
        if json_file is not None:
            write_to(json_file, json.dumps(result, ensure_ascii=False) + "\n")
    except HostOverloaded as overload:
        message = (
            f"There is no fair result: the machine was overloaded each time: {overload}. Close other programs first."
        )
        console.print(message, style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    except (Refused, UnknownGame, SandboxError, OSError) as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    if json_file is None or str(json_file) != "-":
        _show(played, seated, replay)


def result_json(played: PlayedMatch, seated: Sequence[str]) -> dict[str, object]:
    """The result as scripts read it. `seated`: seat -> bot as the user wrote it."""
    record = played.record
    return {
        "game": record.game,
        "seed": record.seed,
        "league": record.league,
        "bots": list(seated),
        "ranks": list(record.outcome.ranks),
        "scores": list(record.outcome.scores),
        "reason": record.outcome.reason,
        "turns": len(record.turns),
        "faults": [
            {"seat": fault.seat, "turn": fault.turn, "kind": fault.kind, "message": fault.message}
            for fault in record.faults
        ],
    }


def _play(
    game: Game, bots: Sequence[str], *, seed: int | None, league: int | None, no_sandbox: bool
) -> tuple[PlayedMatch, Sequence[str]]:
    """The match, and seat -> bot as the user wrote it."""
    chosen_seed, chosen_league = seed_and_league(game, seed, league)
    seated = _seated(game, bots, chosen_seed)
    with open_sandbox(no_sandbox=no_sandbox) as sandbox:
        sandbox.sweep()
        require_self_test(sandbox)
        entrants = [ready_entrant(game, sandbox, bot) for bot in seated]
        with _progress() if sys.stderr.isatty() else nullcontext() as progress:
            task = None if progress is None else progress.add_task(game.title, total=game.max_turns)

            def watch(_: str) -> None:
                if progress is not None and task is not None:
                    progress.advance(task)

            def play() -> PlayedMatch:
                if progress is not None and task is not None:
                    progress.reset(task)
                return play_match(game, sandbox, entrants, seed=chosen_seed, league=chosen_league, watch=watch)

            played = play_with_retries(play, _print_void_attempt)
    return played, seated


def _print_void_attempt(failure: SandboxFailed) -> None:
    why = "the machine was overloaded" if isinstance(failure, HostOverloaded) else "a bot could not be started"
    message = f"Void attempt: {why}: {failure}. The match is played again."
    console.print(message, style="yellow", markup=False, highlight=False)


def seed_and_league(game: Game, seed: int | None, league: int | None) -> tuple[int, int]:
    """The given seed and league; by default a random seed and the full game."""
    chosen_seed = random_seed(Random(secrets.randbits(64))) if seed is None else seed
    chosen_league = game.top_level if league is None else league
    if not -(2**63) <= chosen_seed < 2**63:
        raise Refused(f"expected a signed 64-bit seed; got {chosen_seed}")
    if chosen_league not in game.levels:
        raise Refused(f"expected a league of {', '.join(map(str, game.levels))}; got {chosen_league}")
    return chosen_seed, chosen_league


def with_options(game: Game, options: Sequence[str]) -> Game:
    """The game with options as the user wrote them, e.g. "size=60"."""
    values: dict[str, int] = {}
    for option in options:
        name, _, value = option.partition("=")
        try:
            values[name] = int(value)
        except ValueError:
            raise Refused(f"expected an option as name=number; got {option}") from None
    try:
        return game.with_options(**values)
    except ValueError as error:
        raise Refused(str(error)) from None


def _seated(game: Game, bots: Sequence[str], seed: int) -> Sequence[str]:
    """Seat -> bot."""
    if len(bots) in game.seats:
        return bots
    if game.team_seats > 1 and 2 <= len(bots) < max(game.seats):
        return game.seated(bots, seed)
    if game.team_seats > 1:
        raise Refused(f"{game.title} is played by 2 to {max(game.seats)} bots; got {len(bots)}. Give --bot for each.")
    wanted = " or ".join(map(str, game.seats))
    raise Refused(f"{game.title} is played by {wanted} bots; got {len(bots)}. Give --bot once for each seat.")


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("turns"))
    return Progress(*columns, TimeElapsedColumn(), console=console, transient=True)


def ready_entrant(game: Game, sandbox: Sandbox, bot: str) -> Entrant:
    """A bot from what the user wrote: a house bot's name, a source file, a zip or folder, a program, a command line."""
    house = next((one for one in house_bots(game) if one.name == bot), None)
    path = Path(bot) if house is None else game_file(game, "bots", house.file)
    if not bot.strip() or not (path.is_file() or path.is_dir()):
        return _command_entrant(game, sandbox, bot)
    if _is_program(path):
        there = path.resolve()
        return Entrant(sandbox.command((f"./{there.name}",), there.parent), Player(bot=path.stem))
    try:
        language, upload = _read_bot(path)
        program = build_bot(game, sandbox, language, upload)
    except BadArchive as bad:
        raise Refused(f"{bot}: {bad}") from None
    except BuildFailed as failure:
        raise Refused(f"The build of {bot} failed:\n{failure.log.rstrip()}") from None
    return Entrant(program, Player(bot=bot if house else path.stem or path.resolve().stem, language=language.id))


def _is_program(path: Path) -> bool:
    """Whether it is an executable file that is no source of a language that we know, e.g. a.out."""
    if not path.is_file() or not os.access(path, os.X_OK) or path.suffix == ".zip":
        return False
    try:
        by_ending(path.suffix)
    except UnknownLanguage:
        return True
    return False


def _command_entrant(game: Game, sandbox: Sandbox, bot: str) -> Entrant:
    words = shlex.split(bot)
    if not words:
        raise Refused(
            "expected a bot: a source file, zip, folder, program, house bot's name or command line; got nothing"
        )
    if len(words) == 1 and Path(bot).suffix:
        raise Refused(f"expected a source file, a zip, a folder, a house bot or a command line; there is no file {bot}")
    if shutil.which(words[0]) is None:
        known = ", ".join(one.name for one in house_bots(game))
        raise Refused(f"there is no file, program or house bot {words[0]}; {game.title} has the house bots {known}")
    return Entrant(sandbox.command(tuple(words), Path.cwd()), Player(bot=words[0]))


def _read_bot(path: Path) -> tuple[Language, bytes]:
    """(language, upload), as the arena would accept it.

    Raises: Refused, BadArchive.
    """
    if path.is_dir():
        files = read_folder(path)
        return infer_language(files), pack(files)
    upload = path.read_bytes()
    if is_archive(upload):
        return infer_language(read_archive(upload)), upload
    if len(upload) > SOURCE_BYTES:
        raise Refused(f"expected at most {SOURCE_BYTES:,} bytes of source; {path} has {len(upload):,}")
    try:
        return by_ending(path.suffix), upload
    except UnknownLanguage as unknown:
        raise Refused(str(unknown)) from None


def write_to(path: Path, text: str) -> None:
    """Writes a file; "-" is standard output."""
    if str(path) == "-":
        sys.stdout.write(text)
    else:
        path.write_text(text)


def _show(played: PlayedMatch, seated: Sequence[str], replay: Path | None) -> None:
    """The result for people: a line a seat, then the faults."""
    out = Console()
    record = played.record
    table = Table(title=f"{record.game}, seed {record.seed}, league {record.league}: {len(record.turns)} turns")
    for heading in ("place", "seat", "bot", "score", "CPU first turn", "CPU median", "CPU worst"):
        table.add_column(heading, justify="left" if heading == "bot" else "right")
    for seat in sorted(range(record.seats), key=lambda one: record.outcome.ranks[one]):
        used = [exchange.cpu_s * 1000 for turn in record.turns for exchange in turn.exchanges if exchange.seat == seat]
        later = used[1:] or [0.0]
        times = [f"{milliseconds:.1f} ms" for milliseconds in (used[0] if used else 0.0, median(later), max(later))]
        place = str(record.outcome.ranks[seat] + 1)
        table.add_row(place, str(seat), escape(visible(seated[seat])), f"{record.outcome.scores[seat]:g}", *times)
    out.print(table)
    out.print(record.outcome.reason, markup=False)
    for fault in record.faults:
        style = "yellow" if fault.kind == "warning" else "red"
        line = visible(f"turn {fault.turn}, seat {fault.seat}: {fault.kind}: {fault.message}")
        out.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
    if replay is not None:
        out.print(f"Watch it with: hexarena watch {replay}", markup=False)


def visible(text: str) -> str:
    """A bot's text without control characters that a terminal would obey."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
