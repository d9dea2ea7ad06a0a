"""The launcher that isolates: sandboxes made by bubblewrap. No other file names that tool.

Theory of operation: a sandbox is a set of new namespaces (user, pid, mount, network, UTS, IPC, cgroup) with an empty
root. Mounted into it, read-only: the system's programs and libraries. Besides: a small /dev, a /tmp of its own, and the
bot's files, which are passed as open descriptors and copied in, so that the sandbox's user needs no access to the
worker's folders, and no path that a bot can write is ever mounted. There is no /proc, except for single links such as
/proc/self/exe where a language cannot do without. bubblewrap then waits at the gate, drops all privileges, loads the
system call filter, and becomes the bot, which is process 1 of its pid namespace: when it ends, or is killed, the kernel
kills all others. If the worker dies, bubblewrap dies with it, and so does everything in the sandbox.

A worker that runs as root first changes to an unprivileged user, a different one for each slot. The bots of any other
worker run, seen from outside, as the worker's own user in a user namespace.
"""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from hexarena.backend.submissions.languages import Language
from hexarena.worker.sandbox import marks, seccomp
from hexarena.worker.sandbox.calls import MACHINES
from hexarena.worker.sandbox.errors import SandboxUnsafe
from hexarena.worker.sandbox.identity import acting_as
from hexarena.worker.sandbox.limits import BuildLimits, Limits
from hexarena.worker.sandbox.rules import Use
from hexarena.worker.sandbox.sandboxed import Command, SandboxedProcess, make_gate, make_pipe, resource_limits
from hexarena.worker.sandbox.users import FIRST_USER

SANDBOX_USER = "1000"
"""What the bot sees as its own user and group."""
TOOL_FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin")
DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "urandom"))
"""No terminals: a bot has none, and they are a large part of the kernel. /dev/random is another name of /dev/urandom:
once a machine has booted they are the same source, and each device costs a start 0.1 ms."""
TOP_FOLDERS = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
LIBRARIES = "/etc/ld.so.cache"
"""The index of libraries. Of the rest of /etc, a sandbox contains only what its command names."""

ENVIRONMENT = {
    "PATH": ":".join((*TOOL_FOLDERS, "/tools")),
    "HOME": "/tmp",  # noqa: S108 - the sandbox's own
    "TMPDIR": "/tmp",  # noqa: S108
    "LANG": "C.UTF-8",
}
"""A bot's whole environment, except for its mark."""

NAMESPACES = ("user", "pid", "ipc", "uts", "net", "cgroup-try")


class BubblewrapLauncher:
    """Launches sandboxed processes. Everything that is the same for all of them is computed once, here."""

    isolates = True

    def __init__(self, *, memory_limited: bool, mark: str) -> None:
        """`memory_limited`: trees limit the memory of all processes together. `mark`: set on every process."""
        self._memory_limited = memory_limited
        self._bwrap = _find("bwrap", "bubblewrap")
        self._is_root = os.geteuid() == 0
        if not seccomp.supported():
            machine = os.uname().machine
            raise SandboxUnsafe(f"expected one of the machines {', '.join(MACHINES)}; got {machine}")
        said = subprocess.run([self._bwrap, "--version"], capture_output=True, text=True, check=False)
        if said.returncode != 0:
            raise SandboxUnsafe(f"expected {self._bwrap} to say its version; got {said.stderr.strip()!r}")
        self._version = said.stdout.strip()
        self._marked = {marks.VARIABLE: mark}
        self._before, self._after = _isolation_arguments(), _final_arguments({**ENVIRONMENT, **self._marked})

    def launch(self, command: Command, limits: Limits | BuildLimits, user: int) -> SandboxedProcess:
        """See Launcher. The sandbox is killed when the calling thread ends."""
        other_user = user if self._changes_user(command) else None
        sources = _open_all([command.home / name for name in command.files], limits.open_files)
        filter_read, filter_write = make_pipe(_filter(command.use))
        os.close(filter_write)
        gate_read, gate_write = make_gate()
        status_read, status_write = os.pipe()
        handed_over = (filter_read, status_write, *sources)
        numbers = {"--seccomp": filter_read, "--block-fd": gate_read, "--json-status-fd": status_write}
        try:
            with acting_as(other_user):
                process = subprocess.Popen(
                    [
                        self._bwrap,
                        *self._before,
                        *_settings_arguments(command.settings),
                        *("--size", str(limits.tmp_bytes), "--tmpfs", "/tmp"),  # noqa: S108 - in the sandbox
                        *("--size", str(limits.shared_memory_bytes), "--tmpfs", "/dev/shm"),  # noqa: S108
                        *_file_arguments(command, sources),
                        *self._after,
                        *(word for option, number in numbers.items() for word in (option, str(number))),
                        "--",
                        *command.words("/bot", "/tmp"),  # noqa: S108 - in the sandbox
                    ],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    pass_fds=(*handed_over, gate_read),
                    env={"PATH": ":".join(TOOL_FOLDERS), **self._marked},
                    cwd="/",
                )
        except BaseException:
            for descriptor in (gate_read, gate_write, status_read):
                os.close(descriptor)
            raise
        finally:
            for descriptor in handed_over:
                os.close(descriptor)
        rules = resource_limits(limits, memory_limited=self._memory_limited, own_namespace=True)
        return SandboxedProcess(process, rules, gate=(gate_read, gate_write), status=status_read, user=other_user)

    def can_read(self, path: Path) -> bool:
        """See Launcher. A root worker's bots run as other users, so the path must be readable for everybody."""
        if not self._is_root:
            return os.access(path, os.R_OK | os.X_OK)
        path = path.resolve()
        return path.stat().st_mode & 0o005 == 0o005 and all(parent.stat().st_mode & 0o001 for parent in path.parents)

    def describe(self) -> str:
        """See Launcher."""
        user = f"as users {FIRST_USER} and up" if self._is_root else "in user namespaces of the worker's own user"
        return f"{self._version}, {user}, system calls filtered"

    def _changes_user(self, command: Command) -> bool:
        """Whether the launch is another user's: a root worker's is, but where only root can read the bot's folder."""
        return self._is_root and (bool(command.files) or self.can_read(command.home))


