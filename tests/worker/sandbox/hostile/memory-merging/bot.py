import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


import mmap

PRCTL, MADVISE = (157, 167), (28, 233)
PR_SET_MEMORY_MERGE, MADV_MERGEABLE = 67, 12
input()
libc.mmap.restype = ctypes.c_long
place = libc.mmap(None, ctypes.c_size_t(4096), 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, ctypes.c_long(0))
tried = [("all", call(PRCTL, PR_SET_MEMORY_MERGE, 1, 0, 0, 0)), ("a page", call(MADVISE, place, 4096, MADV_MERGEABLE))]
found = [one for one in tried if one[1] not in ("EPERM", "EINVAL")]
print("held" if not found else f"{found}"[:900])
input()
