import os

import fcntl

F_SETPIPE_SZ = 1031
input()
found = []
kept = []
try:
    while len(kept) < 20:
        kept.append(os.pipe())
        fcntl.fcntl(kept[-1][1], F_SETPIPE_SZ, 1 << 20)
        found.append("a pipe of 1 MiB")
except OSError:
    pass
print("held" if not found else f"{found}"[:900])
input()
