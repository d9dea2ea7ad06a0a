import os
import sys

input()
written = 0
try:
    with open(f"/dev/shm/{sys.argv[-1]}", "wb", buffering=0) as file:
        while written < 1 << 28:
            written += file.write(b"x" * 4096)
except OSError:
    pass
print("held" if written <= 64 << 10 else f"wrote {written} bytes")
input()
