"""Runs inside a box, under the system's own Python: tries to break out and says how that went.

It reads one line of JSON, {"port", "socket", "files", "environment", "processes", "tmp_bytes"}, and answers with one:
[[name, passed, detail], ...]. It knows nothing of the rest of the project, which it cannot see.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

CLONE_NEWUSER = 0x1000_0000
FIRST_FOREIGN_DESCRIPTOR = 3
MOST_DESCRIPTORS = 1024


def attempts(expected: dict[str, Any]) -> Iterator[tuple[str, bool, str]]:
    """(what must hold, whether it does, what was tried or found)."""
    yield fails("no network", "connect to 127.0.0.1", lambda: connect(socket.AF_INET, ("127.0.0.1", expected["port"])))
    yield fails("no unix sockets", "connect to a socket", lambda: connect(socket.AF_UNIX, expected["socket"]))
    for file in expected["files"]:
        yield fails("no foreign files", f"read {file}", functools.partial(read, file))
    for folder in ("/", "/bot", "/usr", "/etc", "/dev"):
        yield fails("read-only root", f"write in {folder}", functools.partial(write, f"{folder}/probe"))
    yield fails("no new namespaces", "unshare the user namespace", unshare)
    yield fails("no other processes", "signal all that there are", lambda: os.kill(-1, signal.SIGCONT))
    yield "no other processes", os.getpid() == 1, f"the first process of its box has the number {os.getpid()}"
    foreign = sorted(set(os.environ) - set(expected["environment"]))
    yield "clean environment", not foreign, f"variables from outside: {', '.join(foreign) or 'none'}"
    descriptors = list(open_descriptors())
    yield "no inherited descriptors", not descriptors, f"open: {descriptors}"
    space = os.statvfs("/tmp")  # noqa: S108 - the box's own
    size = space.f_blocks * space.f_frsize
    yield "small /tmp", size <= expected["tmp_bytes"], f"{size} bytes"
    number = count_processes(expected["processes"] + 10)
    yield "few processes", number <= expected["processes"], f"{number} at once"


def fails(name: str, what: str, attempt: Callable[[], object]) -> tuple[str, bool, str]:
    """The attempt must fail."""
    try:
        attempt()
    except OSError as error:
        return name, True, f"{what}: {error.strerror}"
    return name, False, f"{what}: it worked"


def connect(family: int, address: Any) -> None:
    """Raises OSError where there is no way."""
    with socket.socket(family, socket.SOCK_STREAM) as made:
        made.connect(address)


def read(file: str) -> None:
    """Raises OSError where there is no such file."""
    with open(file, "rb") as opened:  # noqa: PTH123 - nothing is imported that need not be
        opened.read(1)


def write(file: str) -> None:
    """Raises OSError where nothing can be written."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))


def unshare() -> None:
    """Raises OSError where no new namespace can be made."""
    import ctypes  # noqa: PLC0415 - the other checks work where the system's Python comes without it

    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def open_descriptors() -> Iterator[int]:
    """Those that nobody opened here."""
    for descriptor in range(FIRST_FOREIGN_DESCRIPTOR, MOST_DESCRIPTORS):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        yield descriptor


def count_processes(most: int) -> int:
    """How many processes there can be at once, this one included, up to `most`."""
    children: list[int] = []
    try:
        while len(children) + 1 < most:
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children) + 1


def main() -> None:
    """Answers every line: the first with what was found, the later ones by taking that many bytes of memory."""
    print(json.dumps(list(attempts(json.loads(sys.stdin.readline())))), flush=True)
    for line in sys.stdin:
        taken = bytearray(b"x") * int(line)
        print(len(taken), flush=True)


if __name__ == "__main__":
    main()
