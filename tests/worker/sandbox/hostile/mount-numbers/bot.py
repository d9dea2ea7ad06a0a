import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


STATX, NAME_TO_HANDLE_AT, AT_FDCWD = (332, 291), (303, 264), -100
STATX_MNT_ID, STATX_MNT_ID_UNIQUE = 0x1000, 0x4000
input()
path = ctypes.create_string_buffer(b"/usr")
tried = []
for mask in (0, STATX_MNT_ID, STATX_MNT_ID_UNIQUE):
    tried.append((f"statx {mask:#x}", call(STATX, AT_FDCWD, path, 0, mask, ctypes.create_string_buffer(256))))
handle = ctypes.create_string_buffer((128).to_bytes(4, "little"), 136)
tried.append(("a handle", call(NAME_TO_HANDLE_AT, AT_FDCWD, path, handle, (ctypes.c_int * 1)(), 0)))
found = [one for one in tried if one[1] not in ("EPERM", "ENOSYS")]
print("held" if not found else f"{found}"[:900])
input()
