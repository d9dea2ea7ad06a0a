"""A build hook: no package without the pages. A checkout builds them when they are stale; an sdist brings them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildPages(BuildHookInterface):  # type: ignore[type-arg]
    """Runs before the files of an sdist or a wheel are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raises: SystemExit, when there are no pages and none can be built."""
        if version == "editable":
            return
        frontend = Path(self.root) / "frontend"
        index = frontend / "dist" / "index.html"
        in_checkout = (Path(self.root) / ".git").exists()
        if not in_checkout and index.exists():
            return
        builder = frontend / "build.py"
        built = builder.exists() and subprocess.run([sys.executable, builder], check=False).returncode == 0
        if not (built and index.exists()):
            raise SystemExit(
                "hexarena: expected the built pages in frontend/dist, which belong into the package; got none.\n"
                "Node.js 20.19 or newer builds them: install it, or run `make setup`, then build again."
            )
