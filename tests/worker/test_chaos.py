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

from scripts.chaos.__main__ import main
from scripts.chaos.checks import CHECKS
from scripts.chaos.faults import BOT, CUT_OFF, FAULTS, FULL_DISK

pytestmark = pytest.mark.sandbox
ROOT = Path(__file__).parents[2]
OTHERS = (BOT, FULL_DISK, CUT_OFF)


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
    assert len(found["faults"] | found["skipped"]) == len(FAULTS)
    return found


def test_nothing_is_lost_or_doubled_whatever_is_killed_stopped_or_emptied(tmp_path: Path) -> None:
    faults = set(FAULTS) - {*OTHERS}
    assert set(chaos(tmp_path / "figures.json", 40, *sorted(faults))["faults"]) == faults


@pytest.mark.isolation
@pytest.mark.skipif(os.geteuid() != 0, reason="only root fills a disk of its own")
def test_nothing_is_lost_or_doubled_when_a_disk_is_full_or_a_bot_is_killed(tmp_path: Path) -> None:
    found = chaos(tmp_path / "figures.json", 10, FULL_DISK, BOT)
    assert FULL_DISK in found["faults"]
    assert set(found["faults"]) <= {FULL_DISK, BOT}
    assert found["skipped"].get(BOT) != "not asked for"


def test_a_fault_that_there_is_not_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--only", "kill -9: a bto"])
    assert ended.value.code != 0
    said = capfd.readouterr().err
    assert "invalid choice: 'kill -9: a bto'" in said
    assert all(name in said for name in (BOT, FULL_DISK, CUT_OFF))
