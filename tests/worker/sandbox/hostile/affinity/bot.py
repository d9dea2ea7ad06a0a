import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
mask = (ctypes.c_ulong * 16)(1)
found = answer("sched_setaffinity", libc.sched_setaffinity(0, ctypes.sizeof(mask), mask))
print("held" if not found else f"{found}"[:900])
input()
