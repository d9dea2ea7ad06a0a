import sys

input()
written = 0
try:
    with open(f"/tmp/{sys.argv[-1]}", "wb", buffering=0) as file:
        while written < 1 << 28:
            written += file.write(b"x" * (1 << 20))
except OSError:
    pass
print("held" if written <= 16 << 20 else f"wrote {written} bytes")
input()
