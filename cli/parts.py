"""The parts of `hexarena up`, as forks of one process that has imported them all.

Each part imports a thousand modules, which takes two to four seconds of CPU; that one process does it once, while the
servers start, and what it has loaded is shared memory for all parts. It is the fork server of `multiprocessing`, which
forks whenever we ask, has no threads, and ends with us. A part that is started again runs the code that the arena was
started with, even if another version was installed meanwhile.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Mapping
from importlib import import_module
from io import TextIOWrapper
from multiprocessing import forkserver, get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

from hexarena.backend.runtime.parent import PARENT
from hexarena.backend.runtime.settings import Settings

PARTS = {
    "worker": ("hexarena.worker.app", "run_worker"),
    "dispatcher": ("hexarena.worker.dispatcher", "dispatch"),
    "scheduler": ("hexarena.worker.scheduler", "schedule"),
    "ratings": ("hexarena.worker.ratings", "run_ratings"),
    "webhooks": ("hexarena.worker.webhooks", "run_webhooks"),
    "api": ("hexarena.backend.serve", "serve"),
}
"""Name -> module, and the function that runs it with settings. Started in this order, stopped in the opposite one."""
FORKS = get_context("forkserver")
LONGEST_COMM = 15
"""Characters of a name that the kernel keeps, which `ps` and `top` show."""


def preload() -> None:
    """Starts the process that the parts are forked from. Returns at once; it imports meanwhile."""
    FORKS.set_forkserver_preload(["hexarena.cli.parts_loaded"])
    forkserver.ensure_running()


def import_all() -> None:
    """All that parts need, and from then on the garbage collector leaves it alone, so that memory stays shared."""
    gc.disable()
    for module, _ in PARTS.values():
        import_module(module)
    gc.collect()
    gc.freeze()
    gc.enable()


def start(name: str, environment: Mapping[str, str], log: Path) -> BaseProcess:
    """A part in a session of its own, so that Ctrl-C reaches only us. What it says is appended to the log."""
    process = FORKS.Process(target=_run, args=(name, dict(environment), str(log)), name=name)
    process.start()
    return process


def _run(name: str, environment: Mapping[str, str], log: str) -> None:
    """What a part does, from its fork to its end."""
    os.setsid()
    with Path(log).open("ab") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # so that a killed part has said it
    os.environ.clear()
    os.environ.update(environment)
    os.environ.pop(PARENT, None)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Path("/proc/self/comm").write_text(f"arena-{name}"[:LONGEST_COMM])
    module, run = PARTS[name]
    getattr(import_module(module), run)(Settings())
