import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
os.makedirs("/tmp/root", exist_ok=True)
found = answer("chroot", libc.chroot(b"/tmp/root"))
handle = ctypes.create_string_buffer(128 + 8)
ctypes.cast(handle, ctypes.POINTER(ctypes.c_uint32))[0] = 128
mount = ctypes.c_int()
found += answer("name_to_handle_at", libc.name_to_handle_at(-100, b"/usr", handle, ctypes.byref(mount), 0))
found += answer("open_by_handle_at", libc.open_by_handle_at(os.open("/", os.O_RDONLY), handle, 0))
print("held" if not found else f"{found}"[:900])
input()
