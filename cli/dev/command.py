"""`hexarena dev`: plays a match of a game, shows it, and does both again whenever a file of the game is saved."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console

from hexarena.backend.runtime.pages import NO_PAGES, pages_folder
from hexarena.cli.connection import failed
from hexarena.cli.dev.rounds import Rounds, Wanted, bots_elsewhere
from hexarena.cli.dev.server import PAGE, DevPages
from hexarena.cli.dev.state import State
from hexarena.cli.entrants import Refused, id_of
from hexarena.cli.local_pages import listening, open_browser
from hexarena.games.catalogue import UnknownGame, game_folder

console = Console(stderr=True)


def dev(
    game: Annotated[str, typer.Argument(help="A game's id, or the folder of one.")],
    bot: Annotated[
        list[str] | None,
        typer.Option(
            help="As in `hexarena match`, once for each seat; with --seats, fewer bots fill them in turn. The starter "
            "and the house bots if left out."
        ),
    ] = None,
    seats: Annotated[int | None, typer.Option(help="How many seats; those of a ladder match if left out.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed, the same map.")] = 1,
    port: Annotated[int, typer.Option(help="Where to show it; 0 takes a free port.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Only print the address.")] = False,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run the bots without isolation. For your own code only.")
    ] = False,
) -> None:
    """Play a match of a game that you are writing, and show it; again at each save of its rules, bots or viewer.

    Errors are shown on the page and here; the last match that worked stays on the page. Ctrl-C ends it.
    """
    folder = _folder(game)
    if not (pages_folder() / "index.html").exists():
        raise failed(NO_PAGES)
    bots = tuple(bot or ())
    wanted = Wanted(folder.name, folder, bots, seats, seed, no_sandbox, bots_elsewhere(bots, folder))
    state = State({"game": wanted.game, "seed": str(seed), "folder": str(folder)})
    rounds = Rounds(wanted, state, console)
    with (
        listening(port, partial(DevPages, state)) as server,
        _watched(wanted, rounds),
        _running(rounds),
        _stopped_by_signals(),
    ):
        url = f"http://127.0.0.1:{server.server_port}{PAGE}"
        console.print(f"{folder} plays at {url}  Ctrl-C ends it.", markup=False, soft_wrap=True)
        if not no_open:
            open_browser(url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            console.print("Ended.")


def _folder(game: str) -> Path:
    """Raises: Exit, where there is no such game."""
    try:
        return game_folder(id_of(game)).absolute()
    except (UnknownGame, Refused, OSError) as refused:
        raise failed(str(refused)) from None


@contextmanager
def _running(rounds: Rounds) -> Iterator[None]:
    thread = Thread(target=rounds.run, name="rounds")
    thread.start()
    try:
        yield
    finally:
        rounds.stop()
        thread.join()


@contextmanager
def _watched(wanted: Wanted, rounds: Rounds) -> Iterator[None]:
    """Wakes the rounds when a file changes: in the game's folder, and of bots from elsewhere."""
    with ExitStack() as watching:
        watching.enter_context(_watching([wanted.folder], rounds, recursive=True))
        folders = [path for path in wanted.elsewhere if path.is_dir()]
        # Editors put a new file in the place of the old one, of which only its folder is notified.
        parents = sorted({path.parent for path in wanted.elsewhere if not path.is_dir()})
        if folders:
            watching.enter_context(_watching(folders, rounds, recursive=True))
        if parents:
            watching.enter_context(_watching(parents, rounds, recursive=False))
        yield


@contextmanager
def _watching(folders: Sequence[Path], rounds: Rounds, *, recursive: bool) -> Iterator[None]:
    from watchfiles import watch  # noqa: PLC0415 - docs/decisions/0015

    end = Event()

    def follow() -> None:
        changes = watch(*folders, stop_event=end, recursive=recursive, raise_interrupt=False, yield_on_timeout=False)
        for _ in changes:
            rounds.wake()

    thread = Thread(target=follow, name="files")
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """A terminal that is closed, and `kill`, end the command as Ctrl-C does."""

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
