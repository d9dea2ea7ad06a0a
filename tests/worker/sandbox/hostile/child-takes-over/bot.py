import os

input()
print("parent")
input()
if os.fork():
    os._exit(0)
while True:
    os.write(1, b"child\n")
    input()
