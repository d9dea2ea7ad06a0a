import os
import time

while True:
    input()
    ticks = [time.time(), time.monotonic(), time.clock_gettime(time.CLOCK_BOOTTIME), *os.times()]
    print("told" if all(isinstance(tick, float) for tick in ticks) else ticks)
