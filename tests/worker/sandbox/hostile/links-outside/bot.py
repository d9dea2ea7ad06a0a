import os
import sys

input()
reached = []
for number, target in enumerate(("/etc/passwd", "/proc/1/root/etc/passwd", "/bot/../../etc/passwd", "/dev/fd/3")):
    link = f"/tmp/{number}-{sys.argv[-1]}"
    os.symlink(target, link)
    if os.path.exists(link):
        reached.append(target)
try:
    os.link("/usr/bin/python3", f"/tmp/hard-{sys.argv[-1]}")
    reached.append("a hard link")
except OSError:
    pass
print("held" if not reached else f"reached {reached}")
input()
