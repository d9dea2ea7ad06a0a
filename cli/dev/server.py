"""The page of `hexarena dev`, and an event stream that says what to show."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from hexarena.cli.dev.state import State
from hexarena.cli.local_pages import JAVASCRIPT, REPLAY, LocalPages

PAGE = "/dev"
EVENTS = "/dev/events"
KEEP_ALIVE_S = 5.0


class DevPages(LocalPages):
    """The built pages, the events, and matches and viewers by number."""

    def __init__(self, state: State, *connection: Any) -> None:
        self._state = state
        super().__init__(*connection)

    def answer_own(self, path: str) -> bool:
        """The events, until the page is closed; a match; a viewer."""
        if not path.startswith(f"{PAGE}/"):
            return False
        if path == EVENTS:
            self._stream()
        elif (found := self._numbered(path)) is not None:
            self.answer(*found)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)
        return True

    def _numbered(self, path: str) -> tuple[bytes, str] | None:
        """Content and type of a match or viewer."""
        if found := re.fullmatch(r"/dev/matches/([0-9]{1,9})", path):
            replay = self._state.match(int(found[1]))
            return None if replay is None else (replay.encode(), REPLAY)
        if found := re.fullmatch(r"/dev/viewers/([0-9]{1,9})\.js", path):
            viewer = self._state.viewer(int(found[1]))
            return None if viewer is None else (viewer, JAVASCRIPT)
        return None

    def _stream(self) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        seen = -1
        try:
            while True:
                news = self._state.wait(seen, KEEP_ALIVE_S)
                if news is None:
                    self.wfile.write(b": \n\n")
                else:
                    seen, state = news
                    self.wfile.write(f"data: {state}\n\n".encode())
                self.wfile.flush()
        except ConnectionError:
            return
