import os
import sys

input()
big = []
with open(f"/tmp/{sys.argv[-1]}", "wb") as file:
    for attempt in (
        lambda: os.ftruncate(file.fileno(), 1 << 40),
        lambda: os.pwrite(file.fileno(), b"x", 1 << 39),
        lambda: os.posix_fallocate(file.fileno(), 0, 1 << 30),
    ):
        try:
            attempt()
            big.append(os.fstat(file.fileno()).st_size)
        except OSError:
            pass
print("held" if not big else f"made a file of {big} bytes")
input()
