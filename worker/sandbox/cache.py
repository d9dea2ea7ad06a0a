"""The builds that a worker keeps, under one folder, each put there whole."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from worker.sandbox.limits import MIB

KEPT_BYTES = 2048 * MIB
"""Of builds in a folder; at the sweep the ones that were not used for longest go first."""


class BuildCache:
    """Builds under one folder: `<key>/<artefact>` and what goes with it, each folder put there whole by one rename."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def find(self, key: str, name: str) -> Path | None:
        """The folder of a kept build."""
        home = self._folder / key
        if not (home / name).is_file():
            return None
        os.utime(home)
        return home

    def keep(self, key: str, files: Mapping[str, bytes]) -> Path:
        """Writes a build: relative path -> content. Two workers that do the same at once both succeed."""
        home = self._folder / key
        with tempfile.TemporaryDirectory(prefix="new-", dir=self._folder) as folder:
            made = Path(folder) / key
            made.mkdir(mode=0o755)
            for name, content in files.items():
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                (made / name).write_bytes(content)
                (made / name).chmod(0o755)
            try:
                made.rename(home)
            except OSError:
                if not all((home / name).is_file() for name in files):
                    raise
        return home

    def scratch(self) -> tempfile.TemporaryDirectory[str]:
        """A folder for one build."""
        return tempfile.TemporaryDirectory(prefix="new-", dir=self._folder)

    def sweep(self) -> None:
        """Removes what a killed worker left half done an hour ago or earlier, and old builds that are too many."""
        room = KEPT_BYTES
        for home in sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True):
            if home.name.startswith("new-"):
                if home.stat().st_mtime < time.time() - 3600:
                    shutil.rmtree(home, ignore_errors=True)
                continue
            room -= sum(file.stat().st_size for file in home.rglob("*"))
            if room < 0:
                shutil.rmtree(home, ignore_errors=True)
