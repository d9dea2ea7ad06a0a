import os

# The test writes the paths of the worker's folder and of the other bot's source into the first prompt.
paths = input().split("\t")
seen = []
for path in [*paths, "/etc/passwd", "/etc/shadow", "/proc", "/proc/self/environ", "/sys", "/home", "/root", "/var", "/run"]:
    if os.path.exists(path):
        seen.append(path)
seen += [name for name in os.listdir("/bot") if name != "bot.py"]
seen += os.listdir("/tmp")
seen += os.listdir("/dev/shm")
print("held" if not seen else f"saw {seen}")
input()
