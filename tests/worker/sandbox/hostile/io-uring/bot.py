import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
settings = ctypes.create_string_buffer(120)
found = answer("io_uring_setup", libc.syscall(425, 4, settings))
found += answer("io_uring_register", libc.syscall(427, 0, 0, None, 0))
print("held" if not found else f"{found}"[:900])
input()
