import os
import time

input()
print("ready")
input()
os.close(1)
time.sleep(100000)
