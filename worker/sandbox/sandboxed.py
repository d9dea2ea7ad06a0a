"""A sandboxed process: launched, held at a gate until the worker has set its limits, then running a command.

`bubblewrap.py` launches with isolation, `plain.py` without it for local development; what either starts waits at the
gate and then executes the command.
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

from hexarena.backend.submissions.languages import SETTINGS
from hexarena.worker.sandbox.endings import End, end_of
from hexarena.worker.sandbox.errors import SandboxFailed
from hexarena.worker.sandbox.identity import acting_as
from hexarena.worker.sandbox.limits import BuildLimits, Limits
from hexarena.worker.sandbox.root import Root
from hexarena.worker.sandbox.rules import BOTS, Use
from hexarena.worker.sandbox.tree import Tree

START_S = 20.0
"""How long a launcher may take to set up a sandbox, on a very busy machine."""
END_S = 10.0
"""How long the kernel may take to end killed processes."""

COUNTS_PROCESSES_PER_NAMESPACE = tuple(map(int, os.uname().release.split(".", 2)[:2])) >= (5, 14)
"""Before Linux 5.14, RLIMIT_NPROC counted all processes of the user, also those outside the sandbox."""


NO_CORE_BYTES = 1
"""Too small for a file, and the one size by which the kernel starts no program of the machine's to take a core; 0, the
obvious choice, does not count where /proc/sys/kernel/core_pattern is a pipe. Source: fs/coredump.c."""
MOST_SIGNALS = 256
"""Pending signals of a bot: they use kernel memory, and their number is limited for the user as a whole."""

PREPARED = "/prepared"
"""Where sandboxes have a preparation; no machine has such a folder of its own."""

ResourceLimit: TypeAlias = tuple[int, int]
"""(one of resource.RLIMIT_*, its value: soft and hard)."""


@dataclass(frozen=True, slots=True)
class Command:
    """What is to run.

    argv: the command; `{bot}` and `{out}` in it stand for the two folders.
    home: the host's folder with the files. Only `files` are copied in, one by one; if there are none, `home` itself
    is mounted read-only.
    out: where a process without isolation may write; a sandbox has a folder of its own.
    tools: programs outside the system's folders that the command needs.
    links: path -> target; the few links in /proc without which a runtime does not start.
    settings: which files of /etc the sandbox contains, as patterns; see languages.SETTINGS.
    use: which system calls it may make.
    prepared: the folder that `{prepared}` in argv stands for, read-only; a sandbox has it in the same place always.
    """

    argv: tuple[str, ...]
    home: Path
    files: tuple[str, ...] = ()
    out: Path | None = None
    tools: tuple[Path, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = SETTINGS
    use: Use = BOTS
    prepared: Path | None = None

    def words(self, bot: str, out: str, prepared: str) -> list[str]:
        """The command with its folders filled in."""
        folders = {"{bot}": bot, "{out}": out, "{prepared}": prepared}
        return [_filled_in(word, folders) for word in self.argv]


def _filled_in(word: str, folders: Mapping[str, str]) -> str:
    for name, folder in folders.items():
        word = word.replace(name, folder)
    return word


class Launcher(Protocol):
    """Starts sandboxed processes. `root`: whose programs and libraries they get."""

    isolates: bool
    root: Root

    def launch(self, command: Command, limits: Limits | BuildLimits, user: int) -> SandboxedProcess:
        """Starts a process that will execute the command; it is held at its gate. `user`: whom root's run as."""
        ...

    def can_read(self, path: Path) -> bool:
        """Whether a sandboxed bot can read this file or folder by its path."""
        ...

    def trusted(self, command: Sequence[str]) -> Sequence[str]:
        """The command line by which the worker itself runs a program of the root, e.g. to ask for its version."""
        ...

    def describe(self) -> str:
        """One line for people."""
        ...


