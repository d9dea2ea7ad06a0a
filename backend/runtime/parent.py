"""Children of `hexarena up` and of workers end when their parent ends, however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import threading

PARENT = "HEXARENA_PARENT_PID"
LOOK_S = 1.0
STOP_S = 10.0
"""How long a stopped process may take to finish; what it was doing is repeated later."""


def ends_with_parent(number: str) -> list[str]:
    """The command prefix that sends this signal, e.g. "TERM", when the thread that started the command ends.

    Empty on machines that lack the tool for it.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", number, "--"] if setpriv else []


def follow_parent() -> None:
    """Ends this process, and finally its whole session, soon after the supervisor that started it ends.

    Does nothing in a process without a supervisor.
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
