"""The launcher without isolation, for local development on machines without bubblewrap. Never for other people's bots.

Limits on single processes, CPU time, framing and faults are the same; what a bot can see and reach is not limited
at all, and a process that detaches from its parent is only found by the next sweep.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from hexarena.backend.runtime.parent import ends_with_parent
from hexarena.worker.sandbox import marks
from hexarena.worker.sandbox.limits import BuildLimits, Limits
from hexarena.worker.sandbox.root import MACHINE, TOOL_FOLDERS
from hexarena.worker.sandbox.sandboxed import PREPARED, Command, SandboxedProcess, make_pipe, resource_limits

GATE = 'read -r _ < "/proc/self/fd/$0" && exec "$@"'
"""Waits for a line at the gate, then becomes the command; ends if the worker does."""


class PlainLauncher:
    """Launches bots as plain processes."""

    isolates = False
    root = MACHINE

    def __init__(self, *, memory_limited: bool, mark: str) -> None:
        """`memory_limited`: trees limit the memory of all processes together. `mark`: set on every process."""
        self._memory_limited = memory_limited
        self._marked = {marks.VARIABLE: mark}
        self._with_parent = ends_with_parent("KILL")

    def launch(self, command: Command, limits: Limits | BuildLimits, user: int) -> SandboxedProcess:
        """See Launcher."""
        gate_read, gate_write = make_pipe()
        try:
            process = subprocess.Popen(
                [
                    *self._with_parent,
                    *("/bin/sh", "-c", GATE, str(gate_read)),
                    *command.words(str(command.home), str(command.out), str(command.prepared or PREPARED)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=(gate_read,),
                env={"PATH": _path(command), "LANG": "C.UTF-8", **self._marked},
                cwd=command.home,
                start_new_session=True,
            )
        except BaseException:
            os.close(gate_read)
            os.close(gate_write)
            raise
        rules = resource_limits(limits, memory_limited=self._memory_limited, own_namespace=False)
        return SandboxedProcess(process, rules, gate=(gate_read, gate_write), status=None)

    def can_read(self, path: Path) -> bool:
        """See Launcher."""
        return os.access(path, os.R_OK)

    def trusted(self, command: Sequence[str]) -> Sequence[str]:
        """See Launcher."""
        return command

    def describe(self) -> str:
        """See Launcher."""
        return "NO ISOLATION: bots run as plain processes that can read, write and send whatever this user can"


def _path(command: Command) -> str:
    """A user's own command finds the user's own tools; the table's languages find those that sandboxes have."""
    own = os.environ.get("PATH", os.defpath)
    if not command.files:
        return own
    return os.pathsep.join((*TOOL_FOLDERS, *(str(tool.parent) for tool in command.tools), own))
