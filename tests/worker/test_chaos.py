"""`make chaos`, with each fault once: whatever dies, every match ends exactly once and counts exactly once.

A host that is cut off is in `test_joining_far.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.chaos.checks import CHECKS

pytestmark = pytest.mark.sandbox
ROOT = Path(__file__).parents[2]
FAULTS = (
    *(f"kill -9: {part}" for part in ("api", "dispatcher", "scheduler", "ratings", "webhooks")),
    *(f"kill -9: {what}" for what in ("a worker's main process", "a worker's pool process", "all of a worker")),
    "SIGSTOP: a worker, past its lease",
    *(f"broker: {what}" for what in ("FLUSHALL", "kill -9", "kill -9, comes back empty")),
    "PostgreSQL: immediate stop",
)
FULL_DISK, BOT = "disk: full", "kill -9: a bot"
OTHERS = 1
"""A host that is cut off."""


def chaos(figures: Path, matches: int, *faults: str) -> dict[str, Any]:
    """What it found, with each of these faults done once."""
    only = [word for fault in faults for word in ("--only", fault)]
    words = ["--matches", str(matches), "--once", "--no-host", "--json", str(figures), *only]
    done = subprocess.run(
        [sys.executable, "-m", "scripts.chaos", *words], cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True
    )
    print(done.stdout)
    assert done.returncode == 0
    found: dict[str, Any] = json.loads(figures.read_text())
    assert set(found["faults"].values()) == {1}
    assert set(found["wrong"]) > set(CHECKS)
    assert sum(found["states"].values()) >= matches
    assert len(found["faults"] | found["skipped"]) == len(FAULTS) + len((FULL_DISK, BOT)) + OTHERS
    return found


def test_nothing_is_lost_or_doubled_whatever_is_killed_stopped_or_emptied(tmp_path: Path) -> None:
    assert set(chaos(tmp_path / "figures.json", 40, *FAULTS)["faults"]) == set(FAULTS)


@pytest.mark.isolation
@pytest.mark.skipif(os.geteuid() != 0, reason="only root fills a disk of its own")
def test_nothing_is_lost_or_doubled_when_a_disk_is_full_or_a_bot_is_killed(tmp_path: Path) -> None:
    found = chaos(tmp_path / "figures.json", 10, FULL_DISK, BOT)
    assert FULL_DISK in found["faults"]
    assert set(found["faults"]) <= {FULL_DISK, BOT}
    assert found["skipped"].get(BOT) != "not asked for"
