import json
import os
import signal

pids = json.loads(input())["pids"]
hit = []
for pid in pids:
    for attempt in (
        lambda: os.kill(pid, 0),
        lambda: os.killpg(pid, 0),
        lambda: signal.pidfd_send_signal(os.pidfd_open(pid), 0),
        lambda: os.sched_getparam(pid),
        lambda: os.getpgid(pid),
    ):
        try:
            attempt()
            hit.append(pid)
        except OSError:
            pass
print("held" if not hit else f"reached {hit}")
input()
