import os

input()
reached = []
for number, target in enumerate(("/etc/passwd", "/proc/1/root/etc/passwd", "/bot/../../etc/passwd", "/dev/fd/3")):
    link = f"/tmp/{number}"
    os.symlink(target, link)
    if os.path.exists(link):
        reached.append(target)
try:
    os.link("/usr/bin/python3", "/tmp/hard")
    reached.append("a hard link")
except OSError:
    pass
print("held" if not reached else f"reached {reached}")
input()
