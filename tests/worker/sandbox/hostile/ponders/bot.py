import json
import mmap
import os
import struct

counted = mmap.mmap(-1, 8)


def count():
    return struct.unpack("q", counted[:])[0]


# On its own time, a few milliseconds, the child counts too; where all are stopped one by one, on a busy machine, for
# longer. In 0.15 s it would make 300,000.
most = 40000 if "cpu" in json.loads(input())["promises"] else 120000
if os.fork() == 0:
    while True:
        counted[:] = struct.pack("q", count() + 1)
while count() < 1000:
    pass
before = count()
print("ready")
while True:
    input()
    steps = count() - before
    print("held" if steps < most else f"pondered {steps} steps")
    before = count()
