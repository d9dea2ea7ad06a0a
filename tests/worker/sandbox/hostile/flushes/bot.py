import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def call(numbers, *arguments):
    """What the kernel answers: a number, or the name of an error."""
    result = libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one) for one in (numbers[column], *arguments)))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]


# Without the filter, a descriptor that is not open answers EBADF: so the kernel was asked.
FSYNC, FDATASYNC, SYNC_FILE_RANGE, MSYNC = (74, 82), (75, 83), (277, 84), (26, 227)
NOT_OPEN, MS_SYNC = 9999, 4
input()
tried = [("fsync", call(FSYNC, NOT_OPEN)), ("fdatasync", call(FDATASYNC, NOT_OPEN)), ("msync", call(MSYNC, 4096, 4096, MS_SYNC))]
tried.append(("sync_file_range", call(SYNC_FILE_RANGE, NOT_OPEN, 0, 0, 7)))
found = [one for one in tried if one[1] not in (0, "EPERM", "ENOSYS")]
with open("/tmp/mine", "wb") as file:
    file.write(b"x")
    os.fsync(file.fileno())
os.unlink("/tmp/mine")
print("held" if not found else f"{found}"[:900])
input()
