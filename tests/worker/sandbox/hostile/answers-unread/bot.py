import os

for _ in range(6):
    os.write(1, b"x\n")
    os.sched_yield()
os.read(0, 1)
while True:
    pass
