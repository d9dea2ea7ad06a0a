"""Control groups: limit a bot's memory and processes as a whole, count its CPU time, freeze it at once.

Theory of operation: a slot has one group in each hierarchy that is needed, made when the slot is first used and
used again for later bots. On a machine with version 2 alone that is one folder; with version 1 there are folders for
memory and pids, and the CPU time and the freezer come from the version 2 tree where one is mounted beside it, else
CPU time comes from cpuacct and freezing is done by signals (the old freezer is ten times slower).

Version 2 gives out controllers only to groups without processes of their own, so the groups are made beside the
worker's own group where its parent allows that, as in a terminal of a desktop that systemd started; or below it. If it
is the worker's own group that was delegated, whatever runs in it, the worker too, moves to a group below first.

The owner of a group keeps its folders locked (flock); the kernel takes the locks away when the owner's processes end,
however they end. A folder that nobody has locked is left over, and any worker may remove it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence, Set
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from hexarena.worker.sandbox.tree import MOST_ROUNDS, keep_stopped, send_all

CONTROLLERS = frozenset({"memory", "pids"})
HIGHEST = ("memory.max_usage_in_bytes", "memory.memsw.max_usage_in_bytes")
"""In version 1: the most memory used, without swap and with it."""
CHARGED_BYTES = 1 << 18
"""The kernel charges pages by the dozen, so so much may be left of a limit that is in the way."""
PROCESSES = "hexarena-processes"
"""Where a worker's own group moves its processes; no sweep takes it for a bot's."""
_MOUNTS = Path("/proc/self/mountinfo")
EMPTY_AFTER_S = 5.0
"""How long the kernel may take to reap a killed group."""
OWNED_AFTER_S = 60.0
"""How long sweeps of others may keep a group from its owner."""
LOOK_S = 0.001


@dataclass(frozen=True, slots=True)
class Hierarchies:
    """Folders in which this process can make groups. `unified`: version 2, if it provides freezer and CPU time."""

    memory: Path
    processes: Path
    unified: Path | None
    accounting: Path | None

    def folders(self, name: str) -> list[Path]:
        """The folders that make up the group with this name."""
        parents = [self.memory, self.processes, self.unified or self.accounting]
        return list(dict.fromkeys(parent / name for parent in parents if parent is not None))

    def describe(self) -> str:
        """For people."""
        if self.memory == self.unified:
            return "control groups, version 2"
        return "control groups, version 1" + (" with the version 2 freezer" if self.unified else "")


def find_hierarchies(name: str) -> Hierarchies | None:
    """Where this process can make groups, tested with a group called `name`; None where it cannot."""
    places = own_places()
    version_2 = [place for place in _version_2_places(places.get("")) if _usable(place / name)]
    for place in version_2:
        if _enable(place, CONTROLLERS, own=place == places.get("")):
            return Hierarchies(place, place, place, None)
    memory, processes, accounting = places.get("memory"), places.get("pids"), places.get("cpuacct")
    if memory is None or processes is None or not (_usable(memory / name) and _usable(processes / name)):
        return None
    if version_2:
        return Hierarchies(memory, processes, version_2[0], None)
    if accounting is not None and _usable(accounting / name):
        return Hierarchies(memory, processes, None, accounting)
    return None


class Group:
    """One slot's control group: a Tree for one bot after the other."""

    counts_ended = True
    counts_kills = True

    def __init__(self, hierarchies: Hierarchies, name: str) -> None:
        """Raises: OSError. Then it holds no lock: the next one of this name would wait for itself."""
        self._folders = hierarchies.folders(name)
        self._memory = hierarchies.memory / name
        self._processes = hierarchies.processes / name
        self._unified = hierarchies.unified / name if hierarchies.unified else None
        self._version_2 = hierarchies.memory == hierarchies.unified
        usage = self._unified / "cpu.stat" if self._unified else self._folders[-1] / "cpuacct.usage"
        events = self._memory / ("memory.events" if self._version_2 else "memory.oom_control")
        with ExitStack() as opened:

            def closing(descriptor: int) -> int:
                opened.callback(os.close, descriptor)
                return descriptor

            self._locks = [closing(_own(folder)) for folder in self._folders]
            self._freezer = closing(os.open(self._unified / "cgroup.freeze", os.O_WRONLY)) if self._unified else -1
            self._usage = closing(os.open(usage, os.O_RDONLY))
            self._events = closing(os.open(events, os.O_RDONLY))
            opened.pop_all()
        self._limited: tuple[int, int] | None = None
        self._used_before_s = 0.0
        self._kills_before = self._limit_events_before = 0
        self._stopped: set[int] = set()

    def limit(self, *, memory_bytes: int, processes: int) -> None:
        """Sets the limits for the next bot, if they differ. Swap counts as memory where the kernel supports that."""
        if (memory_bytes, processes) == self._limited:
            return
        if self._version_2:
            _write(self._memory / "memory.max", memory_bytes)
            with suppress(OSError):
                _write(self._memory / "memory.swap.max", 0)
        else:
            with suppress(OSError):
                _write(self._memory / "memory.memsw.limit_in_bytes", -1)
            _write(self._memory / "memory.limit_in_bytes", memory_bytes)
            with suppress(OSError):
                _write(self._memory / "memory.memsw.limit_in_bytes", memory_bytes)
        _write(self._processes / "pids.max", processes)
        self._limited = memory_bytes, processes

    def admit(self, pid: int) -> None:
        """See Tree."""
        self.thaw()
        self._used_before_s = self._total_cpu_s()
        self._kills_before = self._count("oom_kill")
        self._begin_limit()
        for folder in self._folders:
            _write(folder / "cgroup.procs", pid)

    def cpu_s(self) -> float:
        """See Tree."""
        return self._total_cpu_s() - self._used_before_s

    def freeze(self) -> None:
        """See Tree."""
        if self._freezer >= 0:
            os.write(self._freezer, b"1")
        else:
            self._stopped = keep_stopped(self.pids)

    def thaw(self) -> None:
        """See Tree."""
        if self._freezer >= 0:
            os.write(self._freezer, b"0")
        else:
            send_all(self._stopped, signal.SIGCONT)
            self._stopped = set()

    def ran_out_of_memory(self) -> bool:
        """See Tree."""
        return self._killed_one() and self._reached_limit()

    def was_sacrificed(self) -> bool:
        """See Tree."""
        return self._killed_one() and not self._reached_limit()

    def pids(self) -> set[int]:
        """See Tree."""
        return _pids(self._processes)

    def kill(self) -> None:
        """Kills what is left and waits until the group is empty."""
        for folder in self._folders:
            _empty(folder)

    def close(self) -> None:
        """Kills what is left and removes the group."""
        for folder in self._folders:
            _remove(folder)
        for descriptor in (self._freezer, self._usage, self._events, *self._locks):
            if descriptor >= 0:
                os.close(descriptor)

    def _total_cpu_s(self) -> float:
        text = os.pread(self._usage, 64, 0)
        if self._unified:
            return int(text[len(b"usage_usec ") : text.index(b"\n")]) / 1e6
        return int(text) / 1e9

    def _killed_one(self) -> bool:
        return self._count("oom_kill") > self._kills_before

    def _count(self, event: str) -> int:
        for line in os.pread(self._events, 4096, 0).splitlines():
            name, count = line.split()
            if name == event.encode():
                return int(count)
        return 0

    def _begin_limit(self) -> None:
        self._limit_events_before = self._count("oom")
        if not self._version_2:
            for name in HIGHEST:
                with suppress(OSError):
                    _write(self._memory / name, 0)

    def _reached_limit(self) -> bool:
        """Whether the bot's own limit was in its way. Version 1 has no event for that, but the highest usage."""
        if self._version_2:
            return self._count("oom") > self._limit_events_before
        limit = 0 if self._limited is None else self._limited[0]
        for name in HIGHEST:
            with suppress(OSError):
                if int((self._memory / name).read_bytes()) >= limit - CHARGED_BYTES:
                    return True
        return False


