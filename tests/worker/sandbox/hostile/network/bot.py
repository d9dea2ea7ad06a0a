import socket

input()
reached = []
attempts = [
    (socket.AF_INET, ("127.0.0.1", 5432)),
    (socket.AF_INET, ("127.0.0.1", 6379)),
    (socket.AF_INET, ("192.0.2.1", 80)),
    (socket.AF_INET6, ("::1", 5432)),
    (socket.AF_UNIX, "/var/run/postgresql/.s.PGSQL.5432"),
    (socket.AF_UNIX, "\0hexarena"),
]
for family, address in attempts:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            with socket.socket(family, kind):
                reached.append(address)
        except OSError:
            pass
for family in (getattr(socket, "AF_VSOCK", 40), getattr(socket, "AF_NETLINK", 16), getattr(socket, "AF_PACKET", 17)):
    try:
        with socket.socket(family, socket.SOCK_RAW):
            reached.append(family)
    except OSError:
        pass
print("held" if not reached else f"reached {reached}")
input()
