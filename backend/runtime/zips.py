"""Zips from elsewhere, read with the two methods that everything here writes."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import IO

UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
"""What the standard library says about a zip that is not as it should be."""
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def opened(file: Path | IO[bytes]) -> zipfile.ZipFile:
    """The zip, to be read. Raises: OSError, and what is in UNREADABLE.

    Other methods are refused: each of their libraries has errors of its own for damaged bytes.
    """
    container = zipfile.ZipFile(file)
    for member in container.infolist():
        if member.compress_type not in METHODS:
            container.close()
            raise zipfile.BadZipFile(f"{member.filename} is packed by method {member.compress_type}")
    return container
