import os

input()
print("ready")
input()
while True:
    os.getrandom(1 << 20)
    with open("/dev/urandom", "rb", buffering=0) as source:
        source.read(1 << 20)
