import ctypes
import os

input()
libc = ctypes.CDLL(None, use_errno=True)
made = libc.inotify_init1(os.O_NONBLOCK)
print("held" if made < 0 else f"watches {libc.inotify_add_watch(made, b'/usr/bin', 0x20)}")
input()
