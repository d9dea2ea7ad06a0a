import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


SYSINFO = (99, 179)
input()
room = ctypes.create_string_buffer(112)
said = call(SYSINFO, room)
found = [said, room.raw.hex()] if said not in ("EPERM", "ENOSYS") or any(room.raw) else []
print("held" if not found else f"{found}"[:900])
input()
