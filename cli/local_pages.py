"""The built pages for this machine alone, as `hexarena watch` and `hexarena dev` serve them."""

from __future__ import annotations

import errno
import webbrowser
from collections.abc import Callable
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from hexarena.backend.runtime.headers import safety_headers
from hexarena.backend.runtime.hosts import host_name, hosts_of
from hexarena.backend.runtime.pages import VIEWERS, find_page, outside_viewer, pages_folder
from hexarena.cli.connection import failed

HOSTS = hosts_of("127.0.0.1", "")
JAVASCRIPT = "text/javascript"
REPLAY = "application/x-ndjson"


def listening(port: int, pages: Callable[..., LocalPages]) -> ThreadingHTTPServer:
    """A server for this machine alone; port 0 takes a free one. Raises: Exit, where the port cannot be had."""
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), pages)
    except (OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise failed(
                f"Port {port} is in use. Choose another one with --port, or none: a free one is taken."
            ) from None
        raise failed(f"expected a port that may be listened at; got {port}: {error}") from None


def open_browser(url: str) -> None:
    """Opens it while the caller serves the page: its thread waits for a browser in the terminal, such as lynx."""
    Thread(target=webbrowser.open, args=(url,), name="browser", daemon=True).start()


class LocalPages(SimpleHTTPRequestHandler):
    """The built pages, and what `answer_own` adds. The page's own script knows all other paths."""

    def __init__(self, *connection: Any) -> None:
        self._root: Path = pages_folder()
        self._content_type = ""
        super().__init__(*connection, directory=str(self._root))

    def answer_own(self, path: str) -> bool:
        """Answers a request for something else than the pages. False if this is none."""
        return False

    def do_GET(self) -> None:
        """Answers a request for something of its own, a viewer, a file, or a page."""
        if not self.is_for_us():
            return
        path = self.path.partition("?")[0]
        if self.answer_own(path):
            return
        if path.startswith(f"/{VIEWERS}/"):
            self._answer_viewer(path.lstrip("/"))
            return
        if find_page(self._root, path.lstrip("/")) is None:
            self.path = "/index.html"
        self.answer_file()

    def do_HEAD(self) -> None:
        """The same without the content."""
        self.do_GET()

    def answer_file(self) -> None:
        """The file at `self.path`."""
        if self.command == "HEAD":
            super().do_HEAD()
        else:
            super().do_GET()

    def is_for_us(self) -> bool:
        """Whether the request names this machine; else it is refused: a page elsewhere could read what is served."""
        name = host_name([value.encode("latin-1") for value in self.headers.get_all("Host", [])])
        if name is not None and HOSTS.answers(name):
            return True
        self.send_error(HTTPStatus.MISDIRECTED_REQUEST, f"Expected one of {HOSTS} as the host")
        return False

    def _answer_viewer(self, path: str) -> None:
        """The viewer of a game from outside the repository."""
        viewer = outside_viewer(self._root, path)
        if viewer is None:
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            self.answer(viewer.read_bytes(), JAVASCRIPT)

    def answer(self, content: bytes, content_type: str) -> None:
        """Sends this, never to be cached."""
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
