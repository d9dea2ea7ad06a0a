import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]



import signal

input()
found = []
signal.pthread_sigmask(signal.SIG_BLOCK, range(32, 65))
queued = 0
while queued < 5000 and libc.sigqueue(os.getpid(), 40, None) == 0:
    queued += 1
if queued > 1024:
    found.append(f"queued {queued} signals")
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
print("held" if not found else f"{found}"[:900])
while True:
    input()
    print('ringing')
