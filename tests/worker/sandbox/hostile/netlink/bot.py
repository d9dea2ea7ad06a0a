import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
NETLINK_ROUTE, NETLINK_AUDIT, NETLINK_KOBJECT_UEVENT, NETLINK_CONNECTOR, ALGORITHMS = 0, 9, 15, 11, 38
found = []
for protocol in (NETLINK_ROUTE, NETLINK_AUDIT, NETLINK_KOBJECT_UEVENT, NETLINK_CONNECTOR):
    found += answer(f"netlink {protocol}", libc.socket(16, 3, protocol))
found += answer("the kernel's ciphers", libc.socket(ALGORITHMS, 5, 0))
print("held" if not found else f"{found}"[:900])
input()
