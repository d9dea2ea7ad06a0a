"""The commands of a pool: `hexarena pool init`, `add`, `rm`, `run`, `board`, `duel`.

What needs numpy and scipy, the ratings, is imported when it is used.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from hexarena.backend.rating.sprt import MOST_GAMES, Preset
from hexarena.cli.duel.command import cores_for, duel as play_duel
from hexarena.cli.entrants import (
    Refused,
    check_folders,
    check_outputs,
    kept_game,
    seed_and_league,
    with_options,
)
from hexarena.cli.output import visible, write_to
from hexarena.cli.pool.bots import bots_in, digest_of, is_of_house, named_bot, ready_member, where
from hexarena.cli.pool.log import PoolError, PoolLog, only_pool
from hexarena.cli.pool.state import PoolState
from hexarena.cli.sandboxes import open_sandbox, require_one_self_test
from hexarena.games.catalogue import UnknownGame
from hexarena.worker.sandbox import SandboxError

if TYPE_CHECKING:
    from hexarena.cli.pool.run import Pool

REFUSED = 2
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What linear algebra reads when it is loaded: the other cores are the bots'."""
Folder = Annotated[Path, typer.Argument(help="The pool's folder.", metavar="DIR")]
NoSandbox = Annotated[
    bool, typer.Option("--no-sandbox", help="Run the bots without isolation. For your own code only.")
]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Matches at once, each on a core of its own; all cores if left out.")
]
app = typer.Typer(
    help="A folder of bots that play each other, paired and rated like the arena's ladder, without a server.\n\n"
    "Example: hexarena pool init my ants, copy bots into my/, hexarena pool add my Forager, hexarena pool run my.",
    no_args_is_help=True,
)
console, out = Console(stderr=True), Console()


@contextmanager
def _errors_printed() -> Iterator[None]:
    try:
        yield
    except (PoolError, Refused, UnknownGame, SandboxError, OSError) as error:
        console.print(visible_lines(str(error)), style="red", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(REFUSED) from None


def visible_lines(text: str) -> str:
    """Each line without control characters."""
    return "\n".join(map(visible, text.splitlines()))


def _say(text: str) -> None:
    out.print(visible(text), markup=False, highlight=False, soft_wrap=True)


def _check_that_it_can_run() -> None:
    """Raises: ModuleNotFoundError, as `run` and `board` do without the extra. Only looks: scipy takes long to load."""
    if find_spec("scipy") is None:
        raise ModuleNotFoundError("a pool is rated with scipy", name="scipy")


@app.command("init")
def init(
    folder: Folder,
    game: Annotated[str, typer.Argument(help="Which game, e.g. ants.")],
    league: Annotated[
        int | None, typer.Option("--level", "--league", help="Rules level; the full game if left out.")
    ] = None,
    option: Annotated[list[str] | None, typer.Option(help="name=value, for games that have options.")] = None,
) -> None:
    """Make a pool in a folder, new or with bots in it: source files, zips, folders, programs."""
    _check_that_it_can_run()
    with _errors_printed():
        chosen = kept_game(game)
        values = with_options(chosen, option or ()).option_values
        options = {name: values[name] for name in values if values[name] != chosen.option_values[name]}
        log = PoolLog.create(folder, chosen.id, seed_and_league(chosen, 0, league)[1], options)
        found = [name for name, _ in bots_in(folder, PoolState.of(log.new_lines()))]
        there = f"Bots there: {', '.join(found)}." if found else f"Put bots into it, or: hexarena pool add {folder} BOT"
        _say(f"A pool for {chosen.title} is in {folder}. {there}")


@app.command("add")
def add(
    folder: Folder,
    bot: Annotated[
        str, typer.Argument(help="A source file, zip, folder or program, which stays where it is; a house bot.")
    ],
    name: Annotated[str | None, typer.Option(help="Its name in the pool; that of the file if left out.")] = None,
    no_sandbox: NoSandbox = False,
) -> None:
    """Add a bot, or one that was removed. A running pool takes it in. A changed file is a new version by itself."""
    with _errors_printed():
        log = PoolLog(folder)
        state = PoolState.of(log.new_lines())
        chosen, written = named_bot(state.game, folder, bot, name)
        there = state.members.get(chosen)
        if there is not None and there.bot != written:
            raise Refused(f"expected a name that is free; {chosen!r} is {there.bot}. Give another one: --name NAME")
        with open_sandbox(no_sandbox=no_sandbox) as sandbox:
            require_one_self_test(sandbox)
            ready_member(state.game, folder, sandbox, chosen, written)
        line = state.entering(chosen, written, digest_of(state.game, folder, written))
        if line is None:
            raise Refused(f"{chosen!r} is in the pool already, with this code")
        log.append(line)
        _say(f"{chosen} is in the pool, version {line['version']}.")


@app.command("rm")
def remove(folder: Folder, name: Annotated[str, typer.Argument(help="The bot's name in the pool.")]) -> None:
    """Remove a bot: it plays no more. Its results stay, and its file does."""
    with _errors_printed():
        log = PoolLog(folder)
        state = PoolState.of(log.new_lines())
        bots = dict(bots_in(folder, state))
        if name in bots:  # Its file is there, and no pool has run since.
            log.append(state.entered(name, bots[name], _digest_or_none(state, folder, bots[name])))
        elif name not in state.members:
            raise Refused(f"expected a bot of the pool: {', '.join(state.members) or 'none'}; got {name!r}")
        log.append({"leave": name})
        _say(f"{name} is no longer in the pool.")


def _digest_or_none(state: PoolState, folder: Path, bot: str) -> str:
    """Empty for a bot that cannot be read, e.g. a folder of something else: it can still be removed."""
    try:
        return digest_of(state.game, folder, bot)
    except Refused:
        return ""


@app.command("run")
def run(
    folder: Folder,
    games: Annotated[int | None, typer.Option(min=1, help="Stop after so many matches.")] = None,
    jobs: Jobs = None,
    no_sandbox: NoSandbox = False,
) -> None:
    """Play until Ctrl-C: the most informative match about the order comes next. A later run continues.

    Exit codes: 0 when it was stopped or has played all its games, 2 when it cannot play.
    """
    _use_one_thread()
    from hexarena.cli.pool.run import Pool

    with _errors_printed():
        log = PoolLog(folder)
        with only_pool(folder):
            pool = Pool(log, PoolState.of(log.new_lines()), partial(open_sandbox, no_sandbox=no_sandbox))
            with open_sandbox(no_sandbox=no_sandbox) as sandbox:
                sandbox.sweep()
                require_one_self_test(sandbox)
            _play(pool, cores_for(jobs), games)
            _print_board(pool)


def _use_one_thread() -> None:
    """For linear algebra; before numpy is imported."""
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")


def _play(pool: Pool, cores: Sequence[int], games: int | None) -> None:
    """Until all games are played, or a signal stops it."""
    from hexarena.cli.pool.view import Board

    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with Board(console) as board:
            pool.run(cores, games, board.show)
    except KeyboardInterrupt:
        pool.ended = "stopped; the next run continues"
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _print_board(pool: Pool) -> None:
    from hexarena.cli.pool.ranking import Ranking
    from hexarena.cli.pool.view import board_table, broken_lines

    state = PoolState.of(PoolLog(pool.log.folder).new_lines())
    out.print(board_table(state.game.title, Ranking(state).board(exact=True)))
    for line in broken_lines(pool):
        out.print(line)
    _say(f"{state.matches:,} matches, {pool.played:,} of them now." + (f" {pool.ended}." if pool.ended else ""))


@app.command("board")
def board(
    folder: Folder,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the board as JSON to this file; - for standard output.")
    ] = None,
) -> None:
    """Print the board: ratings with their 95 % intervals, games, faults. The pool may run meanwhile."""
    _use_one_thread()
    from hexarena.cli.pool.ranking import Ranking
    from hexarena.cli.pool.view import board_table

    with _errors_printed():
        files = {"--json": json_file}
        check_folders(files, or_output=("--json",))
        log = PoolLog(folder)
        state = PoolState.of(log.new_lines())
        check_outputs([log.path, *_bots_of(state, folder)], files)
        rows = Ranking(state).board(exact=True)
        if json_file is not None:
            figures = {"game": state.game.id, "league": state.league, "matches": state.matches, "cpu_s": state.cpu_s}
            write_to(json_file, json.dumps({**figures, "board": [asdict(row) for row in rows]}) + "\n")
        if str(json_file) != "-":
            out.print(board_table(state.game.title, rows))


