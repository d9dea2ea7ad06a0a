import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


import subprocess

input()
found = []
for program in ("su", "passwd", "mount", "chsh", "newgrp", "sudo", "fusermount3", "newuidmap"):
    for folder in ("/usr/bin", "/bin"):
        path = f"{folder}/{program}"
        if os.path.exists(path) and os.stat(path).st_mode & 0o4000 and os.stat(path).st_uid == 0:
            found.append(f"{path} would run as root")
with open("/proc/self/status") if os.path.exists("/proc/self/status") else open("/dev/null") as status:
    found += [line for line in status if line.startswith("NoNewPrivs:\t0")]
PR_GET_NO_NEW_PRIVS = 39
if libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1:
    found.append("programs may give new rights")
for name, attempt in (
    ("setuid", lambda: libc.setuid(0)),
    ("setgid", lambda: libc.setgid(0)),
    ("setresuid", lambda: libc.setresuid(0, 0, 0)),
    ("setgroups", lambda: libc.setgroups(1, (ctypes.c_uint32 * 1)(0))),
):
    ctypes.set_errno(0)
    if attempt() == 0:
        found.append(name)
try:
    if subprocess.run(["id", "-u"], capture_output=True, text=True).stdout.strip() == "0":
        found.append("a program is root")
except PermissionError:
    pass
if os.geteuid() == 0:
    found.append("is root")
print("held" if not found else f"{found}"[:900])
input()
