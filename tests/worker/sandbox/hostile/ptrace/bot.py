import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE = 0, 16, 0x4206
child = os.fork()
if child == 0:
    while True:
        os.sched_yield()
found = []
for name, number in (("attach", PTRACE_ATTACH), ("seize", PTRACE_SEIZE)):
    found += answer(name, libc.ptrace(number, child, None, None))
os.kill(child, 15)
os.waitpid(child, 0)
found += answer("be traced", libc.ptrace(PTRACE_TRACEME, 0, None, None))
print("held" if not found else f"{found}"[:900])
input()
