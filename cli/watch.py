"""`hexarena watch`: opens the viewer on a replay file, without the arena. Only this machine can reach it."""

from __future__ import annotations

import gzip
import json
import webbrowser
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from hexarena.backend.runtime.headers import safety_headers
from hexarena.backend.runtime.hosts import host_name, hosts_of
from hexarena.backend.runtime.pages import (
    NO_PAGES,
    PORTABLE,
    VIEWERS,
    find_page,
    outside_viewer,
    pages_folder,
    portable_page,
)

HOSTS = hosts_of("127.0.0.1", "")
LOCAL_REPLAY = "/local/replay"
console = Console(stderr=True)


def watch(
    replay: Annotated[Path, typer.Argument(help="A replay: `hexarena match … --replay FILE`, or a downloaded one.")],
    port: Annotated[int, typer.Option(help="Where to show it; 0 takes a free port.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    save: Annotated[Path | None, typer.Option(help="Write one HTML file that opens offline, and show nothing.")] = None,
) -> None:
    """Watch a replay file in the browser. Ctrl-C ends it."""
    text = _read(replay)
    if not (pages_folder() / "index.html").exists():
        console.print(NO_PAGES, style="red", markup=False)
        raise typer.Exit(2)
    if save is not None:
        _save(text, save)
        return
    with ThreadingHTTPServer(("127.0.0.1", port), partial(_Pages, text.encode())) as server:
        url = f"http://127.0.0.1:{server.server_port}/watch?src={LOCAL_REPLAY}"
        console.print(f"{replay} plays at {url}  Ctrl-C ends it.")
        if not no_browser:
            webbrowser.open(url)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def _save(replay: str, to: Path) -> None:
    """Writes the replay with the viewer as one page. Ends the command with a message if that fails."""
    try:
        viewer = outside_viewer(pages_folder(), f"{VIEWERS}/{json.loads(replay.partition(chr(10))[0])['game']}.js")
        carried = None if viewer is None else viewer.read_text()
        to.write_text(portable_page((pages_folder() / PORTABLE).read_text(), replay, carried))
    except OSError as error:
        console.print(f"{error.filename}: {error.strerror}", style="red", markup=False)
        raise typer.Exit(2) from None
    console.print(f"{to} has the match and its viewer. It opens in any browser, without a network.")


class _Pages(SimpleHTTPRequestHandler):
    """The built pages, with one replay at LOCAL_REPLAY. The page's own script knows all other paths."""

    def __init__(self, replay: bytes, *connection: Any) -> None:
        self._replay = replay
        self._root = pages_folder()
        self._content_type = ""
        super().__init__(*connection, directory=str(self._root))

    def do_GET(self) -> None:
        """Answers a request for the replay, a file, or a page."""
        name = host_name([value.encode("latin-1") for value in self.headers.get_all("Host", [])])
        if name is None or not HOSTS.answers(name):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, f"Expected one of {HOSTS} as the host")
            return
        path = self.path.partition("?")[0]
        if path == LOCAL_REPLAY:
            self._answer_replay()
            return
        if path.startswith(f"/{VIEWERS}/"):
            self._answer_viewer(path.lstrip("/"))
            return
        if find_page(self._root, path.lstrip("/")) is None:
            self.path = "/index.html"
        super().do_GET()

    def do_HEAD(self) -> None:
        """The same without the content."""
        path = self.path.partition("?")[0]
        if path.startswith(f"/{VIEWERS}/"):
            self._answer_viewer(path.lstrip("/"))
        else:
            super().do_HEAD()

    def _answer_replay(self) -> None:
        self._answer(self._replay, "application/x-ndjson")

    def _answer_viewer(self, path: str) -> None:
        """The viewer of a game from outside the repository."""
        viewer = outside_viewer(self._root, path)
        if viewer is None:
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            self._answer(viewer.read_bytes(), "text/javascript")

    def _answer(self, content: bytes, content_type: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def send_header(self, keyword: str, value: str) -> None:
        """Remembers the type, which decides about the other headers."""
        if keyword.lower() == "content-type":
            self._content_type = value
        super().send_header(keyword, value)

    def end_headers(self) -> None:
        """Adds the headers that the arena's pages have."""
        for name, value in safety_headers(self._content_type).items():
            super().send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not worth a line on the terminal."""


def _read(replay: Path) -> str:
    """The replay's text. Ends the command with a message if the file is not a replay."""
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
