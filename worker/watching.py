"""`hexarena watch`: opens the viewer on a replay file, without the arena.

The web server is imported when it is wanted, as in `cli`.
"""

from __future__ import annotations

import gzip
import json
import socket
import webbrowser
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

console = Console(stderr=True)


def watch(
    replay: Annotated[Path, typer.Argument(help="A replay: `hexarena match … --replay FILE`, or a downloaded one.")],
    port: Annotated[int, typer.Option(help="Where to show it; 0 takes a free port.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
) -> None:
    """Watch a replay file in the browser. Ctrl-C ends it."""
    import uvicorn

    from backend.app import LOCAL_REPLAY, make_replay_app

    text = _read(replay)
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/watch?src={LOCAL_REPLAY}"
        console.print(f"{replay} plays at {url}  Ctrl-C ends it.")
        if not no_browser:
            webbrowser.open(url)
        server = uvicorn.Server(uvicorn.Config(make_replay_app(text), log_level="warning"))
        server.run(sockets=[listener])


def _read(replay: Path) -> str:
    """The replay's text. Ends the command with a message if it is none."""
    try:
        packed = replay.read_bytes()
        text = (gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed).decode()
        header = json.loads(text.partition("\n")[0])
        if not isinstance(header, dict) or "v" not in header or "game" not in header:
            raise ValueError("its first line is not a replay's header")
    except (OSError, EOFError, ValueError) as error:
        console.print(f"{replay}: expected a replay file; {error}", style="red", markup=False)
        raise typer.Exit(2) from None
    return text
