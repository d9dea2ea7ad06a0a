import os
import sys

input()
os.chdir("/tmp")
try:
    for _ in range(3000):
        os.mkdir(f"{sys.argv[-1]:x<250}")
        os.chdir(f"{sys.argv[-1]:x<250}")
except OSError:
    pass
print("held")
input()
