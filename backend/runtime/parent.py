"""Children of `hexarena up` and of workers end when their parent ends, however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable
from multiprocessing import parent_process

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
    """Ends this process, and finally its whole session, soon after the process ends that started it.

    That is the one of PARENT, or else the one that started it by `multiprocessing`. Does nothing if there is neither.
    """
    if parent := os.environ.get(PARENT):
        number = int(parent)
        _end_after(lambda: _wait_for_parent(number))
    elif (started_by := parent_process()) is not None:
        _end_after(started_by.join)


def _wait_for_parent(number: int) -> None:
    never = threading.Event()
    while os.getppid() == number:
        never.wait(LOOK_S)


def _end_after(wait: Callable[[], object]) -> None:
    def watch() -> None:
        wait()
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(STOP_S)
        if os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, name="parent", daemon=True).start()
