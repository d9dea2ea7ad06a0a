"""Boxes made by bubblewrap: the only file that names the jail's tool.

Theory of operation: a box is a set of new namespaces (users, processes, mounts, network, names, queues, groups) with
an empty root. Into it go, read-only, the system's programs and libraries; a small /dev; a /tmp of its own; and the
bot's files, handed over as open descriptors and copied in, so that the box's user needs no way to the worker's
folders and no path that a bot can write is ever mounted. There is no /proc, but for one link, such as /proc/self/exe,
where a language cannot do without. bubblewrap then waits at the gate, drops everything, loads the filter on system
calls, and becomes the bot, which is process 1 of its box: when it ends, or is killed, the kernel ends all others. If
the worker dies, bubblewrap dies with it, and so does the box.

A worker that runs as root changes to an unprivileged user first, a different one for each slot; any other worker's
bots are, seen from outside, the worker's own user in a user namespace.
"""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from backend.languages import Language
from worker.sandbox import marks, seccomp
from worker.sandbox.box import Box, Order, make_gate, make_pipe, resource_limits
from worker.sandbox.errors import SandboxUnsafe
from worker.sandbox.identity import acting_as
from worker.sandbox.limits import BuildLimits, Limits

FIRST_USER = 61_000
"""Of the unprivileged users that bots of a root worker are: one for each slot, named nowhere."""
BOX_USER = "1000"
"""What the bot sees as its own user and group."""
TOOL_FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin")
DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "urandom"))
"""No terminals: a bot has none, and they are a large part of the kernel. /dev/random is another name of /dev/urandom:
once a machine has started they are one source, and each device costs a box 0.1 ms."""
TOP_FOLDERS = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
LIBRARIES = "/etc/ld.so.cache"
"""Where libraries are. Of the rest of /etc a box sees what its order names."""

ENVIRONMENT = {
    "PATH": ":".join((*TOOL_FOLDERS, "/tools")),
    "HOME": "/tmp",  # noqa: S108 - the box's own
    "TMPDIR": "/tmp",  # noqa: S108
    "LANG": "C.UTF-8",
}
"""All of a bot's environment, but for its mark."""

NAMESPACES = ("user", "pid", "ipc", "uts", "net", "cgroup-try")


