import atexit
import os
import sys

input()
atexit.register(lambda: open(f"/tmp/{sys.argv[-1]}", "w").close())
print("last")
while True:
    try:
        os.write(1, b"late\n" * 1000)
    except OSError:
        pass
