import os
import signal

input()
children = []
for _ in range(8):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        taken = bytearray(b"x") * (30 << 20)
        os.write(writing, b"x")
        while True:
            signal.pause()
    os.close(writing)
    os.read(reading, 1)
    children.append(child)
alive = sum(os.waitpid(child, os.WNOHANG)[0] == 0 for child in children)
print("held" if alive < 3 else f"{alive} children took 30 MiB each of 64")
input()
