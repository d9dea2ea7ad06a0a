"""What commands share that print what bots and people wrote."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rich.markup import escape

from hexarena.cli.connection import failed


def write_to(path: Path, text: str) -> None:
    """Writes a file; "-" is standard output."""
    if str(path) == "-":
        sys.stdout.write(text)
    else:
        path.write_text(text)


@contextmanager
def private_file(path: Path, secrets: str) -> Iterator[TextIO]:
    """A new file that only its owner can read. It is removed again if what follows fails, or writes nothing.

    `secrets`: what is in such files, as "passwords". Raises: Exit.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise failed(
            f"{path} exists already, perhaps with {secrets} that are nowhere else. Choose another file."
        ) from None
    except OSError as error:
        raise failed(f"{path} cannot be written: {error.strerror}. No account was made.") from None
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        try:
            yield file
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        if not file.tell():
            path.unlink(missing_ok=True)


def visible(text: str) -> str:
    """A bot's text without control characters that a terminal would obey."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def cell(text: str) -> str:
    """What somebody wrote, for a table of Rich's: nothing in it is markup."""
    return escape(visible(text))


def turns_text(number: int) -> str:
    """A number of turns in words, as "1 turn" and "7 turns"."""
    return "1 turn" if number == 1 else f"{number} turns"
