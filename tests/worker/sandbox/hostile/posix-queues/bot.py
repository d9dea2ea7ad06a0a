import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
name = b"hexarena-attack"
SYS_mq_open, SYS_mq_unlink = {"x86_64": (240, 241), "aarch64": (180, 181)}[machine]
found = answer("mq_open", libc.syscall(SYS_mq_open, name, os.O_CREAT | os.O_RDWR, 0o600, None))
if found:
    libc.syscall(SYS_mq_unlink, name)
print("held" if not found else f"{found}"[:900])
input()
