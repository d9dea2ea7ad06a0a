import mmap
import os
import signal
import struct
import time

# A chain: each link makes the next one and ends, so that no list of processes is ever up to date.
counted = mmap.mmap(-1, 8)


def count():
    return struct.unpack("q", counted[:])[0]


signal.signal(signal.SIGCHLD, signal.SIG_IGN)
input()
if os.fork() == 0:
    while True:
        end = time.perf_counter() + 0.0005
        while time.perf_counter() < end:
            counted[:] = struct.pack("q", count() + 1)
        if os.fork():
            os._exit(0)
time.sleep(0.05)
much = 2 * count()
before = count()
print("ready")
while True:
    input()
    steps = count() - before
    # What it does in 0.05 s of its own time, and no more; the neighbour takes 0.2 s.
    print("held" if steps < much else f"pondered {steps} steps of {much}")
    before = count()
