import atexit
import os

input()
atexit.register(lambda: open("/tmp/late", "w").close())
print("last")
while True:
    try:
        os.write(1, b"late\n" * 1000)
    except OSError:
        pass
