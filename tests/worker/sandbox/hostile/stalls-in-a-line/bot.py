import os
import time

input()
print("ready")
input()
os.write(1, b"WAI")
time.sleep(100000)
