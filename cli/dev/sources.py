"""Which files of a game decide what its matches are, and which what they look like; and what is in them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

PICTURE_ENDINGS = {".ts", ".js"}
"""Of files directly in the game's folder that belong to its viewer, unless they are bots."""
OTHER_ENDINGS = {".md", ".png", ".svg", ".jpg", ".pyc"}


def match_digest(folder: Path, bots: Sequence[Path], known: Collection[str]) -> str:
    """A hash of rules and bots. `bots`: files from elsewhere; `known`: the file names of the game's own bots."""
    own = (file for file in _files(folder) if file.suffix not in OTHER_ENDINGS and not _draws(file, folder, known))
    return _digest([*sorted(own), *(file for bot in bots for file in sorted(_files(bot)))])


def viewer_digest(folder: Path, known: Collection[str]) -> str:
    """A hash of what the viewer is built from."""
    return _digest(sorted(file for file in _files(folder) if _draws(file, folder, known)))


def _draws(file: Path, folder: Path, known: Collection[str]) -> bool:
    return file.parent == folder and file.suffix in PICTURE_ENDINGS and file.name not in known


def _files(place: Path) -> Iterator[Path]:
    """The file, or the files below the folder, without caches and hidden ones."""
    if place.is_file():
        yield place
        return
    with suppress(OSError):
        for path in place.iterdir():
            if not path.name.startswith((".", "__pycache__", "node_modules")):
                yield from _files(path)


def _digest(files: Sequence[Path]) -> str:
    found = hashlib.sha256()
    for file in files:
        # One that is gone by now counts as missing: its removal is noticed, too.
        with suppress(OSError):
            content = file.read_bytes()
            found.update(f"{file}\0{len(content)}\0".encode() + content)
    return found.hexdigest()
