"""Signals that end a process's loop instead of the process."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


def stop_on(stopping: threading.Event, *numbers: signal.Signals) -> None:
    """From now on each of these signals sets `stopping`. Only in the main thread."""

    def stop(_: int, __: FrameType | None) -> None:
        # The main thread may be inside `stopping.wait` and hold its lock: setting it from here would then wait forever.
        _thread.start_new_thread(stopping.set, ())

    for number in numbers:
        signal.signal(number, stop)


@contextmanager
def stopped_by(stopping: threading.Event, *numbers: signal.Signals) -> Iterator[None]:
    """The same for a block, after which the signals do what they did before."""
    before = {number: signal.getsignal(number) for number in numbers}
    stop_on(stopping, *numbers)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
