import mmap
import os
import struct
import time

# Whoever is stopped by a signal is started again by another one: six children send it to all, without end.
SIGCONT, CHILDREN = 18, 6
counted = mmap.mmap(-1, 8 * CHILDREN)


def count():
    return sum(struct.unpack(f"{CHILDREN}q", counted[:]))


input()
for number in range(CHILDREN):
    if os.fork() == 0:
        steps = 0
        while True:
            try:
                os.kill(-1, SIGCONT)
            except OSError:
                pass
            steps += 1
            counted[8 * number : 8 * number + 8] = struct.pack("q", steps)
time.sleep(0.05)
much = 2 * count()
before = count()
print("ready")
while True:
    input()
    steps = count() - before
    # What they do in 0.05 s of their own time, and no more; the neighbour takes 0.2 s.
    print("held" if steps < much else f"pondered {steps} steps of {much}")
    before = count()
