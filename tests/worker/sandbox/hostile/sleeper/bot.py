import time

input()
print("ready")
input()
time.sleep(100000)
