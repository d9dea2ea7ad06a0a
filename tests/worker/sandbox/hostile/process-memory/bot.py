import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


secret, copy = ctypes.create_string_buffer(b"secret"), ctypes.create_string_buffer(6)
mine, theirs = Vector(ctypes.addressof(copy), 6), Vector(ctypes.addressof(secret), 6)
found = answer("read", libc.process_vm_readv(os.getpid(), ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0))
found += answer("write", libc.process_vm_writev(os.getpid(), ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0))
print("held" if not found else f"{found}"[:900])
input()
