"""Marks of ownership: each process has its sandbox's mark in its environment, even after its parent is gone.

Sandboxed processes normally end with their worker. But if the worker is killed while bubblewrap is still setting up, or
waits at its gate, they wait for ever; and processes without isolation may outlive their worker, too. A sweep finds all
of them by the mark.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from hexarena.worker.sandbox.tree import send_all, stop_all

VARIABLE = "HEXARENA_BOX"
GONE_S = 5.0
"""How long the kernel may take to reap killed processes."""


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
    """Empty for a process that has ended, or is another user's."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return []
