import mmap

print("ready")
input()
input()
taken = []
while True:
    taken.append(mmap.mmap(-1, 1 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
    taken[-1][:] = b"x" * (1 << 20)
