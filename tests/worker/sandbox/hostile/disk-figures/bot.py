import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


STATFS, FSTATFS = (137, 43), (138, 44)
input()
room = ctypes.create_string_buffer(120)
path = ctypes.create_string_buffer(b"/usr")
tried = [("statfs", call(STATFS, path, room)), ("fstatfs", call(FSTATFS, os.open("/usr/bin/env", os.O_RDONLY), room))]
found = [one for one in tried if one[1] not in ("EPERM", "ENOSYS")]
if any(room.raw):
    found.append(room.raw.hex())
print("held" if not found else f"{found}"[:900])
input()
