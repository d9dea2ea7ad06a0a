import os
import signal
import time

# Chains of children, whose CPU time vanishes with them, keep the machine busy, so that the first process waits for a CPU
# most of the time: as if the machine had kept the bot from running, and no verdict were fair.
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
input()
print("ready")
input()
for _ in range(8):
    if os.fork() == 0:
        while True:
            end = time.process_time() + 0.0005
            while time.process_time() < end:
                pass
            if os.fork():
                os._exit(0)
while True:
    time.sleep(0.001)
