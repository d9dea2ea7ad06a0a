import socket

input()
reached = []
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_PACKET):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            with socket.socket(family, kind):
                reached.append((family.name, kind.name))
        except OSError:
            pass
print("held" if not reached else f"made {reached}")
input()
