import os

import fcntl
import signal

F_SETSIG = 10
input()
found = []
for name, attempt in (
    ("F_SETSIG", lambda: fcntl.fcntl(0, F_SETSIG, signal.SIGCONT)),
    ("F_SETOWN", lambda: fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())),
):
    try:
        attempt()
        found.append(name)
    except OSError:
        pass
print("held" if not found else f"{found}"[:900])
input()