def _bots_of(state: PoolState, folder: Path) -> Iterator[Path]:
    """The files and folders of all bots, also of those that were removed or have not played yet."""
    for member in (*state.members.values(), *state.left.values()):
        yield where(state.game, folder, member.bot)
    for _, bot in bots_in(folder, state):
        yield where(state.game, folder, bot)


@app.command("duel")
def duel(
    folder: Folder,
    candidate: Annotated[str, typer.Argument(help="The bot in question, by its name in the pool.")],
    baseline: Annotated[str, typer.Argument(help="The bot that it is compared with.")],
    games: Annotated[int, typer.Option(min=1, help="Matches at most.")] = MOST_GAMES,
    preset: Annotated[Preset, typer.Option(help="The difference to look for: see `hexarena duel`.")] = "normal",
    jobs: Jobs = None,
    no_sandbox: NoSandbox = False,
) -> None:
    """Find out which of two bots of the pool is stronger: `hexarena duel`, by their names here. Nothing is rated."""
    with _errors_printed():
        state = PoolState.of(PoolLog(folder).new_lines())
        known = {name: member.bot for name, member in state.members.items()} | dict(bots_in(folder, state))
        for name in (candidate, baseline):
            if name not in known:
                raise Refused(f"expected a bot of the pool: {', '.join(known) or 'none'}; got {name!r}")
        # The house's by their names: the others of a free-for-all are those of the house that are not compared.
        first, second = (
            bot if is_of_house(state.game, bot) else str(folder / bot) for bot in (known[candidate], known[baseline])
        )
    play_duel(
        state.game.id,
        first,
        second,
        games=games,
        preset=preset,
        league=state.league,
        option=[f"{name}={value}" for name, value in state.options.items()],
        jobs=jobs,
        no_sandbox=no_sandbox,
    )
