import os

print("ready")
input()
input()
kept = []
while True:
    try:
        ends = os.pipe()
        os.set_blocking(ends[1], False)
        os.write(ends[1], b"x" * (1 << 16))
        kept.append(ends)
    except OSError:
        if os.fork():
            os.wait()
        os.closerange(3, 64)
        kept = []
