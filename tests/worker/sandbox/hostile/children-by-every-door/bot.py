import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


import json
import signal

CLONE, FORK, VFORK = (56, 220), (57, None), (58, None)
CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND, CLONE_PARENT = 0x100, 0x200, 0x400, 0x800, 0x8000
single = json.loads(input())["single"]
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
found = []


def child(name, make):
    """A child that ends at once. Where bots have none, the attempt fails."""
    made = make()
    if made == 0:
        os._exit(0)
    if (made != "EPERM") == single:
        found.append((name, made))


child("clone", lambda: call(CLONE, signal.SIGCHLD, 0, 0, 0, 0))
child("clone without a signal", lambda: call(CLONE, 0, 0, 0, 0, 0))
child("clone with the same files", lambda: call(CLONE, signal.SIGCHLD | CLONE_FS | CLONE_FILES, 0, 0, 0, 0))
if single:  # With one stack for both, these are for C, where they work.
    child("clone in the same memory", lambda: call(CLONE, signal.SIGCHLD | CLONE_VM, 0, 0, 0, 0))
    child("clone beside it", lambda: call(CLONE, signal.SIGCHLD | CLONE_PARENT, 0, 0, 0, 0))
    for name, numbers in (("fork", FORK), ("vfork", VFORK)):
        if numbers[column] is not None:
            child(name, lambda numbers=numbers: call(numbers))
try:
    os.posix_spawn("/bin/true", ["true"], {})
    found += ["posix_spawn"] if single else []
except PermissionError:
    found += [] if single else ["no posix_spawn"]
print("held" if not found else f"{found}"[:900])
input()
