import fcntl
import os
import resource

input()
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (100000, 100000))
except (OSError, ValueError):
    pass
opened = []
try:
    while len(opened) < 5000:
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
for descriptor in opened:
    os.close(descriptor)
try:
    opened.append(fcntl.fcntl(0, fcntl.F_DUPFD, 10000))
except (OSError, ValueError):
    pass
print("held" if max(opened) < 64 else f"opened {len(opened)}, up to {max(opened)}")
input()
