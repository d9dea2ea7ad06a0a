import os
import signal
import time

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
input()
print("ready")
input()
while True:
    reading, writing = os.pipe()
    if os.fork() == 0:
        end = time.process_time() + 0.005
        while time.process_time() < end:
            pass
        os._exit(0)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
