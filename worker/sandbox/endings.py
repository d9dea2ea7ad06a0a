"""How a sandboxed process ended, by the kernel's own word, and whether somebody outside of its sandbox ended it.

Theory of operation: between a bot and the worker is the launcher, which passes a signal on as exit code 128 + n, so
that 137 is SIGKILL or `exit(137)`. The worker's pidfd tells them apart: since Linux 6.15 it keeps the wait status of a
process that was reaped, by whomever. On older kernels nothing is certain, and whatever ended a bot is its own affair.

A SIGKILL that is certain came from outside, for nobody inside can cause one (docs/decisions/0059): the bot is process 1
of its namespace, to which the kernel delivers no SIGKILL of that namespace, except in a few ways that the system call
filter closes (`rules.NO_KILLS`). What remains is the kernel itself, for memory; control groups count that. Bots whose
runtime needs timers, Ruby's, are left out: nobody can see which signal a timer sends.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
from dataclasses import dataclass

PIDFD_GET_INFO = 0xC040_FF0B
"""_IOWR(0xFF, 11, struct pidfd_info) of 64 bytes. Source: linux/pidfd.h."""
PIDFD_INFO_EXIT = 1 << 3
INFO = struct.Struct("=QQ11Ii")
"""struct pidfd_info in its first version: the mask comes first, the wait status last."""


@dataclass(frozen=True, slots=True)
class End:
    """How a process ended.

    code: as Popen's returncode, negative for a signal. certain: else it may also be 128 + the number of a signal.
    killed: by SIGKILL, which nobody inside of the sandbox can have caused other than by using too much memory.
    """

    code: int
    certain: bool = True
    killed: bool = False

    @property
    def by(self) -> signal.Signals | None:
        """The signal that ended it."""
        number = -self.code if self.code < 0 else self.code - 128
        known = (self.code < 0 or not self.certain) and number in set(signal.Signals)
        return signal.Signals(number) if known else None

    def __str__(self) -> str:
        if self.by is None:
            return f"the process ended with exit code {self.code}"
        return f"the process was ended by signal {self.by.value} ({self.by.name})"


def end_of(launcher_code: int, descriptor: int, *, kills_itself: bool = False) -> End:
    """The end of a sandbox's first process, whose pidfd this is, when its launcher has ended with this code.

    kills_itself: it might have ended itself by SIGKILL, with a timer.
    """
    if launcher_code < 0:
        # Nobody inside can see the launcher, and the bot dies with it.
        return End(launcher_code, killed=True)
    status = _wait_status(descriptor)
    if status is None:
        return End(launcher_code, certain=False)
    code = os.waitstatus_to_exitcode(status)
    return End(code, killed=code == -signal.SIGKILL and not kills_itself)


def _wait_status(descriptor: int) -> int | None:
    """Of a process that was reaped; None where the kernel does not say."""
    info = bytearray(INFO.pack(PIDFD_INFO_EXIT, *[0] * 13))
    try:
        fcntl.ioctl(descriptor, PIDFD_GET_INFO, info)
    except OSError:
        return None
    mask, *_, status = INFO.unpack(info)
    return int(status) if mask & PIDFD_INFO_EXIT else None
