import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]



import mmap

input()
memory = mmap.mmap(-1, 1 << 20)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
found = []
for name, attempt in (
    ("mlock", lambda: libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(1 << 20))),
    ("mlockall", lambda: libc.mlockall(7)),
):
    if attempt() == 0:
        found.append(name)
print("held" if not found else f"{found}"[:900])
input()
