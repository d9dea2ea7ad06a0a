import ctypes
import errno
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


# The kernel looks at the lower half of a number, and of some arguments.
SOCKET, PRCTL, FCNTL, MADVISE = (41, 198), (157, 167), (72, 25), (28, 233)
MORE = 1 << 32
# Where the notification works, the kernel sends this whenever somebody looks into the folder.
signal.signal(signal.SIGIO, signal.SIG_IGN)
input()
tried = {
    "socket": call(tuple(MORE | one for one in SOCKET), 1, 1, 0),
    "prctl": call(PRCTL, MORE | 1, 0, 0, 0, 0),
    "fcntl": call(FCNTL, os.open("/usr/bin", os.O_RDONLY), MORE | 1026, 1),
    "madvise": call(MADVISE, 0, 0, MORE | 21),
}
found = [one for one in tried.items() if one[1] not in ("EPERM", "EINVAL")]
print("held" if not found else f"{found}"[:900])
input()
