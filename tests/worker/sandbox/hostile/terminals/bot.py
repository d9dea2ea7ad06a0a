import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


import fcntl

input()
TIOCSTI = 0x5412
found = []
for path in ("/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/ptmx"):
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        continue
    found += answer(f"typing into {path}", libc.ioctl(descriptor, TIOCSTI, b"x"))
found += answer("typing into stdin", libc.ioctl(0, TIOCSTI, b"x"))
print("held" if not found else f"{found}"[:900])
input()
