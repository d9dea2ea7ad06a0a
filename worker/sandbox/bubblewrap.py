"""The launcher that isolates: sandboxes made by bubblewrap. No other file names that tool.

Theory of operation: a sandbox is a set of new namespaces (user, pid, mount, network, UTS, IPC, cgroup) with an empty
root. Mounted into it, read-only: the system's programs and libraries, or those of another root (`root.py`). Besides: a
small /dev, a /tmp of its own, and the bot's files, which are passed as open descriptors and copied in, so that the
sandbox's user needs no access to the worker's folders, and no path that a bot can write is ever mounted. There is no
/proc, except for single links such as /proc/self/exe where a language cannot do without. bubblewrap then waits at the
gate, drops all privileges, loads the system call filter, and becomes the bot, which is process 1 of its pid namespace:
when it ends, or is killed, the kernel kills all others. If the worker dies, bubblewrap dies with it, and so does
everything in the sandbox.

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

from hexarena.backend.submissions.languages import SETTINGS, Language
from hexarena.worker.sandbox import marks, refused, seccomp
from hexarena.worker.sandbox.calls import MACHINES
from hexarena.worker.sandbox.errors import SandboxUnsafe
from hexarena.worker.sandbox.identity import acting_as
from hexarena.worker.sandbox.limits import BuildLimits, Limits
from hexarena.worker.sandbox.root import MACHINE, TOOL_FOLDERS, TOP_FOLDERS, VARIABLE, Root
from hexarena.worker.sandbox.rules import Part, Use
from hexarena.worker.sandbox.sandboxed import PREPARED, Command, SandboxedProcess, make_gate, make_pipe, resource_limits
from hexarena.worker.sandbox.users import FIRST_USER

SANDBOX_USER = "1000"
"""What the bot sees as its own user and group."""
DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "urandom"))
"""No terminals: a bot has none, and they are a large part of the kernel. /dev/random is another name of /dev/urandom:
once a machine has booted they are the same source, and each device costs a start 0.1 ms."""
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

    def __init__(self, *, memory_limited: bool, mark: str, root: Root = MACHINE, logs_refused: bool = False) -> None:
        """`memory_limited`: trees limit the memory of all processes together. `mark`: set on every process.

        root: whose programs and libraries the sandboxes contain. `logs_refused`: the kernel logs refused system calls.
        """
        self.root = root
        self._logs_refused = logs_refused
        self._memory_limited = memory_limited
        self._bwrap = _find("bwrap", "bubblewrap")
        self._is_root = os.geteuid() == 0
        if not self.can_read(root.folder / "usr"):
            raise SandboxUnsafe(
                f"{VARIABLE}: expected a folder that everybody can read, with all folders above it, as root's bots run "
                f"as other users; got {root.folder}"
            )
        if not seccomp.supported():
            machine = os.uname().machine
            raise SandboxUnsafe(f"expected one of the machines {', '.join(MACHINES)}; got {machine}")
        said = subprocess.run([self._bwrap, "--version"], capture_output=True, text=True, check=False)
        if said.returncode != 0:
            raise SandboxUnsafe(f"expected {self._bwrap} to say its version; got {said.stderr.strip()!r}")
        self._version = said.stdout.strip()
        self._marked = {marks.VARIABLE: mark}
        self._before = (*_isolation_arguments(), *_system_arguments(root))
        self._after = ("--chdir", "/bot", *_final_arguments({**ENVIRONMENT, **self._marked}))

    def launch(self, command: Command, limits: Limits | BuildLimits, user: int) -> SandboxedProcess:
        """See Launcher. The sandbox is killed when the calling thread ends."""
        other_user = user if self._changes_user(command) else None
        copied = self._copied(command)
        sources = _open_all(list(copied.values()), limits.open_files)
        part: Part = "unlogged" if self._logs_refused else "whole"
        filter_read, filter_write = make_pipe(_filter(command.use, part))
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
                        *_settings_arguments(self.root, command.settings),
                        *("--size", str(limits.tmp_bytes), "--tmpfs", "/tmp"),  # noqa: S108 - in the sandbox
                        *("--size", str(limits.shared_memory_bytes), "--tmpfs", "/dev/shm"),  # noqa: S108
                        *_file_arguments(command, dict(zip(copied, sources, strict=True))),
                        *self._after,
                        *(word for option, number in numbers.items() for word in (option, str(number))),
                        "--",
                        *command.words("/bot", "/tmp", PREPARED),  # noqa: S108 - in the sandbox
                    ],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    pass_fds=(*handed_over, gate_read),
                    env={"PATH": ":".join(TOOL_FOLDERS), **self._marked},
                    cwd="/",
                    preexec_fn=refused.loader(command.use) if self._logs_refused else None,  # noqa: PLW1509 - it allocates little
                )
        except BaseException:
            for descriptor in (gate_read, gate_write, status_read):
                os.close(descriptor)
            raise
        finally:
            for descriptor in handed_over:
                os.close(descriptor)
        rules = resource_limits(limits, memory_limited=self._memory_limited, own_namespace=True)
        gate, timers = (gate_read, gate_write), command.use.timers
        return SandboxedProcess(process, rules, gate=gate, status=status_read, user=other_user, timers=timers)

    def can_read(self, path: Path) -> bool:
        """See Launcher. A root worker's bots run as other users, so the path must be readable for everybody."""
        if not self._is_root:
            return os.access(path, os.R_OK | os.X_OK)
        path = path.resolve()
        return path.stat().st_mode & 0o005 == 0o005 and all(parent.stat().st_mode & 0o001 for parent in path.parents)

    def trusted(self, command: Sequence[str]) -> Sequence[str]:
        """See Launcher. Programs of another root see that root, and /proc, which some cannot start without."""
        if self.root.is_machines:
            return command
        return (
            *(self._bwrap, "--unshare-user", "--unshare-net", "--unshare-ipc", "--die-with-parent"),
            *_system_arguments(self.root),
            *_settings_arguments(self.root, SETTINGS),
            *("--ro-bind", "/proc", "/proc", "--tmpfs", "/tmp", "--chdir", "/"),  # noqa: S108 - in the sandbox
            *_final_arguments(ENVIRONMENT),
            *("--", *command),
        )

    def describe(self) -> str:
        """See Launcher."""
        user = f"as users {FIRST_USER} and up" if self._is_root else "in user namespaces of the worker's own user"
        own = "" if self.root.is_machines else f", programs of a root of their own ({self.root.digest[:12]})"
        logged = " and logged where they are refused" if self._logs_refused else ""
        return f"{self._version}, {user}, system calls filtered{logged}{own}"

    def _copied(self, command: Command) -> Mapping[str, Path]:
        """What is copied into the sandbox: place inside -> file. A preparation is mounted, if its user may read it."""
        copied = {f"/bot/{name}": command.home / name for name in command.files}
        if command.prepared is not None and not self.can_read(command.prepared):
            found = sorted(path for path in command.prepared.rglob("*") if path.is_file())
            copied |= {f"{PREPARED}/{path.relative_to(command.prepared)}": path for path in found}
        return copied

    def _changes_user(self, command: Command) -> bool:
        """Whether the launch is another user's: a root worker's is, but where only root can read the bot's folder."""
        return self._is_root and (bool(command.files) or self.can_read(command.home))


