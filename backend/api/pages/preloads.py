"""What a page's HTML asks the browser to load ahead: the page's files, a match's viewer, and the API's first answers.

Without it a browser finds each of them only once the one before has run: script, page, answer, replay, viewer. The
build writes which files a page has (frontend/preloads.ts); without its file, pages load as they find things.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from pathlib import Path

from hexarena.backend.api.views.front import FrontMatch
from hexarena.backend.models import MatchState

API = "/api/v1"
FILE = "preloads.json"
EDITOR_ANSWERS = ("", "/starters", "/leaderboard?limit=50")
"""Of a game, as frontend/src/pages/Play.svelte asks for them."""
KINDS = {
    ".js": 'rel="modulepreload"',
    ".css": 'rel="stylesheet"',
    ".woff2": 'rel="preload" as="font" type="font/woff2"',
}
ANSWER = 'rel="preload" as="fetch"'


@dataclass(frozen=True, slots=True)
class Preloads:
    """The addresses of built files: on every page, by a page's address, and by a viewer's game."""

    all: list[str] = field(default_factory=list)
    pages: Mapping[str, list[str]] = field(default_factory=dict)
    viewers: Mapping[str, list[str]] = field(default_factory=dict)

    def files(self, path: str) -> list[str]:
        """Of the page at a path without a leading slash, such as `matches/12`."""
        address = "/" + path.rstrip("/")
        one_of_many = address.rpartition("/")[0] + "/*"
        return [*self.all, *(self.pages.get(address) or self.pages.get(one_of_many) or [])]

    def match(self, match: int, state: MatchState, game: str) -> list[str]:
        """What shows a match: if it is over, its replay, too. The viewer of a game from outside has no entry."""
        lines = [f"{API}/matches/{match}/replay"] if state == MatchState.DONE else []
        return [*lines, *self.viewers.get(game, [])]


def preloads_of(root: Path) -> Preloads:
    """Those of the pages in a folder. None where the build wrote none."""
    file = root / FILE
    try:
        return _read(file, file.stat().st_mtime_ns)
    except FileNotFoundError:
        return Preloads()


@lru_cache(maxsize=1)
def _read(file: Path, _changed_at: int) -> Preloads:
    return Preloads(**json.loads(file.read_text()))


def editor_answers(game: str) -> list[str]:
    """What the editor's page asks the API for."""
    return [*(f"{API}/games/{game}{rest}" for rest in EDITOR_ANSWERS), f"{API}/languages"]


def front_tag(front: FrontMatch) -> str:
    """Adds to the home page which match to show, so that it need not wait for the list of games."""
    return f'<meta name="front-match" content="{front.game} {front.match} {front.state}" />'


def with_head(page: str, files: Iterable[str], answers: Iterable[str] = (), *tags: str) -> str:
    """The page with a link for each file and each answer of the API, and with these tags, in its head.

    The answers come first: they take the arena longest, and a browser asks for few things at once. All links have
    `crossorigin`: a preload is used only by a request of the same mode.
    """
    first, rest = _links(answers), _links(files)
    return page.replace("<head>", f"<head>{first}", 1).replace("</head>", f"{rest}{''.join(tags)}</head>", 1)


def _links(addresses: Iterable[str]) -> str:
    return "".join(f'<link {_kind(address)} crossorigin href="{escape(address)}" />' for address in addresses)


def _kind(address: str) -> str:
    return ANSWER if address.startswith(f"{API}/") else KINDS[Path(address).suffix]
