import os
import sys

print("ready")
input()
input()
os.chdir("/tmp")
number = 0
while True:
    os.mkdir(f"{number}-{sys.argv[-1]:x<200}")
    number += 1
