import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


# A read that must not wait answers EAGAIN where a page is not in memory: 56 bits went from one match to another so.
PREADV2, RWF_NOWAIT, RWF_CACHED = (327, 286), 8, 0
input()
found = []
room = ctypes.create_string_buffer(1)
vector = (ctypes.c_long * 2)(ctypes.addressof(room), 1)
for path in ("/usr/bin/env", "/usr/bin/python3"):
    opened = os.open(path, os.O_RDONLY)
    for place in range(0, os.fstat(opened).st_size, 1 << 16):
        said = call(PREADV2, opened, vector, 1, place, 0, RWF_NOWAIT)
        if said not in ("EPERM", "ENOSYS"):
            found.append((path, place, said))
print("held" if not found else f"{found}"[:900])
input()
