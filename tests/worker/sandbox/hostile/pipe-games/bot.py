import fcntl
import os

F_SETPIPE_SZ = 1031
input()
for descriptor in (0, 1, 2):
    try:
        fcntl.fcntl(descriptor, F_SETPIPE_SZ, 4096)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, getattr(os, "O_DIRECT", 0) | getattr(os, "O_ASYNC", 0))
    except OSError:
        pass
os.set_blocking(0, False)
for byte in b"held\n":
    os.write(1, bytes([byte]))
os.write(1, b"o" * 60)
os.write(1, b"k\n")
os.set_blocking(0, True)
input()
