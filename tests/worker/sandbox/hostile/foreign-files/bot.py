import os

input()
seen = []
for path in ["/etc/passwd", "/etc/shadow", "/etc/hostname", "/proc/cpuinfo", "/sys/kernel", "/home", "/root", "/var", "/run"]:
    if os.path.exists(path):
        seen.append(path)
seen += [name for name in os.listdir("/etc") if name not in ("ld.so.cache", "alternatives") and not name.startswith("java")]
print("held" if not seen else f"saw {seen}"[:900])
input()
