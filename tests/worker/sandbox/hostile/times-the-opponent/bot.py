import json
import time
import resource

pids = json.loads(input())["pids"]
seen = []
for pid in pids:
    for attempt in (lambda: time.clock_gettime(time.pthread_getcpuclockid(1) if False else (~pid << 3) | 2), lambda: resource.prlimit(pid, resource.RLIMIT_CPU)):
        try:
            attempt()
            seen.append(pid)
        except (OSError, PermissionError):
            pass
print("held" if not seen else f"saw the clocks of {seen}")
input()
