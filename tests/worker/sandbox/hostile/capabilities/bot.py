import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


import ctypes.util

input()
found = []
PR_CAPBSET_READ, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, PR_SET_SECUREBITS = 23, 47, 2, 28
found += [f"bounding {number}" for number in range(41) if libc.prctl(PR_CAPBSET_READ, number, 0, 0, 0) == 1]
found += [f"ambient {number}" for number in range(41) if libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0, 0) == 0]
SYS_capset = {"x86_64": 126, "aarch64": 91}[machine]
header, wanted = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
found += answer("capset", libc.syscall(SYS_capset, header, wanted))
print("held" if not found else f"{found}"[:900])
input()
