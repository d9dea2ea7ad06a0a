import errno
import os

import json
import socket

# A pair needs no address; but one of datagrams takes one with each message.
abstract = json.loads(input())["servers"]["abstract"]
found = []
one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
for address in ("\0" + abstract, "/tmp/socket", "/run/systemd/journal/dev-log", "/dev/log"):
    try:
        one.sendto(b"x", address)
        found.append(address)
    except OSError as error:
        if error.errno == errno.EPROTOTYPE:
            found.append(f"{address} is there")
print("held" if not found else f"{found}"[:900])
input()
