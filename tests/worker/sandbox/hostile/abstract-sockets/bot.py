import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


import json
import socket

name = json.loads(input())["servers"]["abstract"]
found = []
try:
    with socket.socket(socket.AF_UNIX) as made:
        made.connect("\0" + name)
        found.append(name)
except OSError as error:
    if error.errno != errno.EPERM:
        found.append(str(error))
print("held" if not found else f"{found}"[:900])
input()
