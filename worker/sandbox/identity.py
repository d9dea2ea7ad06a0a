"""Becoming a slot's user for a moment, in one thread only.

Theory of operation: for the kernel each thread has a user of its own; it is libc that changes all of a process
together. The calls here bypass libc, so that the thread of a root worker that launches a sandbox is the slot's user
meanwhile, and its children are from their first instant; no helper program has to change users in between, which would
cost a millisecond. The saved user id stays root, which is the way back; a child loses it when it executes a program.
"""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Calls:
    """Numbers of the system calls on one machine. Source: asm/unistd.h."""

    setgroups: int
    setresuid: int
    setresgid: int


CALLS: Mapping[str, Calls] = {"x86_64": Calls(116, 117, 119), "aarch64": Calls(159, 147, 149)}
ROOT = 0

_libc = ctypes.CDLL(None, use_errno=True)


@contextmanager
def acting_as(user: int | None) -> Iterator[None]:
    """Within the block, this thread and the processes that it starts are this user and its group; None: no change.

    Only for root. The process aborts if it cannot change back: it must not continue as another user.
    Raises: OSError when root may not change its user here. KeyError on a machine without a table.
    """
    if user is None:
        yield
        return
    calls, groups, group = CALLS[platform.machine()], os.getgroups(), os.getegid()
    _call(calls.setgroups, 0, None)
    try:
        _call(calls.setresgid, user, user, group)
        _call(calls.setresuid, user, user, ROOT)
        yield
    finally:
        try:
            _call(calls.setresuid, ROOT, ROOT, ROOT)
            _call(calls.setresgid, group, group, group)
            _call(calls.setgroups, len(groups), (ctypes.c_uint32 * len(groups))(*groups))
        except OSError:
            os.abort()


def _call(number: int, *arguments: object) -> None:
    if _libc.syscall(ctypes.c_long(number), *arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
