import os
import socket

input()
told = []
for path in ("/etc/hostname", "/etc/machine-id", "/etc/hosts", "/etc/resolv.conf", "/etc/fstab", "/var/lib/dbus/machine-id", "/boot"):
    try:
        os.stat(path)
        told.append(path)
    except OSError:
        pass
known = {"", "localhost", "hexarena", "sandbox", "bot"}
told += [f"named {name}" for name in {os.uname().nodename, socket.gethostname()} - known]
print("held" if not told else f"{told}"[:900])
input()
