import mmap
import os
import struct

counted = mmap.mmap(-1, 8)


def count():
    return struct.unpack("q", counted[:])[0]


input()
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
    # On its own time, a few milliseconds, the child counts too: more on a busy machine. In 0.15 s it would make 300,000.
    print("held" if steps < 120000 else f"pondered {steps} steps")
    before = count()
