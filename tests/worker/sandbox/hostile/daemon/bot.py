import os
import signal

input()
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    os.write(writing, b"x")
    while True:
        signal.pause()
os.read(reading, 1)
print("daemon made")
input()
