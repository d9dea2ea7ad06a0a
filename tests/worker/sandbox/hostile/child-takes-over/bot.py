import os
import time

input()
print("parent")
input()
if os.fork():
    os._exit(0)
time.sleep(0.2)
while True:
    os.write(1, b"child\n")
    input()
