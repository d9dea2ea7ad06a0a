import os

import fcntl
import signal

signal.signal(signal.SIGIO, signal.SIG_IGN)
DN_ACCESS, DN_MULTISHOT = 1, 0x80000000
input()
found = []
for path in ("/usr/bin", "/usr/lib", "/tmp"):
    try:
        fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.F_NOTIFY, DN_ACCESS | DN_MULTISHOT)
        found.append(path)
    except OSError:
        pass
print("held" if not found else f"{found}"[:900])
input()
