"""`hexarena rerun` and `hexarena fork`: a recorded match again, whole, or from a turn on with another bot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hexarena.cli.entrants import Refused, check_folders, check_outputs, files_of, with_options
from hexarena.cli.match import play_here, record_text, show
from hexarena.cli.output import turns_text
from hexarena.cli.process_pool import naming_faults_of
from hexarena.games.catalogue import UnknownGame, find_game
from hexarena.games.contract import Game
from hexarena.games.ghosts import NotRepeated
from hexarena.games.records import BadRecord, Saved, check_fits, play_again, read
from hexarena.worker.sandbox import SandboxError

MOST_BYTES = 64_000_000
"""Of a record; a long match of Battlegrounds has some millions."""
DIFFERENT, REFUSED = 1, 2

console = Console(stderr=True)
RecordFile = Annotated[Path, typer.Argument(help="What `hexarena match --record FILE` wrote.", dir_okay=False)]
ReplayFile = Annotated[Path | None, typer.Option(help="Write the replay to this file (see `hexarena watch`).")]


def rerun(record: RecordFile, replay: ReplayFile = None) -> None:
    """Play a recorded match again from its replies alone, without its bots.

    The replay is the same, byte for byte. Exit codes: 0 if it is the same match, 1 if the rules make another one of
    the same replies today, 2 if there is no record, or the game's own code
    fails.
    """
    try:
        files = {"--replay": replay}
        check_folders(files)
        check_outputs([record], files)
        saved = _read(record)
        game = _game(saved)
        with naming_faults_of(game.id):
            again, text = play_again(game, saved)
        if replay is not None:
            replay.write_text(text)
    except NotRepeated as error:
        _print_error(f"{record}: the match does not come out as it was: {error}")
        raise typer.Exit(DIFFERENT) from None
    except (BadRecord, UnknownGame, Refused, SandboxError, OSError) as error:
        _print_error(f"{record}: {error}")
        raise typer.Exit(REFUSED) from None
    if again.digest != saved.digest:
        _print_error(f"{record}: the match does not come out as it was: its map is another one today")
        raise typer.Exit(DIFFERENT)
    scores = ", ".join(f"{bot} {score:g}" for bot, score in zip(saved.bots, again.outcome.scores, strict=True))
    typer.echo(f"The same match: {turns_text(saved.turns)}, {scores}. {again.outcome.reason}")


def fork(
    record: RecordFile,
    turn: Annotated[int, typer.Option(min=0, help="The last turn that stays as it was; 0 for none.")],
    bot: Annotated[str, typer.Option(help="Who plays from then on; as for `hexarena match`.")],
    seat: Annotated[int, typer.Option(min=0, help="Which seat it takes over.")] = 0,
    replay: ReplayFile = None,
    record_to: Annotated[
        Path | None, typer.Option("--record", help="Write the new match's record to this file.")
    ] = None,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run the bots without isolation. For your own code only.")
    ] = False,
) -> None:
    """Play on from a turn of a recorded match with another bot.

    Up to that turn the recorded replies count. All bots are started and get every prompt meanwhile, so that they know
    the match. The other seats have the bots that the record names.
    """
    try:
        files = {"--replay": replay, "--record": record_to}
        check_folders(files)
        saved = _read(record)
        game = _game(saved)
        seated = list(saved.bots)
        if seat >= len(seated):
            raise Refused(f"expected a seat from 0 to {len(seated) - 1}; got {seat}")
        if turn >= saved.turns:
            raise Refused(f"expected a turn from 0 to {saved.turns - 1}, after which something was played; got {turn}")
        seated[seat] = bot
        check_outputs([record, *files_of(game, seated)], files)
        past = saved.until(turn)
        with naming_faults_of(game.id):
            played = play_here(game, seated, seed=saved.seed, league=saved.league, no_sandbox=no_sandbox, past=past)
        if replay is not None:
            replay.write_text(played.replay)
        if record_to is not None:
            record_to.write_text(record_text(game, played, seated))
    except (BadRecord, NotRepeated, UnknownGame, Refused, SandboxError, OSError) as error:
        _print_error(f"{record}: {error}")
        raise typer.Exit(REFUSED) from None
    show(played, seated, replay)


def _read(file: Path) -> Saved:
    size = file.stat().st_size
    if size > MOST_BYTES:
        raise BadRecord(f"expected a file of at most {MOST_BYTES:,} bytes; got {size:,}")
    return read(file.read_bytes())


def _game(saved: Saved) -> Game:
    """Raises: UnknownGame, Refused, BadRecord."""
    game = with_options(find_game(saved.game), [f"{name}={value}" for name, value in saved.options.items()])
    check_fits(game, saved)
    return game


def _print_error(text: str) -> None:
    console.print(text, style="red", markup=False, highlight=False, soft_wrap=True)
