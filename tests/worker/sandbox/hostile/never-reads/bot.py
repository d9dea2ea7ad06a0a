import time

print("ready")
time.sleep(100000)
