import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def answer(name, result):
    """EPERM is the filter's answer; any other says that the attempt was made badly, or worked."""
    return [] if result == -1 and ctypes.get_errno() == errno.EPERM else [f"{name}: {result}, {errno.errorcode.get(ctypes.get_errno())}"]


input()
SYS_fsopen, SYS_open_tree, SYS_move_mount, SYS_fsmount, SYS_fspick, SYS_mount_setattr = 430, 428, 429, 432, 433, 442
SYS_pivot_root = {"x86_64": 155, "aarch64": 41}[machine]
found = answer("mount", libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
found += answer("bind", libc.mount(b"/usr", b"/tmp", None, 4096, None))
found += answer("umount", libc.umount2(b"/bot", 2))
found += answer("pivot_root", libc.syscall(SYS_pivot_root, b"/tmp", b"/tmp"))
found += answer("fsopen", libc.syscall(SYS_fsopen, b"tmpfs", 0))
found += answer("open_tree", libc.syscall(SYS_open_tree, -100, b"/usr", 1))
found += answer("move_mount", libc.syscall(SYS_move_mount, -100, b"/usr", -100, b"/tmp", 0))
found += answer("fspick", libc.syscall(SYS_fspick, -100, b"/tmp", 0))
found += answer("mount_setattr", libc.syscall(SYS_mount_setattr, -100, b"/usr", 0, (ctypes.c_uint64 * 4)(0, 1), 32))
print("held" if not found else f"{found}"[:900])
input()
