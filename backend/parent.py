"""Children of `hexarena up` and of workers end when their parent is gone, however it went."""

from __future__ import annotations

import os
import shutil
import signal
import threading

PARENT = "HEXARENA_PARENT_PID"
LOOK_S = 1.0
STOP_S = 10.0
"""The patience with a part that was told to stop; what it was doing then will be done again."""


def ends_with_parent(number: str) -> list[str]:
    """What goes before a command that gets this signal, e.g. "TERM", when the thread that started it is gone.

    Nothing on machines that lack the tool for it.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", number, "--"] if setpriv else []


def follow_parent() -> None:
    """Ends this process, and in the end all of its session, soon after the supervisor that started it.

    Does nothing for processes that have none.
    """
    parent = os.environ.get(PARENT)
    if parent is None:
        return

    def watch() -> None:
        never = threading.Event()
        while os.getppid() == int(parent):
            never.wait(LOOK_S)
        os.kill(os.getpid(), signal.SIGTERM)
        never.wait(STOP_S)
        if os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, name="parent", daemon=True).start()
