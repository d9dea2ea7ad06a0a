"""Boxes without walls, for local development on machines without bubblewrap. Never for other people's bots.

Limits on single processes, CPU time, framing and faults are the same; what a bot can see and reach is not limited
at all, and a process that moves away from its parent is not found again before the next start.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from backend.parent import ends_with_parent
from worker.sandbox import marks
from worker.sandbox.box import Box, Order, make_pipe, resource_limits
from worker.sandbox.jail import TOOL_FOLDERS
from worker.sandbox.limits import BuildLimits, Limits

GATE = 'read -r _ < "/proc/self/fd/$0" && exec "$@"'
"""Waits for a line at the gate, then becomes the command; ends if the worker does."""


class Plain:
    """Launches bots as plain processes."""

    has_walls = False

    def __init__(self, *, memory_limited: bool, mark: str) -> None:
        """`memory_limited`: trees limit the memory of all processes together. `mark`: on every process."""
        self._memory_limited = memory_limited
        self._marked = {marks.VARIABLE: mark}
        self._with_parent = ends_with_parent("KILL")

    def launch(self, order: Order, limits: Limits | BuildLimits, slot: int) -> Box:
        """See Launcher."""
        gate_read, gate_write = make_pipe()
        try:
            process = subprocess.Popen(
                [
                    *self._with_parent,
                    *("/bin/sh", "-c", GATE, str(gate_read)),
                    *order.words(str(order.home), str(order.out)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=(gate_read,),
                env={"PATH": _path(order), "LANG": "C.UTF-8", **self._marked},
                cwd=order.home,
                start_new_session=True,
            )
        except BaseException:
            os.close(gate_read)
            os.close(gate_write)
            raise
        rules = resource_limits(limits, memory_limited=self._memory_limited, own_namespace=False)
        return Box(process, rules, gate=(gate_read, gate_write), status=None)

    def can_read(self, path: Path) -> bool:
        """See Launcher."""
        return os.access(path, os.R_OK)

    def describe(self) -> str:
        """See Launcher."""
        return "NO WALLS: bots run as plain processes that can read, write and send whatever this user can"


def _path(order: Order) -> str:
    """A user's own command means the user's own tools; the table's languages mean the ones that boxes have."""
    own = os.environ.get("PATH", os.defpath)
    if not order.files:
        return own
    return os.pathsep.join((*TOOL_FOLDERS, *(str(tool.parent) for tool in order.tools), own))
