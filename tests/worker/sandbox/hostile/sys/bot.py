import os

input()
found = []
for path in ("/sys/fs/cgroup", "/sys/kernel/security", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"):
    if os.path.exists(path):
        found.append(path)
print("held" if not found else f"found {found}")
input()
