"""This machine's load as a worker sees it: how late timers fire, and how long processes wait for a CPU."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from hexarena.backend.matches.workers import Load

TICK_S = 0.1
LATE_S = 0.1
"""A timer this late, or later, means that the machine stalls."""
CALM = 0.02
"""Below this share of waiting for a CPU there is nothing whose stalls would matter, and no timers are needed."""
CROWDED = 0.7
"""Two busy processes on two cores give about 0.25, six of them 0.9."""
UNKNOWN = Load()
PRESSURE = Path("/proc/pressure/cpu")
"""The kernel's pressure figures: the first line ends in the microseconds in which something waited, since boot."""


def measure(
    seconds: float,
    before: Load = UNKNOWN,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    pressure: Path = PRESSURE,
) -> Load:
    """Sleeps for `seconds` and measures the delays: in small steps, or in one if nothing waited `before`."""
    step_s = seconds if before.cpu_wait is not None and before.cpu_wait < CALM else TICK_S
    waited_before_s = _waited_s(pressure)
    began = now = clock()
    late_s = 0.0
    while now - began < seconds:
        sleep(step_s)
        woken = clock()
        late_s = max(late_s, woken - now - step_s)
        now = woken
    waited_s = _waited_s(pressure)
    if waited_before_s is None or waited_s is None:
        return Load(late_s)
    return Load(late_s, min(1.0, (waited_s - waited_before_s) / (now - began)))


def is_high(load: Load) -> bool:
    """Whether attempts that run now are likely to be void."""
    return load.late_s >= LATE_S or (load.cpu_wait or 0.0) >= CROWDED


def _waited_s(pressure: Path) -> float | None:
    try:
        return int(pressure.read_text().split("\n", 1)[0].rpartition("=")[2]) / 1_000_000
    except (OSError, ValueError):
        return None
