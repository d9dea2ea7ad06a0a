import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]



PR_SET_NAME, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 15, 4, 36
input()
libc.prctl(PR_SET_NAME, b") R 1 1 (\n", 0, 0, 0)
libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
print("hidden")
input()
if os.fork():
    os.wait()
while True:
    pass
