import errno
import os

import fcntl

FIBMAP, FIGETBSZ, FIEMAP, GETFLAGS, GETVERSION, FSGETXATTR, GETFSUUID = (
    1, 2, 0xC020660B, 0x80086601, 0x80087601, 0x801C581F, 0x80111500,
)
input()
found = []
opened = os.open("/usr/bin/env", os.O_RDONLY)
for name, request in (
    ("FIBMAP", FIBMAP),
    ("FIGETBSZ", FIGETBSZ),
    ("FIEMAP", FIEMAP),
    ("flags", GETFLAGS),
    ("version", GETVERSION),
    ("attributes", FSGETXATTR),
    ("the file system's name", GETFSUUID),
):
    room = bytearray(128)
    if request == FIEMAP:
        room[8:16] = b"\xff" * 8
        room[24:28] = (1).to_bytes(4, "little")
    try:
        fcntl.ioctl(opened, request, room)
        found.append(name)
    except OSError as error:
        if error.errno != errno.ENOTTY:
            found.append((name, errno.errorcode[error.errno]))
print("held" if not found else f"{found}"[:900])
input()
