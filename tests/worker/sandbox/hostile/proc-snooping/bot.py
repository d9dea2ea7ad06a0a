import json
import os

pids = json.loads(input())["pids"]
seen = []
for pid in ("self", 1, *pids):
    for file in ("environ", "cmdline", "maps", "mem", "root", "cwd", "fd", "task"):
        try:
            os.stat(f"/proc/{pid}/{file}")
            seen.append(f"{pid}/{file}")
        except OSError:
            pass
print("held" if not seen else f"saw {seen}"[:900])
input()
