import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


CALLS = {
    "setfsuid": (122, 151), "setfsgid": (123, 152), "setgroups": (116, 159), "setreuid": (113, 145),
    "setregid": (114, 143), "setuid": (105, 146), "setgid": (106, 144), "capset": (126, 91),
}
input()
tried = {name: call(numbers, *((1, 0, 0) if name == "setgroups" else (os.getuid(),) * 2)) for name, numbers in CALLS.items()}
found = [one for one in tried.items() if one[1] != "EPERM"]
print("held" if not found else f"{found}"[:900])
input()