class Jail:
    """Launches boxes. Everything that is the same for all of them is worked out once, here."""

    has_walls = True

    def __init__(self, *, memory_limited: bool, mark: str) -> None:
        """`memory_limited`: trees limit the memory of all processes together. `mark`: on every process."""
        self._memory_limited = memory_limited
        self._bwrap = _find("bwrap", "bubblewrap")
        self._is_root = os.geteuid() == 0
        if not seccomp.supported():
            machine = os.uname().machine
            raise SandboxUnsafe(f"expected one of the machines {', '.join(seccomp.MACHINES)}; got {machine}")
        said = subprocess.run([self._bwrap, "--version"], capture_output=True, text=True, check=False)
        if said.returncode != 0:
            raise SandboxUnsafe(f"expected {self._bwrap} to say its version; got {said.stderr.strip()!r}")
        self._version = said.stdout.strip()
        self._filter = seccomp.denylist()
        self._marked = {marks.VARIABLE: mark}
        self._before, self._after = _walls(), _last_walls({**ENVIRONMENT, **self._marked})

    def launch(self, order: Order, limits: Limits | BuildLimits, slot: int) -> Box:
        """See Launcher. Of the thread that calls: the box is killed when it ends."""
        user = self._user(order, slot)
        sources = _open_all([order.home / name for name in order.files], limits.open_files)
        filter_read, filter_write = make_pipe(self._filter)
        os.close(filter_write)
        gate_read, gate_write = make_gate()
        status_read, status_write = os.pipe()
        handed_over = (filter_read, status_write, *sources)
        numbers = {"--seccomp": filter_read, "--block-fd": gate_read, "--json-status-fd": status_write}
        try:
            with acting_as(user):
                process = subprocess.Popen(
                    [
                        self._bwrap,
                        *self._before,
                        *_settings(order.settings),
                        *("--size", str(limits.tmp_bytes), "--tmpfs", "/tmp"),  # noqa: S108 - in the box
                        *("--size", str(limits.shared_memory_bytes), "--tmpfs", "/dev/shm"),  # noqa: S108
                        *_bound(order, sources),
                        *self._after,
                        *(word for option, number in numbers.items() for word in (option, str(number))),
                        "--",
                        *order.words("/bot", "/tmp"),  # noqa: S108 - in the box
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
        return Box(process, rules, gate=(gate_read, gate_write), status=status_read, user=user)

    def can_read(self, path: Path) -> bool:
        """See Launcher. The user of a root worker's bots is nobody in particular: others must be let through."""
        if not self._is_root:
            return os.access(path, os.R_OK | os.X_OK)
        path = path.resolve()
        return path.stat().st_mode & 0o005 == 0o005 and all(parent.stat().st_mode & 0o001 for parent in path.parents)

    def describe(self) -> str:
        """See Launcher."""
        user = f"as users {FIRST_USER} and up" if self._is_root else "in user namespaces of the worker's own user"
        return f"{self._version}, {user}, system calls filtered"

    def _user(self, order: Order, slot: int) -> int | None:
        """Whom a root worker becomes to launch. A folder that the slot's user cannot read is somebody's own bot."""
        if not self._is_root or (not order.files and not self.can_read(order.home)):
            return None
        return FIRST_USER + slot


def find_tool(name: str) -> Path | None:
    """A program that boxes find on their path."""
    found = shutil.which(name, path=os.pathsep.join(TOOL_FOLDERS))
    return Path(found) if found else None


def links_of(language: Language) -> Mapping[str, str]:
    """What a language's programs find in /proc, as links: place -> where it leads. See Order."""
    found = find_tool(language.programs[0])
    program = str(found.resolve()) if found else language.programs[0]
    return {place: target.replace("{program}", program) for place, target in language.links}


def _find(tool: str, package: str) -> str:
    found = shutil.which(tool, path=os.pathsep.join((*TOOL_FOLDERS, "/usr/sbin", "/sbin")))
    if found is None:
        raise SandboxUnsafe(f"expected the program {tool} in {', '.join(TOOL_FOLDERS)}; install the package {package}")
    return found


def _walls() -> tuple[str, ...]:
    """What every box begins with."""
    words = [f"--unshare-{name}" for name in NAMESPACES]
    words += ["--as-pid-1", "--die-with-parent", "--new-session", "--hostname", "bot"]
    words += ["--uid", BOX_USER, "--gid", BOX_USER, "--ro-bind", "/usr", "/usr"]
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
def _settings(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Of /etc, what fits one of the patterns."""
    found = sorted(str(path) for pattern in patterns for path in Path("/").glob(pattern.removeprefix("/")))
    return tuple(word for path in found for word in ("--ro-bind-try", path, path))


def _last_walls(environment: Mapping[str, str]) -> tuple[str, ...]:
    """What every box ends with: no more writing, no environment, no capabilities."""
    words = ["--chdir", "/bot", "--remount-ro", "/", "--cap-drop", "ALL", "--clearenv"]
    for name, value in environment.items():
        words += ["--setenv", name, value]
    return tuple(words)


def _open_all(paths: Sequence[Path], lowest: int) -> list[int]:
    """Their descriptors, which have high numbers: low ones are left to a box that is held to its limit already."""
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


def _bound(order: Order, sources: list[int]) -> list[str]:
    words: list[str] = []
    for tool in order.tools:
        words += ["--ro-bind", str(tool), f"/tools/{tool.name}"]
    for place, target in order.links.items():
        words += ["--symlink", target.replace("{bot}", "/bot"), place]
    for name, source in zip(order.files, sources, strict=True):
        words += ["--perms", "0755", "--file", str(source), f"/bot/{name}"]
    return words if order.files else [*words, "--ro-bind", str(order.home), "/bot"]
