"""`make chaos`, with each fault once: whatever dies, every match ends exactly once and counts exactly once.

An ordinary user cannot fill a disk of its own, so that root plays it as well. A host that is cut off is in
`test_joining_far.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.chaos.checks import CHECKS

pytestmark = pytest.mark.sandbox
ROOT = Path(__file__).parents[2]
MATCHES = 45
FAULTS = 16


def test_nothing_is_lost_or_doubled_whatever_is_killed_stopped_emptied_or_filled(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    words = ("--matches", str(MATCHES), "--once", "--no-host", "--json", str(figures))
    done = subprocess.run(
        [sys.executable, "-m", "scripts.chaos", *words], cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True
    )
    print(done.stdout)
    assert done.returncode == 0
    found = json.loads(figures.read_text())
    assert len(found["faults"] | found["skipped"]) == FAULTS
    if os.geteuid() == 0:
        assert "disk: full" in found["faults"]
    assert set(found["faults"].values()) == {1}
    assert set(found["wrong"]) > set(CHECKS)
    assert sum(found["states"].values()) >= MATCHES