def find_tool(name: str) -> Path | None:
    """A program in the folders that are on a sandbox's PATH."""
    found = shutil.which(name, path=os.pathsep.join(TOOL_FOLDERS))
    return Path(found) if found else None


def proc_links(language: Language) -> Mapping[str, str]:
    """The links in /proc that a language's programs need: path -> target. See Command."""
    found = find_tool(language.programs[0])
    program = str(found.resolve()) if found else language.programs[0]
    return {place: target.replace("{program}", program) for place, target in language.links}


@functools.cache
def _filter(use: Use) -> bytes:
    return seccomp.make_filter(use)


def _find(tool: str, package: str) -> str:
    found = shutil.which(tool, path=os.pathsep.join((*TOOL_FOLDERS, "/usr/sbin", "/sbin")))
    if found is None:
        raise SandboxUnsafe(f"expected the program {tool} in {', '.join(TOOL_FOLDERS)}; install the package {package}")
    return found


def _isolation_arguments() -> tuple[str, ...]:
    """The first arguments of every sandbox."""
    words = [f"--unshare-{name}" for name in NAMESPACES]
    words += ["--as-pid-1", "--die-with-parent", "--new-session", "--hostname", "bot"]
    words += ["--uid", SANDBOX_USER, "--gid", SANDBOX_USER, "--ro-bind", "/usr", "/usr"]
    for name in TOP_FOLDERS:
        folder = Path("/") / name
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            words += ["--ro-bind", str(folder), str(folder)]
    words += ["--ro-bind-try", LIBRARIES, LIBRARIES]
    for device in DEVICES:
        words += ["--dev-bind", device, device]
    return (*words, "--symlink", "urandom", "/dev/random")


@functools.cache
def _settings_arguments(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Mounts what matches the patterns in /etc."""
    found = sorted(str(path) for pattern in patterns for path in Path("/").glob(pattern.removeprefix("/")))
    return tuple(word for path in found for word in ("--ro-bind-try", path, path))


def _final_arguments(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The last arguments of every sandbox: a read-only root, no environment, no capabilities."""
    words = ["--chdir", "/bot", "--remount-ro", "/", "--cap-drop", "ALL", "--clearenv"]
    for name, value in environment.items():
        words += ["--setenv", name, value]
    return tuple(words)


def _open_all(paths: Sequence[Path], lowest: int) -> list[int]:
    """Their descriptors, with high numbers: low ones are free for a process whose limit is in force already."""
    descriptors: list[int] = []
    try:
        for path in paths:
            low = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                descriptors.append(fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, lowest))
            finally:
                os.close(low)
    except OSError:
        for descriptor in descriptors:
            os.close(descriptor)
        raise
    return descriptors


def _file_arguments(command: Command, sources: list[int]) -> list[str]:
    words: list[str] = []
    for tool in command.tools:
        words += ["--ro-bind", str(tool), f"/tools/{tool.name}"]
    for place, target in command.links.items():
        words += ["--symlink", target.replace("{bot}", "/bot"), place]
    for name, source in zip(command.files, sources, strict=True):
        words += ["--perms", "0755", "--file", str(source), f"/bot/{name}"]
    return words if command.files else [*words, "--ro-bind", str(command.home), "/bot"]
