import os

input()
print("ready")
input()
os.closerange(0, 256)
while True:
    pass
