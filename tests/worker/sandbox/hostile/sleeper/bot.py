import time

input()
time.sleep(100000)
