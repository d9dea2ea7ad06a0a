import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET = 0x10000000, 0x20000, 0x40000000
found = []
for flags in (CLONE_NEWUSER, CLONE_NEWUSER | CLONE_NEWNS, CLONE_NEWUSER | CLONE_NEWNET):
    found += answer(f"unshare {flags:#x}", libc.unshare(flags))
found += answer("setns", libc.setns(os.pidfd_open(os.getpid()), CLONE_NEWUSER))
print("held" if not found else f"{found}"[:900])
input()
