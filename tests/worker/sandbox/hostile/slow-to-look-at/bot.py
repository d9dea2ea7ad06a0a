import os
import signal
import time


def fill():
    try:
        while True:
            os.open("/dev/null", os.O_RDONLY)
    except OSError:
        pass


# Thousands of descriptors in dozens of processes, of which only the last holds the output: whoever looks for it is late.
input()
print("ready")
input()
output = os.dup(1)
for _ in range(60):
    if os.fork() == 0:
        os.closerange(1, 3)
        os.close(output)
        fill()
        while True:
            signal.pause()
fill()
if os.fork() == 0:
    end = time.process_time() + 0.05
    while time.process_time() < end:
        pass
else:
    os.closerange(1, 3)
    os.close(output)
while True:
    signal.pause()
