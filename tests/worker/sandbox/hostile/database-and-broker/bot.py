import json
import socket

servers = json.loads(input())["servers"]
reached = []
for path in servers["unix"]:
    for address in (path, "/proc/1/root" + path):
        try:
            with socket.socket(socket.AF_UNIX) as made:
                made.connect(address)
                reached.append(address)
        except OSError:
            pass
for host, port in servers["tcp"]:
    try:
        socket.create_connection((host, port), 1).close()
        reached.append(port)
    except OSError:
        pass
print("held" if not reached else f"reached {reached}"[:900])
input()
