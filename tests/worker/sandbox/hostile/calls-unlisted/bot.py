import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


# Nobody needs these, so that nobody had to think about what they do.
input()
tried = {
    "openat2": call((437, 437), -100, ctypes.create_string_buffer(b"/usr"), ctypes.create_string_buffer(24), 24),
    "mknod": call((133, 33), *((-100,) if column else ()), ctypes.create_string_buffer(b"/tmp/node"), 0o10600, 0),
    "mknodat": call((259, 33), -100, ctypes.create_string_buffer(b"/tmp/node"), 0o10600, 0),
    "chown": call((260, 54), -100, ctypes.create_string_buffer(b"/tmp"), os.getuid(), os.getgid(), 0),
    "getxattr": call((191, 8), ctypes.create_string_buffer(b"/usr"), ctypes.create_string_buffer(b"user.x"), 0, 0),
}
found = [one for one in tried.items() if one[1] != "ENOSYS"]
print("held" if not found else f"{found}"[:900])
input()