class SandboxedProcess:
    """A launched command. The caller calls `admit` before it can run, and `close` at the end."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        limits: Sequence[ResourceLimit],
        *,
        gate: tuple[int, int],
        status: int | None,
        user: int | None = None,
        timers: bool = False,
    ) -> None:
        """`gate`: both ends of the pipe that holds it. `user`: its user, if it is not the worker's. `timers`: see Use.

        status: where the launcher reports the pid of the sandbox's first process; None if it is that process itself.
        """
        streams = (process.stdin, process.stdout, process.stderr)
        self.process = process
        self.stdin, self.stdout, self.stderr = (stream.fileno() for stream in streams if stream is not None)
        self.pid = 0
        self._limits = limits
        self._gate_read, self._gate_write = gate
        self._status = status
        self._user = user
        self._timers = timers
        self._descriptor = -1
        self._tree: Tree | None = None

    def admit(self, tree: Tree) -> None:
        """Puts the waiting process, known as `pid` from now on, into its tree, sets its limits, and opens the gate.

        Raises: SandboxFailed when the launcher could not set up the sandbox, or the kernel refuses a limit.
        """
        pid = self.pid = self._identify()
        self._tree = tree
        try:
            tree.admit(pid)
            self._limit(pid)
        except ProcessLookupError:
            raise SandboxFailed(f"expected a sandbox to be set up; got {self._kill_and_read_stderr()!r}") from None
        except OSError as error:
            raise SandboxFailed(f"expected to set the limits of a sandbox; got {error}") from error
        with suppress(OSError):
            _write(f"/proc/{pid}/oom_score_adj", b"1000")
        os.write(self._gate_write, b"\n")

    def end(self, seconds: float) -> End | None:
        """How its first process ended; None where nothing has ended within this time."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        return End(code) if self._status is None else end_of(code, self._descriptor, kills_itself=self._timers)

    def require_gate_passed(self, words: str) -> None:
        """For a process that has ended: checks that the command ran, not only the launcher. `words`: its last output.

        Raises: SandboxFailed when it never passed its gate.
        """
        ready = select.poll()
        ready.register(self._gate_read, select.POLLIN)
        if ready.poll(0):
            raise SandboxFailed(f"expected a sandbox to be set up; got {words!r}")

    def kill(self) -> None:
        """Kills the whole tree: in a sandbox, everything ends with its first process.

        Before it has passed the gate, that process does not end with its launcher, so its pid must be known.
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
        """Kills what still runs, waits for its end and closes all descriptors. May be called more than once."""
        if self._gate_write < 0:
            return
        self.kill()
        if not _ends_within(self.process, END_S):
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        for descriptor in (self._gate_read, self._gate_write, self._status, self._descriptor):
            if descriptor is not None and descriptor >= 0:
                os.close(descriptor)
        self._gate_write = -1

    def _limit(self, pid: int) -> None:
        """Sets the limits from outside, while it waits at its gate: a program that sets them inside costs nearly a
        millisecond. As the sandbox's own user, which needs no capability.
        """
        with acting_as(self._user):
            for which, value in self._limits:
                resource.prlimit(pid, which, (value, value))

    def _identify(self) -> int:
        """Finds the sandbox's first process and opens a pidfd for it. Raises: SandboxFailed."""
        pid = self.process.pid if self._status is None else self._read_pid(self._status)
        try:
            self._descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            raise SandboxFailed(f"expected a sandbox to be set up; got {self._kill_and_read_stderr()!r}") from None
        return pid

    def _read_pid(self, status: int) -> int:
        """The launcher writes one JSON document when the sandbox's first process exists."""
        text = b""
        ready = select.poll()
        ready.register(status, select.POLLIN)
        while not text.endswith(b"}\n"):
            part = os.read(status, 4096) if ready.poll(START_S * 1000) else b""
            if not part:
                raise SandboxFailed(f"expected a sandbox to be set up; got {self._kill_and_read_stderr()!r}")
            text += part
        found = re.search(rb'"child-pid"\s*:\s*(\d+)', text)
        if found is None:
            raise SandboxFailed(f"expected the pid of the sandbox's first process; got {text!r}")
        return int(found[1])

    def _kill_and_read_stderr(self) -> str:
        self.process.kill()
        self.process.wait()
        with suppress(BlockingIOError):
            os.set_blocking(self.stderr, False)
            return os.read(self.stderr, 4096).decode("utf-8", "replace").strip()
        return ""


def _ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Waits on a pidfd; Popen's own wait with a timeout polls."""
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
    """A pipe (read end, write end) that already contains `content`."""
    reading, writing = os.pipe()
    if content:
        os.write(writing, content)
    return reading, writing


def make_gate() -> tuple[int, int]:
    """A pipe (sandbox's end, worker's end) that stays shut if the worker dies: the sandbox's end is a writer, too."""
    reading, writing = os.pipe()
    both_ways = os.open(f"/proc/self/fd/{reading}", os.O_RDWR | os.O_CLOEXEC)
    os.close(reading)
    return both_ways, writing


@functools.cache
def resource_limits(
    limits: Limits | BuildLimits, *, memory_limited: bool, own_namespace: bool
) -> tuple[ResourceLimit, ...]:
    """The limits of every process in a sandbox.

    memory_limited: a tree limits the memory of all processes together, so that no limit for each one is needed.
    own_namespace: the sandbox has its own user namespace, so that the limit on processes counts no others.
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
    """Without Python's file objects, which cost more than the write."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


def _allowed(which: int, value: int) -> int:
    """The value, lowered to the hard limit in force: only root may raise that."""
    _, ceiling = resource.getrlimit(which)
    return value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)
