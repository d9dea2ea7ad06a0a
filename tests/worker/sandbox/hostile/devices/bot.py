import os
import stat
import sys

input()
mark = sys.argv[-1]
found = sorted(set(os.listdir("/dev")) - {"null", "zero", "full", "random", "urandom", "tty", "shm"})
for path in ("/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/fuse", "/dev/kvm", "/dev/net/tun"):
    try:
        os.close(os.open(path, os.O_RDWR))
        found.append(path)
    except OSError:
        pass
for name, device in ((f"/tmp/memory-{mark}", os.makedev(1, 1)), (f"/tmp/disk-{mark}", os.makedev(8, 0))):
    try:
        os.mknod(name, stat.S_IFCHR | 0o666, device)
        found.append(name)
    except OSError:
        pass
for name in ("null", "zero", "random", "urandom"):
    with open(f"/dev/{name}", "wb", buffering=0) as device:
        device.write(b"x")
print("held" if not found else f"found {found}")
input()
