import os
import signal

input()
made = 0
try:
    while made < 1000:
        if os.fork() == 0:
            os._exit(0)
        made += 1
except OSError:
    pass
print("held" if made < 64 else f"left {made} zombies")
input()
