import array
import os
import socket

input()
try:
    one, other = socket.socketpair()
    sent = 0
    bundle = array.array("i", [os.open("/dev/null", os.O_RDONLY) for _ in range(20)])
    one.setblocking(False)
    while sent < 5000:
        one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, bundle)])
        sent += len(bundle)
except OSError:
    pass
print("held" if sent < 200 else f"{sent} descriptors are on their way")
input()
