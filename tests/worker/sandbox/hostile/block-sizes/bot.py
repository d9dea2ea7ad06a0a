import fcntl
import struct

FIGETBSZ, FS_IOC_GETFLAGS, FS_IOC_GETVERSION = 2, 0x80086601, 0x80087601
input()
told = []
for path in ("/usr/bin/env", "/etc/ld.so.cache", __file__):
    with open(path, "rb") as file:
        for name, command in (("block size", FIGETBSZ), ("flags", FS_IOC_GETFLAGS), ("generation", FS_IOC_GETVERSION)):
            try:
                fcntl.ioctl(file, command, struct.pack("Q", 0))
                told.append(f"{name} of {path}")
            except OSError:
                pass
print("held" if not told else f"{told}"[:900])
input()
