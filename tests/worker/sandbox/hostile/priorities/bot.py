import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
SYS_ioprio_set, SYS_sched_setattr = {"x86_64": (251, 314), "aarch64": (30, 274)}[machine]
SCHED_FIFO, SCHED_BATCH = 1, 3
found = answer("nice", libc.setpriority(0, 0, 5))
found += answer("a higher priority", libc.setpriority(0, 0, -20))
found += answer("real time", libc.sched_setscheduler(0, SCHED_FIFO, ctypes.byref(ctypes.c_int(1))))
found += answer("batch", libc.sched_setscheduler(0, SCHED_BATCH, ctypes.byref(ctypes.c_int(0))))
found += answer("ioprio_set", libc.syscall(SYS_ioprio_set, 1, 0, 0))
found += answer("sched_setattr", libc.syscall(SYS_sched_setattr, 0, (ctypes.c_uint64 * 6)(48), 0))
print("held" if not found else f"{found}"[:900])
input()
