"""Runs inside a sandbox, under the system's own Python: tries to break out and reports the results.

It reads one line of JSON, {"port", "socket", "files", "environment", "processes", "tmp_bytes"}, and answers with one:
[[name, passed, detail], ...]. It knows nothing of the rest of the project, which it cannot see.
"""

from __future__ import annotations

import _thread
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
SMALL_STACK_BYTES = 65_536


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
    yield "no other processes", os.getpid() == 1, f"the first process of its sandbox has the number {os.getpid()}"
    foreign = sorted(set(os.environ) - set(expected["environment"]))
    yield "clean environment", not foreign, f"variables from outside: {', '.join(foreign) or 'none'}"
    descriptors = list(open_descriptors())
    yield "no inherited descriptors", not descriptors, f"open: {descriptors}"
    size = expected["tmp_bytes"] + 1
    yield fails("small /tmp", f"take {size} bytes", functools.partial(take, "/tmp/probe", size))  # noqa: S108
    number = count_threads(expected["processes"] + 10)
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


def take(file: str, size: int) -> None:
    """Raises OSError where there is not so much space."""
    opened = os.open(file, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.posix_fallocate(opened, 0, size)
    finally:
        os.close(opened)
        os.unlink(file)  # noqa: PTH108


def unshare() -> None:
    """Raises OSError where no new namespace can be made."""
    import ctypes  # noqa: PLC0415 - the other checks work where the system's Python comes without it

    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def open_descriptors() -> Iterator[int]:
    """Those that this process did not open."""
    for descriptor in range(FIRST_FOREIGN_DESCRIPTOR, MOST_DESCRIPTORS):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        yield descriptor


def count_threads(most: int) -> int:
    """How many threads there can be at once, this one included, up to `most`. They count as processes do."""
    reading, writing = os.pipe()
    _thread.stack_size(SMALL_STACK_BYTES)
    made = 1
    try:
        while made < most:
            _thread.start_new_thread(os.read, (reading, 1))
            made += 1
    except RuntimeError:
        pass
    os.write(writing, b"x" * made)
    return made


def main() -> None:
    """Answers every line: the first with the results, the later ones by allocating that many bytes of memory."""
    print(json.dumps(list(attempts(json.loads(sys.stdin.readline())))), flush=True)
    for line in sys.stdin:
        taken = bytearray(b"x") * int(line)
        print(len(taken), flush=True)


if __name__ == "__main__":
    main()
