"""Where the built pages are, in a checkout or in an installed package."""

from __future__ import annotations

from pathlib import Path

INSTALLED = Path(__file__).parents[1] / "web"
IN_CHECKOUT = Path(__file__).resolve().parents[2] / "frontend" / "dist"
NO_PAGES = "The pages have not been built. In a checkout, `python frontend/build.py` builds them."


def pages_folder() -> Path:
    """The folder with `index.html`; it may be missing in a checkout that was not built."""
    return INSTALLED if (INSTALLED / "index.html").exists() else IN_CHECKOUT


def find_page(root: Path, path: str) -> Path | None:
    """The file at this path, if it is below the root; no path gets out of it."""
    try:
        found = (root / path).resolve()
        return found if found.is_relative_to(root.resolve()) and found.is_file() else None
    except (OSError, ValueError):  # too long, a NUL in it
        return None
