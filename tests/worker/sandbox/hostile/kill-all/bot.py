import os
import signal

while True:
    input()
    hit = []
    for pid in (-1, 0, *range(2, 2000)):
        try:
            # Its own group is pid 0; as the first process of its box it ignores what it sends itself.
            os.kill(pid, signal.SIGKILL)
            if pid:
                hit.append(pid)
        except OSError:
            pass
    print("held" if not hit else f"signalled {hit[:5]}")