def own_places() -> dict[str, Path]:
    """Controller -> the folder of this process's own group; "" -> that of version 2."""
    own: dict[str, str] = {}
    listed = Path("/proc/self/cgroup")
    for line in listed.read_text(errors="surrogateescape").splitlines() if listed.exists() else ():
        _, controllers, path = line.split(":", 2)
        own.update(dict.fromkeys(controllers.split(","), path))
    return {
        controller: mount / os.path.relpath(own[controller], root)
        for controller, root, mount in _mounts()
        if controller in own and _inside(own[controller], root)
    }


def places() -> list[Path]:
    """All folders in which this process may make groups, or may have tried to."""
    own = own_places()
    version_1 = [own[name] for name in ("memory", "pids", "cpuacct") if name in own]
    return list(dict.fromkeys([*version_1, *_version_2_places(own.get(""))]))


def sweep(parents: Sequence[Path], prefix: str) -> None:
    """Kills and removes the groups in these folders whose names start with `prefix` and that have no owner."""
    for folder in [folder for parent in parents for folder in parent.glob(f"{prefix}*")]:
        lock = _try_lock(folder)
        if lock is not None:
            _remove(folder)
            os.close(lock)


# --- Files of the kernel -----------------------------------------------------------------------------------------


def _mounts() -> Iterator[tuple[str, str, Path]]:
    """(controller or "" for version 2, the group that is mounted, where)."""
    for line in _MOUNTS.read_text(errors="surrogateescape").split("\n")[:-1]:
        before, _, after = line.partition(" - ")
        root, mount = before.split(" ")[3:5]
        kind, _, options = after.split(" ", 2)  # what is mounted may be called ""
        if kind == "cgroup2":
            yield "", root, Path(mount)
        elif kind == "cgroup":
            for option in options.split(","):
                yield option, root, Path(mount)


