"""Scripts on a disk that is full soon: a small file system of their own, in namespaces that any user may make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OWN_MOUNTS = ("unshare", "--user", "--map-root-user", "--mount")
MOUNTED = 'mount -t tmpfs -o size=8m none "$1" && exec "$2" -c "$3" "$1"'


def run_on_small_disk(folder: Path, script: str) -> list[str]:
    """Runs Python with 8 MB mounted at the folder, its one argument. Returns what it printed, line by line."""
    if subprocess.run([*OWN_MOUNTS, "true"], check=False).returncode != 0:
        pytest.skip("needs user namespaces")
    command = [*OWN_MOUNTS, "sh", "-c", MOUNTED, "sh", folder, sys.executable, script]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
