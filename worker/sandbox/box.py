"""A box: one started process tree that waits at a gate until the worker has put its limits on.

`jail.py` makes boxes with bubblewrap, `plain.py` without any walls for local development; both start a launcher
that ends up executing the order's command once the gate opens.
"""

from __future__ import annotations

import functools
import os
import re
import resource
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

from backend.languages import SETTINGS
from worker.sandbox.errors import SandboxFailed
from worker.sandbox.identity import acting_as
from worker.sandbox.limits import BuildLimits, Limits
from worker.sandbox.tree import Tree

START_S = 20.0
"""How long a launcher may take to set up its box, on a machine that is very busy."""
END_S = 10.0
"""How long the kernel may take to end a killed box."""

COUNTS_PROCESSES_PER_NAMESPACE = tuple(map(int, os.uname().release.split(".", 2)[:2])) >= (5, 14)
"""Before Linux 5.14, RLIMIT_NPROC counted all processes of the user, also those outside of the box."""


NO_CORE_BYTES = 1
"""Too small for a file, and the one size by which the kernel starts no program of the machine's to take a core; 0, the
obvious choice, does not count where /proc/sys/kernel/core_pattern is a pipe. Source: fs/coredump.c."""
MOST_SIGNALS = 256
"""That wait for a bot's processes: their memory is the kernel's, and the number is shared by all of a user."""

