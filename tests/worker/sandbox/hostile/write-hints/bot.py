import fcntl
import struct

F_GET_RW_HINT, F_SET_RW_HINT = 1035, 1036
input()
told = []
# The hint is the file's, not the descriptor's: whoever opens the same file of the system reads it, in any match.
for path in ("/usr/bin/env", "/etc/ld.so.cache"):
    with open(path, "rb") as file:
        for name, command, hint in (("read", F_GET_RW_HINT, 0), ("left", F_SET_RW_HINT, 3)):
            try:
                fcntl.fcntl(file, command, struct.pack("Q", hint))
                told.append(f"{name} {path}")
            except OSError:
                pass
print("held" if not told else f"{told}")
input()
