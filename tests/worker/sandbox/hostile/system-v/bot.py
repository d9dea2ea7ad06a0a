import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
IPC_CREAT, IPC_RMID, KEY = 0o1000, 0, 0x48455841
found = []
for name, make, remove in (
    ("memory", lambda: libc.shmget(KEY, 1 << 20, IPC_CREAT | 0o666), lambda made: libc.shmctl(made, IPC_RMID, None)),
    ("a queue", lambda: libc.msgget(KEY, IPC_CREAT | 0o666), lambda made: libc.msgctl(made, IPC_RMID, None)),
    ("semaphores", lambda: libc.semget(KEY, 1000, IPC_CREAT | 0o666), lambda made: libc.semctl(made, 0, IPC_RMID)),
):
    made = make()
    found += answer(name, made)
    if made >= 0:
        remove(made)
print("held" if not found else f"{found}"[:900])
input()
