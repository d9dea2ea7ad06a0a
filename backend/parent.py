"""Children of `hexarena up` end when it is gone, however it went."""

from __future__ import annotations

import os
import signal
import threading

PARENT = "HEXARENA_PARENT_PID"
LOOK_S = 1.0


def follow_parent() -> None:
    """Ends this process soon after the supervisor that started it. Does nothing for processes that have none."""
    parent = os.environ.get(PARENT)
    if parent is None:
        return

    def watch() -> None:
        never = threading.Event()
        while os.getppid() == int(parent):
            never.wait(LOOK_S)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()
