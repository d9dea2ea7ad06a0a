"""A real API process for the benches, and what processes of this machine use."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles

import typer
from rich.console import Console

from hexarena.backend.runtime.parent import PARENT
from hexarena.backend.runtime.settings import Settings

START_S = 60.0
TICKS = os.sysconf("SC_CLK_TCK")
console = Console(stderr=True)


@contextmanager
def api_process(settings: Settings) -> Iterator[int]:
    """The id of an API process that listens at the port of the settings. It ends with the block. Raises: Exit."""
    environment = {
        **os.environ,
        PARENT: str(os.getpid()),
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "HEXARENA_DATA_FOLDER": str(settings.data_folder),
        "HEXARENA_PORT": str(settings.port),
        "HEXARENA_CONNECTIONS": str(settings.connections),
    }
    command = [sys.executable, "-m", "hexarena.backend.serve"]
    with subprocess.Popen(command, env=environment) as process:
        try:
            _wait_for_port(settings.port, process)
            yield process.pid
        finally:
            process.terminate()


def _wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    console.print("The API did not start.", style="red")
    raise typer.Exit(2)


def free_port() -> int:
    """One on which nothing listens now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def percentiles(figures: Sequence[float]) -> tuple[float, float, float]:
    """The 50th, 95th and 99th; NaN of fewer than two figures."""
    if len(figures) < 2:
        return float("nan"), float("nan"), float("nan")
    steps = quantiles(figures, n=100, method="inclusive")
    return round(steps[49], 1), round(steps[94], 1), round(steps[98], 1)


def cpu_s(pid: int) -> float:
    """CPU seconds that a process has used; 0 if it is gone."""
    return _times_s(pid, 11)


def reaped_cpu_s(pid: int) -> float:
    """CPU seconds of its children that have ended."""
    return _times_s(pid, 13)


def _times_s(pid: int, first: int) -> float:
    """User and system time."""
    fields = _stat(pid)
    return (int(fields[first]) + int(fields[first + 1])) / TICKS if fields else 0.0


def parent_of(pid: int) -> int:
    """The id of the process that started it; 0 if it is gone."""
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def _stat(pid: int) -> list[str]:
    """Source: proc_pid_stat(5), counted from after the name. Empty if the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def resident_mb(pid: int) -> float:
    """Megabytes in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1000
    return float("nan")
