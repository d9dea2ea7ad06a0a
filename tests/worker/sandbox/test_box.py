"""Boxes that end before anything ran in them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from worker.sandbox import Sandbox

MARK = "/bot/a-box-that-was-closed-early"


def _left() -> list[Path]:
    """Processes of boxes that were told to run the mark."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if MARK.encode() in (process / "cmdline").read_bytes():
                found.append(process)
        except OSError:
            continue
    return found


@pytest.mark.sandbox
def test_a_box_that_is_closed_while_it_is_set_up_leaves_nothing(jail: Sandbox) -> None:
    """The launcher takes some milliseconds, in which it has a child that nobody knows yet."""
    program = jail.command(("cat", MARK), Path("/usr/share"))
    for step in range(60):
        with jail.start(program, reply_bytes=100):
            time.sleep(step * 0.00006)
    assert _left() == []
