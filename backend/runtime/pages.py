"""Where the built pages are, in a checkout or in an installed package."""

from __future__ import annotations

import html
import json
from pathlib import Path

INSTALLED = Path(__file__).parents[1] / "web"
IN_CHECKOUT = Path(__file__).resolve().parents[2] / "frontend" / "dist"
PORTABLE = "replay.html"
"""The page into which a replay is put."""
NO_PAGES = "The pages have not been built. In a checkout, `python frontend/build.py` builds them."


def pages_folder() -> Path:
    """The folder with `index.html`; it may be missing in a checkout that was not built."""
    return INSTALLED if (INSTALLED / "index.html").exists() else IN_CHECKOUT


def portable_page(template: str, replay: str) -> str:
    """The page PORTABLE with a replay in it, as `frontend/src/lib/portable.ts` makes it. `replay`: its lines.

    Raises: ValueError, where it has no place for one.
    """
    place, title = '<script type="application/x-ndjson" id="replay"></script>', "<title>A match</title>"
    before, found, after = template.partition(place)
    if not found or title not in before:
        raise ValueError(f"expected the page {PORTABLE} of this version")
    header = json.loads(replay.partition("\n")[0])
    names = " against ".join(dict.fromkeys(str(player["bot"]) for player in header["players"]))
    shown = f"{header['game']}: {names}"
    before = before.replace(title, f"<title>{html.escape(shown, quote=False)}</title>")
    # In JSON a < can only be within a string; written so, no bot's text ends the script.
    lines = replay.strip().replace("<", "\\u003c")
    return f"{before}{place.removesuffix('</script>')}\n{lines}\n</script>{after}"


def find_page(root: Path, path: str) -> Path | None:
    """The file at this path, if it is below the root; no path gets out of it."""
    try:
        found = (root / path).resolve()
        return found if found.is_relative_to(root.resolve()) and found.is_file() else None
    except (OSError, ValueError):  # too long, a NUL in it
        return None
