import os

import fcntl
import struct

F_OFD_GETLK, F_OFD_SETLK = 36, 37
input()
found = []
held = os.open("/usr/bin/env", os.O_RDONLY)
READ, WRITE = (struct.pack("hhqqi4x", kind, 0, 0, 0, 0) for kind in (fcntl.F_RDLCK, fcntl.F_WRLCK))
for name, attempt in (
    ("flock, shared", lambda: fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)),
    ("flock, alone", lambda: fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)),
    ("a lock of the process", lambda: fcntl.fcntl(held, fcntl.F_SETLK, READ)),
    ("whose lock it is", lambda: fcntl.fcntl(held, fcntl.F_GETLK, WRITE)),
    ("a lock of the open file", lambda: fcntl.fcntl(held, F_OFD_SETLK, READ)),
    ("whose open file's lock it is", lambda: fcntl.fcntl(held, F_OFD_GETLK, WRITE)),
):
    try:
        attempt()
        found.append(name)
    except OSError:
        pass
print("held" if not found else f"{found}"[:900])
input()
