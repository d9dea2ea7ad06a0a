import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
SYS_kcmp, SYS_pidfd_getfd = {"x86_64": (312, 438), "aarch64": (272, 438)}[machine]
own = os.pidfd_open(os.getpid())
found = answer("pidfd_getfd", libc.syscall(SYS_pidfd_getfd, own, 0, 0))
found += answer("kcmp", libc.syscall(SYS_kcmp, os.getpid(), os.getpid(), 2, 0, 0))
print("held" if not found else f"{found}"[:900])
input()
