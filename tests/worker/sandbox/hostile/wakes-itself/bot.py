import mmap
import os
import struct
import time

# Whoever is stopped by a signal is started again by another one: six children send it to all, without end.
SIGCONT, CHILDREN = 18, 6
# Of CPU time, all together: what they use while the bot's own lines come and go, and no more. The neighbour takes 0.4.
MOST_S = 0.2
used = mmap.mmap(-1, 8 * CHILDREN)


def used_s():
    return sum(struct.unpack(f"{CHILDREN}d", used[:]))


input()
for number in range(CHILDREN):
    if os.fork() == 0:
        while True:
            try:
                os.kill(-1, SIGCONT)
            except OSError:
                pass
            used[8 * number : 8 * number + 8] = struct.pack("d", time.process_time())
while used_s() < 0.01:
    time.sleep(0.001)
before = used_s()
print("ready")
while True:
    input()
    pondered_s = used_s() - before
    print("held" if pondered_s < MOST_S else f"pondered for {pondered_s:.3f} s")
    before = used_s()
