import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
PR_SET_SECCOMP, SECCOMP_MODE_FILTER, SECCOMP_SET_MODE_FILTER, NEW_LISTENER = 22, 2, 1, 8
SYS_seccomp = {"x86_64": 317, "aarch64": 277}[machine]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


allow = Program(1, (6).to_bytes(2, "little") + bytes(2) + (0x7FFF0000).to_bytes(4, "little"))
libc.prctl(38, 1, 0, 0, 0)
found = answer("a listener", libc.syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, NEW_LISTENER, ctypes.byref(allow)))
found += answer("prctl", libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(allow), 0, 0))
found += answer("landlock", libc.syscall(444, None, 0, 1))
print("held" if not found else f"{found}"[:900])
input()
