"""Signals that end loops."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import PATIENCE_S

IN_THE_MIDST_OF_WAITING = """
import os, signal, threading
from hexarena.backend.runtime.stopping import stop_on

stopping = threading.Event()
stop_on(stopping, signal.SIGTERM)
with stopping._cond:
    os.kill(os.getpid(), signal.SIGTERM)
    signal.sigpending()
print(stopping.wait())
"""


def test_a_signal_stops_a_process_that_is_just_beginning_to_wait() -> None:
    """`Event.wait` holds the event's lock for a moment; a handler that wanted it would wait for its own thread."""
    command = [sys.executable, "-c", IN_THE_MIDST_OF_WAITING]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    assert done.stdout == "True\n"
