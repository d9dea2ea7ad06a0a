import os
import time

input()
print("ready")
input()
while True:
    if os.fork() == 0:
        end = time.process_time() + 0.01
        while time.process_time() < end:
            pass
        os._exit(0)
    os.wait()
