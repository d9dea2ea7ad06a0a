import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
SYS_bpf = {"x86_64": 321, "aarch64": 280}[machine]
BPF_MAP_CREATE, BPF_MAP_TYPE_ARRAY = 0, 2
settings = (ctypes.c_uint32 * 18)(BPF_MAP_TYPE_ARRAY, 4, 8, 1)
found = answer("create a map", libc.syscall(SYS_bpf, BPF_MAP_CREATE, settings, ctypes.sizeof(settings)))
print("held" if not found else f"{found}"[:900])
input()
