"""Which compressions a client takes, and files that the build compressed already."""

from __future__ import annotations

from pathlib import Path

ENDINGS = {"br": ".br", "gzip": ".gz"}
"""Of a file's compressed copies beside it (frontend/build.py); the smallest first."""


def accepted(header: str) -> frozenset[str]:
    """The codings of an `Accept-Encoding` but for those that it refuses with `q=0`."""
    parts = (part.partition(";") for part in header.lower().split(","))
    return frozenset(name.strip() for name, _, weight in parts if not _is_refusal(weight))


def packed_file(file: Path, header: str) -> tuple[Path, str | None]:
    """The smallest copy of a file that a client takes, and its coding; the file itself and None where there is none."""
    takes = accepted(header)
    for coding, ending in ENDINGS.items():
        copy = file.with_name(file.name + ending)
        if coding in takes and copy.exists():
            return copy, coding
    return file, None


def _is_refusal(weight: str) -> bool:
    name, _, value = weight.partition("=")
    return name.strip() == "q" and value.strip().strip("0") in {"", "."}
