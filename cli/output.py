"""What commands share that print what bots and people wrote."""

from __future__ import annotations

import sys
from pathlib import Path


def write_to(path: Path, text: str) -> None:
    """Writes a file; "-" is standard output."""
    if str(path) == "-":
        sys.stdout.write(text)
    else:
        path.write_text(text)


def visible(text: str) -> str:
    """A bot's text without control characters that a terminal would obey."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def turns_text(number: int) -> str:
    """A number of turns in words, as "1 turn" and "7 turns"."""
    return "1 turn" if number == 1 else f"{number} turns"
