"""Where the built pages are, in a checkout or in an installed package."""

from __future__ import annotations

import html
import json
import re
from contextlib import suppress
from pathlib import Path

from hexarena.games.catalogue import UnknownGame, all_games, find_game, game_folder
from hexarena.games.discovery import outside

INSTALLED = Path(__file__).parents[1] / "web"
IN_CHECKOUT = Path(__file__).resolve().parents[2] / "frontend" / "dist"
VIEWERS = "viewers"
"""The folder of those of games from outside the repository."""
SHIPPED_VIEWER = "viewer.js"
"""In such a game's folder: its viewer, built already."""
PORTABLE = "replay.html"
"""The page into which a replay is put."""
NO_PAGES = "The pages have not been built. In a checkout, `python frontend/build.py` builds them."


def pages_folder() -> Path:
    """The folder with `index.html`; it may be missing in a checkout that was not built."""
    return INSTALLED if (INSTALLED / "index.html").exists() else IN_CHECKOUT


def viewer_file(root: Path, game_id: str) -> Path | None:
    """The viewer of a game from outside the repository, as one JavaScript module: built with the pages, or shipped.

    The one that was built stays when the game is gone, so that its replays can still be watched.
    """
    shipped = None
    with suppress(UnknownGame):
        shipped = game_folder(game_id) / SHIPPED_VIEWER
    built = find_page(root, f"{VIEWERS}/{game_id}.js")
    if shipped is not None and shipped.is_file() and (built is None or not shipped.with_suffix(".ts").is_file()):
        return shipped
    return built


def outside_viewer(root: Path, path: str) -> Path | None:
    """The file for an address such as `viewers/claims.js`."""
    named = re.fullmatch(rf"{VIEWERS}/([a-z][a-z0-9_]*)\.js", path)
    return None if named is None else viewer_file(root, named[1])


def without_viewer(root: Path) -> list[str]:
    """Titles of the games from outside the repository whose matches nobody can watch. None where there are no pages."""
    if not (root / "index.html").exists():
        return []
    games = all_games()
    return [games[name].title for name in sorted(outside()) if name in games and viewer_file(root, name) is None]


def portable_page(template: str, replay: str, viewer: str | None = None) -> str:
    """The page PORTABLE with a replay in it, as `frontend/src/lib/portable.ts` makes it. `replay`: its lines.

    `viewer`: the module of a viewer that is not part of the page.

    Raises: ValueError, where it has no place for one.
    """
    place, title = '<script type="application/x-ndjson" id="replay"></script>', "<title>A match</title>"
    before, found, after = template.partition(place)
    if not found or title not in before:
        raise ValueError(f"expected the page {PORTABLE} of this version")
    header = json.loads(replay.partition("\n")[0])
    names = " against ".join(dict.fromkeys(str(player["bot"]) for player in header["players"]))
    shown = f"{_title(str(header['game']))}: {names}"
    before = before.replace(title, f"<title>{html.escape(shown, quote=False)}</title>")
    # In JSON a < can only be within a string; written so, no bot's text ends the script.
    lines = replay.strip().replace("<", "\\u003c")
    carried = ""
    if viewer is not None:
        # Within a script, `</` and `<!--` would end or hide it; \\x3C is the same character in any string or template.
        module = viewer.replace("</script", "\\x3C/script").replace("<!--", "\\x3C!--")
        carried = f'\n<script type="text/plain" id="viewer">\n{module}\n</script>'
    return f"{before}{place.removesuffix('</script>')}\n{lines}\n</script>{carried}{after}"


def _title(game_id: str) -> str:
    """The game's title; its id, where the game is not here."""
    try:
        return find_game(game_id).title
    except UnknownGame:
        return game_id


def find_page(root: Path, path: str) -> Path | None:
    """The file at this path, if it is below the root; no path gets out of it."""
    try:
        found = (root / path).resolve()
        return found if found.is_relative_to(root.resolve()) and found.is_file() else None
    except (OSError, ValueError):  # too long, a NUL in it
        return None
