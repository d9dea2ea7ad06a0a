import os

input()
os.dup2(os.open("/dev/zero", os.O_RDONLY), 0)
while True:
    os.write(1, b"held\n")
    os.read(0, 100)