ResourceLimit: TypeAlias = tuple[int, int]
"""(one of resource.RLIMIT_*, its value: soft and hard)."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to run.

    argv: the command; `{bot}` and `{out}` in it stand for the two folders.
    home: the host's folder with the files. Only `files` are handed in, one by one; if there are none, `home` itself
    is bound read-only.
    out: where mode "none" may write; a box has its own.
    tools: programs from outside of the system's folders that the command needs.
    links: place -> where it leads; the few places in /proc without which a runtime does not start.
    settings: what a box shows of /etc, as patterns; see languages.SETTINGS.
    """

    argv: tuple[str, ...]
    home: Path
    files: tuple[str, ...] = ()
    out: Path | None = None
    tools: tuple[Path, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = SETTINGS

    def words(self, bot: str, out: str) -> list[str]:
        """The command with its folders filled in."""
        return [word.replace("{bot}", bot).replace("{out}", out) for word in self.argv]


class Launcher(Protocol):
    """What starts boxes."""

    has_walls: bool

    def launch(self, order: Order, limits: Limits | BuildLimits, slot: int) -> Box:
        """Starts the order, held at its gate."""
        ...

    def can_read(self, path: Path) -> bool:
        """Whether a bot in a box can be given this file or folder by its path."""
        ...

    def describe(self) -> str:
        """For people."""
        ...


class Box:
    """A launched order. Whoever launched it calls `admit` before it can run, and `close` in the end."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        limits: Sequence[ResourceLimit],
        *,
        gate: tuple[int, int],
        status: int | None,
        user: int | None = None,
    ) -> None:
        """`gate`: both ends of the pipe that holds it up. `user`: that it belongs to, if it is not the worker's.

        status: where the launcher says which process the box is; None if it is the box itself.
        """
        streams = (process.stdin, process.stdout, process.stderr)
        self.process = process
        self.stdin, self.stdout, self.stderr = (stream.fileno() for stream in streams if stream is not None)
        self.pid = 0
        self._limits = limits
        self._its_gate, self._gate = gate
        self._status = status
        self._user = user
        self._descriptor = -1
        self._tree: Tree | None = None

    def admit(self, tree: Tree) -> None:
        """Puts the waiting process, whose number is `pid` from now on, into its tree and limits, and opens the gate.

        Raises: SandboxFailed when the launcher could not set up the box, or the kernel takes no limits.
        """
        pid = self.pid = self._identify()
        self._tree = tree
        try:
            tree.admit(pid)
            self._limit(pid)
        except ProcessLookupError:
            raise SandboxFailed(f"expected a box to be set up; got {self._last_words()!r}") from None
        except OSError as error:
            raise SandboxFailed(f"expected to put a box into its limits; got {error}") from error
        with suppress(OSError):
            _write(f"/proc/{pid}/oom_score_adj", b"1000")
        os.write(self._gate, b"\n")

    def require_passage(self, words: str) -> None:
        """Of a box that has ended: what it did was the order's doing, not the launcher's. `words`: its last ones.

        Raises: SandboxFailed when it never came through its gate.
        """
        ready = select.poll()
        ready.register(self._its_gate, select.POLLIN)
        if ready.poll(0):
            raise SandboxFailed(f"expected a box to be set up; got {words!r}")

    def kill(self) -> None:
        """Kills the whole tree: in a box, everything ends with its first process.

        That does not end with its launcher before it has passed the gate, so it has to be known by then.
        """
        if self._tree is not None and self._status is None:
            self._tree.kill()
        if self._descriptor < 0:
            with suppress(SandboxFailed):
                self._identify()
        if self._descriptor >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
        else:
            self.process.kill()

    def close(self) -> None:
        """Kills what still runs, waits for its end and gives back all descriptors. May be called again."""
        if self._gate < 0:
            return
        self.kill()
        if not _ends_within(self.process, END_S):
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        for descriptor in (self._its_gate, self._gate, self._status, self._descriptor):
            if descriptor is not None and descriptor >= 0:
                os.close(descriptor)
        self._gate = -1

    def _limit(self, pid: int) -> None:
        """From outside, while it waits at its gate: a command that does it in the box's way costs most of a
        millisecond. As the box's own user, for which no capability is needed.
        """
        with acting_as(self._user):
            for which, value in self._limits:
                resource.prlimit(pid, which, (value, value))

    def _identify(self) -> int:
        """The box's first process, which is held on to. Raises: SandboxFailed."""
        pid = self.process.pid if self._status is None else self._read_pid(self._status)
        try:
            self._descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            raise SandboxFailed(f"expected a box to be set up; got {self._last_words()!r}") from None
        return pid

    def _read_pid(self, status: int) -> int:
        """The launcher writes one JSON document when the box's first process exists."""
        text = b""
        ready = select.poll()
        ready.register(status, select.POLLIN)
        while not text.endswith(b"}\n"):
            part = os.read(status, 4096) if ready.poll(START_S * 1000) else b""
            if not part:
                raise SandboxFailed(f"expected a box to be set up; got {self._last_words()!r}")
            text += part
        found = re.search(rb'"child-pid"\s*:\s*(\d+)', text)
        if found is None:
            raise SandboxFailed(f"expected the number of the box's first process; got {text!r}")
        return int(found[1])

    def _last_words(self) -> str:
        self.process.kill()
        self.process.wait()
        with suppress(BlockingIOError):
            os.set_blocking(self.stderr, False)
            return os.read(self.stderr, 4096).decode("utf-8", "replace").strip()
        return ""


def _ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Waits in one go; Popen, asked to wait for so long at most, sleeps and looks by turns."""
    if process.poll() is not None:
        return True
    descriptor = os.pidfd_open(process.pid)
    try:
        ended = select.poll()
        ended.register(descriptor, select.POLLIN)
        return bool(ended.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def make_pipe(content: bytes = b"") -> tuple[int, int]:
    """A pipe (read end, write end) with a little in it already."""
    reading, writing = os.pipe()
    if content:
        os.write(writing, content)
    return reading, writing


def make_gate() -> tuple[int, int]:
    """A pipe (the box's end, the worker's end) that stays shut if the worker dies: the box's end counts as a writer."""
    reading, writing = os.pipe()
    both_ways = os.open(f"/proc/self/fd/{reading}", os.O_RDWR | os.O_CLOEXEC)
    os.close(reading)
    return both_ways, writing


@functools.cache
def resource_limits(
    limits: Limits | BuildLimits, *, memory_limited: bool, own_namespace: bool
) -> tuple[ResourceLimit, ...]:
    """Of every process in a box.

    memory_limited: a tree limits the memory of all processes together, so that no single one needs it.
    own_namespace: the box has one for users, so that a limit on a user's processes counts no others.
    """
    wanted = [
        (resource.RLIMIT_CORE, NO_CORE_BYTES),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, MOST_SIGNALS),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_STACK, limits.stack_bytes),
    ]
    if not memory_limited:
        wanted.append((resource.RLIMIT_DATA, limits.memory_bytes))
    if own_namespace and COUNTS_PROCESSES_PER_NAMESPACE:
        wanted.append((resource.RLIMIT_NPROC, limits.processes))
    return tuple((which, _allowed(which, value)) for which, value in wanted)


def _write(file: str, content: bytes) -> None:
    """Past Python's own files, which cost a start more than the writing."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


def _allowed(which: int, value: int) -> int:
    """Nobody but root may set more than what is in force already."""
    _, ceiling = resource.getrlimit(which)
    return value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)