def _inside(path: str, root: str) -> bool:
    return root in ("/", path) or path.startswith(root + "/")


def _version_2_places(own: Path | None) -> list[Path]:
    """Beside the worker's own group, or below it."""
    if own is None:
        return []
    beside = own.parent
    return [beside, own] if (beside / "cgroup.subtree_control").exists() else [own]


def _usable(folder: Path) -> bool:
    """Whether a group can be made here and a process be moved into it: tested with a process that only waits."""
    try:
        lock = _own(folder)
    except OSError:
        return False
    try:
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as waiting:
            try:
                _write(folder / "cgroup.procs", waiting.pid)
            except OSError:
                return False
            finally:
                waiting.kill()
                waiting.wait()
    finally:
        _remove(folder)
        os.close(lock)
    return True


def _enable(place: Path, controllers: Set[str], *, own: bool) -> bool:
    """Whether groups in this version 2 folder get these controllers. `own`: it is this process's own group."""
    enabled = place / "cgroup.subtree_control"
    if not controllers <= set((place / "cgroup.controllers").read_text().split()):
        return False
    for _ in range(2):
        try:
            _write(enabled, " ".join(f"+{name}" for name in sorted(controllers)))
        except OSError as error:
            if not own or error.errno != errno.EBUSY:
                break
            with suppress(OSError):
                _make_room(place)
    return controllers <= set(enabled.read_text().split())


def _make_room(own: Path) -> None:
    """Moves all processes of this process's own group into a group below it, where they keep its limits."""
    below = own / PROCESSES
    below.mkdir(exist_ok=True)
    for _ in range(MOST_ROUNDS):
        for pid in _pids(own):
            with suppress(ProcessLookupError):
                _write(below / "cgroup.procs", pid)


def _write(file: Path, value: int | str) -> None:
    descriptor = os.open(file, os.O_WRONLY)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)


def _pids(folder: Path) -> set[int]:
    return {int(pid) for pid in (folder / "cgroup.procs").read_bytes().split()} - {0}


def _own(folder: Path) -> int:
    """Makes the folder, or takes over what is left of one, and locks it. Returns the descriptor with the lock.

    Only a sweep can hold the lock now, for a moment; it may have removed the folder in the meantime.
    Raises: OSError, also where somebody keeps the lock.
    """
    deadline = time.monotonic() + OWNED_AFTER_S
    while time.monotonic() < deadline:
        folder.mkdir(exist_ok=True)
        descriptor = _try_lock(folder)
        if descriptor is None:
            time.sleep(LOOK_S)
            continue
        try:
            if folder.is_dir() and folder.stat().st_ino == os.fstat(descriptor).st_ino:
                _empty(folder)
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    raise TimeoutError(f"expected the lock of {folder} within {OWNED_AFTER_S:g} s; another process has it")


def _try_lock(folder: Path) -> int | None:
    descriptor = _open_folder(folder)
    if descriptor is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _open_folder(folder: Path) -> int | None:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None


def _empty(folder: Path) -> None:
    """Kills until the group is empty. The kernel sends no notice when it is, so this polls."""
    if (folder / "cgroup.kill").exists():
        _write(folder / "cgroup.kill", 1)
    deadline = time.monotonic() + EMPTY_AFTER_S
    while (pids := _pids(folder)) and time.monotonic() < deadline:
        send_all(pids, signal.SIGKILL)
        time.sleep(LOOK_S)


def _remove(folder: Path) -> None:
    """A group that cannot be removed yet is left for the next sweep."""
    with suppress(OSError):
        _empty(folder)
    with suppress(OSError):
        folder.rmdir()
