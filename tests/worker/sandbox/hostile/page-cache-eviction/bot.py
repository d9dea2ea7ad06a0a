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

READAHEAD, FADVISE, MADVISE = (187, 213), (221, 223), (28, 233)
WILLNEED, COLD, PAGEOUT, POPULATE_READ, COLLAPSE = 3, 20, 21, 22, 25
input()
found = []
opened = os.open("/usr/bin/env", os.O_RDONLY)
size = os.fstat(opened).st_size // mmap.PAGESIZE * mmap.PAGESIZE
libc.mmap.restype = ctypes.c_long
place = libc.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ, mmap.MAP_SHARED, opened, ctypes.c_long(0))
tried = [("readahead", call(READAHEAD, opened, 0, 4096)), ("fadvise64", call(FADVISE, opened, 0, 0, 4))]
tried += [(f"madvise {advice}", call(MADVISE, place, size, advice)) for advice in (WILLNEED, COLD, PAGEOUT, POPULATE_READ)]
found += [one for one in tried if one[1] not in ("EPERM", "ENOSYS", "EINVAL")]
print("held" if not found else f"{found}"[:900])
input()
