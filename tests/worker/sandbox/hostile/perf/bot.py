import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
SYS_perf_event_open = {"x86_64": 298, "aarch64": 241}[machine]
event = (ctypes.c_uint32 * 28)(1, 112)
found = answer("count", libc.syscall(SYS_perf_event_open, event, 0, -1, -1, 0))
found += answer("count a whole CPU", libc.syscall(SYS_perf_event_open, event, -1, 0, -1, 0))
print("held" if not found else f"{found}"[:900])
input()
