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

MINCORE, CACHESTAT = (27, 232), (451, 451)
input()
found = []
opened = os.open("/usr/bin/env", os.O_RDONLY)
size = os.fstat(opened).st_size
libc.mmap.restype = ctypes.c_long
place = libc.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ, mmap.MAP_SHARED, opened, ctypes.c_long(0))
pages = ctypes.create_string_buffer(size // mmap.PAGESIZE + 1)
for name, said in (
    ("mincore", call(MINCORE, place, size, pages)),
    ("cachestat", call(CACHESTAT, opened, (ctypes.c_uint64 * 2)(0, 0), (ctypes.c_uint64 * 5)(), 0)),
):
    if said not in ("EPERM", "ENOSYS"):
        found.append((name, said))
print("held" if not found else f"{found}"[:900])
input()
