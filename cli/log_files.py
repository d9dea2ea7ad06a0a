"""The log files of an arena on one machine: kept small while the processes that write them continue."""

from __future__ import annotations

import os
import shutil
from itertools import pairwise
from pathlib import Path

LARGEST_BYTES = 20_000_000
LOOK_S = 30.0
KEPT = 2
"""Older parts of each file: `worker.log.1` is the newest."""


def rotate(folder: Path, largest_bytes: int = LARGEST_BYTES) -> list[Path]:
    """Moves what is in a log that has become large to a file beside it. Returns those that were.

    A log is copied and emptied, since its writer keeps it open; the writer appends, so it continues at the beginning. A
    line that is written between the two is lost. On a full disk nothing is copied, and the log is emptied.
    """
    large = [path for path in folder.glob("*.log") if path.stat().st_size > largest_bytes]
    for path in large:
        older = [path.with_name(f"{path.name}.{number}") for number in range(1, KEPT + 1)]
        for newer, oldest in reversed(list(pairwise(older))):
            if newer.exists():
                newer.replace(oldest)
        try:
            shutil.copyfile(path, older[0])
        except OSError:
            older[0].unlink(missing_ok=True)
        os.truncate(path, 0)
    return large
