import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
ADDR_NO_RANDOMIZE = 0x40000
found = answer("personality", libc.personality(ADDR_NO_RANDOMIZE))
print("held" if not found else f"{found}"[:900])
input()
