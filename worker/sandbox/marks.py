"""Processes know whose they are: the mark of their sandbox is in their environment, also when their parent is gone.

A box ends with its worker, but not at every moment: while bubblewrap still sets it up or waits at its gate, the box of
a killed worker waits for ever. Whatever runs without walls may outlive its worker as well. By the mark, a sweep finds
them all.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from worker.sandbox.tree import send_all, stop_all

VARIABLE = "HEXARENA_BOX"
GONE_S = 5.0
"""How long the kernel may take to bury killed processes."""


def kill(marks: Collection[str]) -> None:
    """Kills all processes with one of these marks, and waits until they are gone."""
    wanted = {f"{VARIABLE}={mark}".encode() for mark in marks}

    def marked() -> set[int]:
        return {pid for pid in _processes() if not wanted.isdisjoint(_environment(pid))}

    deadline = time.monotonic() + GONE_S
    while wanted and (left := marked()) and time.monotonic() < deadline:
        send_all(stop_all(left, marked), signal.SIGKILL)
        time.sleep(0.001)


def _processes() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def _environment(pid: int) -> list[bytes]:
    """Nothing for a process that has ended, or is somebody else's."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return []
