"""`hexarena watch`: opens the viewer on a replay file, without the arena. Only this machine can reach it."""

from __future__ import annotations

import gzip
import json
import zlib
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from hexarena.backend.runtime.pages import NO_PAGES, PORTABLE, VIEWERS, outside_viewer, pages_folder, portable_page
from hexarena.cli.entrants import Refused, check_folders, check_outputs
from hexarena.cli.local_pages import REPLAY, LocalPages, listening, open_browser
from hexarena.games.discovery import HERE

LOCAL_REPLAY = "/local/replay"
NO_VIEWER = (
    "There is no viewer for the game {game}. In a checkout, `python frontend/build.py` builds those of the folders in "
    "HEXARENA_GAMES; or give the game's folder a viewer.js."
)
console = Console(stderr=True)


def watch(
    replay: Annotated[Path, typer.Argument(help="A replay: `hexarena match … --replay FILE`, or a downloaded one.")],
    port: Annotated[int, typer.Option(help="Where to show it; 0 takes a free port.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    save: Annotated[Path | None, typer.Option(help="Write one HTML file that opens offline, and show nothing.")] = None,
) -> None:
    """Watch a replay file in the browser. Ctrl-C ends it."""
    try:
        check_folders({"--save": save})
        check_outputs([replay], {"--save": save})
    except (Refused, OSError) as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    text = _read(replay)
    if not (pages_folder() / "index.html").exists():
        console.print(NO_PAGES, style="red", markup=False)
        raise typer.Exit(2)
    if save is not None:
        _save(replay, text, save)
        return
    with listening(port, partial(_Pages, text.encode())) as server:
        url = f"http://127.0.0.1:{server.server_port}/watch?src={LOCAL_REPLAY}"
        console.print(f"{replay} plays at {url}  Ctrl-C ends it.", markup=False)
        if not no_browser:
            open_browser(url)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def _save(file: Path, replay: str, to: Path) -> None:
    """Writes the replay with the viewer as one page. Ends the command with a message if that fails."""
    header = json.loads(replay.partition("\n")[0])
    game, players = str(header["game"]), header.get("players")
    if not isinstance(players, list) or not all(isinstance(one, dict) and "bot" in one for one in players):
        console.print(f"{file}: expected a replay file; its header does not say who played", style="red", markup=False)
        raise typer.Exit(2)
    try:
        viewer = outside_viewer(pages_folder(), f"{VIEWERS}/{game}.js")
        if viewer is None and not (HERE / game).is_dir():
            console.print(NO_VIEWER.format(game=game), style="red", markup=False)
            raise typer.Exit(2)
        carried = None if viewer is None else viewer.read_text()
        to.write_text(portable_page((pages_folder() / PORTABLE).read_text(), replay, carried))
    except OSError as error:
        console.print(f"{error.filename}: {error.strerror}", style="red", markup=False)
        raise typer.Exit(2) from None
    except ValueError as error:
        console.print(f"{to} cannot be made: {error}", style="red", markup=False)
        raise typer.Exit(2) from None
    console.print(f"{to} has the match and its viewer. It opens in any browser, without a network.", markup=False)


class _Pages(LocalPages):
    """The built pages, with one replay at LOCAL_REPLAY."""

    def __init__(self, replay: bytes, *connection: Any) -> None:
        self._replay = replay
        super().__init__(*connection)

    def answer_own(self, path: str) -> bool:
        """The replay."""
        if path != LOCAL_REPLAY:
            return False
        self.answer(self._replay, REPLAY)
        return True


def _read(replay: Path) -> str:
    """The replay's text. Ends the command with a message if the file is not a replay."""
    try:
        packed = replay.read_bytes()
        text = (gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed).decode()
        header = json.loads(text.partition("\n")[0])
        if not isinstance(header, dict) or "v" not in header or "game" not in header:
            raise ValueError("its first line is not a replay's header")
    except (OSError, EOFError, ValueError, zlib.error) as error:
        # An error of the system would name the file once more.
        why = (error.strerror if isinstance(error, OSError) else None) or error
        console.print(f"{replay}: expected a replay file; {why}", style="red", markup=False)
        raise typer.Exit(2) from None
    return text
