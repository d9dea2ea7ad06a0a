"""Refused system calls in the kernel's log, and from there in the worker's: HEXARENA_LOG_REFUSED_CALLS.

Theory of operation: the kernel logs what a seccomp filter refuses if the filter was loaded with a flag, which
bubblewrap does not set. So the process that is to become bubblewrap loads one part of the filter itself, with the flag
(`rules.part_of`), and hands the rest over. That costs a fork of the whole worker for each start; and a hostile bot
could fill a log with its calls. So nobody gets this unasked.

The kernel writes to its own log, /dev/kmsg, only some lines a second; where auditd runs, to that alone.

Source: linux/seccomp.h, linux/audit.h (AUDIT_SECCOMP).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import re
import select
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from hexarena.worker.sandbox import seccomp
from hexarena.worker.sandbox.calls import MACHINES, NUMBERS
from hexarena.worker.sandbox.rules import Use

KERNEL_LOG = Path("/dev/kmsg")
LINE_BYTES = 8192
"""Of the kernel's log, at most."""
PR_SET_NO_NEW_PRIVS = 38
SET_MODE_FILTER, FLAG_LOG = 1, 2
INSTRUCTION_BYTES = 8
REFUSED = re.compile(
    r"audit: type=1326 .*\buid=(?P<user>\d+) .*\bpid=(?P<pid>\d+) comm=(?P<program>\S+) .*\bsyscall=(?P<call>\d+) "
    r".*\bcode=0x5[0-9a-f]{4}\b"
)
"""A call that was answered by an error; other actions have other codes."""

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A system call that the filter refused. `user`, `pid`: as the host sees them. `call`: its name, or its number."""

    call: str
    program: str
    user: int
    pid: int


def loader(use: Use) -> Callable[[], None]:
    """What a process calls before it becomes bubblewrap: it raises an OSError where the kernel takes no such filter."""
    program = _logged(use)
    instructions = ctypes.create_string_buffer(program, len(program))
    # A struct sock_fprog: how many instructions, and where they are.
    described = struct.pack("@HP", len(program) // INSTRUCTION_BYTES, ctypes.addressof(instructions))
    return partial(_load, described, instructions)


def _load(described: bytes, _instructions: object) -> None:
    number = NUMBERS["seccomp"][MACHINES[platform.machine()].column] or 0
    arguments = (ctypes.c_ulong(SET_MODE_FILTER), ctypes.c_ulong(FLAG_LOG), described)
    if _libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or _libc.syscall(ctypes.c_long(number), *arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@cache
def _logged(use: Use) -> bytes:
    return seccomp.make_filter(use, part="logged")


def refused_call(line: str) -> RefusedCall | None:
    """What a line of the kernel's log says, if it is about a refused call.

    >>> refused_call('audit: type=1326 audit(1.2:3): auid=4 uid=61320 gid=5 ses=6 pid=77 comm="bot" exe="/bot/bot" '
    ...     'sig=0 arch=c000003e syscall=101 compat=0 ip=0x7f code=0x50001').program
    'bot'
    """
    found = REFUSED.search(line)
    if found is None:
        return None
    program = found["program"]
    # A name with blanks or quotes in it comes as hexadecimal digits.
    name = program.strip('"') if program.startswith('"') else bytes.fromhex(program).decode(errors="replace")
    return RefusedCall(_name(int(found["call"])), name, int(found["user"]), int(found["pid"]))


def _name(number: int) -> str:
    column = MACHINES[platform.machine()].column
    return next((name for name, numbers in NUMBERS.items() if numbers[column] == number), str(number))


def follow(stop: threading.Event) -> Iterator[RefusedCall]:
    """What sandboxes on this machine are refused from now on, this arena's or not.

    Raises: OSError, where this process may not read the kernel's log.
    """
    log = os.open(KERNEL_LOG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        os.lseek(log, 0, os.SEEK_END)
        poll = select.poll()
        poll.register(log, select.POLLIN)
        while not stop.is_set():
            poll.poll(500)
            yield from filter(None, map(refused_call, _lines(log)))
    finally:
        os.close(log)


def _lines(log: int) -> Iterator[str]:
    while True:
        try:
            yield os.read(log, LINE_BYTES).decode(errors="replace")
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.EPIPE:  # lines that were not read in time are gone
                raise
