import os
import signal

input()
made = 0
try:
    while made < 1000:
        if os.fork() == 0:
            while True:
                signal.pause()
        made += 1
except OSError:
    pass
print("held" if made < 64 else f"made {made} processes")
input()
