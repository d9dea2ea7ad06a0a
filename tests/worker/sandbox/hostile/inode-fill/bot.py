import os

print("ready")
input()
input()
os.chdir("/tmp")
number = 0
while True:
    os.mkdir(f"{number}-{'x' * 200}")
    number += 1
