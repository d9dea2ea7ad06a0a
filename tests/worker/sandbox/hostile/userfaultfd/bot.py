import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
SYS_userfaultfd = {"x86_64": 323, "aarch64": 282}[machine]
UFFD_USER_MODE_ONLY = 1
found = answer("userfaultfd", libc.syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY | os.O_NONBLOCK))
found += ["/dev/userfaultfd"] if os.path.exists("/dev/userfaultfd") else []
print("held" if not found else f"{found}"[:900])
input()
