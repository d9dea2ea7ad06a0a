import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
SYS_add_key, SYS_request_key, SYS_keyctl = {"x86_64": (248, 249, 250), "aarch64": (217, 218, 219)}[machine]
KEYCTL_GET_KEYRING_ID, PROCESS_KEYRING, USER_KEYRING = 0, -2, -4
found = answer("add_key", libc.syscall(SYS_add_key, b"user", b"mine", b"secret", 6, PROCESS_KEYRING))
found += answer("request_key", libc.syscall(SYS_request_key, b"user", b"mine", None, 0))
found += answer("keyctl", libc.syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, USER_KEYRING, 1))
print("held" if not found else f"{found}"[:900])
input()
