import os
import signal

while True:
    input()
    hit = []
    for pid in (-1, 0, *range(2, 2000)):
        try:
            # Its own group is pid 0. The filter refuses SIGKILL to anybody, itself included.
            os.kill(pid, signal.SIGKILL)
            if pid:
                hit.append(pid)
        except OSError:
            pass
    print("held" if not hit else f"signalled {hit[:5]}")
