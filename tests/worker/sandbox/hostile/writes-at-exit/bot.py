import atexit
import signal
import sys

def late(*_):
    with open(f"/tmp/{sys.argv[-1]}", "w") as file:
        file.write("still here")
    print("late", flush=True)
    sys.exit(0)

atexit.register(late)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
    signal.signal(number, late)
input()
print("last")
input()
while True:
    signal.pause()