def proc_links(language: Language, root: Root) -> Mapping[str, str]:
    """The links in /proc that a language's programs need: path -> target. See Command."""
    found = root.find(language.programs[0])
    program = str(root.resolve(found)) if found else language.programs[0]
    return {place: target.replace("{program}", program) for place, target in language.links}


@functools.cache
def _filter(use: Use, part: Part) -> bytes:
    return seccomp.make_filter(use, part=part)


def _find(tool: str, package: str) -> str:
    found = shutil.which(tool, path=os.pathsep.join((*TOOL_FOLDERS, "/usr/sbin", "/sbin")))
    if found is None:
        raise SandboxUnsafe(f"expected the program {tool} in {', '.join(TOOL_FOLDERS)}; install the package {package}")
    return found


def _isolation_arguments() -> tuple[str, ...]:
    """The first arguments of every sandbox."""
    words = [f"--unshare-{name}" for name in NAMESPACES]
    words += ["--as-pid-1", "--die-with-parent", "--new-session", "--hostname", "bot"]
    return (*words, "--uid", SANDBOX_USER, "--gid", SANDBOX_USER)


def _system_arguments(root: Root) -> tuple[str, ...]:
    """Mounts the programs and libraries, and makes the devices."""
    words = ["--ro-bind", str(root.folder / "usr"), "/usr"]
    for name in TOP_FOLDERS:
        folder = root.folder / name
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), f"/{name}"]
        elif folder.is_dir():
            words += ["--ro-bind", str(folder), f"/{name}"]
    words += ["--ro-bind-try", str(root.folder / LIBRARIES.removeprefix("/")), LIBRARIES]
    for device in DEVICES:
        words += ["--dev-bind", device, device]
    return (*words, "--symlink", "urandom", "/dev/random")


@functools.cache
def _settings_arguments(root: Root, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Mounts what of the root matches the patterns."""
    found = sorted(path for pattern in patterns for path in root.folder.glob(pattern.removeprefix("/")))
    places = ((path, Path("/") / path.relative_to(root.folder)) for path in found)
    return tuple(word for path, inside in places for word in ("--ro-bind-try", str(path), str(inside)))


def _final_arguments(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The last arguments of every sandbox: a read-only root, no environment, no capabilities."""
    words = ["--remount-ro", "/", "--cap-drop", "ALL", "--clearenv"]
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


def _file_arguments(command: Command, copied: Mapping[str, int]) -> list[str]:
    """`copied`: place inside -> descriptor."""
    words: list[str] = []
    for tool in command.tools:
        words += ["--ro-bind", str(tool), f"/tools/{tool.name}"]
    for place, target in command.links.items():
        words += ["--symlink", target.replace("{bot}", "/bot"), place]
    for place, source in copied.items():
        words += ["--perms", "0755", "--file", str(source), place]
    if command.prepared is not None and not any(place.startswith(f"{PREPARED}/") for place in copied):
        words += ["--ro-bind", str(command.prepared), PREPARED]
    return words if command.files else [*words, "--ro-bind", str(command.home), "/bot"]
