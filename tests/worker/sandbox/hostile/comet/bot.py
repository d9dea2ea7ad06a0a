import mmap
import os
import signal
import struct
import time

# A chain: each link makes the next one and ends, so that no list of processes is ever up to date.
LINK_S = 0.0005
# Of CPU time: what the chain uses while the bot's own lines come and go, and no more. The neighbour takes 0.4.
MOST_S = 0.1
used = mmap.mmap(-1, 8)


def used_s():
    return struct.unpack("d", used[:])[0]


signal.signal(signal.SIGCHLD, signal.SIG_IGN)
input()
if os.fork() == 0:
    while True:
        before_it = used_s()
        while time.process_time() < LINK_S:
            used[:] = struct.pack("d", before_it + time.process_time())
        if os.fork():
            os._exit(0)
while used_s() < 0.01:
    time.sleep(0.001)
before = used_s()
print("ready")
while True:
    input()
    pondered_s = used_s() - before
    print("held" if pondered_s < MOST_S else f"pondered for {pondered_s:.3f} s")
    before = used_s()
