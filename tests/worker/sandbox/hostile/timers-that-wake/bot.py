import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


import mmap
import signal
import struct
import threading
import time

# Whoever is stopped by a signal is started again by another one, and the kernel sends it when a timer asks for it.
TIMER_CREATE, TIMER_SETTIME = (222, 107), (223, 110)
CLOCK_MONOTONIC, SIGEV_SIGNAL = 1, 0
MOST_S = 0.05
used = 0.0
signal.signal(signal.SIGCONT, lambda *_: None)
input()
timer = (ctypes.c_int * 1)()
event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, SIGEV_SIGNAL)
if call(TIMER_CREATE, CLOCK_MONOTONIC, event, timer) == 0:
    call(TIMER_SETTIME, timer[0], 0, (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000), 0)


def ponder():
    global used
    while True:
        used = time.thread_time()


threading.Thread(target=ponder, daemon=True).start()
while used < 0.01:
    time.sleep(0.001)
before = used
print("ready")
while True:
    input()
    pondered_s = used - before
    print("held" if pondered_s < MOST_S else f"pondered for {pondered_s:.3f} s")
    before = used
