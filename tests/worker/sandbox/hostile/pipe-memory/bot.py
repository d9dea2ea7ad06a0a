import fcntl
import os

print("ready")
input()
input()
kept = []
while True:
    try:
        ends = os.pipe()
        fcntl.fcntl(ends[1], 1031, 1 << 20)
        os.set_blocking(ends[1], False)
        os.write(ends[1], b"x" * (1 << 20))
        kept.append(ends)
    except OSError:
        if os.fork():
            os.wait()
        kept = []
